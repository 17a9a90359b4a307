"""What was played, one line each in a file that is only added to: nothing is lost, and nothing is played twice."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")


def read(path: Path, kind: type[T]) -> list[T]:
    """The records of a file; none if there is none."""
    if not path.is_file():
        return []
    types = get_type_hints(kind)
    with path.open(newline="") as file:
        return [kind(**{name: _parsed(text, types[name]) for name, text in row.items()}) for row in csv.DictReader(file)]


def add(path: Path, record: Any) -> None:
    """Adds one, as a whole line: several processes may write to a file that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    if not path.is_file():
        table.writerow(field.name for field in fields(record))
    table.writerow(_written(value) for value in astuple(record))
    with path.open("a", newline="") as file:
        file.write(lines.getvalue())


def _parsed(text: str, kind: Any) -> Any:
    if kind is bool:
        return text == "True"
    return kind(text) if kind in (str, int, float) else tuple(int(part) for part in text.split())


def _written(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
