"""Tables of the simulated benchmark, from its two files."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from .simulated_laboratory import Environment

COLUMNS = (
    "stage",
    "environment",
    "library",
    "setting",
    "runs",
    "regret",
    "standard_error",
    "rounds",
    "microseconds",
)
RUN_COLUMNS = ("stage", "environment", "library", "setting", "runs", "rounds", "run", "regret")

OURS = "Optimist"
MEASURE = "bayes-ucb"

INTRODUCTION = """### Simulated

All play in our laboratory with the same luck, peers as policies written in Python. Peers that know features of arms take part, each with the
setting that did best with other seeds: on the paper's instances with kappa = 50 for fixed lists, on ten features for lists that
are redrawn, on drift among those that forget. Ours have their defaults and are told the norm bound, unless the line says
otherwise. Mean regret with its standard error, and the ratio to `bayes-ucb` over the runs that both have."""

Row = dict[str, str]


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def runs_beside(path: Path) -> Path:
    """Where the regrets of single runs are."""
    return path.with_name(f"{path.stem}_runs.csv")


def best_settings(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """Of every environment and library, the setting with the least regret in tuning."""
    best: dict[tuple[str, str], tuple[float, str]] = {}
    for row in rows:
        if row["stage"] == "tune":
            key = row["environment"], row["library"]
            best[key] = min(best.get(key, (np.inf, "")), (float(row["regret"]), row["setting"]))
    return {key: setting for key, (_, setting) in best.items()}


def ratio(ours: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    """Mean by mean over the runs that both have, with the standard error of paired runs (delta method)."""
    n = min(len(ours), len(base))
    a, b = np.array(ours[:n]), np.array(base[:n])
    if n == 0 or b.mean() == 0:
        return float("nan"), float("nan")
    r = float(a.mean() / b.mean())
    error = float(np.std(a - r * b, ddof=1) / (b.mean() * np.sqrt(n))) if n > 1 else float("nan")
    return r, error


Published = dict[str, list[tuple[str, float]]]


def tables(path: Path, environments: Sequence[Environment], published: Published) -> str:
    """One Markdown table per environment: ours, and every peer's setting that tuning has chosen."""
    rows = read(path)
    chosen = best_settings(rows)
    regrets: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for run in read(runs_beside(path)):
        if run["stage"] == "report":
            regrets[run["environment"], run["library"], run["setting"]].append(float(run["regret"]))
    parts = []
    for environment in environments:
        here = [
            row
            for row in rows
            if row["environment"] == environment.name
            and row["stage"] == "report"
            and (row["library"] == OURS or chosen.get((environment.tuned_on, row["library"])) == row["setting"])
        ]
        if here:
            parts.append(table(environment, here, regrets, published.get(environment.name, [])))
    return "\n\n".join([INTRODUCTION, *parts]) + "\n"


def table(
    environment: Environment,
    rows: Sequence[Row],
    regrets: dict[tuple[str, str, str], list[float]],
    published: Sequence[tuple[str, float]],
) -> str:
    base = regrets.get((environment.name, OURS, MEASURE), [])
    lines = [
        f"**{environment.title}**",
        "",
        f"| player | regret after {int(rows[0]['rounds']):,} rounds | by `{MEASURE}` | runs |",
        "|---|---:|---:|---:|",
    ]
    for row in sorted(rows, key=lambda row: float(row["regret"])):
        r, error = ratio(regrets.get((environment.name, row["library"], row["setting"]), []), base)
        player = f"`{row['setting']}`" if row["library"] == OURS else f"{row['library']}: {row['setting']}"
        regret = f"{float(row['regret']):.1f} ± {float(row['standard_error']):.1f}"
        lines.append(f"| {player} | {regret} | {r:.2f} ± {error:.2f} | {row['runs']} |")
    lines += [f"| {name} | {regret:g} | | 10 |" for name, regret in published]
    return "\n".join(lines)
