"""The shape that users of MABWiser know: what goes in and comes out, and that it is right."""

import copy
import math
import pickle
from decimal import Decimal

import numpy as np
import optimist
import pandas as pd
import polars as pl
import pytest
from optimist import MAB, InvalidInput, InvalidOption

try:
    from mabwiser.mab import MAB as Other
    from mabwiser.mab import LearningPolicy
except ImportError:  # everything but the last three tests does without it
    Other = None

beside = pytest.mark.skipif(Other is None, reason="mabwiser is not installed")

ARMS = ["red", "green", "blue"]
RATES = {"red": 0.2, "green": 0.5, "blue": 0.8}


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def plain_log(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(seed)
    arms = [ARMS[i] for i in rng.integers(0, 3, n)]
    return arms, (rng.random(n) < [RATES[arm] for arm in arms]).astype(float)


class Truth:
    """Three arms, four features in odd units; log-odds linear in them."""

    mean, deviation = np.array([100.0, -3.0, 0.0, 0.5]), np.array([40.0, 0.1, 1.0, 2.0])

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.theta = {arm: self.rng.normal(size=4) for arm in ARMS}

    def contexts(self, n: int) -> np.ndarray:
        return self.mean + self.deviation * self.rng.normal(size=(n, 4))

    def chances(self, contexts: np.ndarray) -> np.ndarray:
        standard = (contexts - self.mean) / self.deviation
        return np.column_stack([sigmoid(standard @ self.theta[arm]) for arm in ARMS])

    def log(self, n: int) -> tuple[list[str], np.ndarray, np.ndarray]:
        contexts = self.contexts(n)
        chosen = self.rng.integers(0, 3, n)
        rewards = self.rng.random(n) < self.chances(contexts)[np.arange(n), chosen]
        return [ARMS[i] for i in chosen], rewards.astype(float), contexts


def taught(n: int = 600, seed: int = 0, **settings) -> tuple[MAB, Truth]:
    truth = Truth(seed)
    mab = MAB(ARMS, **settings)
    mab.fit(*truth.log(n))
    return mab, truth


# --- what it says is true


def test_rates_are_those_of_the_log():
    mab = MAB(ARMS)
    decisions, rewards = plain_log(3000)
    mab.fit(decisions, rewards)
    found, bounds = mab.predict_expectations(), mab.predict_interval()
    for arm in ARMS:
        mine = rewards[[decision == arm for decision in decisions]]
        # The prior draws rates of 1,000 rewards by less than 0.01.
        assert found[arm] == pytest.approx(mine.mean(), abs=0.01)
        # Five standard errors around the truth, and the prior.
        assert abs(found[arm] - RATES[arm]) < 5 * math.sqrt(0.25 / len(mine)) + 0.01
        assert RATES[arm] in bounds[arm] and found[arm] in bounds[arm]
    assert mab.predict() == "blue" and mab.predict([[0]] * 4) == ["blue"] * 4


def test_contextual_estimates_and_bounds_are_those_of_the_truth():
    mab, truth = taught(6000)
    contexts = truth.contexts(200)
    chances = truth.chances(contexts)
    found = np.array([[one[arm] for arm in ARMS] for one in mab.predict_expectations(contexts)])
    # Four and one parameters from 2,000 rewards each: log-odds are off by about sqrt(5 / (2000 * 0.15)) = 0.13, chances by 0.03.
    assert np.abs(found - chances).mean() < 0.06
    bounds = mab.predict_interval(contexts[:20])
    for row, one in enumerate(bounds):
        assert all(chances[row, k] in one[arm] for k, arm in enumerate(ARMS))
        assert all(one[arm].upper - one[arm].lower < 0.9 for arm in ARMS)
    best = chances.max(axis=1) - chances[np.arange(200), [ARMS.index(arm) for arm in mab.predict(contexts)]]
    assert best.mean() < 0.03


@pytest.mark.parametrize("policy", ["bayes-ucb", "laplace-ts", "greedy"])
def test_it_learns_while_it_chooses(policy):
    truth, mab = Truth(3), MAB(ARMS, policy, seed=4)
    mab.partial_fit(*truth.log(30))
    lost = []
    for _ in range(40):
        contexts = truth.contexts(25)
        chances = truth.chances(contexts)
        arms = mab.predict(contexts)
        chosen = [ARMS.index(arm) for arm in arms]
        rewards = truth.rng.random(25) < chances[np.arange(25), chosen]
        mab.partial_fit(arms, rewards, contexts)
        lost.append((chances.max(axis=1) - chances[np.arange(25), chosen]).mean())
    at_random = (chances.max(axis=1) - chances.mean(axis=1)).mean()
    assert np.mean(lost[20:]) < 0.35 * at_random, (np.mean(lost[20:]), at_random)
    assert mab.engine.version == 30 + 1000


def test_a_random_policy_draws_by_its_chances():
    mab = MAB(ARMS, "uniform", seed=1)
    mab.fit(*plain_log(30))
    counts = {arm: 0 for arm in ARMS}
    for arm in mab.predict([[0]] * 3000):
        counts[arm] += 1
    # Five deviations of a third of 3,000.
    assert all(abs(count - 1000) < 5 * math.sqrt(3000 * 2 / 9) for count in counts.values())


def test_explored_predictions_are_as_many_as_they_should_be():
    mab = MAB(ARMS, "greedy", explore=0.3, seed=1)
    mab.fit(*plain_log(300))
    others = sum(arm != "blue" for arm in mab.predict([[0]] * 3000))
    assert abs(others - 600) < 5 * math.sqrt(3000 * 0.2 * 0.8)


# --- what goes in and comes out


def test_one_answer_for_one_context_and_a_list_for_several():
    mab, truth = taught()
    one, some = truth.contexts(1), truth.contexts(3)
    assert mab.predict(one) in ARMS and isinstance(mab.predict(some), list) and len(mab.predict(some)) == 3
    assert set(mab.predict_expectations(one)) == set(ARMS) and len(mab.predict_expectations(some)) == 3
    assert set(mab.predict_interval(one)) == set(ARMS) and len(mab.predict_interval(some)) == 3
    assert mab.predict(some[:0]) == []
    lower, upper = mab.predict_interval(one)["red"]
    assert 0 <= lower <= upper <= 1
    free = MAB(ARMS)
    free.fit(*plain_log(30))
    assert free.predict() in ARMS and len(free.predict_interval([[0]] * 2)) == 2 and free.is_contextual is False


FORMS = {
    "array": lambda values: values,
    "fortran": np.asfortranarray,
    "lists": lambda values: values.tolist(),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "named": lambda values: pd.DataFrame(values, columns=["a", "b", "c", "d"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_contexts_in_every_form_are_the_same(form):
    decisions, rewards, contexts = Truth(1).log(300)
    asked = Truth(2).contexts(5)
    expected, mab = MAB(ARMS, seed=1), MAB(ARMS, seed=1)
    expected.fit(decisions, rewards, contexts)
    mab.fit(pd.Series(decisions), pd.Series(rewards), FORMS[form](contexts))
    assert mab.predict_expectations(FORMS[form](asked)) == expected.predict_expectations(asked)
    assert mab.predict(FORMS[form](asked)) == expected.predict(asked)


def test_whole_numbers_and_flags_are_numbers():
    mab = MAB([1, 2])
    mab.fit(np.array([1, 2, 1, 2] * 8), np.array([True, False] * 16), np.array([[1, 0], [0, 1]] * 16, dtype=np.int8))
    assert mab.predict(np.array([[1, 0]], dtype=bool)) in (1, 2)


def test_a_series_is_one_column_or_one_row():
    decisions, rewards, contexts = Truth(1).log(200)
    mab = MAB(ARMS)
    mab.fit(decisions, rewards, pd.Series(contexts[:, 2]))
    assert len(mab.predict(pd.Series([0.1, 0.2, 0.3]))) == 3
    mab, truth = taught()
    row = truth.contexts(1)
    assert mab.predict_expectations(pd.Series(row[0])) == mab.predict_expectations(row)
    mab.partial_fit(["red"], [1], pd.Series(row[0]))
    assert mab.engine.version == 601


def test_columns_of_frames_are_found_by_name():
    decisions, rewards, contexts = Truth(1).log(300)
    frame = pd.DataFrame(contexts, columns=["a", "b", "c", "d"])
    mab = MAB(ARMS)
    mab.fit(decisions, rewards, frame)
    assert mab.predict_expectations(frame[["d", "b", "a", "c"]][:3]) == mab.predict_expectations(frame[:3])
    assert mab.predict_expectations(contexts[:3]) == mab.predict_expectations(frame[:3])
    before = mab.engine.digest()
    with pytest.raises(InvalidInput, match='contexts has no column "b"'):
        mab.predict(frame.drop(columns="b"))
    with pytest.raises(InvalidInput, match='a column "e" that was not there before'):
        mab.partial_fit(decisions, rewards, frame.assign(e=1.0))
    assert mab.engine.digest() == before


def test_arms_may_be_anything_hashable():
    arms = [1, "1", 2.5, ("a", 3), True and "x"]
    mab = MAB(arms)
    mab.fit([1, "1", 2.5, ("a", 3), "x"], [1, 0, 0, 0, 0])
    assert list(mab.predict_expectations()) == arms
    found = mab.predict_expectations()
    assert max(found, key=found.get) == 1 and found["1"] == found[2.5] < found[1]
    numbered = MAB([0, 1])
    numbered.fit(np.array([0, 1, 1]), [0, 1, 1])
    assert numbered.predict() == 1 and type(numbered.predict()) is int


# --- fit forgets, partial_fit goes on


def test_fit_forgets_and_partial_fit_goes_on():
    decisions, rewards, contexts = Truth(1).log(400)
    once, twice, again = MAB(ARMS, seed=2), MAB(ARMS, seed=2), MAB(ARMS, seed=2)
    once.fit(decisions, rewards, contexts)
    twice.fit(decisions[:200], rewards[:200], contexts[:200])
    twice.partial_fit(decisions[200:], rewards[200:], contexts[200:])
    assert twice.engine.version == once.engine.version == 400
    again.fit(["red"] * 9, [1] * 9, Truth(9).contexts(9))
    again.fit(decisions, rewards, contexts)
    assert again.predict_expectations(contexts[:5]) == once.predict_expectations(contexts[:5])
    free = MAB(ARMS)
    free.partial_fit(["red"], [1])
    free.partial_fit(["red"], [0])
    assert free.engine.version == 2
    free.fit(decisions, rewards, contexts)
    assert free.is_contextual and free.engine.version == 400


def test_large_batches_are_the_same_as_small_ones():
    decisions, rewards = plain_log(10_000)
    whole, parts = MAB(ARMS), MAB(ARMS)
    whole.fit(decisions, rewards)
    parts.fit(decisions[:1], rewards[:1])
    for start in range(1, 10_000, 777):
        parts.partial_fit(decisions[start : start + 777], rewards[start : start + 777])
    one, other = whole.predict_expectations(), parts.predict_expectations()
    assert all(one[arm] == pytest.approx(other[arm], abs=1e-9) for arm in ARMS)


def test_the_same_seed_gives_the_same_predictions():
    contexts = Truth(5).contexts(200)
    made = []
    for seed in (1, 1, 2):
        mab = MAB(ARMS, "laplace-ts", seed=seed)
        mab.fit(*Truth(0).log(200))
        made.append(mab.predict(contexts) + mab.predict(contexts))
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize("survive", [copy.copy, copy.deepcopy, lambda mab: pickle.loads(pickle.dumps(mab))])
def test_what_is_copied_goes_on_to_the_last_bit(survive):
    mab, truth = taught(policy="laplace-ts")
    contexts = truth.contexts(50)
    again = survive(mab)
    assert again.predict(contexts) == mab.predict(contexts)
    assert again.engine.digest() == mab.engine.digest()
    again.add_arm("pink")
    again.partial_fit(["pink"], [1], truth.contexts(1))
    assert mab.arms == ARMS and again.engine.digest() != mab.engine.digest(), "it is another one"


# --- arms come and go


def test_arms_come_and_go():
    mab, truth = taught()
    mab.add_arm("pink")
    assert mab.arms == [*ARMS, "pink"] and mab.cold_arms == ["pink"]
    assert set(mab.predict_expectations(truth.contexts(1))) == {*ARMS, "pink"}
    mab.partial_fit(["pink"] * 50, [1] * 50, truth.contexts(50))
    assert mab.cold_arms == []
    mab.remove_arm("red")
    assert mab.arms == ["green", "blue", "pink"] and "red" not in mab.predict(truth.contexts(300))
    mab.add_arm("red")
    assert mab.cold_arms == ["red"] and mab.predict_expectations(truth.contexts(1))["red"] == 0.5
    before = mab.engine.digest()
    with pytest.raises(InvalidInput, match="'blue' is there already"):
        mab.add_arm("blue")
    with pytest.raises(InvalidInput, match="'gold' is not there"):
        mab.remove_arm("gold")
    for nothing in (math.nan, np.float32("nan"), np.float64("nan"), np.datetime64("NaT"), Decimal("nan"), -math.inf):
        with pytest.raises(InvalidInput, match="cannot be one"):
            mab.add_arm(nothing)
        with pytest.raises(InvalidInput, match="cannot be one"):
            MAB(["a", nothing])
    assert mab.engine.digest() == before
    early = MAB(["a"])
    early.add_arm("b")
    early.remove_arm("a")
    early.fit(["b"], [1])
    assert early.predict() == "b"


def test_a_policy_that_cannot_grow_says_so():
    mab = MAB(ARMS, "lin-ts")
    mab.fit(*plain_log(60))
    with pytest.raises(InvalidInput, match="needs to know all from the start"):
        mab.add_arm("pink")
    assert mab.arms == ARMS and set(mab.predict_expectations()) == set(ARMS)
    for _ in range(2):
        with pytest.raises(InvalidInput, match='"pink"|pink'):
            mab.add_arm("pink")
    assert mab._used == set(ARMS), "nothing is left of what was refused"


def test_a_warm_start_copies_the_nearest_arm_and_promises_nothing():
    mab, truth = taught(300)
    for arm in ("pink", "cyan"):
        mab.add_arm(arm)
    contexts = truth.contexts(5)
    before, bounds = mab.predict_expectations(contexts), mab.predict_interval(contexts)
    features = {"red": [1, 0, 0], "green": [0, 1, 0], "blue": [0, 0, 1], "pink": [1, 0.1, 0], "cyan": [0, 1, 1.2]}
    mab.warm_start(features, 0.2)
    assert mab.cold_arms == ["cyan"]
    for was, one in zip(before, mab.predict_expectations(contexts)):
        assert one["pink"] == pytest.approx(one["red"], abs=1e-9) and one["cyan"] == 0.5
        assert all(one[arm] == pytest.approx(was[arm], abs=1e-12) for arm in ARMS)
    for was, one in zip(bounds, mab.predict_interval(contexts)):
        assert not one["pink"] and "warm-started from 'red'" in one["pink"].why
        assert all(tuple(one[arm]) == pytest.approx(tuple(was[arm]), abs=1e-6) for arm in ARMS)
    mab.warm_start(features, 1.0)
    assert mab.cold_arms == []
    free = MAB(ARMS)
    free.fit(["red", "red", "green"], [1, 1, 0])
    free.warm_start({"red": [1, 0], "green": [0, 1], "blue": [1, 0.2]}, 1)
    assert free.predict_expectations()["blue"] == pytest.approx(free.predict_expectations()["red"])


def test_what_an_arm_was_before_it_was_removed_is_forgotten():
    mab = MAB(["a", "b", "c"])
    mab.fit(["a"] * 20 + ["b"] * 20, [1] * 20 + [0] * 20)
    mab.remove_arm("a")
    mab.add_arm("a")
    mab.partial_fit(["a"] * 20, [0] * 20)
    mab.warm_start({"a": [1, 0], "b": [0, 1], "c": [1, 0.1]}, 1)
    assert mab.predict_expectations()["c"] < 0.1


# --- what is refused


def test_rewards_out_of_range_name_the_remedy():
    mab = MAB(ARMS)
    mab.fit(*plain_log(30))
    before = mab.engine.digest()
    with pytest.raises(InvalidInput, match=r"rewards\[1\] is 20.0: it must be between 0 and 1; .*scale"):
        mab.partial_fit(["red", "green"], [1, 20])
    for wrong in ([1, math.nan], [1], [[1, 0]], ["yes", "no"], [None, 1], [1, -1]):
        with pytest.raises(InvalidInput, match="rewards"):
            mab.partial_fit(["red", "green"], wrong)
    assert mab.engine.digest() == before
    scaled = MAB(ARMS, rewards={"scale": {"range": [0, 30]}})
    scaled.fit(["red", "green", "blue"], [20, 17, 25])
    assert scaled.predict_expectations()["blue"] > scaled.predict_expectations()["green"]
    with pytest.raises(InvalidInput, match="between 0 and 30"):
        scaled.partial_fit(["red"], [31])


WRONG_ROWS = [
    (["gold"], [1], None, r"decisions\[0\] is 'gold', which is no arm"),
    (["red"], [1], None, "contexts are missing"),
    ("red", [1], None, "decisions is a text"),
    ([["red"]], [1], [[1, 2, 3, 4]], "decisions is not a list of arms"),
    (["red"], [1], [[1, 2, 3]], "contexts has 3 columns: there were 4"),
    (["red"], [1], [[1, 2, 3, math.nan]], r"contexts\[0\]\[3\] is nan: it must be a finite number"),
    (["red"], [1], [[1, 2, 3, "x"]], "contexts has the dtype|contexts is not an array"),
    (["red"], [1], [[1, 2, 3, 4]] * 2, "contexts has 2 rows for 1 decisions"),
    (["red"], [1], np.ones((1, 2, 2)), "contexts has 3 dimensions"),
    (["red"], [1], pd.DataFrame({"a": ["x"]}), "contexts is not an array of numbers.*optimist.Engine"),
    (["red", "green"], [1, 0], [[1, 2, 3, 4], [1, 2, 3]], "contexts is not an array of numbers"),
]


@pytest.mark.parametrize(("decisions", "rewards", "contexts", "words"), WRONG_ROWS, ids=range(len(WRONG_ROWS)))
def test_wrong_rows_change_nothing(decisions, rewards, contexts, words):
    mab, truth = taught(200)
    before, row = mab.engine.digest(), truth.contexts(1)
    expected = mab.predict_expectations(row)
    with pytest.raises(InvalidInput, match=words):
        mab.partial_fit(decisions, rewards, contexts)
    if contexts is not None:
        with pytest.raises(InvalidInput):
            mab.fit(decisions, rewards, np.full((len(decisions), 4), math.nan))
    assert mab.engine.digest() == before and mab.predict_expectations(row) == expected


def test_contexts_and_none_do_not_mix():
    mab = MAB(ARMS)
    with pytest.raises(InvalidInput, match="call fit or partial_fit first"):
        mab.predict()
    assert mab.is_contextual is None
    mab.fit(*plain_log(30))
    with pytest.raises(InvalidInput, match="contexts were given: there were none"):
        mab.partial_fit(["red"], [1], [[1, 2]])
    contextual, _ = taught(200)
    with pytest.raises(InvalidInput, match="contexts are missing"):
        contextual.predict()


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"policy": "bayes-ucp"}, "bayes-ucb"), ({"explor": 1}, "explor is no setting"), ({"delta": 2}, "delta")]
    + [({"seed": "x"}, "seed"), ({"model": "shared"}, "model is the bandit's to choose"), ({"context": {}}, "context is")],
)
def test_wrong_settings_are_found_at_once(settings, words):
    with pytest.raises(InvalidOption, match=words):
        MAB(ARMS, **settings)


