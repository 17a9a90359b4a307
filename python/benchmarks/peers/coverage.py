"""Intervals of an arm's success probability: who offers them, and how often they hold where the truth is known.

Four arms with a rule of their own, five features and a constant. After every fiftieth round all players are asked for
an interval of every arm at a new context, which nobody plays. Two shares are counted: of single intervals that hold,
which is what a credible interval of 95% is about, and of the runs in which every interval that was asked for holds,
which is what an interval that is valid at all times promises.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import records
from .logs import wilson
from .players import registry
from .players.player import Row
from .tables_as_bandits import CUT

ARMS, FEATURES = 4, 5
LENGTH = 2.0
"""Of each arm's rule, with the weight of its constant, for features with deviation 1."""
LEVEL = 0.95
EVERY = 50
"""Rounds between two looks."""
DRAWS = 4000
"""Of a posterior, for the ends of an interval."""

ALPHAS = (1.0, 0.1, 10.0)
"""Precisions of the prior of bayesianbandits."""

Bounds = tuple[float, float]


class Asked(Protocol):
    """A player that can be asked for intervals."""

    def choose(self, context: Row) -> int:
        """The arm."""
        ...

    def learn(self, reward: float) -> None:
        """Takes in the reward of the latest choice."""
        ...

    def interval(self, context: Row, arm: int) -> Bounds:
        """Of the arm's success probability in this context."""
        ...


@dataclass(frozen=True)
class World:
    """What is played in a run, the same for all players."""

    rules: npt.NDArray[np.float64]
    """One per arm, the weight of the constant last."""
    contexts: npt.NDArray[np.float64]
    fresh: npt.NDArray[np.float64]
    """The contexts of the looks."""
    luck: npt.NDArray[np.float64]

    @property
    def norm(self) -> float:
        """The largest norm of a context."""
        return float(np.linalg.norm(np.vstack([self.contexts, self.fresh]), axis=1).max())

    def truth(self, context: Row, arm: int) -> float:
        """The success probability."""
        return float(1.0 / (1.0 + np.exp(-context @ self.rules[arm, :-1] - self.rules[arm, -1])))


