"""Bandit: choices, what is learnt, what is certain, and what is refused."""

import copy
import gc
import pickle
import signal
import threading
import time

import numpy as np
import optimist
import pytest
from conftest import unit_arms

POLICIES = ["optimist", "bayes-ucb", "laplace-ts", "greedy", "uniform", "pg-ts"]


def play(bandit, arms, rounds, seed=0, theta=None):
    """Plays rounds of a simulated truth; returns the arms chosen."""
    rng = np.random.default_rng(seed)
    theta = np.ones(arms.shape[1]) if theta is None else theta
    chosen = []
    for _ in range(rounds):
        choice = bandit.choose(arms)
        success = rng.random() < 1 / (1 + np.exp(-arms[choice.arm] @ theta))
        bandit.observe(choice, float(success))
        chosen.append(choice.arm)
    return chosen


def test_it_learns_which_arm_is_best():
    arms = np.eye(4)
    theta = np.array([-2.0, -1.0, 2.0, 0.0])
    bandit = optimist.Bandit(4, "bayes-ucb", seed=1)
    chosen = play(bandit, arms, 500, theta=theta)
    assert chosen[-100:].count(2) > 80
    assert bandit.rounds == bandit.rewards == 500
    assert np.argmax(bandit.predict(arms)) == 2
    assert abs(bandit.predict(arms[2]) - 1 / (1 + np.exp(-2.0))) < 0.1
    best = bandit.best(arms, 0.5)
    assert best.arm == 2 and best.found == (best.regret_bound <= 0.5)
    bandit.observe(np.tile(arms[0], (100, 1)), np.tile([0, 0, 0, 1, 0], 20))
    assert bandit.compare(arms[2], arms[0]).better == "first"
    assert bandit.compare(arms[0], arms[2]).better == "second"
    assert bandit.compare(arms[0], arms[0]).better == "undecided"


@pytest.mark.parametrize("policy", POLICIES)
def test_intervals_hold_the_truth_and_say_what_they_promise(policy):
    arms, theta = unit_arms(3, 12), np.array([1.0, -0.5, 0.3])
    bandit = optimist.Bandit(3, policy, norm_bound=3.0, seed=2, **certified(policy))
    play(bandit, arms, 200, theta=theta)
    intervals = bandit.intervals(arms)
    truth = 1 / (1 + np.exp(-arms @ theta))
    assert np.all(intervals.lower <= truth) and np.all(truth <= intervals.upper)
    assert intervals.guarantee.delta == 0.05 and intervals.guarantee.citation
    lower, upper = intervals
    assert np.array_equal(lower, intervals.lower) and np.array_equal(upper, intervals.upper)
    one = bandit.interval(arms[3])
    assert tuple(one) == pytest.approx((lower[3], upper[3]), abs=1e-8)
    assert truth[3] in one and 2.0 not in one


def certified(policy):
    return {"certify": "mixture"} if policy == "uniform" else {}


def test_arrays_of_every_form_are_the_same_arms(arms):
    rounded = arms.astype(np.float32)
    forms = [
        rounded,
        rounded.astype(float),
        np.asfortranarray(rounded.astype(float)),
        rounded.astype(float).tolist(),
        np.repeat(rounded.astype(float), 2, axis=1)[:, ::2],
        rounded.astype(">f8"),
        read_only(rounded.astype(float)),
        unaligned(rounded.astype(float)),
        rounded.astype(float)[::-1][::-1],
        rounded.astype(float)[:, ::-1].copy()[:, ::-1],
    ]
    choices = []
    for form in forms:
        bandit = optimist.Bandit(10, "laplace-ts", seed=3)
        bandit.observe(rounded[0], 1)
        bandit.observe(form[:2] if not isinstance(form, list) else form[:2], [1, 0])
        choice = bandit.choose(form)
        choices.append((choice.arm, choice.value, tuple(choice.x)))
    assert len(set(choices)) == 1
    whole = optimist.Bandit(2, seed=1)
    assert whole.choose(np.array([[1, 0], [0, 1]])).arm in (0, 1)
    assert whole.choose(np.array([[True, False]])).arm == 0


