"""Columns as data frames, of whichever library is there."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .._optimist import InvalidOption

LIBRARIES = ("pandas", "polars")


def library(wish: str | None) -> str:
    """The library that is asked for, or the first that is installed."""
    if wish is not None and wish not in LIBRARIES:
        raise InvalidOption(f"library is {wish!r}: give 'pandas' or 'polars'")
    for name in LIBRARIES if wish is None else (wish,):
        if find_spec(name) is not None:
            return name
    wanted = wish or "pandas or polars"
    raise ImportError(f"a frame needs {wanted}: pip install {wish or 'pandas'}")


def frame(columns: Mapping[str, Any], wish: str | None) -> Any:
    """A frame of these columns."""
    module = import_module(library(wish))
    return module.DataFrame(dict(columns))


def typed(kind: str, values: Any, wish: str | None) -> Any:
    """A column of results as the library keeps it; what is missing is missing there too."""
    import numpy as np

    if kind == "text":
        names, codes = values
        return np.array(names, dtype=object)[codes]
    if kind in ("whole", "number"):
        return values
    missing = values < 0
    if wish == "pandas":
        pandas = import_module("pandas")
        whole = values.astype(bool) if kind == "truth" else values
        array = pandas.array(whole, dtype="boolean" if kind == "truth" else "Int64")
        array[missing] = pandas.NA
        return array
    plain = [None if gone else (bool(value) if kind == "truth" else int(value)) for value, gone in zip(values, missing)]
    dtype = import_module("polars").Boolean if kind == "truth" else import_module("polars").Int64
    return import_module("polars").Series(plain, dtype=dtype)
