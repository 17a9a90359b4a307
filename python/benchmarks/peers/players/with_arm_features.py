"""Libraries as policies of our laboratory: arms are rows of features, and one parameter is shared by all of them.

The laboratory hands every round's arms to `choose` and rewards to `observe`, at once or late. A late reward comes with
the features of the arm that was played and with nothing else, so each player remembers under them what it needs.

MABWiser has no features of arms; it plays where the list of arms stays the same, and knows its arms by number.
contextualbandits, river and pybandits have neither: their models are one per arm, which features of arms cannot help.
"""

from __future__ import annotations

import warnings
import weakref
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Generic, TypeVar

import bayesianbandits as bb
import mabwiser.mab
import numpy as np
import numpy.typing as npt
from bayesianbandits.featurizers import FunctionArmFeaturizer
from coba.learners import LinTSLearner, LinUCBLearner
from sklearn.exceptions import ConvergenceWarning
from vowpalwabbit import Example, LabelType, Workspace

# Five steps of bayesianbandits, its default, are now and then too few for its tolerance; the next row goes on there.
warnings.filterwarnings("ignore", category=ConvergenceWarning)

Array = npt.NDArray[np.float64]
Note = TypeVar("Note")


class Pending(Generic[Note]):
    """What was noted at choices whose reward is still out, by the features of the arm: first noted, first returned."""

    def __init__(self) -> None:
        self.notes: defaultdict[bytes, deque[Note]] = defaultdict(deque)

    def add(self, x: Array, note: Note) -> None:
        self.notes[x.tobytes()].append(note)

    def take(self, x: Array) -> Note:
        key = x.tobytes()
        note = self.notes[key].popleft()
        # Arms that are drawn anew never come back, and their empty queues would stay for ever.
        if not self.notes[key]:
            del self.notes[key]
        return note


def seed(rng: np.random.Generator) -> int:
    """A seed for a library's own generator, from that of the run."""
    return int(rng.integers(2**31))


class VowpalWabbit:
    """cb_explore_adf: each arm is a line with its features, and there is no shared line."""

    def __init__(self, dim: int, explore: str, rate: float = 0.5) -> None:
        self.options = f"--cb_explore_adf {explore} --learning_rate {rate}"
        # Names that look like numbers would be taken for places in the table of weights.
        self.names = [f"f{number}" for number in range(dim)]
        self.workspace: Workspace | None = None
        self.pending: Pending[tuple[list[Example], int, float]] = Pending()
        self.seen = b""
        self.lines: list[Example] = []

    def open(self, rng: np.random.Generator) -> Workspace:
        workspace = Workspace(f"{self.options} --random_seed {seed(rng)} --quiet")
        # Closes it when the run is dropped, once and whatever happens in it.
        weakref.finalize(self, workspace.finish)
        return workspace

    def example(self, x: Sequence[float], label: str = "") -> Example:
        features = {"a": dict(zip(self.names, x, strict=True))}
        example = Example(self.workspace, features, LabelType.CONTEXTUAL_BANDIT)
        if label:
            example.set_label_string(label)
        example.setup_example()
        return example

    def arms(self, arms: Array) -> list[Example]:
        # A list that stays is built once.
        content = arms.tobytes()
        if content != self.seen:
            self.seen, self.lines = content, [self.example(row) for row in arms.tolist()]
        return self.lines

    def choose(self, arms: Array, rng: np.random.Generator) -> int:
        if self.workspace is None:
            self.workspace = self.open(rng)
        lines = self.arms(arms)
        probabilities: list[float] = self.workspace.predict(lines)
        # They add up to one only about.
        bounds = list(accumulate(probabilities))
        arm = min(bisect_right(bounds, rng.random() * bounds[-1]), len(lines) - 1)
        self.pending.add(arms[arm], (lines, arm, probabilities[arm]))
        return arm

    def observe(self, x: Array, reward: float) -> None:
        assert self.workspace is not None
        lines, arm, probability = self.pending.take(x)
        labelled = self.example(x.tolist(), f"0:{1 - reward:g}:{probability}")
        self.workspace.learn([*lines[:arm], labelled, *lines[arm + 1 :]])


