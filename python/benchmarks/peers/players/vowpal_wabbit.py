"""Vowpal Wabbit, with the arms as lines of their own (adf) and as numbers (cb_explore)."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

import numpy as np
from vowpalwabbit import Example, LabelType, Workspace

from .player import Player, Row, Setting, Task


class Wabbit:
    """What both forms share. They build examples from dicts, which is faster than text and chooses the same arms."""

    def __init__(self, task: Task, options: str, lowest: int) -> None:
        self.workspace = Workspace(f"{options} --random_seed {task.seed} --quiet")
        # Closes the workspace when the game is dropped, once and whatever happens in it.
        weakref.finalize(self, self.workspace.finish)
        self.random = np.random.default_rng(task.seed)
        self.arms = task.arms
        # Names that look like numbers are taken for places in the table of weights. They would lie side by side,
        # and there the weights of one arm fall on those of another.
        self.names = [f"f{number}" for number in range(task.dimension)]
        self.lowest = lowest

    def example(self, features: dict[str, dict[str, float]], label: str = "") -> Example:
        example = Example(self.workspace, features, LabelType.CONTEXTUAL_BANDIT)
        # Before the set-up: cb_explore learns nothing from a label that an example is given after it.
        if label:
            example.set_label_string(label)
        example.setup_example()
        return example

    def features(self, context: Row) -> dict[str, dict[str, float]]:
        return {"x": {name: value for name, value in zip(self.names, context.tolist(), strict=True) if value}}

    def sample(self, probabilities: list[float]) -> int:
        # They add up to one only about.
        bounds = list(accumulate(probabilities))
        self.arm = min(bisect_right(bounds, self.random.random() * bounds[-1]), self.arms - 1)
        self.probability = probabilities[self.arm]
        return self.arm

    def label(self, number: int, reward: float) -> str:
        # A label has a cost, which is 0 or 1, or -1 or 0.
        return f"{number}:{self.lowest + 1 - reward:g}:{self.probability}"


class Lines(Wabbit):
    """cb_explore_adf: the context is the shared line, and each arm a line that holds its name."""

    def __init__(self, task: Task, options: str, lowest: int) -> None:
        # The context crossed with the name is a slope for each arm; on its own it would tell no arm from another.
        super().__init__(task, f"--cb_explore_adf -q xa --ignore_linear x {options}", lowest)
        # The lines of the arms are the same in every round, so they are built once.
        self.lines = [self.example(self.named(arm)) for arm in range(task.arms)]

    def named(self, arm: int) -> dict[str, dict[str, float]]:
        return {"a": {f"arm{arm}": 1.0}}

    def choose(self, context: Row) -> int:
        self.shared = self.example(self.features(context), "shared")
        return self.sample(self.workspace.predict([self.shared, *self.lines]))

    def learn(self, reward: float) -> None:
        lines = self.lines.copy()
        lines[self.arm] = self.example(self.named(self.arm), self.label(0, reward))
        self.workspace.learn([self.shared, *lines])


class Numbers(Wabbit):
    """cb_explore: one line with the context, and the arms are numbers from 1 on."""

    def __init__(self, task: Task, options: str, lowest: int) -> None:
        super().__init__(task, f"--cb_explore {task.arms} {options}", lowest)

    def choose(self, context: Row) -> int:
        self.context = self.features(context)
        return self.sample(self.workspace.predict(self.example(self.context)))

    def learn(self, reward: float) -> None:
        self.workspace.learn(self.example(self.context, self.label(self.arm + 1, reward)))


def setting(
    name: str, explore: str, kind: str, rate: float, lowest: int, form: Callable[[Task, str, int], Player]
) -> Setting:
    def make(task: Task) -> Player:
        # A twentieth of the game is what exploring first is given.
        options = explore.format(twentieth=max(task.rounds // 20, 1))
        options += f" --cb_type {kind} --learning_rate {rate}"
        if "--regcb" in explore:
            options += f" --cb_min_cost {lowest} --cb_max_cost {lowest + 1}"
        return form(task, options, lowest)

    return Setting("Vowpal Wabbit", name, make)


# Weights start at zero, so costs of 0 and 1 begin with the hope that every arm is right, and -1 and 0 with the fear
# that none is. On trial data the first gained much with mtr on the digits and lost little elsewhere; dr did better
# with the second most of the time. Two settings below play mtr with the second as well.
LOWEST = {"mtr": 0, "dr": -1}


def adf(name: str, explore: str, kind: str, rates: tuple[float, ...]) -> list[Setting]:
    return [
        setting(f"adf {name}, {kind}, rate {rate:g}", explore, kind, rate, LOWEST[kind], Lines) for rate in rates
    ]


def pessimist(name: str, explore: str) -> Setting:
    return setting(f"adf {name}, mtr, rate 0.5, costs -1 and 0", explore, "mtr", 0.5, -1, Lines)


def numbers(name: str, explore: str, kind: str) -> Setting:
    return setting(f"cb_explore {name}, {kind}, rate 0.5", explore, kind, 0.5, LOWEST[kind], Numbers)


# squarecb and regcb exist with mtr alone. The defaults of the library explore so much that they cost it many rounds
# of a game this short, so most settings explore less. Softmax with its default of 1 is hardly better than chance.
SQUARE = "--squarecb --gamma_scale 100"
OPTIMIST = "--regcb --regcbopt --mellowness 0.001"
COVER = "--cover 5 --nounif --psi 0.1"
FIRST = "--first {twentieth}"

SETTINGS: list[Setting] = [
    *adf("squarecb", "--squarecb", "mtr", (0.5,)),
    *adf("squarecb, gamma 100", SQUARE, "mtr", (0.1, 0.5, 2.0)),
    *adf("squarecb, gamma 1000", "--squarecb --gamma_scale 1000", "mtr", (0.5,)),
    *adf("squarecb, gamma 10000", "--squarecb --gamma_scale 10000", "mtr", (0.5,)),
    *adf("epsilon 0", "--epsilon 0", "mtr", (0.5,)),
    *adf("regcb", "--regcb", "mtr", (0.5,)),
    *adf("regcb, mellowness 0.001", "--regcb --mellowness 0.001", "mtr", (0.5, 2.0)),
    *adf("regcbopt", "--regcb --regcbopt", "mtr", (0.5, 2.0)),
    *adf("regcbopt, mellowness 0.001", OPTIMIST, "mtr", (0.1, 0.5, 2.0)),
    *adf("bag 5", "--bag 5", "mtr", (0.5, 2.0)),
    *adf("bag 5", "--bag 5", "dr", (0.1, 0.5)),
    *adf("cover 5", "--cover 5", "mtr", (0.5,)),
    *adf("cover 5, nounif", COVER, "mtr", (0.5, 2.0)),
    *adf("cover 5, nounif", COVER, "dr", (0.1, 0.5)),
    *adf("softmax 10", "--softmax --lambda 10", "mtr", (0.5,)),
    *adf("softmax 100", "--softmax --lambda 100", "mtr", (0.5, 2.0)),
    *adf("softmax 10", "--softmax --lambda 10", "dr", (0.5,)),
    *adf("epsilon 0.05", "--epsilon 0.05", "mtr", (0.1, 0.5, 2.0)),
    *adf("epsilon 0.05", "--epsilon 0.05", "dr", (0.1, 0.5)),
    *adf("first 5%", FIRST, "mtr", (0.5,)),
    *adf("first 5%", FIRST, "dr", (0.5,)),
    pessimist("squarecb, gamma 100", SQUARE),
    pessimist("regcbopt, mellowness 0.001", OPTIMIST),
    numbers("squarecb, gamma 100", SQUARE, "mtr"),
    numbers("bag 5", "--bag 5", "dr"),
    numbers("cover 5, nounif", COVER, "dr"),
    numbers("softmax 100", "--softmax --lambda 100", "mtr"),
    numbers("epsilon 0.05", "--epsilon 0.05", "mtr"),
    numbers("first 5%", FIRST, "mtr"),
]
