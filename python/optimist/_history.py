"""What each arm was taught, kept so that another one can be taught the same."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float64]


class History:
    """Rows of numbers per arm, in the order in which they came: the context, and the reward after it."""

    def __init__(self) -> None:
        # Twice as long as needed when it has to grow, so that many small additions stay cheap.
        self._rows: dict[Hashable, Rows] = {}
        self._counts: dict[Hashable, int] = {}

    def add(self, arms: list[Hashable], contexts: Rows | None, rewards: Rows) -> None:
        """Adds one row per entry."""
        rows = rewards.reshape(-1, 1) if contexts is None else np.column_stack([contexts, rewards])
        places: dict[Hashable, list[int]] = {}
        for place, arm in enumerate(arms):
            places.setdefault(arm, []).append(place)
        for arm, chosen in places.items():
            self._append(arm, rows[chosen])

    def _append(self, arm: Hashable, rows: Rows) -> None:
        count = self._counts.get(arm, 0)
        needed = count + len(rows)
        known = self._rows.get(arm)
        if known is None or len(known) < needed:
            longer = np.empty((max(2 * count, needed), rows.shape[1]))
            if known is not None:
                longer[:count] = known[:count]
            self._rows[arm] = known = longer
        known[count:needed] = rows
        self._counts[arm] = needed

    def of(self, arm: Hashable) -> tuple[Rows, Rows]:
        """The contexts and the rewards of an arm."""
        rows = self._rows[arm][: self._counts[arm]]
        return rows[:, :-1], rows[:, -1]

    def forget(self, arm: Hashable) -> None:
        """Forgets an arm, if it is known."""
        self._rows.pop(arm, None)
        self._counts.pop(arm, None)
