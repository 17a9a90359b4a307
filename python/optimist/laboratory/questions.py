"""``optimist.plan`` and ``optimist.theory``: single questions, without an experiment."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .._optimist import InvalidInput, plan_problem, theory_instance, theory_statements
from . import experiment as experiments
from .experiment import plain
from .kinds import is_path
from .show import Table, html_table


class Plan(dict[str, Any]):
    """What is known of every arm, and which to choose; a dictionary with the keys of ``optimist plan``."""

    @property
    def choice(self) -> int:
        """The arm with the largest value."""
        return int(self["choice"])

    @property
    def arms(self) -> Table:
        """One line per arm: its largest log-odds over the set, and bounds on its probability of success."""
        shown = ("value", "upper_bound", "lower", "upper", "status")
        named = [{"arm": arm.get("id", k), **{name: arm[name] for name in shown}} for k, arm in enumerate(self["arms"])]
        return Table({**row, "chosen": k == self.choice} for k, row in enumerate(named))

    @property
    def guarantee(self) -> dict[str, Any]:
        """What the set promises."""
        return dict(self["guarantee"])

    def __repr__(self) -> str:
        return f"choose {self.get('choice_id', self.choice)}\n{self.arms!r}"

    def _repr_html_(self) -> str:
        return self.arms.html()


def plan(
    problem: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    arms: Any = None,
    x: Any = None,
    rewards: Any = None,
    counts: Any = None,
    ids: Sequence[str] | None = None,
    radius: str | Mapping[str, float] | None = None,
    norm_bound: float | None = None,
    delta: float | None = None,
    tolerance: float | None = None,
) -> Plan:
    """What observations say of every arm, with certificates, and which arm to choose: ``optimist plan``.

    Parameters
    ----------
    problem : dict, path or JSON text, optional
        The whole problem as a file of ``optimist plan`` has it. Otherwise the arguments below say it.
    arms : array of shape (K, d)
        What there is to choose from.
    x, rewards, counts : arrays of shape (n, d), (n,) and (n,)
        What was played, what came of it, from 0 to 1, and how often (once if absent).
    ids : list of str, optional
        Names of the arms.
    radius : str, optional
        The confidence set, "mixture" if absent.
    norm_bound, delta : float, optional
        A bound on the norm of the parameter if one is known, and the probability with which the set may fail (0.05).
    tolerance : float, optional
        The largest relative gap of a solve.

    Returns
    -------
    Plan
    """
    given = {"arms": arms, "x": x, "rewards": rewards, "counts": counts, "ids": ids, "radius": radius}
    given |= {"norm_bound": norm_bound, "delta": delta, "tolerance": tolerance}
    if problem is None:
        text = json.dumps(_problem(given))
    else:
        extra = [name for name, value in given.items() if value is not None]
        if extra:
            raise InvalidInput(f"{extra[0]} is given beside a whole problem: put it into the problem")
        text = _text(problem)
    found, notes = plan_problem(text)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Plan(found)


def _text(problem: Mapping[str, Any] | str | os.PathLike[str]) -> str:
    if isinstance(problem, Mapping):
        return json.dumps(plain(problem, ""))
    if isinstance(problem, str) and problem.lstrip().startswith("{"):
        return problem
    with open(problem, encoding="utf-8-sig") as file:
        return file.read()


def _rows(value: Any, field: str) -> list[list[float]]:
    import numpy as np

    try:
        rows = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{field} is not an array of numbers: {error}") from None
    if rows.ndim != 2:
        raise InvalidInput(f"{field} has the shape {rows.shape}: it must have two dimensions, one row each")
    return [plain(row, f"{field}[{i}]") for i, row in enumerate(rows.tolist())]


def _numbers(value: Any, field: str, rows: int) -> list[Any]:
    import numpy as np

    numbers: list[Any] = np.asarray(value).ravel().tolist()
    if len(numbers) != rows:
        raise InvalidInput(f"{field} has {len(numbers)} numbers for {rows} rows of x: give one per row")
    return numbers


def _problem(given: Mapping[str, Any]) -> dict[str, Any]:
    if given["arms"] is None:
        raise InvalidInput("arms is missing: give an array with one row per arm, or a whole problem")
    arms = _rows(given["arms"], "arms")
    played = [] if given["x"] is None else _rows(given["x"], "x")
    rewards = _numbers(() if given["rewards"] is None else given["rewards"], "rewards", len(played))
    observations: list[dict[str, Any]] = [{"x": x, "reward": reward} for x, reward in zip(played, rewards, strict=True)]
    if given["counts"] is not None:
        for entry, count in zip(observations, _numbers(given["counts"], "counts", len(played)), strict=True):
            entry["count"] = count
    settings = {name: given[name] for name in ("radius", "norm_bound", "delta") if given[name] is not None}
    problem = {"dimension": len(arms[0]) if arms else 1, "arms": arms, "observations": observations, "set": settings}
    problem |= {name: given[name] for name in ("ids", "tolerance") if given[name] is not None}
    document: dict[str, Any] = plain(problem, "")
    return document


class Theory(dict[str, Any]):
    """What theory says of an instance; a dictionary with the keys of ``optimist theory --json``."""

    @property
    def bounds(self) -> Table:
        """Upper bounds on the regret, by policy."""
        return Table({"policy": label, **bound} for label, bound in self["upper_bound"].items())

    def _facts(self) -> list[list[Any]]:
        lower, yardstick = self["lower_bound"], self["graves_lai"]
        facts = [[name, self[name]] for name in ("horizon", "delta", "kappa", "kappa_star", "kappa_x")]
        facts += [[f"upper bound, {label}", bound["value"]] for label, bound in self["upper_bound"].items()]
        facts += [] if lower is None else [["lower bound", lower["sharp"]["value"]]]
        facts += [] if yardstick is None else [["Graves-Lai, regret / log T", yardstick["lower"]]]
        return facts

    def __repr__(self) -> str:
        from .show import text_table

        notes = [f"({about}: {text})" for about, text in self["notes"].items()]
        return "\n".join([str(self["environment"]), text_table(["", ""], self._facts()), *notes])

    def _repr_html_(self) -> str:
        return html_table(["", "value"], self._facts(), str(self["environment"]))


def theory(
    experiment: experiments.Given | None = None,
    *,
    theta: Any = None,
    arms: Any = None,
    ball: int | None = None,
    sphere: int | None = None,
    norm_bound: float | None = None,
    horizon: int | None = None,
    delta: float | None = None,
    run: int = 0,
    graves_lai: bool | None = None,
) -> Theory | list[Theory]:
    """What theory says of an instance: constants, bounds on regret, the Graves-Lai constant: ``optimist theory``.

    Parameters
    ----------
    experiment : path, str or dict, optional
        An experiment, as for ``optimist.run``, whose environments are asked about.
    theta : array of shape (d,)
        Without an experiment: the parameter.
    arms : array of shape (K, d), or path of a CSV file
        What may be played; or the dimension of the whole unit ``ball`` or unit ``sphere``.
    norm_bound : float, optional
        The bound on the norm of theta that policies are told; the norm itself if absent.
    horizon, delta : optional
        Rounds for the bounds, and the probability with which confidence sets may fail: 10,000 and 0.05, or the experiment's.
    run : int
        The run of the experiment whose instance is shown, where theta or arms are drawn.
    graves_lai : bool, optional
        Compute the Graves-Lai constant whatever it takes, or not at all; if absent, where it takes seconds.

    Returns
    -------
    Theory, or a list of them if the experiment has several environments
    """
    given = {"theta": theta, "arms": arms, "ball": ball, "sphere": sphere, "norm_bound": norm_bound}
    if experiment is not None:
        extra = [name for name, value in given.items() if value is not None]
        if extra:
            raise InvalidInput(f"{extra[0]} is given beside an experiment: leave one of them out")
        document = experiments.read(experiment)
    elif theta is None:
        raise InvalidInput("nothing to ask about: give theta with arms, ball or sphere, or an experiment")
    else:
        document = _instance(given)
    found = [Theory(statement) for statement in theory_statements(document, horizon, delta, run, graves_lai)]
    return found[0] if len(found) == 1 else found


def _instance(given: Mapping[str, Any]) -> str:
    import numpy as np

    arms = given["arms"]
    rows = None if arms is None or is_path(arms) else _rows(arms, "arms")
    theta = np.asarray(given["theta"], dtype=float).ravel().tolist()
    path = os.fspath(arms) if is_path(arms) else None
    return theory_instance(theta, rows, path, given["ball"], given["sphere"], given["norm_bound"])
