"""``optimist.replay``."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .._optimist import InvalidOption, replay_data
from . import frames
from . import progress as bars
from .columns import columns
from .errors import Interrupted
from .experiment import plain
from .kinds import is_iterable, is_path
from .results import Path
from .show import Table, html_table

Names = str | Sequence[str]


class Replay:
    """What came of a replay."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def title(self) -> str:
        """What was replayed."""
        return str(self._told["title"])

    @property
    def what(self) -> str:
        """How much was replayed, and how."""
        return str(self._told["what"])

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Everything that is known of every candidate, as ``results.json`` has it."""
        return list(self._told["entries"])

    @property
    def best(self) -> str | None:
        """The candidate with the largest mean reward; none if nothing can be said."""
        best: str | None = self._told["best"]
        return best

    @property
    def logged(self) -> dict[str, Any] | None:
        """What the log itself has earned per decision; none of a table with classes."""
        logged: dict[str, Any] | None = self._told["logged"]
        return logged

    @property
    def schema(self) -> Table:
        """What the columns were read as, and why."""
        return Table([dict(zip(("column", "read_as", "why"), line, strict=True)) for line in self._told["schema"]])

    @property
    def notes(self) -> list[str]:
        """What became of rows and cells that could not be used."""
        return list(self._told["notes"])

    @property
    def summary(self) -> Table:
        """One line per candidate: mistakes of a table with classes, or estimates of a log."""
        names = ["policy", "model", "rounds", "mean_reward", "mean_reward_error"]
        if self._told["is_log"]:
            names += ["verdict", "effective_rows"]
        else:
            names += ["mistakes", "mistakes_error", "orders"]
        rows = [{name: entry.get(name) for name in [*names, "seconds"]} for entry in self.entries]
        return Table(rows, self.title)

    def frame(self, library: str | None = None) -> Any:
        """Learning curves as a tidy frame: policy, model, order, round, and mistakes and reward summed so far.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            The first that is installed, if absent.
        """
        names = ("policy", "model", "order", "round", "mistakes", "reward")
        rows = [
            (entry["policy"], entry["model"], order, point["round"], point["mistakes"], point["reward"])
            for entry, courses in zip(self._told["entries"], self._told["curves"], strict=True)
            for order, curve in enumerate(courses, 1)
            for point in curve
        ]
        filled = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        return frames.frame({name: list(values) for name, values in zip(names, filled, strict=True)}, library)

    def plot(self, ax: Any = None) -> Any:
        """Learning curves: the share of mistakes so far, or the estimated mean reward so far. Needs matplotlib.

        Returns
        -------
        The axes.
        """
        from .plots import learning

        return learning(self._told, ax)

    def __repr__(self) -> str:
        lines = [self.title, self.what, "", repr(self.summary), ""]
        if self._told["yardstick"]:
            lines.append(str(self._told["yardstick"]))
        if self.logged is not None:
            lines.append(f"the log itself: {self.logged['value']:.4f} per decision")
        lines.append(f"best: {self.best or 'cannot be said, because no candidate has a usable estimate'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        summary = self.summary
        rows = [[row[name] for name in summary.columns] for row in summary]
        return html_table(summary.columns, rows, f"{self.title}: {self.what}")


def replay(
    data: Any,
    *,
    label: str | None = None,
    arm: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    reward_scale: str | tuple[float, float] | None = None,
    policy: Names = (),
    options: Mapping[str, Any] | None = None,
    model: Names = (),
    orders: int | None = None,
    rounds: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    explore: float = 0.0,
    certify: bool = False,
    norm_bound: float | None = None,
    delta: float = 0.05,
    weight_limit: float | None = None,
    number: Names = (),
    category: Names = (),
    text: Names = (),
    time: Names = (),
    hashed: Names = (),
    ignore: Names = (),
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    decimal_comma: bool = False,
    strict: bool = False,
    out: Path | None = None,
    progress: bool | None = None,
) -> Replay:
    """Tries policies on data of your own.

    With ``label`` a table with classes becomes a bandit: every row is a context, every class an action, and a policy learns only
    whether the class that it chose was right. With ``arm`` and ``reward`` a log of decisions says what other policies would have
    earned; with ``propensity``, the logged probabilities, there are estimates with intervals.

    Parameters
    ----------
    data : path or frame
        CSV, JSON lines, dsjson (each also as gzip) or Parquet; or a frame of pandas, polars or pyarrow; or a dict of columns.
    label : str, optional
        A table with classes: the column that holds them.
    arm, reward, propensity : str, optional
        A log: the columns of what was done, what came of it, and with which probability it was done.
    reward_scale : str or (low, high), optional
        How rewards become numbers from 0 to 1: "unit", "range:LOW:HIGH" or "cap:X".
    policy : str or list of str
        Policies; bayes-ucb, laplace-ts, greedy and uniform if absent.
    options : dict, optional
        Options of the policy; of several policies by name.
    model : str or list of str
        "disjoint", "hybrid" or "shared".
    orders, rounds : int, optional
        Random orders of the rows, and rounds of each. Enough for about 200,000 rounds if absent.
    seed : int
        What orders and random choices are drawn from.
    jobs : int, optional
        Candidates at a time, one per core if absent. Results do not depend on it.
    explore : float
        The share of decisions drawn at random, beside what the policy does.
    certify : bool
        Let policies keep the sets from which they could certify: slower, the choices are nearly the same.
    norm_bound : float, optional
        A bound on the norm of the parameters, for policies that need one.
    delta, weight_limit : float
        A log: the probability with which an interval may be wrong, and the largest ratio of probabilities if it is known.
    number, category, text, time, hashed, ignore : str or list of str
        What columns are, where the guess is wrong.
    format, delimiter, header, decimal_comma, strict
        How a file is read, if that cannot be found out.
    out : path, optional
        A directory for results.csv, results.json, report.html and figures.
    progress : bool, optional
        Whether to show a bar; if absent, in terminals and notebooks.

    Returns
    -------
    Replay

    Raises
    ------
    Interrupted
        By Ctrl-C; the exception's ``partial`` holds what is there.
    """
    if isinstance(reward_scale, tuple):
        reward_scale = "range:" + ":".join(str(float(end)) for end in reward_scale)
    wishes = {
        "label": _text(label, "label"),
        "arm": _text(arm, "arm"),
        "reward": _text(reward, "reward"),
        "propensity": _text(propensity, "propensity"),
        "reward_scale": _text(reward_scale, "reward_scale"),
        "policy": _names(policy, "policy"),
        "options": None if options is None else plain(options, "options"),
        "model": _names(model, "model"),
        "orders": _count(orders, "orders"),
        "rounds": _count(rounds, "rounds"),
        "seed": seed,
        "jobs": _count(jobs, "jobs"),
        "explore": explore,
        "certify": certify,
        "norm_bound": norm_bound,
        "delta": delta,
        "weight_limit": weight_limit,
        "number": _names(number, "number"),
        "category": _names(category, "category"),
        "text": _names(text, "text"),
        "time": _names(time, "time"),
        "hashed": _names(hashed, "hashed"),
        "ignore": _names(ignore, "ignore"),
        "format": _text(format, "format"),
        "delimiter": _text(delimiter, "delimiter"),
        "header": header,
        "decimal_comma": decimal_comma,
        "strict": strict,
    }
    if out is not None:
        os.makedirs(out, exist_ok=True)
    bar = bars.Bar("replay", bars.wanted(progress))
    try:
        told, raised = replay_data(
            os.fspath(data) if is_path(data) else "the frame",
            json.dumps(dict.fromkeys(wishes) | plain(wishes, "")),
            None if is_path(data) else columns(data),
            None if out is None else os.fspath(out),
            bar.tell if bar.show else None,
        )
    finally:
        bar.close()
    return _finished(told, raised)


def _finished(told: dict[str, Any], raised: BaseException | None) -> Replay:
    replayed = Replay(told)
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(f"interrupted: {told['stopped']}; the exception's partial holds what is there", replayed)
    if raised is not None:
        raise raised
    for warning in told["warnings"]:
        warnings.warn(warning, stacklevel=3)
    return replayed


def _text(text: Any, field: str) -> str | None:
    if text is None or isinstance(text, str):
        return text
    raise InvalidOption(f"{field} is {text!r}: give a text")


def _names(names: Names, field: str) -> list[str]:
    listed: list[Any] = [names] if isinstance(names, str) else list(names) if is_iterable(names) else [names]
    if not all(isinstance(name, str) for name in listed):
        raise InvalidOption(f"{field} is {names!r}: give a text, or a list of texts")
    return listed


def _count(value: int | None, field: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 1):
        raise InvalidOption(f"{field} is {value!r}: give a whole number, 1 or more")
    return None if value is None else value.__index__()
