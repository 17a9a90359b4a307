"""Replay on randomised logs: what was done at random to real people, and what came of it.

Rejection replay (Li, Chu, Langford and Wang 2011): a row counts, and is learned from, if the player chooses the arm
that was logged, and is skipped otherwise. With arms logged uniformly the rows that count are those of a game that the
player would have played itself. Orders of one log are not independent evidence: averaging over them removes the luck of
the order and the player's, but the patients and users stay the same ones. So every reward is shown with both errors.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import processes, records
from .costs import chosen_or_first
from .game import MARK
from .packages import LIFELINES, OPEN_BANDIT
from .players import registry
from .players.player import Setting, Task
from .tables_as_bandits import Bandit, encode

ACTG = "ACTG175"
ALL, MEN = "Open Bandit, all", "Open Bandit, men"
NUMBERS = ("age", "wtkg", "karnof", "preanti", "cd40", "cd80")
FLAGS = ("hemo", "homo", "drugs", "oprior", "z30", "race", "gender", "str2", "symptom")
"""With the stratum below, all that was known of a patient before the treatment and is not the same for all."""


@dataclass(frozen=True)
class Plan:
    """How a log is played."""

    log: str
    orders: int
    rows: int
    seconds: float
    """The limit of a game, in seconds of its process."""
    enough: int
    """A game that was cut before so many rows is the last of its player."""


FULL = (Plan(ACTG, 50, 2139, 5.0, 1000), Plan(ALL, 10, 10_000, 10.0, 5000), Plan(MEN, 10, 10_000, 10.0, 5000))
QUICK = (Plan(ACTG, 2, 600, 2.0, 300), Plan(ALL, 1, 500, 2.0, 300), Plan(MEN, 1, 500, 2.0, 300))


@dataclass(frozen=True)
class Log:
    """A row per person: the context, the arm that was drawn, and what came of it."""

    logged: Bandit
    """Its ``right`` arms are the logged ones."""
    rewards: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Replay:
    """What came of a game."""

    log: str
    library: str
    setting: str
    order: int
    rows: int
    """Looked at, fewer than there are if time was up."""
    whole: bool
    matched: int
    rewards: float
    seconds: float
    failure: str = ""

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.log, self.library, self.setting, self.order

    def last(self, plan: Plan) -> bool:
        """Whether the same with another order would teach nothing."""
        return bool(self.failure) or (not self.whole and self.rows < plan.enough)


@cache
def load(name: str) -> Log:
    """The log of this name."""
    return _trial() if name == ACTG else _shop(name, name.split(", ")[1])


def _trial() -> Log:
    """Patients with HIV, four treatments; the reward is no event (death, AIDS, or half of the CD4 cells lost)."""
    rows = _rows(LIFELINES.read("lifelines/datasets/ACTG175.csv"))
    # A stratum is a level and not an amount, which a letter says.
    table = [[*(row[name] for name in NUMBERS + FLAGS), f"s{row['strat']}", row["arms"]] for row in rows]
    return Log(encode(ACTG, table), np.array([float(row["cens"] == "0") for row in rows]))


def _shop(name: str, campaign: str) -> Log:
    """Visitors of a fashion shop; an arm is the item that was shown, the reward a click."""
    rows = _rows(OPEN_BANDIT.read(f"obp/dataset/obd/random/{campaign}/{campaign}.csv"))
    features = [f"user_feature_{number}" for number in range(4)]
    # The features are hashes. One that happens to be all digits must not pass for a number.
    table = [[*(f"u{row[feature]}" for feature in features), row["item_id"]] for row in rows]
    return Log(encode(name, table), np.array([float(row["click"]) for row in rows]))


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def replay(library: str, setting: Setting, plan: Plan, order: int) -> Replay:
    """Plays the rows in the order of this number, until they or the time end."""
    log = load(plan.log)
    logged = log.logged
    rows = logged.order(order, plan.rows)
    # Every row is a choice. How many of them will count nobody knows beforehand.
    task = Task(logged.arms, logged.contexts.shape[1], logged.norm, len(rows), seed=order + 1)
    start = time.process_time()
    player = setting.make(task)
    matched, rewards, seen = 0, 0.0, 0
    for row in rows:
        if player.choose(logged.contexts[row]) == logged.right[row]:
            reward = float(log.rewards[row])
            player.learn(reward)
            matched, rewards = matched + 1, rewards + reward
        seen += 1
        if seen % MARK == 0 and time.process_time() - start > plan.seconds:
            break
    seconds = time.process_time() - start
    return Replay(plan.log, library, setting.name, order, seen, seen == len(rows), matched, rewards, seconds)


def play_all(library: str, name: str, plans: Sequence[Plan], path: Path) -> None:
    """Plays what is not in the file yet."""
    known = {game.key: game for game in records.read(path, Replay)}
    for plan in plans:
        for order in range(plan.orders):
            game = known.get((plan.log, library, name, order))
            if game is None:
                game = _safely(library, name, plan, order)
                records.add(path, game)
            if game.last(plan):
                break


def _safely(library: str, name: str, plan: Plan, order: int) -> Replay:
    try:
        return replay(library, registry.find(library, name), plan, order)
    except Exception as error:  # A library that fails is a result.
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        return Replay(plan.log, library, name, order, 0, False, 0, 0.0, 0.0, what)


def play(out: Path, quick: bool) -> None:
    """Plays the chosen settings of all libraries, one process each, as many at a time as there are cores."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "logs.csv"
    if not path.is_file():
        # Before several processes add to it.
        path.write_text(",".join(field.name for field in fields(Replay)) + "\n")
    players = lineup(out)
    start = time.monotonic()
    with processes.pool() as threads:
        running = {threads.submit(_in_a_process, *player, out, quick): player for player in players}
        for done, future in enumerate(as_completed(running), 1):
            library, name = running[future]
            elapsed = (time.monotonic() - start) / 60
            said = f"logs {done}/{len(players)} after {elapsed:.1f} min  {library}: {name}{future.result()}"
            print(said, file=sys.stderr, flush=True)


