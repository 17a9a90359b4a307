"""A bandit in the shape that users of MABWiser know: ``fit``, ``partial_fit``, ``predict``."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from . import _tables
from ._history import History
from ._optimist import Bounds, Engine, InvalidInput, InvalidOption, Prediction
from ._tables import Table

A = TypeVar("A", bound=Hashable)
T = TypeVar("T")

# Rows that are handed to the engine at a time: a context by name takes ten times the memory of its numbers.
PART = 4096

# Settings of the engine that are the bandit's to choose.
OURS = ("actions", "context", "model", "most_open", "most_settled", "retention")


class MAB(Generic[A]):
    """
    A bandit with the methods of MABWiser's ``MAB``, on top of ``optimist.Engine``.

    Parameters
    ----------
    arms : sequence
        What to choose from: texts, numbers, anything hashable.
    policy : str
        A name of ``optimist.policies()``. ``bayes-ucb``, ``laplace-ts``, ``greedy`` and ``uniform`` take new arms at any time; others
        need to know them all before the first ``fit``.
    seed : int
        What is random depends on it, on the data, and on the order of the calls alone.
    norm_bound : float, optional
        A bound on the norm of each arm's parameters, if one is known.
    delta : float
        The probability with which any interval may ever be wrong.
    explore : float
        The share of predictions that are drawn from all arms alike. Zero, as in MABWiser, where the policy itself explores.
    remember : bool
        Whether the rows that were learnt are kept, which ``warm_start`` needs. The model itself does not grow with them.
    options : mapping, optional
        Options of the policy.
    **settings
        Other settings of the engine, as in ``rewards={"scale": {"range": [0, 30]}}`` for rewards from 0 to 30.

    Attributes
    ----------
    arms : list
        The arms, in the order in which they came.

    Notes
    -----
    **The model.** Every arm has a logistic model of its own (``model="disjoint"``): the log-odds of a reward are linear in the context.
    Without contexts that is a rate per arm. Rewards must lie between 0 and 1; those of yes and no are 0 and 1.

    **Contexts** are numbers: arrays, lists of lists, frames. Each column is standardised. If the first batch has 128 rows or more, by
    its means and deviations; otherwise by those of the first 128 contexts, found anew as they come (before the 8th, predictions are
    drawn at random). For categories, texts and moments use ``optimist.Engine``.

    **What is different from MABWiser.** ``predict_expectations`` gives estimated mean rewards, also for policies that draw at random,
    where MABWiser gives the draws. A prediction counts as a round in which the policy has chosen; nothing is learnt from it, and
    rewards come by ``partial_fit``. Decisions that name no arm are refused. ``predict_interval`` is new.

    **What is certain.** Intervals hold for all arms and contexts together, at all times, with probability ``1 - delta``, if the model
    is right, contexts do not depend on earlier rewards, and rewards are missing for no reason that has to do with what they are. Logs
    of any rule will do: no probabilities of choice are needed. An arm that was warm-started has no interval.

    Examples
    --------
    >>> mab = optimist.MAB(["red", "green"], seed=1)
    >>> mab.fit(["red", "green", "green", "red"], [0, 1, 1, 0])
    >>> mab.predict()
    'green'
    """

    def __init__(
        self,
        arms: Sequence[A],
        policy: str = "bayes-ucb",
        *,
        seed: int = 0,
        norm_bound: float | None = None,
        delta: float = 0.05,
        explore: float = 0.0,
        remember: bool = True,
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self._remembers = remember
        self.arms: list[A] = []
        self._names: dict[A, str] = {}
        self._used: set[str] = set()
        self._engine: Engine | None = None
        self._columns: list[str] | None = None
        self._calls = 0
        self._history = History()
        self._trained: set[A] = set()
        self._started: dict[A, A] = {}
        for name in OURS:
            if name in settings:
                raise InvalidOption(f"{name} is the bandit's to choose: use optimist.Engine to set it")
        self._settings: dict[str, Any] = {
            "policy": policy,
            "seed": seed,
            "norm_bound": norm_bound,
            "delta": delta,
            "explore": explore,
            "options": dict(options or {}),
            "compare": 0,
            **settings,
        }
        for arm in _listed(arms, "arms"):
            self._enter(arm)
        # Made once now, so that a wrong setting is found here.
        self._made([])

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return str(self._settings["policy"])

    @property
    def is_contextual(self) -> bool | None:
        """Whether there are contexts; ``None`` before the first ``fit``."""
        return None if self._columns is None else bool(self._columns)

    @property
    def cold_arms(self) -> list[A]:
        """Arms of which nothing is known: no decision was learnt, and they were not warm-started."""
        return [arm for arm in self.arms if arm not in self._trained and arm not in self._started]

    @property
    def engine(self) -> Engine:
        """The engine inside, for questions that this class does not ask. Its actions are the arms as texts."""
        return self._fitted()

    def fit(self, decisions: Iterable[A], rewards: npt.ArrayLike, contexts: Any = None) -> None:
        """
        Learns from what was decided, and forgets all that was learnt before.

        Parameters
        ----------
        decisions : list, array or series
            The arm of each row.
        rewards : list, array or series
            What came of each, between 0 and 1.
        contexts : array, list of lists or frame, optional
            One row of numbers per decision.
        """
        self._learn(decisions, rewards, contexts, afresh=True)

    def partial_fit(self, decisions: Iterable[A], rewards: npt.ArrayLike, contexts: Any = None) -> None:
        """
        Learns from what was decided, in addition to what was learnt before. Takes what ``fit`` takes.

        If a row is refused nothing is learnt.
        """
        self._learn(decisions, rewards, contexts, afresh=self._engine is None)

    def predict(self, contexts: Any = None) -> A | list[A]:
        """
        The arm that the policy chooses: one for one context or none, a list for several.

        Without a contextual ``fit`` the contexts only say how many predictions are wanted.
        """
        engine, table = self._fitted(), self._asked(contexts)
        chosen: list[A] = []
        arms = {name: arm for arm, name in self._names.items()}
        for start, part in _parts(table, contexts):
            ids = [f"predict-{self._calls}-{start + i}" for i in range(len(part))]
            decisions = engine.decide_many(part, ids, deferred=True)
            chosen.extend(arms[decision.action] for decision in decisions)
        self._calls += 1
        return _one_or_all(chosen)

    def predict_expectations(self, contexts: Any = None) -> dict[A, float] | list[dict[A, float]]:
        """
        The estimated mean reward of every arm: one dict for one context or none, a list for several.

        Nothing is changed by this, and nothing is random.
        """
        found = self._predictions(contexts, intervals=False)
        return _one_or_all([{arm: one.estimate for arm, one in all.items()} for all in found])

    def predict_interval(self, contexts: Any = None) -> dict[A, Bounds] | list[dict[A, Bounds]]:
        """
        Bounds on the mean reward of every arm: one dict for one context or none, a list for several.

        Each unpacks as ``lower, upper``, or says ``why`` there are none. They cost about a hundred times as much as estimates.
        """
        found = self._predictions(contexts, intervals=True)
        return _one_or_all([{arm: self._bounds(arm, one) for arm, one in all.items()} for all in found])

    def add_arm(self, arm: A) -> None:
        """Adds an arm of which nothing is known. One that was removed before starts anew."""
        if arm in self._names:
            raise InvalidInput(f"arm {arm!r} is there already")
        self._enter(arm)
        if self._engine is not None:
            try:
                self._engine.add_action(self._names[arm])
            except Exception:
                # The engine does not know the name.
                self._used.discard(self._names[arm])
                self._leave(arm)
                raise

    def remove_arm(self, arm: A) -> None:
        """No longer chooses an arm, and forgets it."""
        if arm not in self._names:
            raise InvalidInput(f"arm {arm!r} is not there: the arms are {self.arms}")
        if self._engine is not None:
            self._engine.retire_action(self._names[arm])
        self._leave(arm)

    def warm_start(self, arm_to_features: Mapping[A, Sequence[float]], distance_quantile: float) -> None:
        """
        Lets arms of which nothing is known begin with what was learnt of similar ones.

        A cold arm learns the decisions of the arm that is nearest by the cosine of the features, among those with decisions, as if
        they had been its own: its estimates, and how it is chosen, are then those of the other arm, and change with its own
        decisions. It does so if the distance is at most the given quantile of the distances of all arms to their nearest ones.
        As these decisions were not its own nothing is certain of it: it has no interval until the next ``fit``. Intervals of other
        arms are as before.

        Parameters
        ----------
        arm_to_features : mapping
            Numbers that describe each arm, of one length, for all arms.
        distance_quantile : float
            Between 0 and 1; with 1 all cold arms are started, however far the others are.
        """
        self._fitted()
        if not self._remembers:
            raise InvalidInput("the rows that were learnt are not kept: make the bandit with remember=True")
        if set(arm_to_features) != set(self.arms):
            raise InvalidInput(f"arm_to_features must describe all arms and no others: the arms are {self.arms}")
        if not 0 <= distance_quantile <= 1:
            raise InvalidInput(f"distance_quantile is {distance_quantile}: it must be between 0 and 1")
        distances = _distances(self.arms, arm_to_features)
        nearest = [row.min() for row in distances if np.isfinite(row).any()]
        most = float(np.quantile([float(one) for one in nearest], distance_quantile)) if nearest else -math.inf
        warm = [i for i, arm in enumerate(self.arms) if arm in self._trained]
        started: dict[A, A] = {}
        for arm in self.cold_arms:
            near = min(warm, key=lambda i: float(distances[self.arms.index(arm), i]), default=None)
            if near is not None and float(distances[self.arms.index(arm), near]) <= most:
                started[arm] = self.arms[near]
        self._start(started)

    def __copy__(self) -> MAB[A]:
        """A copy that learns by itself, as ``copy.deepcopy`` makes it."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"MAB(arms={self.arms!r}, policy={self.policy!r})"

    # --- arms and their names

    def _enter(self, arm: A) -> None:
        if arm is None or _is_no_number(arm):
            raise InvalidInput(f"arm {arm!r} cannot be one: give a text, a number or anything else that is hashable")
        if arm in self._names:
            raise InvalidInput(f"arm {arm!r} is there twice")
        name = arm if isinstance(arm, str) and arm else repr(arm)
        # The engine never forgets a name: who comes back needs another one.
        new, count = str(name), 1
        while new in self._used:
            count += 1
            new = f"{name} ({count})"
        self.arms.append(arm)
        self._names[arm] = new
        self._used.add(new)

    def _leave(self, arm: A) -> None:
        self.arms.remove(arm)
        del self._names[arm]
        self._trained.discard(arm)
        self._started.pop(arm, None)
        self._history.forget(arm)

    # --- learning

    def _made(self, columns: list[dict[str, Any]]) -> Engine:
        """An engine that knows nothing. It remembers one open decision and none that is settled: nobody asks about them."""
        names = [self._names[arm] for arm in self.arms]
        return Engine(names, columns, "disjoint", most_open=1, most_settled=0, **self._settings)

    def _learn(self, decisions: Iterable[A], rewards: npt.ArrayLike, contexts: Any, *, afresh: bool) -> None:
        arms = self._decided(decisions)
        values = self._rewards(rewards, len(arms))
        columns = None if afresh else self._columns
        if columns is not None and bool(columns) != (contexts is not None):
            what = "contexts are missing: there were some" if columns else "contexts were given: there were none"
            raise InvalidInput(f"{what} in the first fit")
        table = None if contexts is None else _tables.read(contexts, columns, len(arms))
        if afresh:
            engine = self._made([] if table is None else _declared(table, self._settings.get("warm_up", 128)))
        else:
            # What is learnt in one part is learnt all or not at all; only of several parts might some be.
            engine = self._fitted() if len(arms) <= PART else self._fitted().copy()
        self._teach(engine, [self._names[arm] for arm in arms], values, table, f"fit-{self._calls}")
        if afresh:
            self._columns = [] if table is None else table.columns
            self._history, self._trained, self._started = History(), set(), {}
        self._engine = engine
        self._calls += 1
        self._trained |= set(arms)
        if self._remembers:
            self._history.add(list(arms), None if table is None else table.values, values)

    def _teach(self, engine: Engine, names: list[str], rewards: Any, table: Table | None, call: str) -> None:
        for start in range(0, len(names), PART):
            end = min(start + PART, len(names))
            ids = [f"{call}-{i}" for i in range(start, end)]
            part: Any = end - start if table is None else table.rows(slice(start, end))
            engine.learn(part, names[start:end], rewards[start:end], event_ids=ids)

    def _start(self, started: Mapping[A, A]) -> None:
        """Teaches arms what others were taught, all or none."""
        engine = self._fitted().copy()
        for number, (arm, other) in enumerate(started.items()):
            contexts, rewards = self._history.of(other)
            table = Table(self._columns, contexts) if self._columns else None
            self._teach(engine, [self._names[arm]] * len(rewards), rewards, table, f"start-{self._calls}-{number}")
        self._engine = engine
        self._calls += 1
        self._started.update(started)

    def _decided(self, decisions: Iterable[A]) -> list[A]:
        arms = _listed(decisions, "decisions")
        for i, arm in enumerate(arms):
            if arm not in self._names:
                raise InvalidInput(f"decisions[{i}] is {arm!r}, which is no arm: the arms are {self.arms}")
        return arms

    def _rewards(self, rewards: npt.ArrayLike, count: int) -> npt.NDArray[np.float64]:
        try:
            values = np.asarray(rewards, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"rewards is not a list of numbers: {error}") from None
        if values.shape != (count,):
            raise InvalidInput(f"rewards has the shape {values.shape} for {count} decisions: give one number per decision")
        if "scale" not in self._settings.get("rewards", {}):
            for i in np.flatnonzero(~((values >= 0) & (values <= 1))):
                raise InvalidInput(
                    f"rewards[{i}] is {values[i]}: it must be between 0 and 1; for values from 0 to 30, say, make the bandit "
                    'with rewards={"scale": {"range": [0, 30]}}'
                )
        return values

    # --- asking

    def _fitted(self) -> Engine:
        if self._engine is None:
            raise InvalidInput("nothing was learnt yet: call fit or partial_fit first")
        return self._engine

    def _asked(self, contexts: Any) -> Table | None:
        if not self._columns:
            return None
        if contexts is None:
            raise InvalidInput("contexts are missing: there were some in fit")
        return _tables.read(contexts, self._columns, None)

    def _predictions(self, contexts: Any, *, intervals: bool) -> list[dict[A, Prediction]]:
        engine, table = self._fitted(), self._asked(contexts)
        if table is None:
            alone = engine.predict({}, intervals=intervals)
            return [self._by_arm(alone) for _ in range(_count(contexts))]
        parts = (engine.predict_many(part, intervals=intervals) for _, part in table.parts(PART))
        return [self._by_arm(one) for part in parts for one in part]

    def _by_arm(self, found: Mapping[str, Prediction]) -> dict[A, Prediction]:
        return {arm: found[self._names[arm]] for arm in self.arms}

    def _bounds(self, arm: A, found: Prediction) -> Bounds:
        if arm in self._started:
            return Bounds.none(f"arm {arm!r} was warm-started from {self._started[arm]!r}: what it learnt is not all its own")
        return found.interval


