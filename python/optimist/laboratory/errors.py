"""What ends long work before its time."""

from __future__ import annotations

from typing import Any


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C. ``partial`` holds what is finished."""

    def __init__(self, text: str, partial: Any = None) -> None:
        super().__init__(text)
        self.partial = partial


class ShardLost(RuntimeError):
    """An executor has lost a part of the work again and again. ``partial`` holds what is finished."""

    def __init__(self, text: str, partial: Any = None) -> None:
        super().__init__(text)
        self.partial = partial
