"""bayesianbandits: a Bayesian logistic regression for each arm, with Laplace's approximation, one row at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import bayesianbandits as bb
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .player import Row, Setting, Task

# Five steps, the default, are now and then too few for its tolerance; the next row goes on from there.
warnings.filterwarnings("ignore", category=ConvergenceWarning)


class Agent:
    """The library's contextual agent. Its models have no constant, so one is added to the context."""

    def __init__(self, task: Task, learner: Callable[[], Any], policy: Any) -> None:
        arms = [bb.Arm(a, learner=learner()) for a in range(task.arms)]
        self.agent = bb.ContextualAgent(arms, policy, random_seed=task.seed)
        self.row = np.ones((1, task.dimension + 1))

    def choose(self, context: Row) -> int:
        self.row[0, :-1] = context
        return int(self.agent.pull(self.row)[0])

    def learn(self, reward: float) -> None:
        # The agent itself remembers the arm it pulled last.
        self.agent.update(self.row, np.array([reward]))


def logistic(alpha: float, iterations: int = 5) -> Callable[[], Any]:
    """`alpha` is the prior's precision. Five steps of Newton's method are the default; one is the documentation's
    advice for fast online learning."""
    return lambda: bb.BayesianGLM(alpha, link="logit", approximator=bb.LaplaceApproximator(n_iter=iterations))


def setting(name: str, learner: Callable[[], Any], policy: Callable[[], Any]) -> Setting:
    return Setting("bayesianbandits", name, lambda task: Agent(task, learner, policy()))


SETTINGS: list[Setting] = [
    *(setting(f"logit alpha={a}, ThompsonSampling", logistic(a), bb.ThompsonSampling) for a in (0.1, 1.0, 10.0)),
    setting("logit alpha=1.0 one step, ThompsonSampling", logistic(1.0, 1), bb.ThompsonSampling),
    *(
        setting(f"logit alpha={a}, UpperConfidenceBound 0.68", logistic(a), bb.UpperConfidenceBound)
        for a in (0.1, 1.0, 10.0)
    ),
    setting("logit alpha=1.0, UpperConfidenceBound 0.95", logistic(1.0), lambda: bb.UpperConfidenceBound(alpha=0.95)),
    setting("logit alpha=1.0, EpsilonGreedy 0.05", logistic(1.0), lambda: bb.EpsilonGreedy(0.05)),
    setting("logit alpha=1.0, EpsilonGreedy 0.1", logistic(1.0), lambda: bb.EpsilonGreedy(0.1)),
    setting(
        "logit empirical Bayes, ThompsonSampling", lambda: bb.EmpiricalBayesGLM(1.0, link="logit"), bb.ThompsonSampling
    ),
    setting(
        "NormalInverseGamma, ThompsonSampling", lambda: bb.NormalInverseGammaRegressor(), bb.ThompsonSampling
    ),
]
