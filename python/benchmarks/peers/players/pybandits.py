"""PyBandits: a Bayesian logistic regression for each arm (a network without hidden layers), by variational inference.

An update builds and compiles its own optimisation for each arm, some seconds an arm however few the rows. So the
rewards are kept and given in batches, as the library's examples do: after 50 rounds, then each time the history has
doubled. Each batch starts from what the last one left, so no row is given twice.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .player import Row, Setting, Task

# Its progress bar draws a line for each of the thousand steps, and nothing else turns it off.
os.environ.setdefault("TQDM_DISABLE", "1")

FIRST = 50


class Batches:
    def __init__(self, task: Task, **model: Any) -> None:
        # Loading JAX takes some seconds, which only those who play this should wait for.
        from pybandits.cmab import CmabBernoulli
        from pybandits.model import BayesianNeuralNetwork

        # A dictionary keeps its order. The set of names that cold_start of the bandit takes does not, from one
        # process to the next, and with it the random numbers of an arm would change.
        actions = {
            str(a): BayesianNeuralNetwork.cold_start(n_features=task.dimension, random_seed=task.seed + a, **model)
            for a in range(task.arms)
        }
        self.bandit = CmabBernoulli(actions=actions, random_seed=task.seed)
        self.rows: list[Row] = []
        self.actions: list[str] = []
        self.rewards: list[int] = []
        self.learned = 0
        self.next = FIRST
        self.row = np.zeros((1, task.dimension))
        self.action = "0"

    def choose(self, context: Row) -> int:
        self.row = context[None, :].copy()
        self.action = self.bandit.predict(context=self.row)[0][0]
        return int(self.action)

    def learn(self, reward: float) -> None:
        self.rows.append(self.row[0])
        self.actions.append(self.action)
        self.rewards.append(int(reward))
        self.learned += 1
        if self.learned >= self.next:
            self.bandit.update(actions=self.actions, rewards=self.rewards, context=np.array(self.rows))
            self.rows, self.actions, self.rewards = [], [], []
            self.next = 2 * self.learned


SETTINGS: list[Setting] = [
    # The default step of 0.0003, a thousand times, can move a weight by 0.3 at most in an update, from a prior with
    # a deviation of 10: the second setting gives it numbers that suit standardised contexts.
    Setting("pybandits", "CmabBernoulli defaults (batches)", lambda task: Batches(task)),
    Setting(
        "pybandits",
        "CmabBernoulli N(0,1) prior, 500 steps of 0.02 (batches)",
        lambda task: Batches(
            task,
            dist_type="normal",
            dist_params_init={"mu": 0.0, "sigma": 1.0},
            update_kwargs={"num_steps": 500, "optimizer_kwargs": {"step_size": 0.02}},
        ),
    ),
]
