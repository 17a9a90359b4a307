"""MABWiser: ridge regressions for each arm, and neighbourhoods of contexts with a plain bandit in each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mabwiser.mab
import numpy as np

from .player import Player, Row, Setting, Task

Learning = mabwiser.mab.LearningPolicy
Near = mabwiser.mab.NeighborhoodPolicy


class Online:
    """One row at a time with partial_fit.

    The library wants a fit before the first prediction, so the arms of the first `start` rounds are drawn evenly:
    one round where nothing more is needed, as many as there are neighbours for KNearest, which fails on fewer.
    """

    def __init__(self, mab: mabwiser.mab.MAB, task: Task, *, constant: bool, start: int = 1) -> None:
        self.mab = mab
        self.arms = task.arms
        self.constant = constant
        self.start = start
        self.learned = 0
        self.random = np.random.default_rng(task.seed)
        self.row = np.ones((1, task.dimension + constant))
        self.arm = 0

    def choose(self, context: Row) -> int:
        # The history of the neighbours keeps a reference to nothing of ours: rows are copied when they are joined,
        # but the first fit keeps what it is given, hence a new row each time.
        self.row = np.append(context, 1.0)[None, :] if self.constant else context[None, :].copy()
        if self.learned < self.start:
            self.arm = int(self.random.integers(self.arms))
        else:
            self.arm = int(self.mab.predict(self.row))
        return self.arm

    def learn(self, reward: float) -> None:
        self.mab.partial_fit([self.arm], [reward], self.row)
        self.learned += 1


class Refit:
    """All history anew each time it has grown by a fifth (and by 25 rounds at least).

    Clusters refits everything in each partial_fit anyway, too slow for each row; TreeBandit grows its trees in the
    first fit alone, so that only a new fit makes them deeper. Its partial_fit, which adds to the leaves, is used
    between fits. The first rounds are even draws, enough that each arm is likely to be seen.
    """

    def __init__(self, mab: mabwiser.mab.MAB, task: Task, *, between: bool) -> None:
        self.mab = mab
        self.arms = task.arms
        self.between = between
        self.random = np.random.default_rng(task.seed)
        self.rows = np.empty((task.rounds, task.dimension))
        self.chosen = np.empty(task.rounds, dtype=np.int64)
        self.rewards = np.empty(task.rounds)
        self.learned = 0
        self.next = max(25, 5 * task.arms)
        self.fitted = False
        self.row = self.rows[:1]
        self.arm = 0

    def choose(self, context: Row) -> int:
        self.row = context[None, :]
        self.arm = int(self.mab.predict(self.row) if self.fitted else self.random.integers(self.arms))
        return self.arm

    def learn(self, reward: float) -> None:
        n = self.learned
        self.rows[n], self.chosen[n], self.rewards[n] = self.row[0], self.arm, reward
        self.learned = n = n + 1
        if n >= self.next:
            self.mab.fit(self.chosen[:n], self.rewards[:n], self.rows[:n])
            self.fitted = True
            self.next = n + max(25, n // 5)
        elif self.fitted and self.between:
            self.mab.partial_fit([self.arm], [reward], self.row)


class Plain:
    """No context at all: what the shares of the classes alone are worth."""

    def __init__(self, mab: mabwiser.mab.MAB, task: Task) -> None:
        self.mab = mab
        self.random = np.random.default_rng(task.seed)
        self.arms = task.arms
        self.fitted = False
        self.arm = 0

    def choose(self, context: Row) -> int:
        self.arm = int(self.mab.predict() if self.fitted else self.random.integers(self.arms))
        return self.arm

    def learn(self, reward: float) -> None:
        self.mab.partial_fit([self.arm], [reward])
        self.fitted = True


def bandit(task: Task, learning: Any, near: Any = None) -> mabwiser.mab.MAB:
    return mabwiser.mab.MAB(list(range(task.arms)), learning, near, seed=task.seed)


def linear(name: str, learning: Any) -> Setting:
    return Setting("MABWiser", name, lambda task: Online(bandit(task, learning), task, constant=True))


def near(name: str, make: Callable[[Task], Player]) -> Setting:
    return Setting("MABWiser", name, make, linear=False)


def radius(task: Task) -> float:
    """Half the mean distance of two standardised rows, sqrt(2 d), since the default of 0.05 holds no row at all."""
    return float(0.5 * np.sqrt(2.0 * task.dimension))


SETTINGS: list[Setting] = [
    *(linear(f"LinUCB alpha={a}", Learning.LinUCB(alpha=a)) for a in (0.1, 0.3, 1.0, 1.25)),
    linear("LinUCB alpha=0.3 l2=10", Learning.LinUCB(alpha=0.3, l2_lambda=10.0)),
    *(linear(f"LinTS alpha={a}", Learning.LinTS(alpha=a)) for a in (0.1, 0.3, 1.0)),
    *(linear(f"LinGreedy epsilon={e}", Learning.LinGreedy(epsilon=e)) for e in (0.0, 0.05, 0.1)),
    linear("LinGreedy epsilon=0.05 l2=10", Learning.LinGreedy(epsilon=0.05, l2_lambda=10.0)),
    near(
        "KNearest k=10, UCB1 alpha=0.3",
        lambda task: Online(
            bandit(task, Learning.UCB1(alpha=0.3), Near.KNearest(10)), task, constant=False, start=max(10, task.arms)
        ),
    ),
    near(
        "KNearest k=50, ThompsonSampling",
        lambda task: Online(
            bandit(task, Learning.ThompsonSampling(), Near.KNearest(50)), task, constant=False, start=50
        ),
    ),
    near(
        "Radius half the mean distance, ThompsonSampling",
        lambda task: Online(
            bandit(task, Learning.ThompsonSampling(), Near.Radius(radius(task))), task, constant=False
        ),
    ),
    near(
        "LSHNearest 5 x 3, ThompsonSampling",
        lambda task: Online(bandit(task, Learning.ThompsonSampling(), Near.LSHNearest(5, 3)), task, constant=False),
    ),
    near(
        "Clusters 10, ThompsonSampling (refits)",
        lambda task: Refit(
            bandit(task, Learning.ThompsonSampling(), Near.Clusters(10, is_minibatch=True)), task, between=False
        ),
    ),
    near(
        "Clusters 4, LinUCB alpha=0.3 (refits)",
        lambda task: Refit(
            bandit(task, Learning.LinUCB(alpha=0.3), Near.Clusters(4, is_minibatch=True)), task, between=False
        ),
    ),
    near(
        "TreeBandit leaves of 5, ThompsonSampling (refits)",
        # The library writes its seed into the dictionary, so each game has its own.
        lambda task: Refit(
            bandit(task, Learning.ThompsonSampling(), Near.TreeBandit({"min_samples_leaf": 5})), task, between=True
        ),
    ),
    Setting(
        "MABWiser",
        "ThompsonSampling (no context)",
        lambda task: Plain(bandit(task, Learning.ThompsonSampling()), task),
    ),
]
