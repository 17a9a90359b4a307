"""What a value is, for code that takes many kinds and for those who check its types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """A dictionary."""
    return isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """A list or a tuple, and no text."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_iterable(value: Any) -> TypeGuard[Iterable[Any]]:
    """Anything with values one after the other, and no text."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


def is_path(value: Any) -> TypeGuard[str | os.PathLike[str]]:
    """A path, or a text that may be one."""
    return isinstance(value, (str, os.PathLike))
