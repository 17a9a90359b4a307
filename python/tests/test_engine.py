"""Decisions by name: rewards that find them, time, and what is known."""

import datetime as dt
import json
import math

import numpy as np
import pandas as pd
import pytest
from optimist import Engine, InvalidInput, NoGuarantee, UnknownEvent
from shop import an_engine, visitor, drive


def test_a_decision_says_what_it_is():
    engine = an_engine()
    decision = engine.decide(visitor(0), "first")
    assert decision.event_id == "first" and decision.action in ("red", "green", "blue")
    assert decision.probability == pytest.approx(0.95 + 0.05 / 3) and 0 < decision.estimate < 1
    assert decision.version == 0 and not decision.repeated and decision.advice is None and decision.note is None
    assert {ranked.action for ranked in decision.ranking} == {"red", "green", "blue"}
    assert decision.ranking[0].action == decision.action
    assert sum(ranked.probability for ranked in decision.ranking) == pytest.approx(1)
    assert repr(decision).startswith(f"Decision(action='{decision.action}', event_id='first', probability=0.9")
    assert decision.to_dict()["event"] == "first"
    again = engine.decide({}, "first")
    assert again.repeated and again.action == decision.action
    assert engine.decision("first").action == decision.action


def test_it_learns_what_pays():
    engine = an_engine()
    made = drive(engine, 0, 600)
    late = made[300:]
    right = sum(action == ("green" if i % 2 == 0 else "blue") for i, (action, _) in enumerate(late, start=300))
    # Explored at random: 0.05 * 2/3 of the choices are wrong on purpose, 10 of 300; five deviations of that, and some slack.
    assert right >= 300 - 10 - 5 * math.sqrt(10) - 20
    predicted = engine.predict(visitor(0))
    assert max(predicted, key=lambda name: predicted[name].estimate) == "green"
    assert engine.version == 600


def test_ids_are_made_up_and_differ():
    engine = an_engine()
    ids = {engine.decide(visitor(i)).event_id for i in range(50)}
    ids |= {decision.event_id for decision in engine.decide_many([visitor(i) for i in range(50)])}
    assert len(ids) == 100
    assert engine.reward(next(iter(ids)), True) == "learnt"


def test_ids_may_be_whole_numbers():
    engine = an_engine()
    assert engine.decide(visitor(0), 17).event_id == "17"
    assert engine.reward(np.int64(17), np.float32(1)) == "learnt"
    with pytest.raises(InvalidInput, match="event_id is a float: give a text or a whole number"):
        engine.decide(visitor(0), 1.5)
    with pytest.raises(InvalidInput, match="event_id is a bool"):
        engine.reward(True, 1)


def test_an_apprentice_learns_from_the_callers_choices():
    engine = an_engine()
    for i in range(60):
        chosen = ("red", "green", "blue")[i % 3]
        decision = engine.decide(visitor(i), i, baseline=chosen, probability=1 / 3)
        assert decision.action == chosen and decision.probability == 1 / 3
        assert decision.advice in ("red", "green", "blue")
        engine.reward(i, chosen == "red")
    assert engine.decide(visitor(1), actions=["red", "blue"]).action == "red"
    assert engine.report()["baseline"] == 60
    with pytest.raises(InvalidInput, match="say which one that is with baseline"):
        engine.decide(visitor(0), probability=0.5)


def test_a_log_is_learnt_at_once():
    frame = pd.DataFrame([visitor(i) for i in range(90)])
    actions = ["red", "green", "blue"] * 30
    rewards = [float(action == "blue") for action in actions]
    engine = an_engine()
    engine.learn(frame, actions, rewards, [1 / 3] * 90)
    assert engine.version == 90
    predicted = engine.predict(visitor(0), intervals=False)
    assert max(predicted, key=lambda name: predicted[name].estimate) == "blue"
    blue = engine.report().actions[2]
    assert blue.rate == 1 and blue.plays == 30 and 1 in blue.interval and engine.report().beaten == []
    plain = Engine(["a", "b"], [])
    plain.learn(4, ["a", "b", "a", "b"], [1, 0, 1, 0])
    assert plain.predict()["a"].estimate > plain.predict()["b"].estimate


def test_deferred_decisions_wait_to_be_activated():
    engine = an_engine()
    engine.decide(visitor(0), "later", deferred=True)
    before = engine.digest()
    with pytest.raises(InvalidInput, match="deferred and never activated"):
        engine.reward("later", 1)
    assert engine.digest() == before
    engine.activate("later")
    assert engine.reward("later", 1) == "learnt"
    with pytest.raises(InvalidInput, match="not waiting to be activated"):
        engine.activate("later")
    with pytest.raises(UnknownEvent):
        engine.activate("never")