class Coba:
    """LinUCB or LinTS over features of the arms alone: there is no context."""

    def __init__(self, dim: int, learner: str, explore: float, features: list[Any]) -> None:
        self.make = {"LinUCB": LinUCBLearner, "LinTS": LinTSLearner}[learner]
        self.explore = explore
        self.features = features
        self.learner: LinUCBLearner | LinTSLearner | None = None
        self.pending: Pending[float] = Pending()

    def choose(self, arms: Array, rng: np.random.Generator) -> int:
        if self.learner is None:
            # The seed breaks ties; the parameters of LinTS are drawn with a seed that the library has fixed.
            self.learner = self.make(self.explore, self.features, seed(rng))
        actions = [tuple(row) for row in arms.tolist()]
        action, probability = self.learner.predict(None, actions)[:2]
        arm = actions.index(action)
        self.pending.add(arms[arm], probability)
        return arm

    def observe(self, x: Array, reward: float) -> None:
        assert self.learner is not None
        self.learner.learn(None, tuple(x.tolist()), reward, self.pending.take(x))


def of_arms(context: Array, tokens: Sequence[int]) -> Array:
    """Features of arms, written side by side in the one context that there is, after the number of arms."""
    rows = context[0, 1:].reshape(int(context[0, 0]), -1)
    return rows[list(tokens)].T[None]


class BayesianBandits:
    """The agent with a learner that all arms share, a logistic regression with Laplace's approximation.

    It has no constant, and the truth in the laboratory has none either.
    """

    def __init__(self, dim: int, policy: str, alpha: float, steps: int = 5, keep: float = 1.0) -> None:
        self.policy, self.alpha, self.steps, self.keep = policy, alpha, steps, keep
        self.agent: bb.LipschitzContextualAgent[int] | None = None
        self.pending: Pending[tuple[Array, int]] = Pending()

    def open(self, arms: int, rng: np.random.Generator) -> bb.LipschitzContextualAgent[int]:
        name, _, level = self.policy.partition(" ")
        policy = getattr(bb, name)(*([float(level)] if level else []))
        learner = bb.BayesianGLM(
            self.alpha,
            link="logit",
            approximator=bb.LaplaceApproximator(n_iter=self.steps),
            forgetting=bb.ExponentialForgetting(self.keep) if self.keep < 1 else None,
        )
        players = [bb.Arm(number) for number in range(arms)]
        features = FunctionArmFeaturizer(of_arms)
        return bb.LipschitzContextualAgent(players, policy, features, learner, random_seed=seed(rng))

    def choose(self, arms: Array, rng: np.random.Generator) -> int:
        if self.agent is None:
            self.agent = self.open(len(arms), rng)
        context = np.concatenate(([float(len(arms))], arms.ravel()))[None]
        arm = int(self.agent.pull(context)[0])
        self.pending.add(arms[arm], (context, arm))
        return arm

    def observe(self, x: Array, reward: float) -> None:
        assert self.agent is not None
        context, arm = self.pending.take(x)
        self.agent.select_for_update(arm).update(context, np.array([reward]))


class MABWiser:
    """Arms by number, without features, for lists that stay the same.

    The library wants a reward before its first prediction, and its UCB1 gives an arm without rewards the value 0 and no
    bonus, so that it would never play it. So every arm is played once, in turn, where `each` is true, and one arm
    at random otherwise.
    """

    def __init__(self, dim: int, policy: str, each: bool, options: dict[str, float] | None = None) -> None:
        self.each = each
        self.turn = 0
        self.learning = getattr(mabwiser.mab.LearningPolicy, policy)(**(options or {}))
        self.mab: mabwiser.mab.MAB | None = None
        self.numbers: dict[bytes, int] = {}
        self.fitted = False

    def choose(self, arms: Array, rng: np.random.Generator) -> int:
        if self.mab is None:
            self.mab = mabwiser.mab.MAB(list(range(len(arms))), self.learning, seed=seed(rng))
            self.numbers = {row.tobytes(): number for number, row in enumerate(arms)}
        if self.each and self.turn < len(arms):
            self.turn += 1
            return self.turn - 1
        return int(self.mab.predict()) if self.fitted else int(rng.integers(len(arms)))

    def observe(self, x: Array, reward: float) -> None:
        assert self.mab is not None
        self.mab.partial_fit([self.numbers[x.tobytes()]], [reward])
        self.fitted = True


@dataclass(frozen=True)
class Peer:
    """A player with its settings."""

    library: str
    name: str
    player: type
    options: dict[str, Any] = field(default_factory=dict)
    fixed: bool = False
    """Whether it needs a list of arms that stays the same."""
    forgets: bool = False
    """Whether it forgets, which is of use where the truth drifts and is tried there only."""


def wabbit(name: str, explore: str, rate: float = 0.5, kind: str = "mtr", forgets: bool = False) -> Peer:
    explore = f"{explore} --cb_type {kind}"
    label = f"{name}, {kind}, rate {rate:g}"
    return Peer("Vowpal Wabbit", label, VowpalWabbit, {"explore": explore, "rate": rate}, forgets=forgets)


