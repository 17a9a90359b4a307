"""Data frames as columns for a replay."""

from __future__ import annotations

from typing import Any

from .._optimist import InvalidInput
from .kinds import is_iterable, is_mapping

# Whole numbers up to here are exact as doubles.
EXACT = 2**53


def columns(frame: Any) -> list[tuple[str, Any]]:
    """The columns of a frame of pandas, polars or pyarrow, or of a dict of lists, with their names."""
    kind = type(frame).__module__.partition(".")[0]
    if kind == "polars":
        frame = frame.collect() if hasattr(frame, "collect") else frame
        return [(name, _polars(frame[name])) for name in frame.columns]
    if kind == "pyarrow":
        return [(name, frame[name].to_pylist()) for name in frame.column_names]
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):
        return [(str(name), _pandas(frame.iloc[:, i])) for i, name in enumerate(frame.columns)]
    if is_mapping(frame):
        return [(str(name), values if hasattr(values, "dtype") else _listed(name, values)) for name, values in frame.items()]
    raise InvalidInput(f"data is a {type(frame).__name__}: give a path, a frame of pandas or polars, or a dict of columns")


def _listed(name: Any, values: Any) -> list[Any]:
    if not is_iterable(values):
        raise InvalidInput(f"the column {name!r} is a {type(values).__name__}: give one value per row")
    return list(values)


def _pandas(series: Any) -> Any:
    kind = getattr(series.dtype, "kind", "O")
    is_plain = type(series.dtype).__module__.startswith("numpy")
    if is_plain and kind == "f":
        return series.to_numpy("float64")
    if is_plain and kind in "iu" and (len(series) == 0 or max(abs(int(series.min())), abs(int(series.max()))) < EXACT):
        return series.to_numpy("float64")
    return series.astype(object).tolist()


def _polars(series: Any) -> Any:
    if series.dtype.is_float():
        return series.to_numpy().astype("float64", copy=False)
    return series.to_list()
