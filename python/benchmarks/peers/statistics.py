"""Who beats whom: paired tests over orders, corrected for the number of sets by Holm's rule, and a matrix of wins and losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from .choosing import Games, common_rounds

LEVEL = 0.05


@dataclass(frozen=True)
class Duel:
    """Two players on a set, over the orders that both have played."""

    set: str
    rounds: int
    """The first rounds of every order, to which both came."""
    difference: float
    """Mean share of mistakes of the first less that of the second: negative is better."""
    error: float
    p: float


def duel(name: str, first: Games, second: Games) -> Duel | None:
    """The paired t test of equal mistakes; nothing if there are fewer than two orders to compare."""
    orders = sorted(order for (of, order) in first if of == name and (name, order) in second)
    pairs = [(first[name, order], second[name, order]) for order in orders]
    pairs = [(a, b) for a, b in pairs if not a.failure and not b.failure]
    if len(pairs) < 2:
        return None
    rounds = common_rounds([game for pair in pairs for game in pair])
    if rounds == 0:
        return None
    differences = np.array([(a.upto(rounds) - b.upto(rounds)) / rounds for a, b in pairs])
    mean, error = float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences)))
    if error == 0.0:
        return Duel(name, rounds, mean, 0.0, 1.0 if mean == 0.0 else 0.0)
    return Duel(name, rounds, mean, error, float(2 * stats.t.sf(abs(mean / error), len(differences) - 1)))


def duels(sets: Sequence[str], first: Games, second: Games) -> list[Duel]:
    """One per set that both have played."""
    found = [duel(name, first, second) for name in sets]
    return [one for one in found if one is not None]


def significant(fought: Sequence[Duel], level: float = LEVEL) -> list[bool]:
    """Holm's rule: the smallest p is compared with level/m, the next with level/(m - 1), and so on until one is too large."""
    order = sorted(range(len(fought)), key=lambda i: fought[i].p)
    found = [False] * len(fought)
    for rank, i in enumerate(order):
        if fought[i].p > level / (len(fought) - rank):
            break
        found[i] = True
    return found


@dataclass(frozen=True)
class Record:
    """How often one player was significantly better than another, over sets."""

    wins: int
    losses: int
    sets: int


def record(sets: Sequence[str], first: Games, second: Games) -> Record:
    fought = duels(sets, first, second)
    decided = [one for one, clear in zip(fought, significant(fought), strict=True) if clear]
    wins = sum(one.difference < 0 for one in decided)
    return Record(wins, len(decided) - wins, len(fought))


@dataclass(frozen=True)
class Share:
    """The share of mistakes of a player on a set."""

    mean: float
    error: float
    orders: int
    rounds: int
    whole: bool


def share(name: str, games: Games) -> Share | None:
    """Up to the round to which all orders came; nothing if there are none."""
    played = [game for (of, _), game in games.items() if of == name and not game.failure and game.rounds > 0]
    if not played:
        return None
    rounds = common_rounds(played)
    if rounds == 0:
        return None
    shares = np.array([game.upto(rounds) / rounds for game in played])
    error = float(shares.std(ddof=1) / math.sqrt(len(shares))) if len(shares) > 1 else math.nan
    return Share(float(shares.mean()), error, len(shares), rounds, all(game.whole for game in played))


def microseconds(games: Games) -> float:
    """The median over games of what a decision and its reward took."""
    return float(np.median([1e6 * game.seconds / game.rounds for game in games.values() if game.rounds > 0]))


def geometric_mean(shares: Mapping[str, Share]) -> float:
    """Over sets, with half a mistake more, so that none at all is a number too."""
    return math.exp(sum(math.log(one.mean + 0.5 / one.rounds) for one in shares.values()) / len(shares))


def relative(sets: Sequence[str], games: Games, base: Games) -> tuple[float, float]:
    """Mistakes by those of another player over the same rounds, geometric mean over sets, and its standard error over orders."""
    logarithms, variances = [], []
    for name in sets:
        orders = sorted(order for (of, order) in games if of == name and (name, order) in base)
        pairs = [(games[name, order], base[name, order]) for order in orders]
        pairs = [(a, b) for a, b in pairs if not a.failure and not b.failure]
        rounds = common_rounds([game for pair in pairs for game in pair])
        # Half a mistake more, so that none at all is a number too.
        ratios = [(a.upto(rounds) + 0.5) / (b.upto(rounds) + 0.5) for a, b in pairs]
        theirs, ours = (sum(pair[i].upto(rounds) + 0.5 for pair in pairs) for i in (0, 1))
        logarithms.append(math.log(theirs / ours))
        variances.append(float(np.var(np.log(ratios), ddof=1)) / len(ratios) if len(ratios) > 1 else 0.0)
    mean = math.exp(sum(logarithms) / len(logarithms))
    return mean, mean * math.sqrt(sum(variances)) / len(variances)
