"""Decisions by name: contexts in every form, rewards that find them, what is refused, and what survives."""

import copy
import datetime as dt
import json
import math
import pickle
import signal
import threading
from collections import namedtuple
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import optimist
import pandas as pd
import polars as pl
import pytest
from optimist import Engine, InvalidDocument, InvalidInput, InvalidOption, NoGuarantee, UnknownEvent

AGE = {"kind": "number", "mean": 40, "deviation": 12}
COLUMNS = {"device": ["phone", "desktop"], "age": AGE, "member": bool}


def an_engine(**settings) -> Engine:
    return Engine(["red", "green", "blue"], COLUMNS, **settings)


def visitor(i: int) -> dict:
    return {"device": ("phone", "desktop")[i % 2], "age": 20 + i % 50, "member": i % 3 == 0}


def drive(engine: Engine, start: int, end: int) -> list[tuple[str, float]]:
    """Decisions and rewards; green pays on phones, blue elsewhere."""
    made = []
    for i in range(start, end):
        decision = engine.decide(visitor(i), f"visit-{i}")
        best = "green" if i % 2 == 0 else "blue"
        engine.reward(decision.event_id, float(decision.action == best))
        made.append((decision.action, decision.probability))
    return made


# --- deciding and learning


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


# --- time


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


# --- contexts


def test_contexts_of_every_form_are_the_same():
    row = {"device": "phone", "age": 31.0, "member": True}
    frame = pd.DataFrame([row])
    polar = pl.DataFrame([row])
    named = namedtuple("Row", row)(**row)
    forms = [row, MappingProxyType(row), frame.iloc[0], frame, polar, polar.row(0, named=True), named]
    forms += [{"device": np.str_("phone"), "age": np.float32(31), "member": np.bool_(True)}]
    forms += [{"device": "phone", "age": Decimal(31), "member": True}, {"device": "phone", "age": 31, "member": True}]
    digests = set()
    for form in forms:
        engine = an_engine()
        engine.decide(form, "a")
        engine.reward("a", 1)
        digests.add(engine.digest())
    assert len(digests) == 1


def test_frames_of_pandas_polars_and_arrow_are_the_same_as_dicts():
    rows = [visitor(i) for i in range(40)]
    rows[3]["age"] = None
    rows[5]["device"] = None
    rows[7]["member"] = None
    frame, ids = pd.DataFrame(rows), [f"v{i}" for i in range(40)]
    polar = pl.DataFrame(rows)
    made = []
    nullable = frame.astype({"age": "Int64", "member": "boolean"})
    for contexts in (rows, frame, nullable, frame.astype({"device": "category"}), polar, polar.to_arrow(), iter(rows)):
        engine = an_engine()
        decisions = engine.decide_many(contexts, ids)
        engine.reward_many(ids, [i % 2 for i in range(40)])
        made.append(([decision.action for decision in decisions], engine.digest()))
    assert all(one == made[0] for one in made)


def test_moments_vectors_and_missing_ones():
    columns = {"when": "time", "taste": {"kind": "vector", "length": 3, "means": [0, 0, 0], "deviation": 1}}
    moment = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.timezone.utc)
    taste = [0.5, -1.0, 0.25]
    whens = [moment, "2026-03-01T12:30:00Z", moment.timestamp(), pd.Timestamp(moment), np.datetime64("2026-03-01T12:30:00")]
    whens += [moment.replace(tzinfo=None), np.datetime64("2026-03-01T12:30:00", "ns"), pd.Timestamp(moment).tz_convert("Asia/Tokyo")]
    tastes = [taste, tuple(taste), np.array(taste), np.array(taste, dtype=np.float32), pd.Series(taste)]
    found = []
    for when in whens:
        for one in tastes:
            engine = Engine(["a", "b"], columns)
            engine.learn([{"when": when, "taste": one}], ["a"], [1])
            found.append(engine.predict({"when": whens[0], "taste": taste}, intervals=False)["a"].estimate)
    assert max(found) - min(found) < 1e-12
    for nothing in (None, pd.NaT, pd.NA, np.datetime64("NaT")):
        engine = Engine(["a", "b"], columns)
        assert engine.decide({"when": nothing, "taste": None}).action in "ab"
    frame = pd.DataFrame({"when": pd.to_datetime(["2026-03-01", None]), "taste": [np.array(taste), None]})
    polar = pl.DataFrame({"when": [dt.date(2026, 3, 1), None], "taste": [taste, None]})
    digests = set()
    for contexts in (frame, polar):
        engine = Engine(["a", "b"], columns)
        engine.decide_many(contexts, ["x", "y"])
        digests.add(engine.digest())
    assert len(digests) == 1
    spans = Engine(["a"], {"span": {"kind": "number", "mean": 0, "deviation": 100}})
    values = [dt.timedelta(minutes=1), pd.Timedelta("1min"), np.timedelta64(1, "m"), 60]
    found = {spans.predict({"span": value}, intervals=False)["a"].estimate for value in values}
    assert len(found) == 1


