"""Simulated bandits: ours and other libraries in our laboratory, with the same bandits and the same luck for all.

The settings of the other libraries are chosen on tuning runs with another seed, for most environments on one that is
like it; ours play with their defaults. What ours are told and the others cannot be told is a bound on the
norm of the parameter; `bayes-ucb, no norm bound` is not told it either.

    python -m peers.simulated            # about a quarter of an hour on two cores; goes on where it was stopped
    python -m peers.simulated --tables   # what there is so far
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from . import simulated_tables
from .packages import ROOT
from .players.with_arm_features import PEERS, Peer
from .simulated_forest import load as load_forest
from .simulated_laboratory import Environment, Game, Outcome
from .simulated_laboratory import play as play_game
from .simulated_tables import COLUMNS, OURS, RUN_COLUMNS, best_settings, read, runs_beside

DISK = {"kind": "ball-sample", "count": 40}


def disk(**more: Any) -> dict[str, Any]:
    """The paper's instances: two features, 40 arms in the unit disk that stay the same."""
    return {"dimension": 2, "arms": DISK, "kappa": 50.0} | more


def late(**delay: Any) -> dict[str, Any]:
    return disk(feedback={"delay": delay})


def of_lee(norm: float, bound: float) -> dict[str, Any]:
    """The setting of Lee, Yun and Jun (2024), whose program draws arms uniformly in the unit ball.

    The program is nick-jhlee/logistic_bandit. Its theta points in the direction of (1, 1), here in one drawn for each
    run, which comes to the same for such arms. Its runs share one sequence of lists and differ in rewards only; here
    every run has lists of its own.
    """
    arms = {"kind": "ball-sample", "count": 20, "redraw": "round"}
    return {"dimension": 2, "arms": arms, "theta_norm": norm, "norm_bound": bound}


ENVIRONMENTS = [
    Environment("kappa 50", "The paper's instances, kappa = 50 (d = 2, 40 arms)", 2000, disk()),
    Environment("kappa 400", "The paper's instances, kappa = 400 (d = 2, 40 arms)", 2000, disk(kappa=400.0)),
    Environment(
        "ten features",
        "Ten features, 50 arms redrawn every round (norm of theta 4, bound 5)",
        2000,
        {
            "dimension": 10,
            "arms": {"kind": "ball-sample", "count": 50, "redraw": "round"},
            "theta_norm": 4.0,
            "norm_bound": 5.0,
        },
    ),
    Environment("delays", "kappa = 50, rewards late by 50 rounds in the mean", 2000, late(kind="geometric", mean=50), like="kappa 50"),
    Environment("batches", "kappa = 50, rewards in batches of 50", 2000, late(kind="batch", size=50), like="kappa 50"),
    Environment(
        "drift",
        "kappa = 50, a new direction of theta every 500 rounds",
        2000,
        disk(drift={"kind": "steps", "every": 500}),
    ),
    Environment("published 1", "Lee et al. (2024): d = 2, 20 new arms, ||theta|| = 1, S = 2", 4000, of_lee(1, 2), like="ten features"),
    Environment("published 9", "Lee et al. (2024): the same, ||theta|| = 9, S = 10", 4000, of_lee(9, 10), like="ten features"),
    Environment("forest", "Forest cover: 60 clusters as arms (d = 11, S = 6, delta 1%)", 1000, delta=0.01, like="kappa 50"),
]

# Mean regret after 4,000 rounds and 10 runs, from the public logs of the authors' programs.
PUBLISHED = {
    "published 1": [("OFULog-r, published", 163.6), ("OFULog+, published", 132.6), ("ada-ECOLog, published", 109.2)],
    "published 9": [("OFULog-r, published", 1960.0), ("OFULog+, published", 36.8), ("ada-ECOLog, published", 221.8)],
}

Player = tuple[str, str, dict[str, Any]]
"""Label, policy and options."""

DEFAULTS: list[Player] = [
    (name, name, {}) for name in ("bayes-ucb", "optimist", "insured", "laplace-ts", "optimist-stream", "greedy")
]
UNTOLD: Player = ("bayes-ucb, no norm bound", "bayes-ucb", {"norm_bound": "none"})
DELAYED: list[Player] = [("bayes-ucb, delayed", "bayes-ucb", {"delayed": 2000})]
# The half-life is that of examples/drift.toml, and was not tuned.
FORGETTING: list[Player] = [
    ("bayes-ucb, half-life 200", "bayes-ucb", {"half_life": 200}),
    ("laplace-ts, half-life 200", "laplace-ts", {"half_life": 200}),
]
# `ofulog` is not among them: with ever new arms its exact planning takes 14 ms a round, a minute a run.
RIVALS: list[Player] = [
    ("ofulog-r", "ofulog-r", {}),
    ("ofulog-r, radius corrected", "ofulog-r", {"radius": "corrected"}),
    ("ofulog-r, radius as printed", "ofulog-r", {"radius": "paper"}),
    ("ofulog-plus", "ofulog-plus", {}),
    ("ofulog-plus, as printed", "ofulog-plus", {"constants": "published"}),
    ("ecolog", "ecolog", {}),
    ("ecolog, as printed", "ecolog", {"constants": "published"}),
    ("ofuglb", "ofuglb", {}),
    ("glb-omd", "glb-omd", {}),
    ("glm-ucb", "glm-ucb", {}),
]

