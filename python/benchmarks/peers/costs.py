"""What a decision and its reward cost: one stream for all players, and a fresh process for every game.

Games are played one after the other, because a neighbour on the same core would change what a cache holds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from . import processes, records
from .players import registry
from .players.player import Player, Row, Setting, Task
from .tables_as_bandits import CUT

VOWPAL = "Vowpal Wabbit"
DIMENSION, ARMS = 20, 10
AIM = 10.0
"""Decisions per second, as a multiple of those of Vowpal Wabbit, that ours are meant to make."""
CHECK = 50
"""The clock is looked at every so many rounds."""


@dataclass(frozen=True)
class Plan:
    """How long is played."""

    rounds: int
    seconds: float
    """After so much time of the process a game ends; it may overrun by one slow update."""
    repeats: int
    patience: float
    """Seconds by the clock after which a process is ended."""


FULL = Plan(5000, 8.0, 3, 300.0)
QUICK = Plan(300, 2.0, 1, 120.0)


@dataclass(frozen=True)
class Cost:
    """What came of a game."""

    library: str
    setting: str
    repeat: int
    rounds: int
    whole: bool
    seconds: float
    bytes: int
    failure: str = ""


def chosen_or_first(out: Path, library: str) -> list[Setting]:
    """The settings chosen on the tuning half of the tables; the first one of a library that was not tuned."""
    # Not above: a game must not load what it does not play.
    from . import choosing

    try:
        return choosing.chosen(out, library)
    except SystemExit:
        return [registry.settings(library)[0]]


def stream(rounds: int) -> tuple[list[Row], list[list[float]], float]:
    """Contexts, what every arm would pay in each round, and the largest norm of a context."""
    random = np.random.default_rng(2026)
    contexts = np.clip(random.standard_normal((rounds, DIMENSION)), -CUT, CUT)
    rules = 2.0 * random.standard_normal((DIMENSION, ARMS)) / np.sqrt(DIMENSION)
    pays = random.random((rounds, ARMS)) < 1.0 / (1.0 + np.exp(-contexts @ rules))
    # Lists, so that looking up a reward takes next to nothing of the time that is measured.
    return list(contexts), pays.astype(float).tolist(), float(np.linalg.norm(contexts, axis=1).max())


def game(library: str, name: str, plan: Plan) -> Cost:
    """One game in this process, which should be a new one."""
    contexts, pays, norm = stream(plan.rounds)
    before = _memory("VmRSS")
    # The library is loaded here, so its import counts.
    player = registry.find(library, name).make(Task(ARMS, DIMENSION, norm, plan.rounds, seed=1))
    played, seconds = _timed(player, contexts, pays, plan.seconds)
    return Cost(library, name, 0, played, played == plan.rounds, seconds, _memory("VmHWM") - before)


def _timed(player: Player, contexts: list[Row], pays: list[list[float]], limit: float) -> tuple[int, float]:
    choose, learn = player.choose, player.learn
    start = time.process_time()
    for begin in range(0, len(contexts), CHECK):
        for context, paid in zip(contexts[begin : begin + CHECK], pays[begin : begin + CHECK], strict=True):
            learn(paid[choose(context)])
        seconds = time.process_time() - start
        if seconds > limit:
            break
    return min(begin + CHECK, len(contexts)), seconds


def _memory(field: str) -> int:
    # The peak is read here and not from ru_maxrss, which counts the parent as well: a process begins as its copy.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no {field}")


def play(out: Path, quick: bool) -> None:
    """Plays what is not in the file yet."""
    plan = QUICK if quick else FULL
    path = out / "costs.csv"
    known = {(cost.library, cost.setting, cost.repeat): cost for cost in records.read(path, Cost)}
    # What ran into the limit was measured for long enough, and what failed would fail again.
    ended = {(library, name) for (library, name, _), cost in known.items() if not cost.whole}
    players = lineup(out, quick)
    # All players once, then all again: a busy hour of the machine then falls on everybody.
    games = [(*player, repeat) for repeat in range(plan.repeats) for player in players]
    start = time.monotonic()
    for number, (library, name, repeat) in enumerate(games, 1):
        if (library, name, repeat) in known or (library, name) in ended:
            continue
        cost = _in_a_process(library, name, repeat, plan)
        records.add(path, cost)
        if not cost.whole:
            ended.add((library, name))
        elapsed = (time.monotonic() - start) / 60
        speed = f"{cost.rounds / cost.seconds:,.0f} a second" if cost.seconds else cost.failure
        said = f"costs {number}/{len(games)} after {elapsed:.1f} min  {library}: {name}  {speed}"
        print(said, file=sys.stderr, flush=True)


def lineup(out: Path, quick: bool) -> list[tuple[str, str]]:
    """All settings of ours, the chosen ones of the others, and those of Vowpal Wabbit's form that has one line per decision."""
    found = []
    for library in registry.LIBRARIES:
        settings = chosen_or_first(out, library)
        if library == registry.OURS:
            settings = list(registry.settings(library))[: 3 if quick else None]
        elif library == VOWPAL and not quick:
            settings += [setting for setting in registry.settings(library) if setting.name.startswith("cb_explore")]
        # The name of the library is that of the registry, by which a setting is found again.
        found += [(library, setting.name) for setting in settings]
    return found


