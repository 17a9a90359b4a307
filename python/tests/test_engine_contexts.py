"""Contexts, columns and actions in every form."""

import datetime as dt
import math
from collections import namedtuple
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pytest
from optimist import Engine, InvalidInput
from shop import an_engine, visitor, drive


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