def test_columns_are_inferred_if_none_are_declared():
    engine = Engine(["a", "b"], warm_up=16)
    assert engine.columns is None
    for i in range(16):
        engine.decide({"device": ("phone", "desktop")[i % 2], "age": float(i)})
    assert [(column["name"], column["kind"]) for column in engine.columns] == [("device", "category"), ("age", "number")]
    assert any("device (category)" in sentence for sentence in engine.describe())


def test_moments_of_a_frame_are_inferred_as_such():
    frame = pd.DataFrame({"when": pd.date_range("2026-03-01", periods=16, freq="7h"), "age": np.arange(16.0)})
    engine = Engine(["a", "b"], warm_up=16)
    engine.decide_many(frame)
    assert [(column["name"], column["kind"]) for column in engine.columns] == [("when", "time"), ("age", "number")]


@pytest.mark.parametrize(
    ("written", "kind"),
    [("number", "number"), (float, "number"), ("int", "number"), (bool, "boolean"), ("bool", "boolean"), (str, "category")]
    + [("categorical", "category"), (["x", "y"], "category"), (dt.datetime, "time"), ("datetime", "time"), ("text", "text")]
    + [({"kind": "hashed", "buckets": 8}, "hashed"), ({"kind": "vector", "length": 2}, "vector")],
)
def test_columns_in_short(written, kind):
    for columns in ({"x": written}, [("x", written)]):
        engine = Engine(["a"], columns)
        assert engine.settings["context"][0]["kind"] == kind
    whole = {"name": "x", "kind": kind, **({"length": 2} if kind == "vector" else {})}
    assert Engine(["a"], [whole]).settings["context"][0]["kind"] == kind


def test_actions_in_every_form():
    features = {"a": {"price": 1.0}, "b": {"price": 2.0}}
    listed = [{"name": name, "features": found} for name, found in features.items()]
    assert Engine(features, []).digest() == Engine(listed, []).digest()
    assert Engine(features, []).settings["actions"] == listed
    assert Engine(["a", {"name": "b"}], []).active_actions == ["a", "b"]
    assert Engine({"a": None, "b": {}}, []).active_actions == ["a", "b"]


def test_actions_come_and_go():
    engine = Engine({"a": {"price": 1.0}, "b": {"price": 2.0}}, [])
    engine.add_action("c", {"price": 3.0})
    engine.add_action({"name": "d", "features": {"price": 4.0}})
    assert engine.active_actions == ["a", "b", "c", "d"]
    engine.retire_action("a")
    assert engine.active_actions == ["b", "c", "d"]
    assert [action.retired for action in engine.report().actions] == [True, False, False, False]
    before = engine.digest()
    with pytest.raises(InvalidInput, match='action "a" is retired'):
        engine.decide(actions=["a", "b"])
    with pytest.raises(InvalidInput, match='action "b" is there already'):
        engine.add_action("b")
    with pytest.raises(InvalidInput, match='action "z" is unknown'):
        engine.retire_action("z")
    with pytest.raises(InvalidInput, match='action "e": column "price" is NaN'):
        engine.add_action("e", {"price": math.nan})
    assert engine.digest() == before
    engine.restore_action("a")
    assert len(engine.active_actions) == 4


def test_a_column_is_added():
    engine = an_engine()
    drive(engine, 0, 20)
    engine.add_column("country", "category")
    engine.decide({**visitor(0), "country": "NZ"}, "x")
    engine.add_column("size", {"kind": "number", "mean": 0, "deviation": 1})
    assert [column["name"] for column in engine.columns] == ["device", "age", "member", "country", "size"]
    with pytest.raises(InvalidInput, match="needs a mean and a deviation"):
        engine.add_column("weight", float)
    with pytest.raises(InvalidInput, match="is there already"):
        engine.add_column("size", bool)


# --- what is refused


