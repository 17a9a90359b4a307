"""Small tables for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any


def cell(value: Any) -> str:
    """A value as tables show it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return str(value)


def text_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as lines: numbers flush right, everything else flush left."""
    kept = [list(row) for row in rows]
    cells = [[cell(value) for value in row] for row in kept]
    widths = [max(len(line[i]) for line in [list(columns), *cells]) for i in range(len(columns))]
    right = [bool(kept) and all(isinstance(row[i], (int, float, type(None))) for row in kept) for i in range(len(columns))]

    def line(row: Sequence[str]) -> str:
        parts = [text.rjust(w) if r else text.ljust(w) for text, w, r in zip(row, widths, right, strict=True)]
        return "  ".join(parts).rstrip()

    return "\n".join(line(row) for row in [list(columns), *cells])


def html_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Rows as a table of HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell(value))}</td>" for value in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Table(list[dict[str, Any]]):
    """A list of dictionaries with the same keys, which shows itself as a table."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = (), caption: str = "") -> None:
        super().__init__(dict(row) for row in rows)
        self.caption = caption

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self[0]) if self else []

    def _rows(self) -> list[list[Any]]:
        return [[row.get(name) for name in self.columns] for row in self]

    def __repr__(self) -> str:
        return text_table(self.columns, self._rows()) if self else "(empty)"

    def html(self) -> str:
        """The same for pages."""
        return html_table(self.columns, self._rows(), self.caption)

    def _repr_html_(self) -> str:
        return self.html()