def unaligned(array):
    records = np.zeros(array.shape[0], dtype=[("odd", "u1"), ("x", "f8", (array.shape[1],))])
    records["x"] = array
    assert not records["x"].flags.aligned
    return records["x"]


def read_only(array):
    array.setflags(write=False)
    return array


def test_an_array_that_changes_is_another_list(arms):
    changing = arms.copy()
    bandit = optimist.Bandit(10, "greedy", seed=1)
    bandit.observe(arms[7], 1.0)
    first = bandit.choose(changing)
    assert first.arm == 7
    changing[:] = np.roll(arms, 1, axis=0)
    assert bandit.choose(changing).arm == 8
    assert np.array_equal(first.x, arms[7]), "a choice keeps the features it was made of"


@pytest.mark.parametrize("policy", POLICIES)
def test_a_choice_answers_of_the_state_in_which_it_was_made(policy, arms):
    options = certified(policy)
    bandit = optimist.Bandit(10, policy, seed=4, **options)
    play(bandit, arms, 30)
    before = bandit.copy()
    choice = bandit.choose(arms)
    interval, probabilities = before.interval(choice.x), before.probabilities(arms)[0]
    play(bandit, arms, 700, seed=5)  # More steps than a chapter of the journal holds.
    assert tuple(choice.interval) == tuple(interval)
    assert np.array_equal(choice.probabilities, probabilities)
    assert choice.probabilities.sum() == pytest.approx(1.0, abs=1e-9)


def test_choices_answer_in_any_order(arms):
    bandit, twin = (optimist.Bandit(10, "bayes-ucb", seed=4) for _ in range(2))
    rng = np.random.default_rng(1)
    choices, expected = [], []
    for _ in range(300):
        choices.append(bandit.choose(arms))
        expected.append(tuple(twin.interval(choices[-1].x)))
        reward = float(rng.random() < 0.5)
        bandit.observe(choices[-1], reward)
        twin.observe(twin.choose(arms), reward)
    for i in rng.permutation(300)[:40]:
        assert tuple(choices[i].interval) == expected[i]


def test_asking_changes_nothing(arms):
    asked, quiet = (optimist.Bandit(10, "laplace-ts", seed=6) for _ in range(2))
    rng = np.random.default_rng(2)
    for _ in range(60):
        reward = float(rng.random() < 0.5)
        choice, other = asked.choose(arms), quiet.choose(arms)
        assert (choice.arm, choice.value) == (other.arm, other.value)
        choice.probabilities, choice.interval, asked.intervals(arms), asked.predict(arms), asked.estimate
        asked.observe(choice, reward)
        quiet.observe(other.x, reward)
        choice.probabilities
    assert asked.to_bytes() == quiet.to_bytes()


def test_simulated_probabilities_do_not_favour_what_was_chosen():
    """A simulation that shared its numbers with the choice would say so: the mean of p(chosen) would exceed sum p^2."""
    arms = np.eye(3)
    excess = []
    for seed in range(200):
        bandit = optimist.Bandit(3, "laplace-ts", seed=seed)
        bandit.observe(arms, [1, 1, 0])
        choice = bandit.choose(arms)
        p, errors = choice.probabilities, choice.probability_errors
        assert errors is not None and np.all(errors > 0)
        excess.append(p[choice.arm] - (p**2).sum())
    # Each is bounded by one in absolute value, and p is nearly the same for all seeds: four standard errors.
    assert abs(np.mean(excess)) < 4 * np.std(excess) / np.sqrt(len(excess))


