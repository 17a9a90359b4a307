"""Runs on other processes: the same bits, whatever becomes of the workers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import optimist
from optimist._optimist import Job
from optimist.laboratory import shards
from optimist.laboratory.example import EpsilonGreedy

EXPERIMENT: dict[str, Any] = {
    "name": "spread",
    "seed": 5,
    "runs": 5,
    "horizon": 300,
    "environment": {"dimension": [2, 3], "kappa": 30, "arms": {"kind": "ball-sample", "count": 10}},
    "policy": ["optimist", "laplace-ts", (EpsilonGreedy, {"epsilon": 0.2})],
}


@pytest.fixture(scope="module")
def alone() -> optimist.Results:
    return optimist.run(EXPERIMENT, jobs=1)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def test_a_pool_of_processes_has_the_same_bits(alone: optimist.Results, pool: ProcessPoolExecutor) -> None:
    assert optimist.run(EXPERIMENT, executor=pool) == alone
    assert optimist.run(EXPERIMENT, executor=pool, shards=1) == alone


def test_a_directory_goes_on_with_an_executor(
    alone: optimist.Results, pool: ProcessPoolExecutor, tmp_path: Path
) -> None:
    optimist.run({**EXPERIMENT, "runs": 2}, tmp_path)
    assert optimist.run(EXPERIMENT, tmp_path, pool) == alone == optimist.load(tmp_path)
    log = (tmp_path / "runs.log").read_bytes()
    assert log.count(b"\n") == 30 and (tmp_path / "report.html").exists()
    assert optimist.run(EXPERIMENT, tmp_path, pool) == alone
    assert (tmp_path / "runs.log").read_bytes() == log


def test_forked_workers_do_not_keep_the_directory(alone: optimist.Results, tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as forked:
        for _ in range(2):
            assert optimist.run(EXPERIMENT, tmp_path, forked) == alone


def test_parts_are_many_and_even() -> None:
    places = [(e, p, r) for r in range(100) for e in range(2) for p in range(3)]
    assert [len(part) for part in shards.split(places[:5], None)] == [1] * 5
    assert len(shards.split(places, None)) == 200 and len(shards.split(places, 7)) == 7
    assert sum(shards.split(places, 7), []) == places and shards.split([], None) == []
    with pytest.raises(optimist.InvalidOption, match="shards is 0"):
        shards.split(places, 0)


def test_what_is_no_executor_is_refused() -> None:
    refused: list[tuple[Any, str]] = [
        (ThreadPoolExecutor, r"executor is the class ThreadPoolExecutor: give an instance of it, such as ThreadPoolExecutor\("),
        (4, "executor is a int: give a concurrent.futures.Executor, or a Dask client"),
    ]
    for executor, words in refused:
        with pytest.raises(optimist.InvalidOption, match=words):
            optimist.run(EXPERIMENT, executor=executor)
    for jobs in (0, -1, 1.5):
        with pytest.raises(optimist.InvalidOption, match=f"jobs is {jobs}: give the number of runs at a time, 1 or more"):
            optimist.run(EXPERIMENT, jobs=jobs)  # type: ignore[arg-type]


class Sulking(EpsilonGreedy):
    """Fails in the fifth round."""

    def choose(self, arms: Any, rng: Any) -> int:
        if self.gram.trace() > 4:
            raise LookupError("enough")
        return super().choose(arms, rng)


def test_what_a_policy_raises_in_a_worker_is_raised_here(pool: ProcessPoolExecutor, tmp_path: Path) -> None:
    with pytest.raises(optimist.PolicyFailed, match=r"Sulking\.choose, round \d+: LookupError: enough") as caught:
        optimist.run(EXPERIMENT, tmp_path, pool, policies=["greedy", Sulking])
    assert "in choose" in str(caught.value.__cause__) and "LookupError" in str(caught.value.__cause__)


class Lossy(ThreadPoolExecutor):
    """Loses the worker of every task that it is given for the first time."""

    known: set[str] = set()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        is_new = str(args[2]) not in self.known
        self.known.add(str(args[2]))
        return super().submit(_vanish if is_new else fn, *args, **kwargs)


class Doomed(ThreadPoolExecutor):
    """Loses the tasks of one run whatever one does."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(_vanish if (0, 0, 3) in args[2] else fn, *args, **kwargs)


def _vanish(*_: Any) -> Any:
    raise OSError("the machine is gone")


def test_lost_parts_are_played_again(alone: optimist.Results) -> None:
    with Lossy(2) as executor:
        assert optimist.run(EXPERIMENT, executor=executor) == alone


