"""Runs spread over the workers of an executor."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._optimist import InvalidOption, Job, play_runs
from . import own
from .errors import ShardLost
from .results import Results

if TYPE_CHECKING:
    from concurrent.futures import Future

Place = tuple[int, int, int]
# The outcome of a shard: its runs, or what was raised and how it came to that.
Answer = tuple[bytes | None, BaseException | None, str]

MOST_SHARDS = 256
ATTEMPTS = 3


def play(experiment: str, classes: bytes | None, places: list[Place]) -> Answer:
    """Plays some runs. This is what workers are given: whatever it raises is the policy's doing and comes back as a value, so
    that a future that fails has lost its worker."""
    try:
        own.unpack(classes)
        return play_runs(experiment, places), None, ""
    except Exception as error:
        return None, _sendable(error), traceback.format_exc()


def _sendable(error: Exception) -> Exception:
    import pickle

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class RemoteTraceback(Exception):
    """How it came to an exception in a worker."""

    def __str__(self) -> str:
        return f"in a worker:\n{self.args[0]}"


def split(places: list[Place], shards: int | None) -> list[list[Place]]:
    """Parts of the work. Neighbours are runs of different policies, so that all parts take about as long."""
    if shards is not None and shards < 1:
        raise InvalidOption(f"shards is {shards}: give the number of parts, 1 or more")
    size = max(1, math.ceil(len(places) / (shards or MOST_SHARDS)))
    return [places[i : i + size] for i in range(0, len(places), size)]


def executor_of(given: Any) -> Any:
    """The executor that was given; that of a Dask client if it was a client."""
    if isinstance(given, type):
        raise InvalidOption(f"executor is the class {given.__name__}: give an instance of it, such as {given.__name__}(...)")
    # A client has a submit of its own, whose futures are not those of an executor.
    if callable(getattr(given, "get_executor", None)):
        return given.get_executor()
    if not callable(getattr(given, "submit", None)):
        kind = type(given).__name__
        raise InvalidOption(f"executor is a {kind}: give a concurrent.futures.Executor, or a Dask client")
    return given


class Spread:
    """The parts of an experiment on their way through an executor."""

    def __init__(self, job: Job, experiment: str, executor: Any) -> None:
        self.job = job
        self.executor = executor_of(executor)
        self.experiment = experiment
        self.classes = own.packed(experiment)
        self.waiting: dict[Future[Answer], int] = {}
        self.parts: list[list[Place]] = []
        self.attempts: list[int] = []
        self.done = 0

    def run(self, parts: list[list[Place]], tell: Callable[[int, int], None]) -> None:
        """Has all parts played, and keeps each as soon as it is there."""
        from concurrent.futures import FIRST_COMPLETED, wait

        self.parts, self.attempts = parts, [0] * len(parts)
        total = sum(map(len, parts))
        try:
            for number in range(len(parts)):
                self._submit(number, None)
            while self.waiting:
                finished, _ = wait(self.waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    self._take(future)
                tell(self.done, total)
        finally:
            for future in self.waiting:
                future.cancel()

    def _submit(self, number: int, lost: BaseException | None) -> None:
        if self.attempts[number] == ATTEMPTS:
            raise self._failure(number, f"was lost {ATTEMPTS} times", lost)
        self.attempts[number] += 1
        try:
            future = self.executor.submit(play, self.experiment, self.classes, self.parts[number])
        except Exception as error:
            raise self._failure(number, "cannot be given to the executor", lost or error) from (lost or error)
        self.waiting[future] = number

    def _take(self, future: Future[Answer]) -> None:
        from concurrent.futures import CancelledError

        number = self.waiting.pop(future)
        try:
            runs, raised, trace = future.result()
        except (Exception, CancelledError) as lost:
            return self._submit(number, lost)
        if raised is not None:
            raise raised from RemoteTraceback(trace)
        self.job.keep(runs or b"")
        self.done += len(self.parts[number])

    def _failure(self, number: int, what: str, lost: BaseException | None) -> ShardLost:
        """What to say when a part cannot be played. What is there is kept."""
        partial = Results(self.job.outcome())
        environment, policy, run = self.parts[number][0]
        finished, total = partial.runs
        first = f"which begins with run {run} of policy {policy} in environment {environment}"
        why = f"{type(lost).__name__}: {lost}" if lost is not None else "nobody knows why"
        text = f"shard {number + 1} of {len(self.parts)}, {first}, {what} ({why})"
        failure = ShardLost(f"{text}; {finished} of {total} runs are finished and kept", partial)
        failure.__cause__ = lost
        return failure
