"""``optimist.run``."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .._optimist import InvalidOption, Job
from . import experiment as experiments
from . import progress as bars
from .errors import Interrupted
from .results import Path, Results
from .shards import Spread, split

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Cluster(Protocol):
    """A Dask client."""

    def get_executor(self, **options: Any) -> Executor: ...


def run(
    experiment: experiments.Given,
    out: Path | None = None,
    executor: Executor | Cluster | None = None,
    progress: bool | None = None,
    *,
    policies: Sequence[Any] | None = None,
    jobs: int | None = None,
    shards: int | None = None,
    keep: Sequence[str] = (),
    rerun: Sequence[str] = (),
    parquet: bool = False,
) -> Results:
    """Runs an experiment: every policy in every environment, so many runs each.

    Results are the same to the last bit whatever the number of threads, and wherever the runs are played.

    Parameters
    ----------
    experiment : path, str or dict
        A TOML file, its text, or a dictionary with the same keys.
    out : path, optional
        A directory for runs, tables, figures and report. Finished runs that this build has left there are not run again.
        Without it everything stays in memory.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Where runs are played; a Dask client will do too. Without it, on threads of this process. Classes are built and asked
        once here all the same, to find mistakes before the work begins.
    progress : bool, optional
        Whether to show a bar; if absent, in terminals and notebooks.
    policies : list, optional
        Policies in place of those of the experiment: names, classes with ``choose`` and ``observe``, pairs of one of these and
        a dict of options, or dicts with a name.
    jobs : int, optional
        Runs at a time, one per core if absent. An executor decides that by itself.
    shards : int, optional
        Into how many parts the work for an executor is split; one per run, but at most 256, if absent.
    keep, rerun : list of str
        Policies, by name or label, whose finished runs of other builds are kept, or whose finished runs are run again.
    parquet : bool
        Write ``results.parquet`` beside ``results.csv``.

    Returns
    -------
    Results

    Raises
    ------
    Interrupted
        By Ctrl-C. What is finished is in ``out``, where the same call goes on, and in the exception's ``partial``.
    ShardLost
        If the executor has lost a part of the work several times; what is finished is kept in the same way.
    """
    _check_jobs(jobs)
    document = experiments.read(experiment, policies)
    name = str(json.loads(document)["name"])
    job = Job(document, None if out is None else os.fspath(out), jobs, _names(keep), _names(rerun))
    bar = bars.Bar(name, bars.wanted(progress))
    try:
        if executor is None:
            job.run(bar.tell if bar.show else None)
        else:
            _spread(job, document, executor, shards, bar)
        job.publish(parquet)
        results, notes = Results(job.outcome(), out), job.warnings()
    except KeyboardInterrupt:
        raise _interrupted(job, out, bool(rerun)) from None
    finally:
        bar.close()
        job.close()
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return results


def _check_jobs(jobs: int | None) -> None:
    if jobs is not None and (isinstance(jobs, bool) or not hasattr(jobs, "__index__") or jobs.__index__() < 1):
        raise InvalidOption(f"jobs is {jobs!r}: give the number of runs at a time, 1 or more")


def _names(names: Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _spread(job: Job, experiment: str, executor: Executor | Cluster, shards: int | None, bar: bars.Bar) -> None:
    spread = Spread(job, experiment, executor)
    places, note = job.begin()
    if note is not None:
        bar.note(note)
    spread.run(split(places, shards), bar.tell)


def _interrupted(job: Job, out: Path | None, again: bool) -> Interrupted:
    partial = Results(job.outcome(), out)
    done, total = partial.runs
    # What was to be run again is gone: to ask for it once more would begin afresh.
    call = "the same call without rerun" if again else "the same call"
    where = "the exception's partial holds them" if out is None else f"{call} goes on from there ({os.fspath(out)})"
    return Interrupted(f"interrupted: {done} of {total} runs are finished and kept; {where}", partial)
