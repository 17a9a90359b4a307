"""Whether memory stays flat over ten million calls: ``python python/benchmarks/memory.py``.

Rounds of choose and observe, questions, choices that are asked about later, copies, stored states and calls that are refused,
on ever-new arrays. Prints the resident memory after every million calls. Fails if the last is more than 4 MiB above the second.
"""

import sys
import time

import numpy as np

import optimist

CALLS = 10_000_000
BLOCK = 1_000_000
LIMIT = 4.0


def resident() -> float:
    """Resident memory in MiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


def refused(call, *arguments) -> None:
    try:
        call(*arguments)
    except ValueError:
        return
    raise AssertionError("this should have been refused")


def block(bandit: optimist.Bandit, arms: np.ndarray, rng: np.random.Generator) -> None:
    """A million calls: in every thousand rounds of two calls each, some of everything else."""
    rewards = rng.integers(0, 2, 500).astype(float).tolist()
    nan = np.full((3, 4), np.nan)
    for i in range(BLOCK // 1000):
        for reward in rewards[:400]:
            choice = bandit.choose(arms)
            bandit.observe(choice, reward)
        for _ in range(85):
            fresh = rng.normal(size=(8, 4)) / 4
            bandit.observe(fresh[bandit.choose(fresh).arm], 1.0)
        for _ in range(5):
            choice.value, choice.x, choice.certificate
            bandit.predict(arms)
            refused(bandit.choose, nan)
            refused(bandit.observe, arms[0], 2.0)
        if i % 100 == 0:
            choice.probabilities, choice.interval
            optimist.Bandit.from_bytes(bandit.copy().to_bytes()).choose(arms)


def main() -> int:
    rng = np.random.default_rng(1)
    arms = rng.normal(size=(8, 4)) / 4
    bandit = optimist.Bandit(4, "bayes-ucb", seed=1)
    start, seen = time.perf_counter(), []
    print(f"{'calls':>12}{'MiB':>10}{'seconds':>10}")
    for i in range(CALLS // BLOCK):
        block(bandit, arms, rng)
        seen.append(resident())
        print(f"{(i + 1) * BLOCK:>12,}{seen[-1]:>10.1f}{time.perf_counter() - start:>10.0f}", flush=True)
    grown = seen[-1] - seen[1]
    if grown > LIMIT:
        print(f"missed: {grown:.1f} MiB more than after two million calls, at most {LIMIT:.0f} are allowed")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