def lineup(out: Path) -> list[tuple[str, str]]:
    """The chosen settings, and ours by default."""
    # Not above: a game must not load what it does not play.
    from .players.optimist_ import DEFAULT

    default = (registry.OURS, DEFAULT)
    chosen = [(library, setting.name) for library in registry.LIBRARIES for setting in chosen_or_first(out, library)]
    return list(dict.fromkeys([default, *chosen]))


def _in_a_process(library: str, name: str, out: Path, quick: bool) -> str:
    said = processes.run("logs", library, name, "--out", str(out), *["--quick"] * quick)
    return "" if said.returncode == 0 else f"  FAILED with {said.returncode}: {said.stderr.strip()[-300:]}"


@dataclass(frozen=True)
class Line:
    """A player on a log, over its orders."""

    name: str
    games: int
    rows: float
    """Looked at in a game, on average."""
    matched: float
    reward: float
    """Per row that counted, of all games together."""
    error: float
    """Standard error over orders, which says nothing of other patients or users."""
    lower: float
    upper: float
    """With 95%, for as many independent rows as counted in one game."""


def lines(games: Sequence[Replay]) -> list[Line]:
    """The highest reward first."""
    players: dict[str, list[Replay]] = defaultdict(list)
    for game in games:
        if game.matched and not game.failure:
            players[f"{game.library}: {game.setting}"].append(game)
    return sorted((_line(*player) for player in players.items()), key=lambda line: -line.reward)


def _line(name: str, games: Sequence[Replay]) -> Line:
    matched = np.array([game.matched for game in games], dtype=float)
    rewards = np.array([game.rewards for game in games])
    reward = float(rewards.sum() / matched.sum())
    # Games count as many rows as they matched, hence the error of a ratio.
    spread = float(np.sqrt(np.sum((rewards - reward * matched) ** 2) / max(len(games) - 1, 1)))
    error = spread / matched.mean() / math.sqrt(len(games)) if len(games) > 1 else math.nan
    rows = float(np.mean([game.rows for game in games]))
    return Line(name, len(games), rows, float(matched.mean()), reward, error, *wilson(reward, float(matched.mean())))


def wilson(share: float, count: float) -> tuple[float, float]:
    """The 95% interval of a probability by Wilson's score, which is of use with few successes too."""
    z = 1.959964
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # Rounding would leave a lower end of -1e-19 for no success at all.
    return max((middle - half) / scale, 0.0), (middle + half) / scale


