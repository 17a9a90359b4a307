"""What a library must do to take part: choose an arm in a context, and learn what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """What a player is told before the first round."""

    arms: int
    """How many there are; each round has the same ones."""
    dimension: int
    """Numbers in a context: standardised and cut at three deviations, or 0 and 1. There is no constant among them."""
    norm: float
    """The largest norm of a context, known beforehand like the means and deviations by which all were standardised."""
    rounds: int
    """How many will be played."""
    seed: int
    """What is random depends on it alone."""


class Player(Protocol):
    """One game. A choice whose reward never comes is followed by the next choice."""

    def choose(self, context: Row) -> int:
        """The arm, from 0 on."""
        ...

    def learn(self, reward: float) -> None:
        """Takes in the reward, 0 or 1, of the latest choice."""
        ...


@dataclass(frozen=True)
class Setting:
    """A player with its settings, as a line of the tables."""

    library: str
    name: str
    make: Callable[[Task], Player] = field(repr=False)
    linear: bool = True
    """Whether a score is linear in the context; trees, neighbours and the like are shown apart."""
