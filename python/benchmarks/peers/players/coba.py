"""coba's own learners. Its wrappers of Vowpal Wabbit are left out: that library plays for itself."""

from __future__ import annotations

from collections.abc import Callable

from coba.learners import BanditEpsilonLearner, BanditUCBLearner, CorralLearner, LinTSLearner, LinUCBLearner
from coba.primitives import Learner

from .player import Player, Row, Setting, Task

# An arm is a one-hot vector, so these two give each arm a constant and a slope of its own.
FEATURES = ["a", "ax"]


class Coba:
    """A learner of coba, asked in the way its own experiments do."""

    def __init__(self, task: Task, learner: Learner) -> None:
        self.learner = learner
        self.actions = [tuple(int(arm == other) for other in range(task.arms)) for arm in range(task.arms)]
        self.context: list[float] = []

    def choose(self, context: Row) -> int:
        # A list, for the learners ask whether a context is empty, which an array cannot answer.
        self.context = context.tolist()
        self.action, self.probability, *rest = self.learner.predict(self.context, self.actions)
        # A learner that keeps notes on a choice, as Corral does, wants them back.
        self.notes: dict[str, object] = rest[0] if rest else {}
        return self.action.index(1)

    def learn(self, reward: float) -> None:
        self.learner.learn(self.context, self.action, reward, self.probability, **self.notes)


def setting(name: str, learner: Callable[[Task], Learner]) -> Setting:
    def make(task: Task) -> Player:
        return Coba(task, learner(task))

    return Setting("coba", name, make)


def lin_ucb(alpha: float) -> Setting:
    return setting(f"LinUCB, alpha {alpha:g}", lambda task: LinUCBLearner(alpha, FEATURES, task.seed))


def lin_ts(v: float) -> Setting:
    # The seed only breaks ties: the library draws its parameters from a generator with a fixed seed.
    return setting(f"LinTS, v {v:g}", lambda task: LinTSLearner(v, FEATURES, task.seed))


def corral(mode: str) -> Setting:
    def learner(task: Task) -> Learner:
        base = [LinUCBLearner(alpha, FEATURES, task.seed) for alpha in (0.1, 0.3, 1.0)]
        return CorralLearner(base, T=task.rounds, mode=mode, seed=task.seed)

    return setting(f"Corral over LinUCB, {mode}", learner)


SETTINGS: list[Setting] = [
    lin_ucb(0.1),
    lin_ucb(0.3),
    lin_ucb(1.0),
    # v multiplies a variance, so these are deviations of 0.1, 0.3 and 1.
    lin_ts(0.01),
    lin_ts(0.1),
    lin_ts(1.0),
    corral("importance"),
    corral("off-policy"),
    setting("epsilon 0.05 (no context)", lambda task: BanditEpsilonLearner(0.05, task.seed)),
    setting("UCB1-tuned (no context)", lambda task: BanditUCBLearner(task.seed)),
]