TUNING_SEED, REPORT_SEED = 1, 7
KEY = ("stage", "environment", "library", "setting", "rounds")
# Runs in tuning and in the report. coba and bayesianbandits take ten times as long as the others.
RUNS = {
    OURS: (0, 50),
    "Vowpal Wabbit": (8, 50),
    "coba": (5, 10),
    "bayesianbandits": (4, 10),
    "MABWiser": (4, 25),
}
# As many as were published; our own policies have more there, since that costs nothing.
PUBLISHED_RUNS = (3, 10)


def ours(environment: Environment) -> list[Player]:
    untold = UNTOLD if environment.keys else (UNTOLD[0], UNTOLD[1], {"norm_bound": None})
    players = [*DEFAULTS, untold]
    players += DELAYED if "feedback" in environment.keys else []
    players += FORGETTING if environment.drifts else []
    players += RIVALS if environment.name in PUBLISHED or not environment.keys else []
    return players


def peers(environment: Environment) -> list[Peer]:
    return [
        peer
        for peer in PEERS
        if (environment.fixed or not peer.fixed) and environment.drifts == peer.forgets
    ]


def runs(library: str, setting: str, environment: Environment, stage: str, quick: bool) -> int:
    if quick:
        return 2
    # The rivals keep all history, which grows with every new arm.
    slow = library != OURS or setting in {label for label, _, _ in RIVALS}
    few = slow and environment.name in PUBLISHED
    return (PUBLISHED_RUNS if few else RUNS[library])[stage == "report"]


def rounds(environment: Environment, quick: bool) -> int:
    return 100 if quick else environment.horizon


def our_games(environment: Environment, quick: bool) -> list[Game]:
    return [
        Game(
            "report", environment, OURS, label, policy, options,
            runs(OURS, label, environment, "report", quick), rounds(environment, quick), REPORT_SEED,
        )
        for label, policy, options in ours(environment)
    ]  # fmt: skip


def peer_game(stage: str, environment: Environment, peer: Peer, quick: bool) -> Game:
    seed = TUNING_SEED if stage == "tune" else REPORT_SEED
    count = runs(peer.library, peer.name, environment, stage, quick)
    length = rounds(environment, quick)
    return Game(stage, environment, peer.library, peer.name, peer.player, peer.options, count, length, seed)


def tuning_games(environment: Environment, quick: bool) -> list[Game]:
    if environment.like:
        return []
    return [peer_game("tune", environment, peer, quick) for peer in peers(environment)]


def report_games(environment: Environment, path: Path, quick: bool) -> list[Game]:
    chosen = best_settings(read(path))
    return [
        peer_game("report", environment, peer, quick)
        for peer in peers(environment)
        if chosen.get((environment.tuned_on, peer.library)) == peer.name
    ]


def play(out: Path, quick: bool) -> Path:
    """Plays all that is not in the files yet, and returns the file of the results."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / ("simulated_quick.csv" if quick else "simulated.csv")
    # Made once, before two processes would make it at a time.
    load_forest()
    # Each process plays one game at a time, and threads that libraries start would only get into each other's way.
    os.environ["OMP_NUM_THREADS"] = "1"
    pool = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"))
    try:
        for environment in ENVIRONMENTS:
            play_all(pool, [*our_games(environment, quick), *tuning_games(environment, quick)], path)
            play_all(pool, report_games(environment, path, quick), path)
    finally:
        # After a failure, what has not begun is not begun any more.
        pool.shutdown(cancel_futures=True)
    return path


def play_all(pool: ProcessPoolExecutor, games: Iterable[Game], path: Path) -> None:
    known: dict[tuple[str, ...], int] = {}
    for row in read(path):
        known[tuple(row[name] for name in KEY)] = int(row["runs"])
    # More runs than are wanted are as good.
    games = [game for game in games if known.get(game.key, 0) < game.runs]
    tasks = {pool.submit(play_game, game): game for game in games}
    begin = time.perf_counter()
    for number, task in enumerate(as_completed(tasks), 1):
        game, outcome = tasks[task], task.result()
        keep(path, game, outcome)
        print(
            f"{time.perf_counter() - begin:6.0f} s  {number}/{len(tasks)}  {game.stage}  {game.environment.name}  "
            f"{game.library}: {game.setting}  {np.mean(outcome.regrets):.1f}",
            flush=True,
        )


def keep(path: Path, game: Game, outcome: Outcome) -> None:
    """Single runs first: a game counts as played once it stands in the table of means."""
    name = [game.stage, game.environment.name, game.library, game.setting, game.runs]
    append(
        runs_beside(path),
        RUN_COLUMNS,
        [[*name, game.rounds, run, repr(regret)] for run, regret in enumerate(outcome.regrets)],
    )
    mean = float(np.mean(outcome.regrets))
    error = float(np.std(outcome.regrets, ddof=1) / np.sqrt(len(outcome.regrets))) if game.runs > 1 else float("nan")
    append(path, COLUMNS, [[*name, f"{mean:.4f}", f"{error:.4f}", game.rounds, f"{outcome.microseconds:.2f}"]])


def append(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(columns)
        writer.writerows(rows)


def tables(path: Path) -> str:
    """The results as Markdown, one table per environment."""
    return simulated_tables.tables(path, ENVIRONMENTS, PUBLISHED)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m peers.simulated", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="two runs of a hundred rounds each, to see that all works")
    out = ROOT / "target" / "peers"
    parser.add_argument("--out", type=Path, default=out, help="where results are kept (%(default)s)")
    parser.add_argument("--tables", action="store_true", help="play nothing, print the tables of what there is")
    options = parser.parse_args()
    path = options.out / ("simulated_quick.csv" if options.quick else "simulated.csv")
    if not options.tables:
        play(options.out, options.quick)
    print(tables(path))


if __name__ == "__main__":
    main()