def tables(out: Path) -> str:
    """What was played, in Markdown."""
    games = records.read(out / "logs.csv", Replay)
    names = [plan.log for plan in FULL]
    parts = [_section(name, [game for game in games if game.log == name]) for name in names]
    return "\n".join(part for part in parts if part) or "No log was replayed yet.\n"


def _section(name: str, games: Sequence[Replay]) -> str:
    found = lines(games)
    if not found:
        return ""
    log = load(name)
    digits = 3 if name == ACTG else 4
    text = [f"### Replay: {name}", "", _about(name, log), ""]
    text += ["| player | orders | rows looked at | rows that counted | reward | s.e. over orders | 95% by the rows |"]
    text += ["|---|---:|---:|---:|---:|---:|---:|"]
    text += [_written(line, digits) for line in [*_yardsticks(name, log), *found]]
    failed = sorted({f"{game.library}, {game.setting}: {game.failure}" for game in games if game.failure})
    text += ["", _concluded(log, found), *(["", "Failed: " + "; ".join(failed) + "."] if failed else []), ""]
    return "\n".join(text)


def _about(name: str, log: Log) -> str:
    rows, width = log.logged.contexts.shape
    shared = f"{rows:,} rows, {log.logged.arms} arms drawn uniformly, {width} numbers in a context, "
    if name == ACTG:
        what = "The trial ACTG 175 (from lifelines): the reward is that a patient stayed without event. "
        return what + shared + "all measured before the treatment. The figures judge players, not treatments."
    what = "The sample of the Open Bandit Dataset that comes with obp: the reward is a click. "
    return what + shared + f"{log.rewards.sum():.0f} clicks. Position and affinities are left out."


def _yardsticks(name: str, log: Log) -> list[Line]:
    """What needs no replay: the mean of all rows, and of the arm that was best in hindsight."""
    found = [_mean("*uniform play*", log.rewards)]
    if name == ACTG:
        means = [float(log.rewards[log.logged.right == arm].mean()) for arm in range(log.logged.arms)]
        best = int(np.argmax(means))
        found.append(_mean(f"*arm {best} for all, known in hindsight*", log.rewards[log.logged.right == best]))
    return found


def _mean(name: str, rewards: npt.NDArray[np.float64]) -> Line:
    share, count = float(rewards.mean()), len(rewards)
    return Line(name, 0, count, count, share, math.nan, *wilson(share, count))


def _written(line: Line, digits: int) -> str:
    games = str(line.games) if line.games else "–"
    error = "–" if math.isnan(line.error) else f"{line.error:.{digits}f}"
    counts = f"{games} | {line.rows:,.0f} | {line.matched:,.0f}"
    interval = f"{line.lower:.{digits}f} to {line.upper:.{digits}f}"
    return f"| {line.name} | {counts} | {line.reward:.{digits}f} | {error} | {interval} |"


def _concluded(log: Log, found: Sequence[Line]) -> str:
    """What the intervals by the rows allow to say; they are of one player each, so this is careful."""
    uniform = _mean("", log.rewards)
    above = [line for line in found if line.lower > uniform.reward]
    highest = max(line.lower for line in found)
    apart = [line for line in found if line.upper < highest]
    expected = uniform.reward * len(log.rewards) / log.logged.arms
    if expected < 10:
        matches = len(log.rewards) / log.logged.arms
        return (
            f"A game has about {matches:.0f} rows that count, and uniform play {expected:.1f} rewards among them: "
            "**nothing can be told apart**, whatever the errors over orders say. A lead here is a few clicks, the same "
            "ones in every order. It shows that the players run on such a log, and no more."
        )
    better = f"{len(above)} of {len(found)} players are above uniform play by the rows that counted"
    if not apart:
        told = "and **no player can be told from another**: their intervals all overlap"
    else:
        names = "; ".join(line.name for line in apart)
        told = f"and those whose interval lies below that of another player are: {names}"
    return (
        f"{better}, {told}. Differences of the size of the errors over orders belong to these {len(log.rewards):,} "
        "rows and need not return with others."
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m peers.logs", description="Plays all games of a setting on the logs.")
    parser.add_argument("library")
    parser.add_argument("setting")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the file, which is there")
    given = parser.parse_args()
    play_all(given.library, given.setting, QUICK if given.quick else FULL, given.out / "logs.csv")
    return 0


if __name__ == "__main__":
    sys.exit(main())