@pytest.mark.parametrize("arms", ["red", ["a", "a"], [None], [math.inf], [["a"]], 3])
def test_wrong_arms_are_refused(arms):
    with pytest.raises(InvalidInput):
        MAB(arms)


@pytest.mark.parametrize(
    ("features", "quantile", "words"),
    [({"red": [1]}, 0.5, "must describe all arms"), ({arm: [1] for arm in ARMS}, 2, "distance_quantile is 2")]
    + [({arm: [math.nan] for arm in ARMS}, 0.5, "finite numbers"), ({"red": [1], "green": [1, 2], "blue": [1]}, 0.5, "finite")],
)
def test_wrong_warm_starts_change_nothing(features, quantile, words):
    mab = MAB(ARMS)
    mab.fit(["red"], [1])
    before = mab.engine.digest()
    with pytest.raises(InvalidInput, match=words):
        mab.warm_start(features, quantile)
    assert mab.engine.digest() == before and mab.cold_arms == ["green", "blue"]
    forgetful = MAB(ARMS, remember=False)
    forgetful.fit(["red"], [1])
    with pytest.raises(InvalidInput, match="remember=True"):
        forgetful.warm_start({arm: [1] for arm in ARMS}, 1)


# --- beside MABWiser


def both(contextual: bool):
    policy = LearningPolicy.LinUCB() if contextual else LearningPolicy.UCB1()
    return MAB(ARMS), Other(ARMS, policy)