def _in_a_process(library: str, name: str, repeat: int, plan: Plan) -> Cost:
    numbers = ["--rounds", str(plan.rounds), "--seconds", str(plan.seconds)]
    try:
        said = processes.run("costs", library, name, *numbers, patience=plan.patience)
    except subprocess.TimeoutExpired:
        return Cost(library, name, repeat, 0, False, 0.0, 0, f"not done after {plan.patience:.0f} s")
    if said.returncode != 0:
        last = (said.stderr.strip().splitlines() or ["no message"])[-1]
        return Cost(library, name, repeat, 0, False, 0.0, 0, f"ended with {said.returncode}: {last}"[:200])
    # Some libraries print; the last line is ours.
    rounds, whole, seconds, size = json.loads(said.stdout.strip().splitlines()[-1])
    return Cost(library, name, repeat, rounds, whole, seconds, size)


@dataclass(frozen=True)
class Line:
    """A setting in the table: medians over its games."""

    library: str
    setting: str
    speed: float
    bytes: float
    rounds: int
    games: int


def lines(costs: list[Cost]) -> list[Line]:
    """The fastest first."""
    games: dict[tuple[str, str], list[Cost]] = defaultdict(list)
    for cost in costs:
        if not cost.failure:
            games[cost.library, cost.setting].append(cost)
    found = [
        Line(
            *key,
            median(cost.rounds / cost.seconds for cost in played),
            median(cost.bytes for cost in played),
            min(cost.rounds for cost in played),
            len(played),
        )
        for key, played in games.items()
    ]
    return sorted(found, key=lambda line: -line.speed)


def tables(out: Path) -> str:
    """What was measured, in Markdown, with whether the aim is met."""
    costs = records.read(out / "costs.csv", Cost)
    found = lines(costs)
    if not found:
        return "No costs were measured yet.\n"
    ours = next((line for line in found if (line.library, line.setting) == (registry.OURS, _default())), None)
    text = [
        "### Time and memory",
        "",
        f"{DIMENSION} numbers in a context, {ARMS} arms with a linear rule each, "
        f"{max(line.rounds for line in found):,} rounds. Time is that of the process in choosing and learning, the "
        f"median of {max(line.games for line in found)} games in processes of their own (of one, where the limit of "
        f"{FULL.seconds:g} s was reached); a round is a decision and its reward. Memory is the peak of the "
        "process less what it held with NumPy and the stream alone, so the import of the library counts. Vowpal Wabbit "
        "is called through its Python binding with examples built from dicts, `predict` for a choice and `learn` for a "
        "reward; the lines of the arms are built once. Ours are called as `Bandit.choose` and `Bandit.observe` with "
        "arrays, but `by name`, which is `Engine.decide` and `Engine.reward` with dicts.",
        "",
        "| library | setting | rounds a second | microseconds a round | our default, times as fast | MB | rounds |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for line in found:
        ratio = f"{ours.speed / line.speed:,.{1 if ours.speed < 100 * line.speed else 0}f}" if ours else "–"
        speed = f"{line.speed:,.{0 if line.speed >= 10 else 1}f}"
        cells = (line.library, line.setting, speed, f"{1e6 / line.speed:,.1f}", ratio, f"{line.bytes / 1e6:,.1f}")
        text.append(f"| {' | '.join(cells)} | {line.rounds:,} |")
    text += ["", *_verdict(out, found, ours), *_failures(costs)]
    return "\n".join(text) + "\n"


def _default() -> str:
    # Not above: a game must not load what it does not play.
    from .players.optimist_ import DEFAULT

    return DEFAULT


def _verdict(out: Path, found: list[Line], ours: Line | None) -> list[str]:
    theirs = [line for line in found if line.library == VOWPAL]
    if ours is None or not theirs:
        return ["Whether the aim is met cannot be said: ours or Vowpal Wabbit was not measured."]
    chosen = {setting.name for setting in chosen_or_first(out, VOWPAL)}
    named = [("fastest", theirs[0]), *(("chosen", line) for line in theirs if line.setting in chosen)]
    said = [f"The aim is {AIM:g} times the decisions per second of Vowpal Wabbit's Python binding on this stream."]
    for what, line in named:
        ratio = ours.speed / line.speed
        met = "met" if ratio >= AIM else "missed"
        said.append(f"Against its {what} setting, {line.setting}, it is **{met}**: {ratio:.1f} times.")
    reached = sum(ours.speed >= AIM * line.speed for line in theirs)
    said.append(f"It is met against {reached} of the {len(theirs)} settings measured.")
    return [" ".join(said)]


def _failures(costs: list[Cost]) -> list[str]:
    failed = [f"{cost.library}, {cost.setting}: {cost.failure}." for cost in costs if cost.failure]
    return ["", "Not measured: " + " ".join(failed)] if failed else []


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m peers.costs", description="One game, alone in its process.")
    parser.add_argument("library")
    parser.add_argument("setting")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="the limit of the game")
    given = parser.parse_args()
    cost = game(given.library, given.setting, Plan(given.rounds, given.seconds, 1, 0.0))
    print(json.dumps([cost.rounds, cost.whole, cost.seconds, cost.bytes]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