WRONG_CONTEXTS = [
    ({"age": "old"}, 'column "age" is a text: the schema says a number'),
    ({"age": math.nan}, 'column "age" is NaN: give None where nothing is known'),
    ({"age": math.inf}, 'column "age" is inf: it must be a finite number'),
    ({"age": 2**60 + 1}, "whole numbers beyond 2\\^53"),
    ({"age": {"years": 3}}, 'column "age" is a dict'),
    ({"age": object()}, 'column "age" is a object'),
    ({"age": b"3"}, 'column "age"'),
    ({"device": [1.0]}, 'column "device" is a vector'),
    ({"agee": 3}, 'column "agee" is not in the schema: did you mean "age"'),
    ({3: 4}, "the key 3: names of columns must be texts"),
    ([1, 2, 3], "context is a list: give a dict"),
    ("phone", "context is a str: give a dict"),
    (np.ones(3), "context is a ndarray"),
    (pd.DataFrame([visitor(0), visitor(1)]), "context is a DataFrame of 2 rows"),
]


@pytest.mark.parametrize(("context", "words"), WRONG_CONTEXTS, ids=range(len(WRONG_CONTEXTS)))
def test_wrong_contexts_change_nothing(context, words):
    engine = an_engine()
    drive(engine, 0, 10)
    before = engine.digest()
    with pytest.raises(InvalidInput, match=words):
        engine.decide(context)
    with pytest.raises(InvalidInput):
        engine.predict(context)
    with pytest.raises(InvalidInput, match=r"contexts\[1\]: |contexts is"):
        engine.decide_many([visitor(0), context])
    assert engine.digest() == before


def test_frames_that_do_not_fit_change_nothing():
    engine = an_engine()
    drive(engine, 0, 10)
    before = engine.digest()
    frame = pd.DataFrame([visitor(i) for i in range(5)])
    partial = frame.drop(columns="age")
    for some in (partial, pl.DataFrame(partial), pl.DataFrame(partial).to_arrow()):
        with pytest.raises(InvalidInput, match='the frame has no column "age": add it'):
            engine.decide_many(some)
        with pytest.raises(InvalidInput, match="no column"):
            engine.predict_many(some)
    with pytest.raises(InvalidInput, match='contexts\\[0\\]: column "shoe" is not in the schema'):
        engine.decide_many(frame.assign(shoe=3))
    with pytest.raises(InvalidInput, match="a column called 0: names of columns must be texts"):
        engine.decide_many(pd.DataFrame(np.ones((2, 3))))
    with pytest.raises(InvalidInput, match='two columns "age": rename one'):
        engine.decide_many(pd.concat([frame, frame[["age"]]], axis=1))
    with pytest.raises(InvalidInput, match='row 4: column "age" is a set'):
        engine.decide_many(frame.assign(age=[1, 2, 3, 4, {5}]))
    with pytest.raises(InvalidInput, match="lazy frame: collect"):
        engine.decide_many(pl.DataFrame(frame).lazy())
    with pytest.raises(InvalidInput, match="contexts is a dict: give a list of dicts"):
        engine.decide_many(visitor(0))
    with pytest.raises(InvalidInput, match="contexts is a int"):
        engine.decide_many(3)
    with pytest.raises(InvalidInput, match="event_ids has 2 entries for 5 rows"):
        engine.decide_many(frame, ["a", "b"])
    with pytest.raises(InvalidInput, match="event_ids is a str"):
        engine.decide_many(frame, "abcde")
    with pytest.raises(InvalidInput, match=r"baselines\[1\] is a int"):
        engine.decide_many(frame, baselines=["red", 1, "red", "red", "red"])
    with pytest.raises(InvalidInput, match=r'contexts\[2\]: action "rad" is unknown: did you mean "red"'):
        engine.decide_many(frame, baselines=["red", "red", "rad", "red", "red"])
    with pytest.raises(InvalidInput, match=r"contexts\[1\]: .*probability 1.5"):
        engine.decide_many(frame, baselines=["red"] * 5, probabilities=[1, 1.5, 1, None, math.nan])
    assert engine.digest() == before
    assert engine.decide_many(frame.iloc[:0]) == []


def test_unknown_actions_and_ids_change_nothing():
    engine = an_engine()
    before = engine.digest()
    with pytest.raises(InvalidInput, match='action "grene" is unknown: did you mean "green"'):
        engine.decide(visitor(0), baseline="grene")
    with pytest.raises(InvalidInput, match="offered twice"):
        engine.decide(visitor(0), actions=["red", "red"])
    with pytest.raises(InvalidInput, match="offers no action"):
        engine.decide(visitor(0), actions=[])
    with pytest.raises(InvalidInput, match="an id of 0 bytes"):
        engine.decide(visitor(0), "")
    for ask in (engine.interval, engine.explain, engine.decision):
        with pytest.raises(UnknownEvent, match='event "nobody" is unknown'):
            ask("nobody")
    with pytest.raises(UnknownEvent, match='event "nobody" is unknown'):
        engine.reward("nobody", 1)
    assert engine.digest() == before


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan, math.inf, "yes", None, [1, 0]])
def test_rewards_that_are_none_change_nothing(value):
    engine = an_engine()
    engine.decide(visitor(0), "a")
    before = engine.digest()
    with pytest.raises(InvalidInput):
        engine.reward("a", value)
    with pytest.raises(InvalidInput):
        engine.reward("nobody", value)
    with pytest.raises(InvalidInput):
        engine.reward_many(["a"], [value])
    assert engine.digest() == before


