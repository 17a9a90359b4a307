"""One game, and all games of a setting: ``python -m peers.game`` is started by the race, once per setting.

What was played is in the file already when the next game begins, so that nothing is lost and nothing is played twice.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import records, tables_as_bandits
from .players import registry
from .players.player import Player, Setting, Task
from .tables_as_bandits import Bandit

MARK = 100
"""Mistakes are counted up to every so many rounds: who was cut is compared up to where it came."""


@dataclass(frozen=True)
class Plan:
    """What is played of every setting."""

    sets: tuple[str, ...]
    orders: int
    rounds: int
    seconds: float
    """The limit of a game, in seconds of its process."""
    enough: int
    """A game that was cut before so many rounds is the last of its set."""


@dataclass(frozen=True)
class Game:
    """What came of a game."""

    set: str
    order: int
    rounds: int
    """Played, fewer than there are if time was up."""
    whole: bool
    seconds: float
    mistakes: tuple[int, ...]
    """Wrong choices up to every mark, and up to the end."""
    failure: str = ""

    def short_of(self, limit: float) -> bool:
        """Whether it was cut by a shorter limit than this one."""
        return not self.whole and not self.failure and self.seconds < limit

    def upto(self, rounds: int) -> int:
        """Wrong choices in the first rounds; their number is that of all, or a multiple of the mark."""
        return self.mistakes[-1] if rounds == self.rounds else self.mistakes[rounds // MARK - 1]


def play(setting: Setting, bandit: Bandit, order: int, rounds: int, limit: float) -> Game:
    """Plays the rows in the order of this number, until they or the time end."""
    rows = bandit.order(order, rounds)
    task = Task(bandit.arms, bandit.contexts.shape[1], bandit.norm, len(rows), seed=order + 1)
    start = time.process_time()
    wrong, marks = 0, []
    played = 0
    for missed in _rounds(setting.make(task), bandit, rows):
        wrong += missed
        played += 1
        if played % MARK == 0:
            marks.append(wrong)
            if time.process_time() - start > limit:
                break
    seconds = time.process_time() - start
    if played % MARK != 0:
        marks.append(wrong)
    return Game(bandit.name, order, played, played == len(rows), seconds, tuple(marks))


def _rounds(player: Player, bandit: Bandit, rows: npt.NDArray[np.int64]) -> Iterator[bool]:
    for row in rows:
        hit = player.choose(bandit.contexts[row]) == bandit.right[row]
        player.learn(float(hit))
        yield not hit


def play_all(setting: Setting, plan: Plan, path: Path) -> None:
    """Plays what is not in the file yet."""
    known = {(game.set, game.order): game for game in records.read(path, Game)}
    for name in plan.sets:
        for order in range(plan.orders):
            game = known.get((name, order))
            if game is None or game.short_of(plan.seconds):
                game = _safely(setting, name, order, plan)
                records.add(path, game)
            if game.failure or (not game.whole and game.rounds < plan.enough):
                # The same again with another order would teach nothing, or take too long.
                break


def _safely(setting: Setting, name: str, order: int, plan: Plan) -> Game:
    try:
        return play(setting, tables_as_bandits.load(name), order, plan.rounds, plan.seconds)
    except Exception as error:  # A library that fails is a result.
        traceback.print_exc()
        return Game(name, order, 0, False, 0.0, (), f"{type(error).__name__}: {error}".replace("\n", " ")[:200])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m peers.game", description="Plays all games of a setting.")
    parser.add_argument("library")
    parser.add_argument("setting")
    parser.add_argument("--sets", required=True, help="names with commas between them")
    parser.add_argument("--orders", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True, help="the limit of a game")
    parser.add_argument("--enough", type=int, required=True, help="who is cut before so many rounds plays no second order")
    parser.add_argument("--out", type=Path, required=True, help="the file of the games, which is added to")
    given = parser.parse_args()
    plan = Plan(tuple(given.sets.split(",")), given.orders, given.rounds, given.seconds, given.enough)
    play_all(registry.find(given.library, given.setting), plan, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
