"""What a linear model could do if it were told the right class of every row: logistic regression, fitted again and again."""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import LogisticRegression

from .game import MARK, Game
from .tables_as_bandits import Bandit

STRENGTHS = (0.1, 1.0, 10.0)
"""Inverse penalties of which, at each fit, the one is used that did best in the block before."""


def play(bandit: Bandit, order: int, rounds: int) -> Game:
    """Predicts each row by the fit to all rows before its block; blocks grow by a third."""
    rows = bandit.order(order, rounds)
    x, y = bandit.contexts[rows], bandit.right[rows]
    start = time.process_time()
    wrong = np.zeros(len(rows), dtype=int)
    begin, end, strength = 0, 50, STRENGTHS[1]
    while begin < len(rows):
        guesses = {c: _predicted(x[:begin], y[:begin], x[begin:end], c) for c in STRENGTHS}
        wrong[begin:end] = guesses[strength] != y[begin:end]
        strength = min(STRENGTHS, key=lambda c: int((guesses[c] != y[begin:end]).sum()))
        begin, end = end, max(end + 50, end * 4 // 3)
    ends = [*range(MARK, len(rows) + 1, MARK)]
    if not ends or ends[-1] != len(rows):
        ends.append(len(rows))
    mistakes = tuple(int(wrong[:upto].sum()) for upto in ends)
    return Game(bandit.name, order, len(rows), True, time.process_time() - start, mistakes)


def _predicted(x: np.ndarray, y: np.ndarray, ahead: np.ndarray, strength: float) -> np.ndarray:
    if len(np.unique(y)) < 2:
        # Nothing to tell apart yet: the class seen so far, if any.
        return np.full(len(ahead), y[0] if len(y) else 0)
    model = LogisticRegression(C=strength, max_iter=300)
    return np.asarray(model.fit(x, y).predict(ahead))