def test_a_second_reward_is_refused_and_changes_nothing():
    engine = an_engine()
    engine.decide(visitor(0), "a")
    engine.reward("a", 1)
    before = engine.digest()
    with pytest.raises(InvalidInput, match="has its reward already"):
        engine.reward("a", 0)
    assert engine.digest() == before
    lenient = an_engine(rewards={"second": "first"})
    lenient.decide(visitor(0), "a")
    assert [lenient.reward("a", 1), lenient.reward("a", 0)] == ["learnt", "ignored"]


def test_several_rewards_are_joined_all_or_none():
    engine = an_engine()
    engine.decide_many([visitor(i) for i in range(4)], range(4))
    before = engine.digest()
    with pytest.raises(InvalidInput, match=r"event_ids\[3\]: event \"3\" has a reward that is 2"):
        engine.reward_many(range(4), [1, 0, 1, 2])
    with pytest.raises(UnknownEvent, match=r"event_ids\[2\]: event \"7\" is unknown"):
        engine.reward_many([0, 1, 7], [1, 0, 1])
    with pytest.raises(InvalidInput, match="has its reward already"):
        engine.reward_many([0, 1, 0], [1, 0, 1])
    with pytest.raises(InvalidInput, match="values has 2 entries for 3 rows"):
        engine.reward_many([0, 1, 2], [1, 0])
    with pytest.raises(InvalidInput, match=r"rows\[1\]: .*a reward that is 3"):
        engine.learn([visitor(0), visitor(1)], ["red", "red"], [1, 3])
    assert engine.digest() == before
    assert engine.reward_many(np.arange(4), np.array([1, 0, 1, 0])) == ["learnt"] * 4


WRONG_SETTINGS = [
    ({"explor": 0.1}, 'explor is no setting: did you mean "explore"'),
    ({"zzzzzz": 1}, "zzzzzz is no setting: settings are action_columns, actions"),
    ({"certify": "off"}, "certify is no setting: .*options of the policy go into options"),
    ({"explore": 2}, "explore is 2: it must be between 0 and 1"),
    ({"explore": "often"}, "explore: invalid type"),
    ({"delta": math.nan}, "delta is NaN"),
    ({"delta": 0}, "delta is 0"),
    ({"seed": -1}, "seed: invalid value"),
    ({"seed": 1.5}, "seed: invalid type"),
    ({"model": "joint"}, "model: unknown variant `joint`"),
    ({"policy": "bayes-ucp"}, 'did you mean "bayes-ucb"'),
    ({"policy": 3}, "policy: invalid type"),
    ({"options": {"rigde": 1}}, "rigde"),
    ({"rewards": {"wate": 3}}, "rewards: unknown field `wate`"),
    ({"rewards": {"wait": -1}}, "rewards.wait is -1"),
    ({"norm_bound": -1}, "norm_bound is -1"),
    ({"warm_up": 2}, "warm_up is 2: it must be between 8"),
    ({"slices": ["shoe"]}, 'slices names the column "shoe"'),
    ({"context": {"x": "numbr"}}, 'context: column "x": unknown variant `numbr`'),
    ({"context": {"x": {"kind": "number", "men": 1}}}, 'context: column "x"'),
    ({"context": ["age"]}, r"context\[0\] is 'age': say its name and its kind"),
    ({"context": "age"}, "context is a str"),
    ({"context": {3: "number"}}, "a column called 3"),
    ({"context": {"x": 3}}, "context.x is 3: give a kind"),
]


@pytest.mark.parametrize(("settings", "words"), WRONG_SETTINGS, ids=[str(list(one[0])) for one in WRONG_SETTINGS])
def test_wrong_settings_name_the_field(settings, words):
    with pytest.raises(InvalidOption, match=words):
        Engine(["a", "b"], **{"context": [], **settings})


@pytest.mark.parametrize("actions", [[1, 2], "red", 3, ["a", "a"], [""], [{"nam": "a"}], {"a": 3}, [{"name": "a", "x": 1}]])
def test_wrong_actions_are_refused(actions):
    with pytest.raises(InvalidInput):
        Engine(actions)


# --- what is known


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


# --- what survives


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


# --- threads and patience


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
