"""Contexts as people who fit models hold them: arrays, lists of lists, frames; read as named columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._optimist import InvalidInput


class Column:
    """One column, as the engine reads those of frames."""

    def __init__(self, values: npt.NDArray[np.float64]) -> None:
        self._values = values

    def to_list(self) -> list[float]:
        return [float(value) for value in self._values]


class Table:
    """Numbers in named columns: as much of a frame as the engine asks of one."""

    def __init__(self, columns: Sequence[str], values: npt.NDArray[np.float64]) -> None:
        self.columns = list(columns)
        self.values = values

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __getitem__(self, name: str) -> Column:
        return Column(self.values[:, self.columns.index(name)])

    def rows(self, chosen: npt.NDArray[np.bool_] | slice) -> Table:
        """Some of the rows."""
        return Table(self.columns, self.values[chosen])

    def parts(self, size: int) -> Iterator[tuple[int, Table]]:
        """The rows in parts of a size, each with the number of its first."""
        for start in range(0, len(self), size):
            yield start, self.rows(slice(start, start + size))


def read(contexts: Any, columns: Sequence[str] | None, count: int | None) -> Table:
    """
    Contexts as a table.

    ``columns`` are those that are known, if some are; ``count`` is how many rows there must be, if that is known: both tell what
    a single row of numbers is.
    """
    names = names_of(contexts)
    values = numbers(contexts)
    if values.ndim == 1:
        single = values.shape[0] == len(columns) if columns is not None else count == 1
        values = values.reshape(1, -1) if single and count in (None, 1) else values.reshape(-1, 1)
        names = None
    if values.ndim != 2:
        raise InvalidInput(f"contexts has {values.ndim} dimensions: give one row per context")
    if count is not None and values.shape[0] != count:
        raise InvalidInput(f"contexts has {values.shape[0]} rows for {count} decisions: give one per decision")
    check_finite(values)
    if columns is None:
        return Table(names or [f"x{i}" for i in range(values.shape[1])], values)
    return in_order(columns, names, values)


def names_of(contexts: Any) -> list[str] | None:
    """The names of a frame's columns, if it has some that are texts."""
    if not hasattr(contexts, "columns"):
        return None
    names = list(contexts.columns)
    if len(set(names)) != len(names):
        raise InvalidInput(f"contexts has two columns of one name: they are {names}")
    return names if all(isinstance(name, str) for name in names) else None


def numbers(contexts: Any) -> npt.NDArray[np.float64]:
    """What numpy makes of them, as doubles."""
    try:
        found = contexts.to_numpy() if hasattr(contexts, "to_numpy") else np.asarray(contexts)
        if found.dtype.kind not in "fiub":
            found = found.astype(np.float64) if found.dtype.kind == "O" else found
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"contexts is not an array of numbers: {error}; {REMEDY}") from None
    if found.dtype.kind not in "fiub":
        raise InvalidInput(f"contexts has the dtype {found.dtype}: it must be numbers; {REMEDY}")
    # In one order, so that sums over them are the same to the last bit.
    return np.ascontiguousarray(found, dtype=np.float64)


REMEDY = "for categories, texts and moments use optimist.Engine"


def check_finite(values: npt.NDArray[np.float64]) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        row, column = (int(place) for place in bad[0])
        raise InvalidInput(f"contexts[{row}][{column}] is {values[row, column]}: it must be a finite number")


def in_order(columns: Sequence[str], names: list[str] | None, values: npt.NDArray[np.float64]) -> Table:
    """The columns in the order that is known: by name where both have names."""
    if names is not None and set(names) != set(columns) and not is_made_up(columns):
        absent = [name for name in columns if name not in names]
        extra = [name for name in names if name not in columns]
        what = f'no column "{absent[0]}"' if absent else f'a column "{extra[0]}" that was not there before'
        raise InvalidInput(f"contexts has {what}: the columns are {list(columns)}")
    if values.shape[1] != len(columns):
        raise InvalidInput(f"contexts has {values.shape[1]} columns: there were {len(columns)} before")
    if names is not None and not is_made_up(columns):
        values = values[:, [names.index(name) for name in columns]]
    return Table(columns, values)


def is_made_up(columns: Sequence[str]) -> bool:
    return list(columns) == [f"x{i}" for i in range(len(columns))]