def test_batches_are_learnt_together_or_not_at_all(arms):
    one, many = (optimist.Bandit(10, "bayes-ucb", seed=1) for _ in range(2))
    rewards = np.tile([1.0, 0.0, 1.0], 10)
    for x, reward in zip(arms[:30], rewards, strict=True):
        one.observe(x, reward)
    many.observe(arms[:30], rewards)
    assert one.to_bytes() == many.to_bytes()
    state = many.to_bytes()
    for x, reward in [
        (arms[:3], [1, 0, 2]),
        (arms[:3], [1, 0]),
        (arms[:1], 1),
        (arms[:3], [1, np.nan, 0]),
        (arms[:3, :4], [1, 0, 1]),
        (np.vstack([arms[:2], np.full((1, 10), np.inf)]), [1, 0, 1]),
    ]:
        with pytest.raises(optimist.InvalidInput):
            many.observe(x, reward)
        assert many.to_bytes() == state


def test_choose_many_and_late_rewards(arms):
    bandit = optimist.Bandit(10, "bayes-ucb", seed=1, delayed=100)
    choices = bandit.choose_many(arms, 8)
    assert len({choice.arm for choice in choices}) > 1, "a batch is spread"
    for choice in choices[:4]:
        bandit.observe(choice, 1.0)
    bandit.settle(choices[4].play, 0.0)
    bandit.give_up(choices[5].play)
    assert bandit.rewards == 5
    with pytest.raises(optimist.UnknownEvent):
        bandit.settle(choices[4].play, 0.0)
    with pytest.raises(optimist.UnknownEvent):
        bandit.observe(choices[0], 1.0)
    assert bandit.rewards == 5
    assert bandit.choose_many(arms, 0) == []


def test_choose_many_takes_one_list_per_choice(arms):
    lists = [unit_arms(10, k, seed=k) for k in (3, 7, 5)]
    one, many = (optimist.Bandit(10, "laplace-ts", seed=1) for _ in range(2))
    expected = [one.choose(list_).arm for list_ in lists]
    choices = many.choose_many(lists)
    assert [choice.arm for choice in choices] == expected and one.to_bytes() == many.to_bytes()
    assert all(np.array_equal(c.x, list_[c.arm]) for c, list_ in zip(choices, lists, strict=True))
    assert len(many.choose_many(np.stack([arms, arms]))) == 2
    state = many.to_bytes()
    for bad, words in [
        ([arms, arms[:, :2]], r"arms\[1\]: arms has 2 columns"),
        ([arms, arms * np.nan], r"arms\[1\]: .*NaN"),
        (arms, r"arms\[0\]: .*shape"),
        ("ball", "one list per choice"),
        (3, "one list per choice"),
    ]:
        with pytest.raises(optimist.InvalidInput, match=words):
            many.choose_many(bad)
    with pytest.raises(optimist.InvalidOption, match="count is -1"):
        many.choose_many(arms, -1)
    with pytest.raises(optimist.InvalidOption, match="at a time"):
        many.choose_many(arms, 10**15)
    with pytest.raises(optimist.InvalidInput, match="draws"):
        many.probabilities(arms, draws=0)
    with pytest.raises(optimist.InvalidInput, match="draws"):
        many.probabilities(arms, draws=-3)
    bounded = optimist.Bandit(10, "ofulog", norm_bound=2.0, seed=1)
    before = bounded.to_bytes()
    with pytest.raises(optimist.InvalidInput, match="norm"):
        bounded.choose_many([arms / 2, arms * 3])
    assert many.to_bytes() == state and bounded.to_bytes() == before


def test_the_ball_and_the_sphere():
    bandit = optimist.Bandit(2, "optimist", norm_bound=3.0, seed=1)
    for shape in ["ball", "sphere"]:
        choice = bandit.choose(shape)
        assert choice.arm is None and np.linalg.norm(choice.x) <= 1 + 1e-12
        bandit.observe(choice, 1.0)
        assert choice.interval.upper > choice.interval.lower
        with pytest.raises(optimist.InvalidInput, match="list"):
            choice.probabilities
    assert bandit.rewards == 2


