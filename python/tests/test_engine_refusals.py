"""What is refused, in which words, and that nothing is changed then."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from optimist import Engine, InvalidInput, InvalidOption, UnknownEvent
from shop import an_engine, visitor, drive


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