def _is_no_number(arm: Any) -> bool:
    """Whether an arm is infinite, or not even equal to itself: NaN and NaT of any kind."""
    try:
        return bool(arm != arm) or (issubclass(type(arm), (float, np.floating)) and not np.isfinite(arm))
    except (ArithmeticError, TypeError, ValueError):
        # Nothing that can be compared with itself, such as pandas.NA.
        return True


def _listed(values: Iterable[T], field: str) -> list[T]:
    """Plain values: those of arrays and series hash like them, but do not print like them."""
    if isinstance(values, str):
        raise InvalidInput(f"{field} is a text: give a list")
    plain: Any = getattr(values, "tolist", lambda: values)()
    try:
        found: list[T] = list(plain)
        set(found)
    except TypeError as error:
        raise InvalidInput(f"{field} is not a list of arms: {error}") from None
    return found


def _declared(table: Table, warm_up: int) -> list[dict[str, Any]]:
    """Columns for the engine: with means and deviations if there are enough rows to tell, otherwise it finds them itself."""
    columns: list[dict[str, Any]] = [{"name": name, "kind": "number", "missing": "refuse"} for name in table.columns]
    if len(table) >= warm_up:
        means, deviations = table.values.mean(axis=0), table.values.std(axis=0)
        for column, mean, deviation in zip(columns, means, deviations, strict=True):
            column.update(mean=float(mean), deviation=float(deviation) if deviation > 0 else 1.0)
    return columns


def _count(contexts: Any) -> int:
    return 1 if contexts is None else len(contexts)


def _parts(table: Table | None, contexts: Any) -> Iterable[tuple[int, Any]]:
    """The contexts in parts; without a table as many empty ones as are asked for."""
    if table is not None:
        return table.parts(PART)
    count = _count(contexts)
    nothing: dict[str, Any] = {}
    return ((start, [nothing] * min(PART, count - start)) for start in range(0, count, PART))


def _one_or_all(found: list[T]) -> T | list[T]:
    """One answer by itself, several as a list."""
    return found[0] if len(found) == 1 else found


def _distances(arms: Sequence[A], features: Mapping[A, Sequence[float]]) -> npt.NDArray[np.float64]:
    """One less the cosine between the features of any two arms; infinite to itself, and where there is no direction."""
    try:
        rows = np.array([features[arm] for arm in arms], dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InvalidInput("arm_to_features must give finite numbers for each arm, as many for one as for another")
    norms = np.linalg.norm(rows, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = 1 - (rows @ rows.T) / np.outer(norms, norms)
    distances[~np.isfinite(distances)] = np.inf
    np.fill_diagonal(distances, np.inf)
    return np.asarray(distances, dtype=np.float64)