@pytest.mark.parametrize("policy", POLICIES)
def test_saving_copying_and_pickling_go_on_to_the_last_bit(policy, arms, tmp_path):
    bandit = optimist.Bandit(10, policy, seed=8)
    play(bandit, arms, 40)
    bandit.save(tmp_path / "bandit")
    others = [
        optimist.Bandit.load(tmp_path / "bandit"),
        optimist.Bandit.load(str(tmp_path / "bandit")),
        optimist.Bandit.from_bytes(bandit.to_bytes()),
        pickle.loads(pickle.dumps(bandit)),
        copy.copy(bandit),
        copy.deepcopy(bandit),
        bandit.copy(),
    ]
    expected = play(bandit, arms, 40, seed=9)
    for other in others:
        assert play(other, arms, 40, seed=9) == expected
        assert other.to_bytes() == bandit.to_bytes()


def test_damaged_documents_are_refused(tmp_path):
    state = optimist.Bandit(3, seed=1).to_bytes()
    for damaged in [b"", b"nonsense", state[:-1], state[:40] + b"x" + state[41:], state + b"x"]:
        with pytest.raises(optimist.InvalidDocument):
            optimist.Bandit.from_bytes(damaged)
    with pytest.raises(OSError, match="does not exist"):
        optimist.Bandit.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="directory does not exist"):
        optimist.Bandit(3).save(tmp_path / "no" / "such" / "directory")
    assert list(tmp_path.iterdir()) == []


BAD_ARMS = {
    "objects": (np.full((3, 10), None), "dtype object"),
    "complex numbers": (np.ones((3, 10), complex), "complex128"),
    "texts": ([["a"] * 10], "dtype"),
    "dates": (np.zeros((3, 10), "M8[s]"), "dtype"),
    "too few columns": (np.ones((3, 9)), "9 columns: the dimension is 10"),
    "one dimension": (np.ones(10), r"shape \(10,\)"),
    "three dimensions": (np.ones((2, 3, 10)), "two dimensions"),
    "no arms": (np.ones((0, 10)), "empty"),
    "no columns": (np.ones((3, 0)), "0 columns"),
    "NaN": (np.full((3, 10), np.nan), r"arms\[0\]\[0\] is NaN"),
    "infinity": (np.full((3, 10), np.inf), "inf"),
    "a norm that overflows": (np.full((3, 10), 1e308), "rescale"),
    "a ragged list": ([[1.0] * 10, [1.0]], "not an array of numbers"),
    "a number": (1.0, "two dimensions"),
    "None": (None, "arms is None"),
    "an unknown shape": ("cube", "ball"),
    "a dict": ({"a": 1}, "dtype object"),
}


@pytest.mark.parametrize("kind", BAD_ARMS)
def test_bad_arms_are_refused_and_nothing_changes(kind, arms):
    bad, words = BAD_ARMS[kind]
    bandit = optimist.Bandit(10, "laplace-ts", seed=1)
    play(bandit, arms, 5)
    state = bandit.to_bytes()
    for ask in [bandit.choose, bandit.probabilities, bandit.intervals, bandit.best]:
        with pytest.raises(optimist.InvalidInput, match=words if ask == bandit.choose else None):
            ask(bad)
    if kind != "one dimension":
        with pytest.raises(optimist.OptimistError):
            bandit.observe(bad, 1.0)
        with pytest.raises(optimist.OptimistError):
            bandit.predict(bad)
    assert bandit.to_bytes() == state
    assert issubclass(optimist.InvalidInput, ValueError)