def same_shape(one, other) -> bool:
    if isinstance(other, list):
        return isinstance(one, list) and len(one) == len(other) and all(map(same_shape, one, other))
    if isinstance(other, dict):
        return isinstance(one, dict) and list(one) == list(other) and all(isinstance(value, float) for value in one.values())
    return type(one) is type(other)


@beside
@pytest.mark.parametrize("contextual", [False, True])
def test_what_goes_in_and_comes_out_is_as_there(contextual):
    truth = Truth(1)
    log = truth.log(200) if contextual else plain_log(200)
    asked = [truth.contexts(n) for n in (1, 3)] if contextual else [None]
    for mab in (pair := both(contextual)):
        assert mab.fit(*log) is None
    for contexts in asked:
        for form in [lambda values: values] if contexts is None else [np.asarray, np.ndarray.tolist, pd.DataFrame]:
            given = form(contexts)
            for method in ("predict", "predict_expectations"):
                one, other = (getattr(mab, method)(given) for mab in pair)
                assert same_shape(one, other), (method, one, other)
    for mab in pair:
        mab.add_arm("pink")
        mab.remove_arm("red")
        assert mab.arms == ["green", "blue", "pink"] and mab.cold_arms == ["pink"]
        assert set(mab.predict_expectations(asked[0])) == {"green", "blue", "pink"}
        assert mab.partial_fit(["pink"] * 3, [1, 0, 1], *(truth.contexts(3),) if contextual else ()) is None
        assert mab.cold_arms == []


