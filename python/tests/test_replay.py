"""Tables and logs, from frames and files."""

import json
import pickle
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from test_laboratory import ROOT, cli

import optimist

SEEDS = ROOT / "examples" / "seeds.csv"


@pytest.fixture(scope="module")
def flowers() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=300)
    frame = pd.DataFrame({"width": kind + rng.normal(size=300) * 0.5, "place": np.array(["a", "b", "c"])[rng.integers(3, size=300)]})
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(300), "h")
    frame["member"] = kind > 0
    frame.loc[::7, "width"] = np.nan
    frame["species"] = np.array(["rose", "lily", "iris"])[kind]
    return frame


@pytest.fixture(scope="module")
def clicks() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 2000
    age = rng.uniform(20, 60, n)
    banner = rng.integers(3, size=n)
    chance = 0.2 + 0.5 * (banner == (age > 40))
    frame = pd.DataFrame({"age": age, "banner": np.array(["a", "b", "c"])[banner], "clicked": rng.random(n) < chance})
    frame["p"] = 1 / 3
    return frame


def timeless(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in entry.items() if key != "seconds"} for entry in entries]


def test_a_table_with_classes(flowers: pd.DataFrame) -> None:
    replayed = optimist.replay(flowers, label="species", orders=2)
    assert [row["policy"] for row in replayed.summary] == ["bayes-ucb", "laplace-ts", "greedy", "uniform"]
    best, worst = replayed.summary[0], replayed.summary[3]
    assert best["mistakes"] < worst["mistakes"] and replayed.best is not None
    kinds = {line["column"]: line["read_as"] for line in replayed.schema}
    assert kinds == {"width": "number", "place": "category", "day": "time", "member": "boolean"}
    assert "300 rows, 3 classes" in replayed.what and "bayes-ucb" in repr(replayed) and "<table>" in replayed._repr_html_()
    assert pickle.loads(pickle.dumps(replayed)).entries == replayed.entries
    again = optimist.replay(flowers, label="species", orders=2, jobs=1)
    assert timeless(again.entries) == timeless(replayed.entries)
    assert timeless(optimist.replay(flowers, label="species", orders=2, seed=2).entries) != timeless(replayed.entries)


def test_learning_curves_are_tidy(flowers: pd.DataFrame) -> None:
    replayed = optimist.replay(flowers, label="species", orders=2, policy="greedy", rounds=100)
    frame = replayed.frame("pandas")
    assert list(frame.columns) == ["policy", "model", "order", "round", "mistakes", "reward"]
    assert frame["round"].max() == 100 and set(frame.order) == {1, 2}
    assert (frame.mistakes + frame.reward == frame["round"]).all()
    assert replayed.frame("polars")["mistakes"].to_list() == frame.mistakes.tolist()


