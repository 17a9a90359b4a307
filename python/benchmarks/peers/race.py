"""The race on public tables: every setting of every library on the tuning half, then the chosen ones on the report half."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

from . import choosing, processes
from .game import Plan
from .players import registry
from .players.player import Setting
from .tables_as_bandits import REPORT, TUNING

ROUNDS = 5000
TUNE = Plan(TUNING, orders=2, rounds=ROUNDS, seconds=2.5, enough=ROUNDS)
PLAY = Plan(REPORT, orders=10, rounds=ROUNDS, seconds=4.0, enough=500)
QUICK = {"tune": Plan(TUNING[-3:], 1, 300, 2.0, 100), "report": Plan(REPORT[:2], 2, 300, 2.0, 100)}
"""To see that everything runs; the numbers mean nothing."""


@dataclass(frozen=True)
class Job:
    """All games of a setting in a half."""

    setting: Setting
    plan: Plan
    path: Path


def games_file(out: Path, stage: str, setting: Setting) -> Path:
    """Where the games of a setting are kept."""
    name = re.sub(r"[^a-z0-9.]+", "-", f"{setting.library} {setting.name}".lower()).strip("-")
    return out / stage / f"{name}.csv"


def tune(out: Path, plan: Plan, libraries: Iterable[str]) -> None:
    """Plays every setting on the tuning half."""
    settings = [setting for library in libraries for setting in registry.settings(library)]
    run([Job(setting, plan, games_file(out, "tune", setting)) for setting in settings], "tuning")


def report(out: Path, plan: Plan, libraries: Iterable[str]) -> None:
    """Plays the chosen settings on the report half, and all of ours: the default is what is compared, whatever was best."""
    chosen = [setting for library in libraries for setting in reported(out, library)]
    run([Job(setting, plan, games_file(out, "report", setting)) for setting in chosen], "report")


def reported(out: Path, library: str) -> Sequence[Setting]:
    """What of a library is played on the report half."""
    return registry.settings(library) if library == registry.OURS else choosing.chosen(out, library)


def run(jobs: Sequence[Job], stage: str) -> None:
    """Plays them, one process per setting, as many at a time as there are cores."""
    start = time.monotonic()
    with processes.pool() as threads:
        running = {threads.submit(_play, job): job for job in jobs}
        for done, future in enumerate(as_completed(running), 1):
            job = running[future]
            said = future.result()
            elapsed = time.monotonic() - start
            name = f"{job.setting.library}: {job.setting.name}"
            print(f"{stage} {done}/{len(jobs)} after {elapsed / 60:.1f} min  {name}{said}", file=sys.stderr, flush=True)


def _play(job: Job) -> str:
    plan = job.plan
    what = [job.setting.library, job.setting.name, "--sets", ",".join(plan.sets), "--out", str(job.path)]
    numbers = {"orders": plan.orders, "rounds": plan.rounds, "seconds": plan.seconds, "enough": plan.enough}
    said = processes.run("game", *what, *(part for name, value in numbers.items() for part in (f"--{name}", str(value))))
    job.path.parent.mkdir(parents=True, exist_ok=True)
    log = job.path.with_suffix(".log")
    if said.stderr.strip():
        log.write_text(said.stderr)
    else:
        log.unlink(missing_ok=True)
    return "" if said.returncode == 0 else f"  FAILED with {said.returncode}: see {log}"
