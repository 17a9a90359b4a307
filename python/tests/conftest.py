"""What several tests need."""

import numpy as np
import pytest


@pytest.fixture
def arms() -> np.ndarray:
    """Fifty unit arms in ten dimensions."""
    return unit_arms(10, 50)


def unit_arms(d: int, k: int, seed: int = 1) -> np.ndarray:
    arms = np.random.default_rng(seed).normal(size=(k, d))
    return arms / np.linalg.norm(arms, axis=1, keepdims=True)
