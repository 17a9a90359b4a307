"""How much faster is a sweep on two Dask workers than on one?

    python python/benchmarks/dask_speedup.py [rounds of measurement]

Both clusters are started once, and measured in turn, so that a noisy machine treats them alike. Every worker has one thread. Fails
if the median is below 1.6, which it is where the two cores have other work.
"""

import sys
import time
from statistics import median
from typing import Any

import distributed

import optimist

SWEEP: dict[str, Any] = {
    "name": "speed-up",
    "seed": 1,
    "runs": 40,
    "horizon": 20_000,
    "environment": {"dimension": [3, 5], "kappa": [30, 100], "arms": {"kind": "ball-sample", "count": 50}},
    "policy": ["optimist", "bayes-ucb", "laplace-ts"],
}


def seconds(client: Any) -> float:
    start = time.perf_counter()
    optimist.run(SWEEP, executor=client.get_executor())
    return time.perf_counter() - start


AIM = 1.6


def main(repetitions: int) -> int:
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    cluster: Any = distributed.LocalCluster
    connect: Any = distributed.Client
    with cluster(n_workers=1, **options) as small, cluster(n_workers=2, **options) as large:
        with connect(small) as one, connect(large) as two:
            for client in (one, two):
                optimist.run({**SWEEP, "runs": 2, "horizon": 100}, executor=client.get_executor())
            ratios = []
            for _ in range(repetitions):
                alone, both = seconds(one), seconds(two)
                ratios.append(alone / both)
                print(f"one worker {alone:.1f} s, two workers {both:.1f} s: {alone / both:.2f} times as fast", flush=True)
    print(f"median {median(ratios):.2f}, best {max(ratios):.2f} (aim: {AIM})")
    return int(median(ratios) < AIM)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
