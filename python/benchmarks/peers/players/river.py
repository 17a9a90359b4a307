"""river's policies: LinUCBDisjoint is the only one of them that looks at the context."""

from __future__ import annotations

from river import bandit, proba

from .player import Player, Row, Setting, Task


class Contextual:
    """LinUCBDisjoint, a Bayesian regression for each arm."""

    def __init__(self, task: Task, alpha: float, beta: float) -> None:
        self.policy = bandit.LinUCBDisjoint(alpha=alpha, beta=beta, seed=task.seed)
        self.arms = list(range(task.arms))
        self.names = list(range(task.dimension))

    def choose(self, context: Row) -> int:
        # What a dict leaves out counts as zero. The regression has no intercept, hence the constant.
        self.context = {name: value for name, value in zip(self.names, context.tolist(), strict=True) if value}
        self.context[-1] = 1.0
        self.arm = int(self.policy.pull(self.arms, context=self.context))
        return self.arm

    def learn(self, reward: float) -> None:
        self.policy.update(self.arm, self.context, reward)


class Blind:
    """A policy that knows the arms alone."""

    def __init__(self, task: Task, policy: bandit.base.Policy) -> None:
        self.policy = policy
        self.arms = list(range(task.arms))

    def choose(self, context: Row) -> int:
        self.arm = int(self.policy.pull(self.arms))
        return self.arm

    def learn(self, reward: float) -> None:
        # A Beta counts successes and failures and so wants a truth value; a mean takes it as 0 or 1.
        self.policy.update(self.arm, bool(reward))


def lin_ucb(alpha: float, beta: float) -> Setting:
    def make(task: Task) -> Player:
        return Contextual(task, alpha, beta)

    return Setting("river", f"LinUCBDisjoint, alpha {alpha:g}, beta {beta:g}", make)


def thompson(task: Task) -> Player:
    return Blind(task, bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=task.seed))


def ucb(task: Task) -> Player:
    return Blind(task, bandit.UCB(delta=1, seed=task.seed))


SETTINGS: list[Setting] = [
    # The bound is the mean plus one deviation of the prediction, noise included. Nothing scales it but beta, the
    # precision of the noise: 1, 10 and 100 make it about 1, 0.3 and 0.1 wide. alpha / beta is the ridge.
    lin_ucb(1, 1),
    lin_ucb(10, 10),
    lin_ucb(100, 100),
    lin_ucb(1, 10),
    lin_ucb(10, 100),
    Setting("river", "Thompson sampling, Beta (no context)", thompson),
    Setting("river", "UCB1 (no context)", ucb),
]