def regcb(mellowness: float, more: str = "") -> str:
    return f"--regcb --regcbopt --mellowness {mellowness:g} --cb_min_cost 0 --cb_max_cost 1{more}"


def square(gamma: float, more: str = "") -> str:
    return f"--squarecb --gamma_scale {gamma:g}{more}"


# Products of two features beside the features let a regression bend as the truth does.
PRODUCTS = " -q aa"
# The rate stays as it is instead of falling with the rounds.
STEADY = " --power_t 0"

WABBITS = [
    wabbit("squarecb", "--squarecb"),
    wabbit("squarecb, gamma 100", square(100)),
    wabbit("squarecb, gamma 100", square(100), 2.0),
    wabbit("squarecb, gamma 1000", square(1000)),
    wabbit("squarecb, gamma 1000", square(1000), 2.0),
    wabbit("squarecb, gamma 1000, products", square(1000, PRODUCTS)),
    wabbit("regcbopt", regcb(0.1)),
    wabbit("regcbopt, mellowness 0.01", regcb(0.01)),
    wabbit("regcbopt, mellowness 0.001", regcb(0.001)),
    wabbit("regcbopt, mellowness 0.01, products", regcb(0.01, PRODUCTS)),
    wabbit("bag 5", "--bag 5"),
    wabbit("bag 10, greedify", "--bag 10 --greedify"),
    wabbit("bag 5", "--bag 5", kind="dr"),
    wabbit("cover 5, nounif", "--cover 5 --nounif --psi 0.1"),
    wabbit("softmax 10", "--softmax --lambda 10"),
    wabbit("softmax 100", "--softmax --lambda 100"),
    wabbit("epsilon 0.02", "--epsilon 0.02"),
    wabbit("epsilon 0.05", "--epsilon 0.05", 2.0),
    wabbit("squarecb, gamma 100, steady", square(100, STEADY), forgets=True),
    wabbit("squarecb, gamma 1000, steady", square(1000, STEADY), 0.1, forgets=True),
    wabbit("regcbopt, mellowness 0.01, steady", regcb(0.01, STEADY), forgets=True),
    wabbit("bag 5, steady", "--bag 5" + STEADY, forgets=True),
    wabbit("epsilon 0.05, steady", "--epsilon 0.05" + STEADY, forgets=True),
]


def coba(learner: str, explore: float, features: list[Any], what: str = "") -> Peer:
    # v of LinTS multiplies a variance, alpha of LinUCB a deviation.
    letter = "alpha" if learner == "LinUCB" else "v"
    options = {"learner": learner, "explore": explore, "features": features}
    return Peer("coba", f"{learner}, {letter} {explore:g}{what}", Coba, options)


COBAS = [
    coba("LinUCB", 0.1, [1, "a"]),
    coba("LinUCB", 0.3, [1, "a"]),
    coba("LinUCB", 1.0, [1, "a"]),
    coba("LinUCB", 0.3, [1, "a", "aa"], ", products"),
    coba("LinTS", 0.01, [1, "a"]),
    coba("LinTS", 0.1, [1, "a"]),
]


def bayesian(policy: str, alpha: float, steps: int = 5, keep: float = 1.0) -> Peer:
    label = f"logit, alpha {alpha:g}, {policy}"
    label += f", {steps} step" if steps != 5 else ""
    label += f", forgets {keep:g}" if keep < 1 else ""
    options = {"policy": policy, "alpha": alpha, "steps": steps, "keep": keep}
    return Peer("bayesianbandits", label, BayesianBandits, options, forgets=keep < 1)


BAYESIANS = [
    bayesian("ThompsonSampling", 0.1),
    bayesian("ThompsonSampling", 1.0),
    bayesian("ThompsonSampling", 0.1, steps=1),
    bayesian("UpperConfidenceBound 0.95", 0.1),
    bayesian("ThompsonSampling", 0.1, keep=0.99),
    bayesian("ThompsonSampling", 0.1, keep=0.997),
]


def plain(name: str, policy: str, **options: float) -> Peer:
    settings = {"policy": policy, "each": policy == "UCB1", "options": options}
    return Peer("MABWiser", f"{name} (no features)", MABWiser, settings, fixed=True)


MABWISERS = [
    plain("UCB1, alpha 0.1", "UCB1", alpha=0.1),
    plain("UCB1, alpha 0.3", "UCB1", alpha=0.3),
    plain("UCB1, alpha 1", "UCB1", alpha=1.0),
    plain("ThompsonSampling", "ThompsonSampling"),
    plain("EpsilonGreedy 0.05", "EpsilonGreedy", epsilon=0.05),
]

PEERS: list[Peer] = [*WABBITS, *COBAS, *BAYESIANS, *MABWISERS]
