"""How much faster is a sweep on two Dask workers than on one?

    python benchmarks/dask_speedup.py [rounds of measurement]

Both clusters are started once, and measured in turn, so that a noisy machine treats them alike. Every worker has one thread.
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


def main(repetitions: int) -> None:
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
    print(f"median {median(ratios):.2f}, best {max(ratios):.2f} (aim: 1.6)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