def test_all_frames_and_files_say_the_same(flowers: pd.DataFrame, tmp_path: Path) -> None:
    ask: dict[str, Any] = {"label": "species", "policy": ["greedy", "laplace-ts"], "orders": 1}
    reference = optimist.replay(flowers, **ask)
    polars = pl.from_pandas(flowers)
    flowers.to_csv(tmp_path / "flowers.csv", index=False)
    flowers.to_parquet(tmp_path / "flowers.parquet")
    dictionary = {name: flowers[name].astype(object).where(flowers[name].notna(), None).tolist() for name in flowers.columns}
    nullable = flowers.convert_dtypes()
    categories = flowers.astype({"place": "category", "species": "category"})
    frames: list[Any] = [polars, polars.lazy(), polars.to_arrow(), dictionary, nullable, categories]
    for data in [*frames, tmp_path / "flowers.parquet"]:
        assert timeless(optimist.replay(data, **ask).entries) == timeless(reference.entries), type(data)
    of_file = optimist.replay(tmp_path / "flowers.csv", **ask)
    assert [e["rounds"] for e in of_file.entries] == [e["rounds"] for e in reference.entries]


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    command = [cli(), "replay", str(SEEDS), "--label", "kind", "--orders", "2", "--json"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    replayed = optimist.replay(SEEDS, label="kind", orders=2, out=tmp_path)
    assert timeless(json.loads(shown)["entries"]) == timeless(replayed.entries)
    assert {path.name for path in tmp_path.iterdir()} >= {"results.csv", "results.json", "report.html", "figures"}
    assert timeless(optimist.replay(pd.read_csv(SEEDS), label="kind", orders=2).entries) == timeless(replayed.entries)


def test_a_log(clicks: pd.DataFrame) -> None:
    replayed = optimist.replay(clicks, arm="banner", reward="clicked", propensity="p", policy=["bayes-ucb", "uniform"])
    learnt, blind = replayed.summary
    assert learnt["verdict"] == "usable" and learnt["mean_reward"] > blind["mean_reward"] + 0.1
    assert replayed.logged is not None and replayed.logged["value"] == pytest.approx(clicks.clicked.mean())
    assert replayed.entries[0]["estimates"][0]["method"] == "doubly-robust"
    rejection = optimist.replay(clicks.drop(columns="p"), arm="banner", reward="clicked", policy="greedy")
    assert "by rejection" in rejection.what and "per decision" in repr(rejection)


def test_options_reach_the_policies(clicks: pd.DataFrame) -> None:
    ask: dict[str, Any] = {"arm": "banner", "reward": "clicked", "propensity": "p", "rounds": 300}
    one = optimist.replay(clicks, policy="laplace-ts", options={"scale": np.float64(3.0)}, model="hybrid", **ask)
    many = optimist.replay(clicks, policy=["laplace-ts", "greedy"], options={"laplace-ts": {"scale": 3}}, model=["hybrid"], **ask)
    assert one.entries[0]["rounds"] == 300 and timeless(one.entries) == timeless(many.entries)[:1]
    scaled = clicks.assign(clicked=clicks.clicked * 10)
    ranged = optimist.replay(scaled, policy="greedy", reward_scale=(0, 10), **ask)
    assert timeless(ranged.entries) == timeless(optimist.replay(clicks, policy="greedy", **ask).entries)


def test_plots(flowers: pd.DataFrame, clicks: pd.DataFrame) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    replayed = optimist.replay(flowers, label="species", orders=2, policy=["greedy", "uniform"])
    assert len(replayed.plot().lines) == 3
    log = optimist.replay(clicks, arm="banner", reward="clicked", propensity="p", policy="greedy", rounds=300)
    assert log.plot(pyplot.gca()).get_ylabel() == "mean reward so far"
    pyplot.close("all")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ({"label": "specis"}, 'label is "specis": did you mean "species"'),
        ({"label": "colour"}, "there is no such column; there are width, place"),
        ({}, "say what to replay: label COLUMN"),
        ({"label": "species", "arm": "place"}, "keep one kind"),
        ({"arm": "place"}, "a log needs arm and reward"),
        ({"label": "species", "policy": "gredy"}, 'policy is "gredy": did you mean "greedy"'),
        ({"label": "species", "policy": 3}, "not iterable|policy is 3"),
        ({"label": "species", "model": "mixed"}, "model: use one of disjoint"),
        ({"label": "species", "orders": 0}, "orders is 0"),
        ({"label": "species", "explore": 2.0}, "explore is 2"),
        ({"label": "species", "explore": float("nan")}, "explore is nan"),
        ({"label": "species", "ignore": "wide"}, "ignore"),
        ({"label": "species", "number": ["wide"]}, 'number is "wide"'),
        ({"arm": "place", "reward": "width"}, 'reward "width" is'),
        ({"arm": "place", "reward": "member", "reward_scale": "x"}, "reward_scale: give unit"),
        ({"label": "species", "options": {"scale": 1}}, "must say of which policy"),
    ],
)
def test_bad_arguments_are_refused(flowers: pd.DataFrame, ask: dict[str, Any], words: str) -> None:
    with pytest.raises((optimist.OptimistError, TypeError), match=words):
        optimist.replay(flowers, **ask)


def test_bad_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(optimist.InvalidInput, match="it has no rows"):
        optimist.replay(pd.DataFrame({"a": [], "b": []}), label="a")
    with pytest.raises(optimist.InvalidInput, match="has one class"):
        optimist.replay({"a": [1, 2, 3], "b": ["x"] * 3}, label="b")
    with pytest.raises(optimist.InvalidInput, match="`b` has 1 rows"):
        optimist.replay({"a": [1, 2, 3], "b": ["x"]}, label="b")
    with pytest.raises(optimist.InvalidInput, match="two columns `a`"):
        optimist.replay(pd.DataFrame([[1, 2]], columns=["a", "a"]), label="a")
    with pytest.raises(optimist.InvalidInput, match="data is a int"):
        optimist.replay(3, label="a")
    with pytest.raises(optimist.InvalidInput, match="the column 'a' is a str"):
        optimist.replay({"a": "text"}, label="a")
    with pytest.raises(optimist.InvalidInput, match="nowhere.csv"):
        optimist.replay(tmp_path / "nowhere.csv", label="a")


def test_values_of_all_kinds_are_read() -> None:
    n = 60
    values = {
        "whole": pd.array([None, *range(n - 1)], dtype="Int64"),
        "moment": [None, *[datetime(2024, 1, 1 + i % 28) for i in range(n - 1)]],
        "vector": [[float(i), 1.0] for i in range(n)],
        "huge": [2**60 + i for i in range(n)],
        "answer": [i % 2 == 0 for i in range(n)],
    }
    replayed = optimist.replay(pd.DataFrame(values), label="answer", policy="greedy", orders=1)
    kinds = {line["column"]: line["read_as"] for line in replayed.schema}
    assert kinds["vector"] == "vector" and kinds["moment"] == "time" and replayed.entries[0]["rounds"] == n


