"""What Python adds to a round: ``python python/benchmarks/overhead.py``.

The same bandit plays the same rounds twice, once called from Python and once from Rust, in turns, in one process. Each line is
the median over many turns, in microseconds per round of choose and observe. Fails if Python adds more than 3 us at d = 10, K = 50.
"""

import statistics
import sys
import time

import numpy as np

import optimist
from optimist._optimist import _seconds_without_python

LIMIT = 3.0
ROUNDS = 500
TURNS = 41


def arms_of(d: int, k: int) -> np.ndarray:
    arms = np.random.default_rng(1).normal(size=(k, d))
    return arms / np.linalg.norm(arms, axis=1, keepdims=True)


def from_python(bandit: optimist.Bandit, arms: np.ndarray, rewards: list[float], by: str) -> float:
    start = time.perf_counter()
    if by == "choice":
        for reward in rewards:
            bandit.observe(bandit.choose(arms), reward)
    else:
        for reward in rewards:
            bandit.observe(arms[bandit.choose(arms).arm], reward)
    return time.perf_counter() - start


def measure(policy: str, d: int, k: int, by: str) -> float:
    arms = arms_of(d, k)
    rng = np.random.default_rng(2)
    bandit = optimist.Bandit(d, policy, seed=1)
    for reward in rng.integers(0, 2, 500):
        bandit.observe(bandit.choose(arms), reward)
    python, rust = [], []
    for _ in range(TURNS):
        rewards = rng.integers(0, 2, ROUNDS).astype(float)
        rust.append(_seconds_without_python(bandit, arms, rewards))
        python.append(from_python(bandit.copy(), arms, rewards.tolist(), by))
    micros = [statistics.median(times) / ROUNDS * 1e6 for times in (python, rust)]
    added = statistics.median(p - r for p, r in zip(python, rust, strict=True)) / ROUNDS * 1e6
    print(f"{policy:<12}{d:>4}{k:>6}  {by:<8}{micros[0]:>10.2f}{micros[1]:>10.2f}{added:>10.2f}")
    return added


def main() -> int:
    print(f"{'policy':<12}{'d':>4}{'K':>6}  {'observe':<8}{'Python':>10}{'Rust':>10}{'added':>10}")
    for policy in ["bayes-ucb", "laplace-ts", "optimist"]:
        for by in ["choice", "row"]:
            added = measure(policy, 10, 50, by)
            if by == "choice" and added > LIMIT:
                print(f"missed: Python adds {added:.1f} us, at most {LIMIT:.0f} are allowed")
                return 1
    measure("bayes-ucb", 2, 5, "choice")
    measure("bayes-ucb", 50, 200, "choice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