@pytest.mark.parametrize("reward", [-0.1, 1.1, np.nan, np.inf, None, "yes", [1.0], 1j])
def test_bad_rewards_are_refused(reward, arms):
    bandit = optimist.Bandit(10, seed=1)
    choice = bandit.choose(arms)
    state = bandit.to_bytes()
    for x in [choice, arms[0]]:
        with pytest.raises(optimist.InvalidInput, match="reward"):
            bandit.observe(x, reward)
    assert bandit.to_bytes() == state
    bandit.observe(choice, np.float32(1))
    bandit.observe(choice, np.bool_(True))
    bandit.observe(choice, True)
    assert bandit.rewards == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"dim": 0}, "dimension is 0"),
        ({"dim": 10**6}, "at most 10,000"),
        ({"dim": -1}, "dim is -1: it must be a whole number"),
        ({"dim": "three"}, "dim is 'three'"),
        ({"dim": 2, "seed": -5}, "seed is -5"),
        ({"dim": 2, "seed": 2**64}, "seed is 18446744073709551616"),
        ({"dim": 2, "seed": 1.5}, "seed is 1.5"),
        ({"dim": 2, "delta": 1.5}, "delta is 1.5"),
        ({"dim": 2, "norm_bound": -1.0}, "norm_bound is -1"),
        ({"dim": 2, "policy": "optimistt"}, "did you mean"),
        ({"dim": 2, "ridg": 1.0}, "ridg"),
        ({"dim": 2, "policy": "bayes-ucb", "ridge": float("nan")}, "ridge"),
        ({"dim": 2, "policy": "bayes-ucb", "ridge": object()}, "ridge"),
        ({"dim": 2, "policy": "bayes-ucb", "ridge": 2**70}, "64 bits"),
        ({"dim": 2, "policy": "ofulog"}, "norm_bound is missing"),
    ],
)
def test_bad_settings_name_the_field(arguments, words):
    with pytest.raises(optimist.OptimistError, match=words):
        optimist.Bandit(**arguments)


def test_settings_can_be_looked_at():
    bandit = optimist.Bandit(3, "bayes-ucb", norm_bound=2, delta=0.1, seed=1, ridge=np.float64(2.0))
    assert (bandit.dim, bandit.policy, bandit.norm_bound, bandit.delta) == (3, "bayes-ucb", 2.0, 0.1)
    assert bandit.options["ridge"] == 2.0
    assert repr(bandit) == "Bandit(dim=3, policy='bayes-ucb', rewards=0)"
    choice = bandit.choose(np.eye(3))
    assert repr(choice).startswith("Choice(arm=") and repr(choice.interval).startswith("Interval(lower=")
    assert choice.certificate.kind in ("bounds", "on-request")
    assert "assumptions" in dir(choice.certificate.guarantee) and choice.certificate.guarantee.assumptions
    assert optimist.Bandit(2, "greedy", certify="off").choose(np.eye(2)).certificate.why
    with pytest.raises(optimist.NoGuarantee, match="greedy"):
        optimist.Bandit(2, "greedy", certify="off").interval([1.0, 0.0])


def test_fresh_seeds_differ():
    arms = np.eye(8)
    runs = {tuple(optimist.Bandit(8, "uniform").choose(arms).arm for _ in range(20)) for _ in range(4)}
    assert len(runs) > 1


def test_many_threads_ask_while_one_learns(arms):
    bandit = optimist.Bandit(10, "bayes-ucb", seed=1)
    stop, failures, answers = threading.Event(), [], [0] * 4

    def ask(number):
        try:
            while not stop.is_set():
                lower, upper = bandit.intervals(arms[:5])
                assert np.all(lower <= upper)
                assert np.all((0 < bandit.predict(arms)) & (bandit.predict(arms) < 1))
                answers[number] += 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    play(bandit, arms, 300)
    while min(answers) < 3 and not failures:
        pass
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    quiet = optimist.Bandit(10, "bayes-ucb", seed=1)
    play(quiet, arms, 300)
    assert quiet.to_bytes() == bandit.to_bytes(), "questions of other threads leave no trace"