def test_without_a_waiting_time_no_time_passes_by_itself():
    engine = an_engine()
    engine.decide(visitor(0), "a")
    engine.decide(visitor(1), "b")
    assert engine.reward("a", 1) == "learnt" and engine.reward("b", 0) == "learnt"
    assert engine.clock == 0.0
    with pytest.raises(InvalidInput, match="rewards.wait is 0: set it"):
        engine.decide(visitor(2), "c", time=10.0)
        engine.reward("c", 1, time=12.0)
    assert engine.decide(visitor(3), "d").event_id == "d" and engine.clock == 10.0


def test_rewards_are_held_until_they_are_due_and_silence_means_no():
    engine = an_engine(rewards={"wait": 60, "silence": 0})
    engine.decide_many([visitor(i) for i in range(3)], ["a", "b", "c"], time=0.0)
    assert engine.reward("a", 1, time=30.0) == "held"
    assert engine.version == 0
    engine.tick(61.0)
    assert engine.version == 3
    with pytest.raises(InvalidInput, match="61.* s after its decision|after its decision, and rewards.wait is 60"):
        engine.reward("b", 1, time=61.0)
    report = {action.action: action for action in engine.report().actions}
    assert sum(action.rewards for action in report.values()) == 3


def test_with_a_waiting_time_the_time_is_now():
    engine = an_engine(rewards={"wait": 3600})
    engine.decide(visitor(0), "a")
    assert abs(engine.clock - dt.datetime.now().timestamp()) < 60


def test_bounds_unpack_or_say_why_there_are_none():
    engine = an_engine(intervals="always")
    decision = engine.decide(visitor(0), "a")
    assert decision.interval and decision.interval.delta == 0.05
    drive(engine, 1, 200)
    lower, upper = engine.interval("a")
    assert 0 <= lower < upper <= 1 and (lower + upper) / 2 in engine.interval("a")
    assert repr(engine.interval("a")).startswith("Bounds(lower=")
    hybrid = an_engine(model="hybrid")
    hybrid.decide(visitor(0), "a")
    none = hybrid.interval("a")
    assert not none and none.lower is None and none.why and none.why in repr(none)
    with pytest.raises(NoGuarantee):
        _ = none[0]
    with pytest.raises(NoGuarantee):
        _ = 0.5 in none


def test_the_report_prints_and_concludes():
    engine = Engine(["good", "<bad>"], [], explore=0.3)
    rng = np.random.default_rng(3)
    for i in range(2000):
        decision = engine.decide(None, i)
        engine.reward(i, float(rng.random() < (0.9 if decision.action == "good" else 0.1)))
    report = engine.report()
    assert report.beaten == [("good", "<bad>")] and report.droppable == ["<bad>"]
    assert report.version == 2000 and report.delta == 0.05 and report.divergences == 0 and report.unplaced == 0
    good, bad = report.actions
    assert 0.9 in good.interval and 0.1 in bad.interval and good.plays + bad.plays == 2000
    assert "good certainly beats <bad>" in str(report) and "&lt;bad&gt;" in report._repr_html_()
    assert dict(report)["version"] == 2000 and set(report) == set(report.keys()) and len(report) == len(report.to_dict())
    assert json.loads(json.dumps(report.to_dict()))["droppable"] == ["<bad>"]
    with pytest.raises(KeyError):
        report["nothing"]


def test_an_explanation_adds_up():
    engine = an_engine()
    drive(engine, 0, 100)
    found = engine.explain("visit-50")
    assert math.fsum(part.log_odds for part in found.contributions) == pytest.approx(found.log_odds)
    assert found.estimate == pytest.approx(1 / (1 + math.exp(-found.log_odds)))
    assert found.decision.event_id == "visit-50" and found.reward in (0.0, 1.0) and found.version == 100
    assert any(part.feature.startswith("device=") for part in found.contributions)
    assert found.interval and found.to_dict()["log_odds"] == found.log_odds


def test_predictions_of_many_are_those_of_one():
    engine = an_engine()
    drive(engine, 0, 50)
    before = engine.digest()
    contexts = [visitor(i) for i in range(5)]
    for one, context in zip(engine.predict_many(pd.DataFrame(contexts)), contexts):
        alone = engine.predict(context)
        assert {name: found.estimate for name, found in one.items()} == {name: found.estimate for name, found in alone.items()}
        assert all(tuple(found.interval) == tuple(alone[name].interval) for name, found in one.items())
    quick = engine.predict(contexts[0], intervals=False)
    assert not quick["red"].interval and quick["red"].estimate == engine.predict(contexts[0])["red"].estimate
    assert engine.digest() == before
