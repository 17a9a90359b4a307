"""my-policy: the arm that looks best, and ever more rarely any.

This works as it is. Change what is marked CHANGE, and run it again: `python my_policy.py`.
"""

import numpy as np

import optimist


class MyPolicy:
    # CHANGE 1: what can be set (options have defaults), and what it remembers.
    def __init__(self, dim, curiosity=0.5):
        self.curiosity = curiosity
        self.round = 0
        self.gram = np.eye(dim)
        self.sums = np.zeros(dim)

    # CHANGE 2: what it plays. One row of `arms` per arm; all randomness from `rng`, a numpy Generator of this run alone.
    def choose(self, arms, rng):
        share = min(1.0, self.curiosity / np.sqrt(1.0 + self.round))
        self.round += 1
        if rng.random() < share:
            return int(rng.integers(len(arms)))
        return int(np.argmax(arms @ np.linalg.solve(self.gram, self.sums)))

    # CHANGE 3: how it learns. The reward (0 to 1) of an arm with features x: maybe late, in any order, or never.
    def observe(self, x, reward):
        self.gram += np.outer(x, x)
        self.sums += (reward - 0.5) * x


# The same parameters, arms and luck for every policy; docs/experiments.md of Optimist has all keys.
EXPERIMENT = {
    "name": "my-policy",
    "seed": 1,
    "runs": 10,
    "horizon": 1000,
    "environment": {"dimension": 2, "kappa": 30.0, "arms": {"kind": "ball-sample", "count": 20}},
}

if __name__ == "__main__":
    mine = {"name": MyPolicy, "label": "my-policy"}
    # With out="results/my-policy" finished runs are kept, and a report with figures is written.
    results = optimist.run(EXPERIMENT, policies=[mine, "optimist", "uniform"], progress=False)
    print(results.summary)