@pytest.mark.parametrize("question", ["intervals", "best"])
def test_long_questions_can_be_interrupted(question):
    """Ctrl-C reaches a question in the middle of its work, and the bandit goes on as if nobody had asked."""
    arms = unit_arms(10, 200_000)
    bandit = optimist.Bandit(10, "bayes-ucb", seed=1)
    play(bandit, arms[:50], 100)
    state = bandit.to_bytes()
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        getattr(bandit, question)(arms)
    assert time.perf_counter() - start < 10, "all of it takes far longer"
    timer.join()
    assert bandit.to_bytes() == state


def test_choices_of_another_bandit_do_not_settle_its_plays():
    one, other = (optimist.Bandit(2, "bayes-ucb", seed=seed, delayed=10) for seed in (1, 2))
    mine, foreign = one.choose([[1.0, 0.0]]), other.choose([[0.0, 1.0]])
    state = one.to_bytes()
    for bandit in (one, one.copy()):
        with pytest.raises(optimist.InvalidInput, match="another bandit"):
            bandit.observe(foreign if bandit is one else mine, 1.0)
        assert bandit.to_bytes() == state
    restored = pickle.loads(pickle.dumps(one))
    restored.settle(mine.play, 1.0)
    one.observe(mine, 1.0)
    assert restored.to_bytes() == one.to_bytes()


def test_what_is_no_ordinary_exception_goes_on_its_way(arms):
    class Interrupting:
        def __array__(self, *_args, **_kwargs):
            raise KeyboardInterrupt

        def __float__(self):
            raise KeyboardInterrupt

    bandit = optimist.Bandit(10, seed=1)
    for call in [bandit.choose, bandit.intervals, bandit.predict, lambda x: bandit.observe(arms[0], x)]:
        with pytest.raises(KeyboardInterrupt):
            call(Interrupting())
    with pytest.raises(optimist.InvalidInput, match="at most"):
        bandit.choose(np.broadcast_to(np.ones(10), (2**40, 10)))
    with pytest.raises(optimist.InvalidOption, match="optimist.run"):
        optimist.Bandit(2, "python")


def test_threads_may_save_to_one_place(tmp_path):
    bandits = [optimist.Bandit(3, seed=1), optimist.Bandit(40, seed=1)]
    failures = []

    def save(bandit):
        try:
            for _ in range(60):
                bandit.save(tmp_path / "place")
                assert optimist.Bandit.load(tmp_path / "place").dim in (3, 40)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(bandit,)) for bandit in bandits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and [path.name for path in tmp_path.iterdir()] == ["place"]


