"""What survives: stored states, records, threads and Ctrl-C."""

import copy
import json
import pickle
import signal
import threading

import optimist
import pytest
from optimist import Engine, InvalidDocument, InvalidInput, UnknownEvent
from shop import an_engine, visitor, drive


SURVIVORS = [
    lambda engine, path: Engine.restore(engine.snapshot()),
    lambda engine, path: pickle.loads(pickle.dumps(engine)),
    lambda engine, path: copy.copy(engine),
    lambda engine, path: copy.deepcopy(engine),
    lambda engine, path: engine.copy(),
    lambda engine, path: (engine.save(path), Engine.load(path))[1],
]


@pytest.mark.parametrize("survive", SURVIVORS)
@pytest.mark.parametrize("policy", ["bayes-ucb", "laplace-ts"])
def test_what_is_restored_goes_on_to_the_last_bit(survive, policy, tmp_path):
    engine = Engine(["red", "green", "blue"], policy=policy, warm_up=40)
    drive(engine, 0, 30)
    again = survive(engine, tmp_path / "engine")
    assert again.digest() == engine.digest() and again.settings == engine.settings
    assert drive(again, 30, 90) == drive(engine, 30, 90)
    assert again.digest() == engine.digest()


def test_records_give_the_same_state():
    engine = an_engine(rewards={"wait": 10, "silence": 0}, seed=5)
    engine.keep_journal()
    for i in range(40):
        engine.decide(visitor(i), i, time=float(i), deferred=i % 7 == 0)
        if i % 3 == 0 and i % 7:
            engine.reward(i, 1, time=float(i))
    engine.add_action("pink", time=41.0)
    engine.retire_action("red", time=41.0)
    engine.add_column("size", {"kind": "number", "mean": 0, "deviation": 1}, time=42.0)
    with pytest.raises(InvalidInput):
        engine.decide({"nothing": 3}, time=43.0)
    engine.tick(60.0)
    records = [engine.creation(), *engine.take_journal()]
    assert all(json.loads(record)["version"] == 1 for record in records) and engine.take_journal() == []
    again = Engine.from_records(records)
    assert again.digest() == engine.digest() and again.report().divergences == 0
    follower = Engine.from_records(records[:1])
    outcomes = [follower.apply(record) for record in records[1:]]
    assert follower.digest() == engine.digest()
    assert isinstance(outcomes[0], optimist.Decision) and "held" in outcomes and outcomes[-1] is None


def test_questionable_records_and_snapshots_are_refused(tmp_path):
    engine = an_engine()
    drive(engine, 0, 5)
    data = engine.snapshot()
    for bad in (b"", b"nonsense", data[:-1], data[:50] + b"x" + data[51:], pickle.dumps(3)):
        with pytest.raises(InvalidDocument):
            Engine.restore(bad)
    before = engine.digest()
    for bad in ("", "{}", "[]", '{"version": 99, "time": 0, "change": "tick"}', '{"version": 1, "time": 0, "change": "tock"}'):
        with pytest.raises(InvalidDocument):
            engine.apply(bad)
    reward = '{"version": 1, "time": 0, "change": {"reward": {"event": "%s", "value": 1}}}'
    with pytest.raises(UnknownEvent):
        engine.apply(reward % "nobody")
    with pytest.raises(InvalidInput, match="reward already"):
        engine.apply(reward % "visit-1")
    for bad in ([], [reward % "a"], [engine.creation(), reward % "a"], [engine.creation(), "?"]):
        with pytest.raises((InvalidDocument, InvalidInput)):
            Engine.from_records(bad)
    with pytest.raises(InvalidInput, match="records is no list"):
        Engine.from_records(3)
    assert engine.digest() == before
    with pytest.raises(OSError, match="nowhere"):
        Engine.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        engine.save(tmp_path / "no" / "such" / "place")


def test_it_tells_what_it_is():
    engine = an_engine(explore=0.1, seed=3)
    assert repr(engine) == "Engine(actions=3, policy='bayes-ucb', version=0)"
    assert engine.settings["explore"] == 0.1 and engine.settings["seed"] == 3 and engine.settings["delta"] == 0.05
    assert engine.settings["context"][0] == {
        "name": "device", "kind": "category", "levels": ["phone", "desktop"], "unseen": "grow", "most": 64, "missing": "flag",
    }
    assert Engine(**engine.settings).digest() == engine.digest()


def test_one_learns_while_many_ask():
    engine = an_engine()
    drive(engine, 0, 50)
    stop, faults, asked = threading.Event(), [], [0] * 4

    def ask(number: int) -> None:
        try:
            while not stop.is_set():
                engine.predict(visitor(number), intervals=number % 2 == 0)
                engine.report()
                engine.explain("visit-7")
                engine.decide(visitor(number), f"ask-{number}-{asked[number]}", deferred=True)
                asked[number] += 1
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    drive(engine, 50, 250)
    engine.learn([visitor(i) for i in range(200)], ["red"] * 200, [0] * 200)
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not faults and min(asked) > 0 and engine.version == 450


def test_threads_that_learn_lose_nothing():
    engine = an_engine()

    def learn(number: int) -> None:
        for i in range(50):
            engine.decide(visitor(i), f"{number}-{i}")
            engine.reward(f"{number}-{i}", i % 2)
        engine.learn([visitor(i) for i in range(50)], ["red"] * 50, [1] * 50)

    threads = [threading.Thread(target=learn, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert engine.version == 4 * 100


def test_ctrl_c_stops_a_long_batch_and_changes_nothing():
    engine = an_engine(policy="laplace-ts", draws=20000)
    before = engine.digest()
    contexts = [visitor(i) for i in range(20000)]
    timer = threading.Timer(0.5, signal.raise_signal, args=(signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.decide_many(contexts)
    assert engine.digest() == before
