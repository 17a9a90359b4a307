"""A policy written in Python, to start from."""

from __future__ import annotations

from typing import Any


class EpsilonGreedy:
    """The arm that looks best by a ridge regression, and now and then any.

    Parameters
    ----------
    dim : int
        The number of features of an arm.
    epsilon : float
        The probability with which an arm is drawn at random.
    """

    def __init__(self, dim: int, epsilon: float = 0.1) -> None:
        import numpy as np

        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon is {epsilon}: it must be between 0 and 1")
        self.epsilon = epsilon
        self.gram = np.eye(dim)
        self.sums = np.zeros(dim)

    def choose(self, arms: Any, rng: Any) -> int:
        """The index of an arm. ``arms`` has one row each; ``rng`` is a numpy Generator of this run alone."""
        import numpy as np

        if rng.random() < self.epsilon:
            return int(rng.integers(len(arms)))
        return int(np.argmax(arms @ np.linalg.solve(self.gram, self.sums)))

    def observe(self, x: Any, reward: float) -> None:
        """Playing ``x`` gave ``reward``."""
        self.gram += x[:, None] * x
        self.sums += (reward - 0.5) * x