def test_memory_is_given_back(arms):
    """The journal and the choices go when nobody holds them: memory is that of the start, whatever the number of rounds."""
    import resource

    bandit = optimist.Bandit(10, "bayes-ucb", seed=1)
    rng = np.random.default_rng(1)

    def rounds(count):
        for _ in range(count):
            fresh = rng.normal(size=(50, 10))
            bandit.choose(fresh).probabilities if rng.random() < 0.02 else bandit.choose(fresh)

    rounds(2000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(6000)  # 24 MB of arms, if they were all kept.
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8 * 1024, f"{grown} KiB more"


# --- arms with parameters of their own


def own_bandit(**options):
    return optimist.Bandit(3, "bayes-ucb", own=3, seed=1, **options)


def play_own(bandit, rounds, arms=4, seed=0):
    """Contexts of which the sign of the second number decides between the first two arms; returns the share of good choices."""
    rng = np.random.default_rng(seed)
    good = 0
    for _ in range(rounds):
        context = np.array([1.0, rng.normal(), rng.normal()]) / 2
        best = 0 if context[1] > 0 else 1
        choice = bandit.choose(context, owners=arms)
        good += choice.arm == best
        bandit.observe(choice, float(rng.random() < (0.9 if choice.arm == best else 0.1)))
    return good / rounds


def test_arms_of_their_own_learn_what_a_context_means_to_each():
    bandit = own_bandit()
    play_own(bandit, 600)
    assert play_own(bandit, 300, seed=1) > 0.8
    up, down = np.array([0.5, 0.8, 0.0]), np.array([0.5, -0.8, 0.0])
    assert np.argmax(bandit.predict(up, owners=4)) == 0 and np.argmax(bandit.predict(down, owners=4)) == 1
    assert bandit.predict(up, owners=[1, 0]).tolist() == bandit.predict(up, owners=4)[[1, 0]].tolist()
    rows = np.stack([up, down])
    assert bandit.predict(rows, owners=[1, 1]).tolist() == [bandit.predict(x, owners=[1])[0] for x in rows]
    lower, upper = bandit.interval(up, owner=0)
    assert lower <= 0.9 <= upper and lower > 0.3
    values, errors = bandit.probabilities(up, owners=4)
    assert values.sum() == pytest.approx(1) and errors is None
    choice = bandit.choose(up, owners=4)
    assert choice.x.tolist() == up.tolist()
    assert tuple(choice.interval) == tuple(bandit.interval(up, owner=choice.arm))


def test_outcomes_of_own_arms_are_learnt_by_choice_by_row_or_together():
    context = np.array([0.5, 0.1, -0.3])
    played = [(0, 1.0), (2, 0.0), (2, 1.0)]
    one, two, three = own_bandit(), own_bandit(), own_bandit()
    for owner, reward in played:
        one.observe(context, reward, owners=owner)
        choice = two.choose(context, owners=[owner])
        two.observe(choice, reward)
    three.observe(np.tile(context, (3, 1)), [r for _, r in played], owners=[o for o, _ in played])
    assert one.predict(context, owners=3).tolist() == two.predict(context, owners=3).tolist()
    assert one.predict(context, owners=3).tolist() == three.predict(context, owners=3).tolist()
    again = pickle.loads(pickle.dumps(one))
    assert again.predict(context, owners=3).tolist() == one.predict(context, owners=3).tolist()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b, x: b.choose(x, owners=0), "owners is 0: give the number of arms"),
        (lambda b, x: b.choose(x, owners=-2), "owners is -2"),
        (lambda b, x: b.choose(x, owners=2**40), "owners is 1099511627776"),
        (lambda b, x: b.choose(x, owners=[]), "owners is empty"),
        (lambda b, x: b.choose(x, owners=[1, -1]), "owners must be a list of whole numbers"),
        (lambda b, x: b.choose(x, owners="ab"), "owners must be a list of whole numbers"),
        (lambda b, x: b.choose(x, owners=1.5), "owners must be a list of whole numbers"),
        (lambda b, x: b.choose(np.tile(x, (2, 1)), owners=3), "owners has 3 arms for 2 rows of arms"),
        (lambda b, x: b.choose(x[:2], owners=3), "arms has 2 numbers: the dimension is 3"),
        (lambda b, x: b.choose(np.tile(x, (2, 1))), "own"),
        (lambda b, x: b.observe(x, 1.0), "own"),
        (lambda b, x: b.observe(x, 1.0, owners=[1]), "owners"),
        (lambda b, x: b.observe(np.tile(x, (2, 1)), [1, 0], owners=[1]), "owners has 1 arms for 2 rows of x"),
        (lambda b, x: b.observe(b.choose(x, owners=2), 1.0, owners=1), "owners was given with a choice"),
        (lambda b, x: b.interval(x, owner=-1), "owner is -1"),
        (lambda b, x: optimist.Bandit(3, "bayes-ucb").choose(x, owners=2), "own"),
    ],
)
def test_what_is_wrong_with_owners_is_said(call, words):
    bandit, context = own_bandit(), np.array([0.5, 0.1, -0.3])
    with pytest.raises(ValueError, match=words):
        call(bandit, context)
    assert bandit.rewards == 0