@beside
@pytest.mark.parametrize("quantile", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_warm_starts_choose_the_same_arms(quantile):
    rng = np.random.default_rng(7)
    arms = [f"a{i}" for i in range(8)]
    for _ in range(10):
        features = {arm: rng.normal(size=3).tolist() for arm in arms}
        one, other = MAB(arms), Other(arms, LearningPolicy.UCB1())
        decisions = arms[:4] * 5
        rewards = (rng.random(20) < np.tile([0.1, 0.4, 0.6, 0.9], 5)).astype(int).tolist()
        for mab in (one, other):
            mab.fit(decisions, rewards)
            mab.warm_start(features, quantile)
        assert one.cold_arms == other.cold_arms


@beside
def test_both_find_what_pays():
    decisions, rewards = plain_log(3000)
    for mab in both(False):
        mab.fit(decisions, rewards)
        assert mab.predict() == "blue"
    ours, theirs = MAB(ARMS, "greedy"), Other(ARMS, LearningPolicy.EpsilonGreedy(epsilon=0.0))
    for mab in (ours, theirs):
        mab.fit(decisions, rewards)
    one, other = ours.predict_expectations(), theirs.predict_expectations()
    assert all(one[arm] == pytest.approx(other[arm], abs=0.01) for arm in ARMS)
    assert optimist.MAB is MAB
