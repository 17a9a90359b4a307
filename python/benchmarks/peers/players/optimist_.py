"""Optimist: one model per arm, contexts as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import optimist

from .player import Player, Row, Setting, Task


class Own:
    """``Bandit`` with parameters of each arm's own.

    Contexts get a constant and are scaled as docs/contextual.md advises: the constant as large as the rest, and rows of norm one at
    the most.
    """

    def __init__(self, task: Task, policy: str, **options: Any) -> None:
        d = task.dimension + 1
        self.bandit = optimist.Bandit(d, policy, seed=task.seed, own=d, **options)
        self.arms = task.arms
        self.row = np.empty(d)
        self.scale = np.sqrt(0.5) / task.norm
        self.row[-1] = np.sqrt(0.5)

    def choose(self, context: Row) -> int:
        np.multiply(context, self.scale, out=self.row[:-1])
        self.choice = self.bandit.choose(self.row, self.arms)
        arm = self.choice.arm
        assert arm is not None
        return arm

    def learn(self, reward: float) -> None:
        self.bandit.observe(self.choice, reward)


class ByName:
    """``Engine`` with contexts as dicts, its defaults, and no draws from all arms alike."""

    def __init__(self, task: Task) -> None:
        self.names = [f"x{number}" for number in range(task.dimension)]
        columns = {name: {"kind": "number", "mean": 0.0, "deviation": 1.0} for name in self.names}
        self.arms = {str(arm): arm for arm in range(task.arms)}
        self.engine = optimist.Engine(list(self.arms), columns, "disjoint", explore=0.0, seed=task.seed)
        self.round = 0

    def choose(self, context: Row) -> int:
        self.round += 1
        found = self.engine.decide(dict(zip(self.names, context.tolist(), strict=True)), event_id=str(self.round))
        return self.arms[found.action]

    def learn(self, reward: float) -> None:
        self.engine.reward(str(self.round), reward)


def _own(policy: str, **options: Any) -> Callable[[Task], Player]:
    return lambda task: Own(task, policy, **options)


WIDE = [0.003, 0.02, 0.15, 1.0]

SETTINGS = [
    Setting("Optimist", "bayes-ucb", _own("bayes-ucb")),
    Setting("Optimist", "bayes-ucb, no certificates", _own("bayes-ucb", certify="off")),
    Setting("Optimist", "bayes-ucb by name", ByName),
    Setting("Optimist", "bayes-ucb, quantile 1", _own("bayes-ucb", certify="off", quantile=1.0)),
    Setting("Optimist", "bayes-ucb, quantile 2", _own("bayes-ucb", certify="off", quantile=2.0)),
    Setting("Optimist", "bayes-ucb, wide priors", _own("bayes-ucb", certify="off", ridge=WIDE)),
    Setting("Optimist", "bayes-ucb, quantile 1, wide priors", _own("bayes-ucb", certify="off", quantile=1.0, ridge=WIDE)),
    Setting("Optimist", "laplace-ts", _own("laplace-ts", certify="off")),
    Setting("Optimist", "greedy", _own("greedy", certify="off")),
]
DEFAULT = "bayes-ucb"
