"""A line that says how far long work is."""

from __future__ import annotations

import sys
import time

WIDTH = 24


def wanted(progress: bool | None) -> bool:
    """Whether to show it: as asked, or where somebody sees it, in a terminal or a notebook."""
    if progress is not None:
        return progress
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def duration(seconds: float) -> str:
    """A time, roughly."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Bar:
    """A bar on standard error that stays on its line. Nothing is written if the work is short."""

    def __init__(self, label: str, show: bool) -> None:
        self.label = label
        self.show = show
        self.start = self.last = time.monotonic()
        self.length = 0

    def tell(self, done: int, total: int) -> None:
        """So much of the total is done."""
        now = time.monotonic()
        if not self.show or total == 0 or now - self.last < 0.2:
            return
        self.last = now
        share = min(done / total, 1.0)
        filled = int(WIDTH * share)
        left = f", {duration((now - self.start) * (1 - share) / share)} left" if share > 0.01 else ""
        self._write(f"{self.label} [{'#' * filled}{'.' * (WIDTH - filled)}] {100 * share:3.0f}%{left}")

    def _write(self, line: str) -> None:
        padded = line.ljust(self.length)
        self.length = len(line)
        sys.stderr.write("\r" + padded)
        sys.stderr.flush()

    def note(self, line: str) -> None:
        """A line that stays."""
        if self.show:
            self.close()
            sys.stderr.write(line + "\n")

    def close(self) -> None:
        """Wipes the bar."""
        if self.length:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self.length = 0
