"""contextualbandits: a classifier for each arm, one to a bootstrap sample where the policy wants uncertainty.

Each reward is taken to tell of its own arm alone (assume_unique_reward stays off, its default), as for every other
library here: that one class only is right is not told to any player.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import contextualbandits.online as cb
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier

from .player import Row, Setting, Task

# A handful of rows, often of one kind, is what an arm has at first; the next refit mends it.
warnings.filterwarnings("ignore", category=ConvergenceWarning)
# The library still names the penalty, which scikit-learn 1.8 and later complain of at each fit.
warnings.filterwarnings("ignore", category=FutureWarning, message="'penalty' was deprecated")


class Streaming:
    """One row at a time with partial_fit. A policy that has seen nothing draws its arm evenly by itself."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self.row = np.zeros((1, 0))
        self.arm = np.zeros(1, dtype=np.int64)

    def choose(self, context: Row) -> int:
        # A copy, since a refit buffer keeps the rows.
        self.row = context[None, :].copy()
        self.arm = np.asarray(self.policy.predict(self.row), dtype=np.int64)
        return int(self.arm[0])

    def learn(self, reward: float) -> None:
        self.policy.partial_fit(self.row, self.arm, np.array([reward]))


class Refits:
    """All history anew, as the library's own examples do in batches: after 20 rounds more at first, later each time
    the history has grown by a tenth, some 45 fits in 5,000 rounds. Only arms with new rows are fitted again."""

    def __init__(self, task: Task, policy: Any) -> None:
        self.policy = policy
        self.rows = np.empty((task.rounds, task.dimension))
        self.arms = np.empty(task.rounds, dtype=np.int64)
        self.rewards = np.empty(task.rounds)
        self.learned = 0
        self.next = 20
        self.row = self.rows[:1]
        self.arm = 0

    def choose(self, context: Row) -> int:
        self.row = context[None, :]
        self.arm = int(self.policy.predict(self.row)[0])
        return self.arm

    def learn(self, reward: float) -> None:
        n = self.learned
        self.rows[n], self.arms[n], self.rewards[n] = self.row[0], self.arm, reward
        self.learned = n = n + 1
        if n >= self.next:
            self.policy.fit(self.rows[:n], self.arms[:n], self.rewards[:n], continue_from_last=True)
            self.next = n + max(20, n // 10)


def logistic(task: Task) -> LogisticRegression:
    return LogisticRegression(solver="lbfgs", max_iter=200, random_state=task.seed)


def sgd(task: Task) -> SGDClassifier:
    return SGDClassifier(loss="log_loss", random_state=task.seed)


def refits(name: str, policy: Callable[[Task], Any]) -> Setting:
    return Setting("contextualbandits", f"{name} (refits)", lambda task: Refits(task, policy(task)))


def streaming(name: str, policy: Callable[[Task], Any]) -> Setting:
    return Setting("contextualbandits", name, lambda task: Streaming(policy(task)))


# The arms are few and their work is short, so threads (the default for most policies) would only cost.
SETTINGS: list[Setting] = [
    refits(
        "BootstrappedUCB 80%, LogisticRegression",
        lambda t: cb.BootstrappedUCB(logistic(t), t.arms, percentile=80, random_state=t.seed, njobs_arms=1),
    ),
    refits(
        "BootstrappedTS, LogisticRegression",
        lambda t: cb.BootstrappedTS(logistic(t), t.arms, random_state=t.seed, njobs_arms=1),
    ),
    refits("LogisticUCB 80%", lambda t: cb.LogisticUCB(t.arms, percentile=80, random_state=t.seed, njobs=1)),
    refits("LogisticUCB 60%", lambda t: cb.LogisticUCB(t.arms, percentile=60, random_state=t.seed, njobs=1)),
    refits("LogisticTS", lambda t: cb.LogisticTS(t.arms, random_state=t.seed, njobs=1)),
    refits(
        "EpsilonGreedy 0.2 decay 0.9999, LogisticRegression",
        lambda t: cb.EpsilonGreedy(logistic(t), t.arms, random_state=t.seed, njobs=1),
    ),
    refits(
        "EpsilonGreedy 0.1 decay 0.999, LogisticRegression",
        lambda t: cb.EpsilonGreedy(
            logistic(t), t.arms, explore_prob=0.1, decay=0.999, random_state=t.seed, njobs=1
        ),
    ),
    refits(
        "AdaptiveGreedy, LogisticRegression",
        lambda t: cb.AdaptiveGreedy(logistic(t), t.arms, random_state=t.seed, njobs=1),
    ),
    refits(
        "AdaptiveGreedy smoothing (1,2), LogisticRegression",
        lambda t: cb.AdaptiveGreedy(
            logistic(t), t.arms, beta_prior=None, smoothing=(1.0, 2.0), random_state=t.seed, njobs=1
        ),
    ),
    refits(
        "SoftmaxExplorer, LogisticRegression",
        lambda t: cb.SoftmaxExplorer(logistic(t), t.arms, random_state=t.seed, njobs=1),
    ),
    refits(
        "ActiveExplorer, LogisticRegression",
        # Its gradients are refused unless the penalty is named.
        lambda t: cb.ActiveExplorer(
            LogisticRegression(penalty="l2", solver="lbfgs", max_iter=200, random_state=t.seed),
            t.arms,
            random_state=t.seed,
            njobs=1,
        ),
    ),
    streaming(
        "BootstrappedUCB 80%, SGDClassifier",
        lambda t: cb.BootstrappedUCB(sgd(t), t.arms, batch_train=True, random_state=t.seed, njobs_arms=1),
    ),
    streaming(
        "BootstrappedTS, SGDClassifier",
        lambda t: cb.BootstrappedTS(sgd(t), t.arms, batch_train=True, random_state=t.seed, njobs_arms=1),
    ),
    streaming(
        "EpsilonGreedy 0.2 decay 0.9999, SGDClassifier",
        lambda t: cb.EpsilonGreedy(sgd(t), t.arms, batch_train=True, random_state=t.seed, njobs=1),
    ),
    streaming(
        "EpsilonGreedy 0.1 decay 0.999, SGDClassifier buffer 50",
        lambda t: cb.EpsilonGreedy(
            sgd(t), t.arms, 0.1, 0.999, batch_train=True, refit_buffer=50, random_state=t.seed, njobs=1
        ),
    ),
    streaming(
        "AdaptiveGreedy, SGDClassifier buffer 50",
        lambda t: cb.AdaptiveGreedy(
            sgd(t), t.arms, batch_train=True, refit_buffer=50, random_state=t.seed, njobs=1
        ),
    ),
    streaming(
        "SoftmaxExplorer, SGDClassifier buffer 50",
        lambda t: cb.SoftmaxExplorer(
            sgd(t), t.arms, batch_train=True, refit_buffer=50, random_state=t.seed, njobs=1
        ),
    ),
    *(
        streaming(f"LinUCB alpha={a}", lambda t, a=a: cb.LinUCB(t.arms, alpha=a, random_state=t.seed))
        for a in (0.1, 0.3, 1.0)
    ),
    streaming(
        "LinUCB alpha=0.1 beta prior",
        lambda t: cb.LinUCB(t.arms, alpha=0.1, ucb_from_empty=False, beta_prior="auto", random_state=t.seed),
    ),
    # To lower v_sq from its default of 1 is the documentation's advice. With sample_from="coef", the default, 0.3.30
    # draws weights whose spread grows with the data and plays at random, so the scores are sampled instead.
    *(
        streaming(
            f"LinTS v_sq={v} from the interval",
            lambda t, v=v: cb.LinTS(
                t.arms, v_sq=v, sample_from="ci", method="sm", beta_prior="auto", random_state=t.seed
            ),
        )
        for v in (0.01, 0.1, 0.3, 1.0)
    ),
]
