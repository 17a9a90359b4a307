"""Which setting of a library is reported: the one with the fewest mistakes on the tuning half."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median_low

from . import race, records
from .game import MARK, Game
from .players import registry
from .players.player import Setting

Games = dict[tuple[str, int], Game]
"""By set and order."""


def chosen(out: Path, library: str) -> list[Setting]:
    """The best linear setting of a library, and the best of the others if it has any."""
    settings = registry.settings(library)
    kinds = [[s for s in settings if s.linear], [s for s in settings if not s.linear]]
    return [best(out, kind) for kind in kinds if kind]


def best(out: Path, settings: Sequence[Setting]) -> Setting:
    """The setting with the smallest score."""
    games = {setting.name: tuned(out, setting) for setting in settings}
    found = scores(games)
    if not found:
        raise SystemExit(f"{settings[0].library} has no games of the tuning half in {out}: run the stage tune first")
    name = min(found, key=lambda name: found[name])
    return next(setting for setting in settings if setting.name == name)


def tuned(out: Path, setting: Setting) -> Games:
    """The games of the tuning half."""
    return {(game.set, game.order): game for game in records.read(race.games_file(out, "tune", setting), Game)}


def scores(games: dict[str, Games]) -> dict[str, float]:
    """The geometric mean of the share of mistakes over sets, so that easy and hard ones count alike, by setting.

    Games of the same set and order are compared up to the round to which all came. A setting that failed somewhere, or did not
    come half as far as most of its library, is out: the others would have to be judged by their first rounds.
    """
    sets = sorted({key for all in games.values() for key in all if key[1] == 0})
    middle = {key: median_low(all[key].rounds for all in games.values() if key in all) for key in sets}
    able = {name: all for name, all in games.items() if all and _keeps_up(all, middle)}
    return {name: _score(all, able, sets) for name, all in able.items()}


def _keeps_up(games: Games, middle: dict[tuple[str, int], int]) -> bool:
    """Whether there is enough to compare on every set."""
    enough = {key: max(MARK, rounds // 2) for key, rounds in middle.items()}
    return all(key in games and not games[key].failure and games[key].rounds >= least for key, least in enough.items())


def _score(games: Games, rivals: dict[str, Games], sets: Sequence[tuple[str, int]]) -> float:
    logarithms = []
    for name, _ in sets:
        orders = [order for (of, order) in games if of == name and all((name, order) in r for r in rivals.values())]
        shares = []
        for order in orders:
            upto = common_rounds([rival[name, order] for rival in rivals.values()])
            # Half a mistake more, so that none at all is a number too.
            shares.append((games[name, order].upto(upto) + 0.5) / upto)
        logarithms.append(math.log(sum(shares) / len(shares)))
    return math.exp(sum(logarithms) / len(logarithms))


def common_rounds(games: Sequence[Game]) -> int:
    """The round to which all of them came: the end, if all were whole, otherwise a multiple of the mark."""
    if len({game.rounds for game in games}) == 1:
        return games[0].rounds
    return min(game.rounds for game in games) // MARK * MARK
