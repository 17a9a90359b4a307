"""What is certain stays so where numbers are of any law, whoever standardises them."""

import numpy as np
import optimist
import pytest

LAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(3, size=n),
    "skewed": lambda rng, n: rng.lognormal(size=n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
}


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("law", LAWS)
def test_intervals_of_a_log_hold_where_the_model_is_right(law, in_parts):
    """Log-odds are 1 + x. At delta = 0.05 four of twelve logs with a wrong interval have a probability of 0.2%."""
    wrong = given = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = LAWS[law](rng, 2000)
        rewards = (rng.random(2000) < 1 / (1 + np.exp(-1 - x))).astype(float)
        mab = optimist.MAB(["a", "b"], seed=1)
        parts = np.split(np.arange(2000), 50) if in_parts else [np.arange(2000)]
        for part in parts:
            learn = mab.partial_fit if part[0] else mab.fit
            learn(["a"] * len(part), rewards[part], x[part, None])
        places = np.linspace(-6, 6, 49)
        found = [one["a"] for one in mab.predict_interval(places[:, None])]
        held = [1 / (1 + np.exp(-1 - z)) in bounds for z, bounds in zip(places, found, strict=True) if bounds]
        given += len(held)
        wrong += not all(held)
    assert wrong < 4
    assert given > 0