def test_plans() -> None:
    arms = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    x, rewards = arms[[0, 1, 1, 2, 2]], [0, 1, 1, 0, 1]
    plan = optimist.plan(arms=arms, x=x, rewards=rewards, norm_bound=4.0, ids=["a", "b", "c"])
    assert plan["choice_id"] == plan.arms[plan.choice]["arm"] and plan["guarantee"]["delta"] == 0.05
    assert all(arm["lower"] < arm["upper"] for arm in plan.arms) and plan.guarantee["norm_bound"] == 4.0
    observations = [{"x": row.tolist(), "reward": reward} for row, reward in zip(x, rewards)]
    problem = {"dimension": 2, "arms": arms, "ids": ["a", "b", "c"], "observations": observations, "set": {"norm_bound": 4.0}}
    assert optimist.plan(problem) == plan and "choose" in repr(plan) and "<table>" in plan._repr_html_()
    assert optimist.plan(arms=arms)["level"] > 0
    merged = optimist.plan(arms=arms, x=arms[:1], rewards=[1.0], counts=[5])
    assert merged == optimist.plan(arms=arms, x=arms[[0] * 5], rewards=[1.0] * 5)
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "arms is missing"),
        ({"arms": [1, 2]}, "two dimensions"),
        ({"arms": arms, "x": x, "rewards": [1]}, "rewards has 1 numbers for 5 rows"),
        ({"arms": arms, "x": x[:, :1], "rewards": rewards}, "length 1"),
        ({"arms": arms, "x": x, "rewards": [2] * 5}, "from 0 to 1"),
        ({"arms": arms * np.nan}, "arms"),
        ({"arms": arms, "delta": 2.0}, "delta"),
        ({"problem": problem, "delta": 0.1}, "beside a whole problem"),
    ]
    for ask, words in refused:
        with pytest.raises(optimist.InvalidInput, match=words):
            optimist.plan(**ask)


def test_a_plan_is_that_of_the_command_line() -> None:
    path = ROOT / "examples" / "plan.json"
    shown = subprocess.run([cli(), "plan", str(path)], check=True, capture_output=True, text=True).stdout
    assert json.loads(shown) == dict(optimist.plan(path))


def test_theory() -> None:
    ball = optimist.theory(theta=[3, 1], ball=2, horizon=1000)
    assert isinstance(ball, optimist.Theory) and ball["horizon"] == 1000 and ball["kappa"] > 20
    assert "upper bound, optimist" in repr(ball) and "<table>" in ball._repr_html_() and len(ball.bounds) >= 2
    rows = np.array([[1.0, 0.0], [0.6, 0.8]])
    listed = optimist.theory(theta=np.array([3, 1]), arms=rows)
    assert isinstance(listed, optimist.Theory) and listed["graves_lai"] is not None
    without = optimist.theory(theta=np.array([3, 1]), arms=rows, graves_lai=False)
    assert isinstance(without, optimist.Theory) and without["graves_lai"] is None
    several = optimist.theory(ROOT / "examples" / "kappa-sweep.toml", graves_lai=False)
    assert isinstance(several, list) and len(several) > 1
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "nothing to ask about"),
        ({"theta": [1, 2]}, "no arms: give arms FILE"),
        ({"theta": [1, 2], "ball": 3}, "ball is 3 and theta has 2 numbers"),
        ({"theta": [1, 2], "arms": rows, "ball": 2}, "keep one"),
        ({"theta": [1, 2], "ball": 2, "delta": 2.0}, "delta is 2"),
        ({"theta": [1, 2], "ball": 2, "norm_bound": 1.0}, "below the norm"),
        ({"theta": [1, 2], "ball": 2, "run": 5}, "run is 5"),
        ({"experiment": "name = 'x'\n", "theta": [1]}, "beside an experiment"),
    ]
    for ask, words in refused:
        with pytest.raises(optimist.OptimistError, match=words):
            optimist.theory(**ask)


def test_theory_is_that_of_the_command_line() -> None:
    command = [cli(), "theory", "--theta", "3,1", "--sphere", "2", "--json"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    theory = optimist.theory(theta=[3, 1], sphere=2)
    assert isinstance(theory, optimist.Theory) and json.loads(shown) == dict(theory)


@pytest.mark.parametrize("field", ["label", "arm", "reward", "propensity", "number", "ignore", "policy", "model", "format"])
def test_names_must_be_texts(field: str) -> None:
    with pytest.raises(optimist.InvalidOption, match=f"^{field} is 5: give a text"):
        optimist.replay({"a": [1, 2], "b": ["x", "y"]}, **{field: 5})