def world(run: int, rounds: int) -> World:
    """The world of a run: directions of the rules drawn uniformly, standard normal features, cut as everywhere here."""
    random = np.random.default_rng([2026, run])
    rules = random.standard_normal((ARMS, FEATURES + 1))
    rules *= LENGTH / np.linalg.norm(rules, axis=1, keepdims=True)
    contexts = np.clip(random.standard_normal((rounds, FEATURES)), -CUT, CUT)
    fresh = np.clip(random.standard_normal((rounds // EVERY, FEATURES)), -CUT, CUT)
    return World(rules, contexts, fresh, random.random(rounds))


class Ours:
    """``Bandit`` with parameters of each arm's own and no norm bound; rows scaled as in the races."""

    def __init__(self, norm: float, seed: int) -> None:
        import optimist

        d = FEATURES + 1
        self.bandit = optimist.Bandit(d, "bayes-ucb", delta=1.0 - LEVEL, seed=seed, own=d)
        self.scale = np.sqrt(0.5) / norm

    def row(self, context: Row) -> Row:
        return np.append(context * self.scale, np.sqrt(0.5))

    def choose(self, context: Row) -> int:
        self.choice = self.bandit.choose(self.row(context), ARMS)
        assert self.choice.arm is not None
        return self.choice.arm

    def learn(self, reward: float) -> None:
        self.bandit.observe(self.choice, reward)

    def interval(self, context: Row, arm: int) -> Bounds:
        found = self.bandit.interval(self.row(context), owner=arm)
        return found.lower, found.upper


class Credible:
    """bayesianbandits with Thompson sampling: the middle 95% of an arm's posterior at the context.

    The library has no call for an interval, but one for draws of the success probability: `Arm.sample_marginal`.
    """

    def __init__(self, alpha: float, seed: int) -> None:
        import bayesianbandits as bb

        from .players.bayesianbandits import logistic

        learner = logistic(alpha)
        self.arms: list[Any] = [bb.Arm(arm, learner=learner()) for arm in range(ARMS)]
        self.agent = bb.ContextualAgent(self.arms, bb.ThompsonSampling(), random_seed=seed)

    def row(self, context: Row) -> npt.NDArray[np.float64]:
        return np.append(context, 1.0)[None, :]

    def choose(self, context: Row) -> int:
        self.context = self.row(context)
        return int(self.agent.pull(self.context)[0])

    def learn(self, reward: float) -> None:
        self.agent.update(self.context, np.array([reward]))

    def interval(self, context: Row, arm: int) -> Bounds:
        draws = self.arms[arm].sample_marginal(self.row(context), size=DRAWS)
        lower, upper = np.quantile(draws, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
        return float(lower), float(upper)


def _credible(alpha: float) -> Callable[[float, int], Asked]:
    return lambda norm, seed: Credible(alpha, seed)


PLAYERS: dict[tuple[str, str], Callable[[float, int], Asked]] = {
    ("Optimist", "bayes-ucb, certified interval"): Ours,
    # A prior of precision 1 is about right here: weights of this truth have a deviation of 0.8. The two others are
    # what one may have who does not know that.
    **{("bayesianbandits", f"logit alpha={a:g}, ThompsonSampling, credible interval"): _credible(a) for a in ALPHAS},
}

OFFERED = {
    "Optimist": "`Bandit.interval` and `Bandit.intervals`, certified: valid at all times at once "
    "([guarantees.md](guarantees.md)); the posterior by which it chooses is not offered as an interval",
    "bayesianbandits": "draws of an arm's success probability (`Arm.sample`, `Arm.sample_marginal`), from which a "
    "credible interval is read",
    "pybandits": "draws of an arm's success probability (`sample_proba` of a model), one per row of contexts; not "
    "measured: an update takes seconds an arm, a hundred runs would take hours",
    "river": "none: `LinUCBDisjoint` uses mean plus deviation of a linear regression, and has no call for it",
    "contextualbandits": "none: upper bounds only, as scores of its UCB policies (`decision_function`)",
    "Vowpal Wabbit": "none: `predict` gives the probability of choosing an arm; the bounds of regcb stay inside",
    "MABWiser": "none: `predict_expectations` gives one number an arm (with LinUCB an upper bound)",
    "coba": "none: `predict` and `score` give actions and the probability of choosing them",
}
"""By the calls of the versions raced, of contextual models with rewards of 0 and 1."""


@dataclass(frozen=True)
class Run:
    """What came of a run."""

    library: str
    setting: str
    run: int
    rounds: int
    asked: int
    held: int
    width: float
    """Of the intervals of the last look, on average."""
    width_best: float
    """The same of the arm that is best there, about which a user asks most."""
    seconds: float


def watch(key: tuple[str, str], run: int, rounds: int) -> Run:
    """Plays a run and looks at the intervals."""
    shown = world(run, rounds)
    start = time.process_time()
    player = PLAYERS[key](shown.norm, run + 1)
    asked = held = 0
    widths: list[float] = []
    best = 0
    for number, context in enumerate(shown.contexts, 1):
        arm = player.choose(context)
        player.learn(float(shown.luck[number - 1] < shown.truth(context, arm)))
        if number % EVERY == 0:
            at = shown.fresh[number // EVERY - 1]
            truths = [shown.truth(at, arm) for arm in range(ARMS)]
            bounds = [player.interval(at, arm) for arm in range(ARMS)]
            held += sum(lower <= truth <= upper for truth, (lower, upper) in zip(truths, bounds, strict=True))
            asked += ARMS
            widths, best = [upper - lower for lower, upper in bounds], int(np.argmax(truths))
    seconds = time.process_time() - start
    return Run(*key, run, rounds, asked, held, float(np.mean(widths)), widths[best], seconds)


def play(out: Path, quick: bool) -> None:
    """Plays what is not in the file yet."""
    runs, rounds = (3, 200) if quick else (100, 1000)
    path = out / "coverage.csv"
    known = {(one.library, one.setting, one.run) for one in records.read(path, Run)}
    start = time.monotonic()
    for key in PLAYERS:
        for number in range(runs):
            if (*key, number) not in known:
                records.add(path, watch(key, number, rounds))
            if (number + 1) % 10 == 0 or number + 1 == runs:
                elapsed = (time.monotonic() - start) / 60
                said = f"coverage {number + 1}/{runs} after {elapsed:.1f} min  {key[0]}: {key[1]}"
                print(said, file=sys.stderr, flush=True)


def tables(out: Path) -> str:
    """What is offered and what was measured, in Markdown."""
    text = ["### Intervals", "", "| library | intervals of an arm's success probability in a context |", "|---|---|"]
    text += [f"| {library} | {OFFERED[library]} |" for library in registry.LIBRARIES]
    found = records.read(out / "coverage.csv", Run)
    if not found:
        return "\n".join([*text, "", "No coverage was measured yet."]) + "\n"
    return "\n".join([*text, "", *_measured(found)]) + "\n"


def _measured(found: Sequence[Run]) -> list[str]:
    players: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for one in found:
        players[one.library, one.setting].append(one)
    first = found[0]
    text = [
        f"{ARMS} arms with a rule of norm {LENGTH:g}, {FEATURES} features and a constant, {first.rounds:,} rounds, "
        f"a look at all arms every {EVERY} rounds ({first.asked} intervals a run), {LEVEL:.0%}. Each player chooses by "
        "its own policy, and is right about the form of the model. In brackets: 95% by the number of runs.",
        "",
        "| library | setting | runs | intervals that held | runs where all held | width at the end | of the best arm |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    text += [_line(key, runs) for key, runs in players.items()]
    text += [
        "",
        "A credible interval promises its share on average over the prior and at one look; it does not promise the "
        "second share, which falls with every look. A certified interval promises it, and pays for it with width.",
    ]
    return text


def _line(key: tuple[str, str], runs: Sequence[Run]) -> str:
    held = sum(one.held for one in runs) / sum(one.asked for one in runs)
    always = sum(one.held == one.asked for one in runs) / len(runs)
    lower, upper = wilson(always, len(runs))
    # Looks of a run depend on each other, so runs are what is counted.
    error = float(np.std([one.held / one.asked for one in runs])) / np.sqrt(max(len(runs) - 1, 1))
    width, best = (float(np.mean([getattr(one, name) for one in runs])) for name in ("width", "width_best"))
    shares = f"{held:.1%} (± {1.96 * error:.1%}) | {always:.0%} ({lower:.0%} to {upper:.0%})"
    return f"| {key[0]} | {key[1]} | {len(runs)} | {shares} | {width:.3f} | {best:.3f} |"
