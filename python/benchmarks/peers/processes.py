"""Players in processes of their own: a library that fails or leaks takes nobody with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]


def run(module: str, *arguments: str, patience: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a module of this package on one thread, so that a second of the processor is a second of one core for everybody."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    environment = os.environ | {name: "1" for name in names} | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(HOME)}
    command = [sys.executable, "-m", f"peers.{module}", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patience)


@contextmanager
def pool() -> Iterator[ThreadPoolExecutor]:
    """A thread per core, each of which waits for a process. After Ctrl-C what has not begun is not begun any more."""
    threads = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)
