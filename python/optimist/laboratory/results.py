"""What came of an experiment."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

from .._optimist import Outcome
from . import frames
from .show import Table, html_table

Path = str | os.PathLike[str]


class Results:
    """The finished runs of an experiment.

    Two are equal if everything but the time is the same, to the last bit. They can be pickled.
    """

    def __init__(self, outcome: Outcome, path: Path | None = None) -> None:
        self._outcome = outcome
        self.path = None if path is None else os.fspath(path)

    @property
    def experiment(self) -> dict[str, Any]:
        """The experiment, with everything written out."""
        experiment: dict[str, Any] = json.loads(self._outcome.experiment)
        return experiment

    @property
    def runs(self) -> tuple[int, int]:
        """How many runs are finished, and how many were asked for."""
        return self._outcome.progress()

    @property
    def details(self) -> dict[str, Any]:
        """All figures, as ``summary.json`` has them."""
        return self._outcome.summary()

    @property
    def summary(self) -> Table:
        """One line per environment and policy: regret after all rounds, time, and how often the set was wrong."""
        rows: list[dict[str, Any]] = []
        for environment in self.details["cells"]:
            for policy in environment["policies"]:
                regret: dict[str, Any] = policy["regret"] or {}
                rate = policy["rounds_per_second"]
                row = {"environment": environment["environment"]["label"], "policy": policy["label"]}
                row |= {"runs": policy["runs"], "regret": regret.get("mean")}
                row |= {name: regret.get(name) for name in ("std", "median", "q10", "q90")}
                row |= {"seconds_per_round": None if rate is None else 1 / rate, "left_set": policy["excluded_runs"]}
                rows.append(row)
        return Table(rows, self.experiment["name"])

    def frame(self, library: str | None = None, *, checkpoints: bool = False) -> Any:
        """A tidy frame: one row per environment, policy, run and round at which figures were taken.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            The first that is installed, if absent.
        checkpoints : bool
            Only the checkpoints: the rows of ``results.csv``.
        """
        library = frames.library(library)
        columns = self._outcome.columns(checkpoints)
        return frames.frame({name: frames.typed(kind, values, library) for name, kind, values in columns}, library)

    def differences(self, t: int | None = None) -> Table:
        """Every pair of policies in every environment, compared run by run: the rows of ``differences.csv`` after one round.

        Differences are regret of the policy minus regret of the reference: below zero the policy is better. ``low`` and ``high``
        are the 95% interval of Student's t, ``p`` is that of a paired t test, ``p_holm`` the same adjusted for all pairs of the
        environment; ``wilcoxon_p`` is that of the signed-rank test. What cannot be told is None.

        Parameters
        ----------
        t : int, optional
            A round after which figures were taken; the horizon if absent.
        """
        found = self._outcome.differences(t)
        rows = [{"environment": environment} | difference for environment, pairs in found for difference in pairs]
        return Table(rows, f"{self.experiment['name']}: differences of regret")

    def table(
        self,
        format: str = "markdown",
        *,
        t: int | None = None,
        policies: str | Sequence[str] = (),
        environments: str | Sequence[str] = (),
    ) -> str:
        """The final regret as papers print it: mean and standard error, the best in bold, a star where a policy is not
        significantly worse.

        Parameters
        ----------
        format : {"markdown", "latex", "csv"}
            LaTeX needs the packages booktabs and fontenc.
        t : int, optional
            A round after which figures were taken; the horizon if absent.
        policies : str or list of str
            Labels or names of the policies to show; all if absent.
        environments : str or list of str
            Names of the environments to show, or their numbers from 1 as text; all if absent.
        """
        policies, environments = ([names] if isinstance(names, str) else list(names) for names in (policies, environments))
        return self._outcome.table(format, t, policies, environments)

    def plot(
        self, ax: Any = None, *, band: str | None = "std", policies: str | Sequence[str] | None = None, log: bool = False
    ) -> Any:
        """Regret against rounds, one panel per environment. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw, if there is one environment.
        band : {"std", "quantiles", None}
            What is shaded: one standard deviation about the mean, or from the 10% to the 90% quantile about the median.
        policies : str or list of str, optional
            Labels of the policies to draw.
        log : bool
            Both axes logarithmic.

        Returns
        -------
        The axes, or a list of them if there are several environments.
        """
        from .plots import draw

        return draw(self, ax, band, policies, log)

    def figures(self, path: Path, **style: Any) -> list[str]:
        """Writes the figures of ``optimist plot`` to a directory, and says which files these are. Needs no matplotlib.

        Parameters
        ----------
        path : path
            The directory.
        **style
            The options of ``optimist plot``, ``_`` for ``-``: ``format="pdf"``, ``width="85mm"``, ``font_size="8pt"``,
            ``no_title=True``, ``styles="both"``, ``policies=["optimist"]``, ``label={"optimist": "Ours"}``, ``panels=True``.
            What is None is left out. ``optimist plot --help`` has all of them.
        """
        keys = [(key, _values(value)) for key, value in style.items() if value is not None]
        return [os.fspath(name) for name in self._outcome.plot(os.fspath(path), keys)]

    def save(self, path: Path, *, parquet: bool = False) -> None:
        """Writes runs, tables, figures and report to a directory, where ``run`` with ``out`` goes on."""
        self._outcome.save(os.fspath(path), parquet)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._outcome == other._outcome

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._outcome.experiment, self._outcome.to_bytes(), self.path)

    def __repr__(self) -> str:
        done, total = self.runs
        return f"{self.experiment['name']}: {done} of {total} runs\n{self.summary!r}"

    def _repr_html_(self) -> str:
        done, total = self.runs
        summary = self.summary
        rows = [[row[name] for name in summary.columns] for row in summary]
        return html_table(summary.columns, rows, f"{self.experiment['name']}: {done} of {total} runs")


def _values(value: Any) -> list[str]:
    """The values of an option as its texts."""
    if isinstance(value, dict):
        return [f"{name}={label}" for name, label in value.items()]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def _restore(experiment: str, runs: bytes, path: str | None) -> Results:
    return Results(Outcome.restore(experiment, runs), path)


def load(path: Path) -> Results:
    """The finished runs of a directory that ``run`` with ``out``, ``Results.save`` or the command line has written."""
    outcome, notes = Outcome.load(os.fspath(path))
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Results(outcome, path)