def test_parts_that_are_lost_again_and_again_are_named(tmp_path: Path, alone: optimist.Results) -> None:
    words = r"begins with run 3 of policy 0 in environment 0, was lost 3 times \(OSError: the machine is gone\)"
    with Doomed(1) as executor, pytest.raises(optimist.ShardLost, match=words) as caught:
        optimist.run(EXPERIMENT, tmp_path, executor)
    done, total = caught.value.partial.runs
    assert 0 < done < total == 30 and f"{done} of 30 runs are finished and kept" in str(caught.value)
    assert optimist.load(tmp_path).runs[0] == done
    assert optimist.run(EXPERIMENT, tmp_path) == alone


def test_a_broken_pool_is_named_and_nothing_is_lost(tmp_path: Path, alone: optimist.Results) -> None:
    executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with executor, pytest.raises(optimist.ShardLost, match="cannot be given to the executor"):
        executor.submit(os.kill, executor.submit(os.getpid).result(), signal.SIGKILL)
        optimist.run(EXPERIMENT, tmp_path, executor)
    assert optimist.run(EXPERIMENT, tmp_path) == alone


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(optimist.InvalidOption, match="executor is a int"):
        optimist.run(EXPERIMENT, executor=2)  # type: ignore[arg-type]


def test_damaged_runs_are_refused(alone: optimist.Results) -> None:
    experiment, runs, _ = alone.__reduce__()[1]
    job = Job(experiment)
    assert job.keep(runs) == 30
    with pytest.raises(optimist.InvalidInput, match="damaged"):
        job.keep(runs.replace(b'"regret":[0', b'"regret":[1'))
    job.close()
    with pytest.raises(optimist.InvalidInput, match="closed"):
        job.outcome()


CLASS_OF_A_SCRIPT = """
import optimist
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

class First:
    def __init__(self, dim): ...
    def choose(self, arms, rng): return 0
    def observe(self, x, reward): ...

if __name__ == "__main__":
    experiment = dict(name="script", runs=2, horizon=20, policy=[First],
        environment=dict(dimension=2, kappa=30, arms=dict(kind="ball-sample", count=3)))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        print(optimist.run(experiment, executor=pool) == optimist.run(experiment))
"""


def test_classes_of_scripts_reach_the_workers(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(CLASS_OF_A_SCRIPT)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_a_dask_cluster_has_the_same_bits(alone: optimist.Results, cluster: Any, tmp_path: Path) -> None:
    assert optimist.run(EXPERIMENT, executor=cluster.get_executor()) == alone
    assert optimist.run(EXPERIMENT, tmp_path, cluster.get_executor()) == alone
    assert optimist.run(EXPERIMENT, executor=cluster) == alone, "a client will do"


def test_a_dask_worker_is_killed_half_way(cluster: Any, tmp_path: Path) -> None:
    import threading

    long = {**EXPERIMENT, "runs": 24, "horizon": 6000, "policy": ["optimist"]}
    victim = next(iter(cluster.run(os.getpid).values()))
    log = tmp_path / "runs.log"

    def kill() -> None:
        while not log.exists() or log.read_bytes().count(b"\n") < 5:
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    spread = optimist.run(long, tmp_path, cluster.get_executor())
    killer.join()
    assert victim not in cluster.run(os.getpid).values(), "it was killed"
    assert spread.runs == (48, 48) and spread == optimist.run(long)


@pytest.mark.skipif(os.environ.get("OPTIMIST_FULL") != "1", reason="Ray takes long to start: OPTIMIST_FULL=1 tests it")
def test_ray_has_the_same_bits(alone: optimist.Results) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert optimist.run(EXPERIMENT, executor=optimist.ray_executor()) == alone
    finally:
        ray.shutdown()


INTERRUPTED = """
import optimist, sys
from concurrent.futures import ThreadPoolExecutor
experiment = dict(name="long", seed=1, runs=200, horizon=20_000, policy=["optimist"],
    environment=dict(dimension=3, kappa=30, arms=dict(kind="ball-sample", count=50)))
print("ready", flush=True)
with ThreadPoolExecutor(2) as pool:
    try:
        optimist.run(experiment, sys.argv[1], pool)
    except KeyboardInterrupt as error:
        print(error.partial.runs[0], flush=True)
"""


def test_an_interrupt_loses_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    done = int(process.communicate(timeout=20)[0])
    assert 0 < done < 200 and optimist.load(tmp_path).runs == (done, 200)
