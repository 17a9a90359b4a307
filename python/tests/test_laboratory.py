"""Experiments in memory and in directories."""

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import optimist

ROOT = Path(__file__).parents[2]

EXPERIMENT = {
    "name": "small",
    "seed": 3,
    "runs": 3,
    "horizon": 200,
    "environment": {
        "kappa": [30, 10.0],
        "dimension": np.int64(2),
        "arms": {"kind": "ball-sample", "count": 8},
        "drift": None,
    },
    "policy": ["optimist", ("laplace-ts", {"scale": 2.0}), {"name": "uniform", "label": "at random"}],
}

TOML = """
name = "small"
seed = 3
runs = 3
horizon = 200
[environment]
kappa = [30, 10.0]
dimension = 2
arms = { kind = "ball-sample", count = 8 }
[[policy]]
name = "optimist"
[[policy]]
name = "laplace-ts"
scale = 2.0
[[policy]]
name = "uniform"
label = "at random"
"""


@pytest.fixture(scope="module")
def results() -> optimist.Results:
    return optimist.run(EXPERIMENT)


def cli() -> str:
    """The command line of this repository, as the tests of Rust have built it."""
    path = ROOT / "target" / "debug" / "optimist"
    if not path.exists():
        pytest.skip("the command line is not built")
    return str(path)


def test_the_number_of_threads_changes_nothing(results: optimist.Results) -> None:
    assert optimist.run(EXPERIMENT, jobs=1) == results
    assert optimist.run({**EXPERIMENT, "seed": 4}) != results


def test_a_file_a_text_and_a_dict_say_the_same(results: optimist.Results, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(TOML)
    assert optimist.run(TOML) == optimist.run(path) == optimist.run(str(path)) == results


def test_contexts_of_ones_own_are_dicts_as_well(tmp_path: Path) -> None:
    table = tmp_path / "visits.csv"
    table.write_text("age,device,clicked\n20,tv,1\n30,pc,0\n45,tv,0\n50,pc,1\n")
    environment = {
        "arms": {"kind": "table", "file": table, "columns": ["age", "device"], "count": 2, "order": "shuffle"},
        "theta": {"fit": str(table), "reward": "clicked"},
        "rewards": {"link": "probit", "flipped": 0.1, "interactions": [(1, 2, 0.5)]},
    }
    results = optimist.run({"name": "own", "runs": 2, "horizon": 20, "environment": environment}, policies=["greedy"])
    told = results.details["cells"][0]["environment"]
    assert told["fit"]["observations"] == 4 and len(told["theta"]) == 3
    assert told["rewards"]["link"] == "probit" and "products of features" in told["no_coverage"]


def test_a_frame_is_tidy(results: optimist.Results) -> None:
    frame = results.frame("pandas")
    marks = frame.query("run == 0 and policy == 'optimist' and environment == @frame.environment[0]").t.tolist()
    assert marks[0] == 1 and marks[-1] == 200 and marks == sorted(set(marks))
    assert len(frame) == 2 * 3 * 3 * len(marks)
    assert frame.environment.unique().tolist() == ["d=2 ball-sample=8 kappa=30", "d=2 ball-sample=8 kappa=10"]
    assert frame[frame.policy == "optimist"].in_set.all() and frame[frame.policy == "at random"].in_set.isna().all()
    assert np.allclose(frame.R1 + frame.R2, frame.regret)
    polars = results.frame("polars")
    assert polars.columns == list(frame.columns) and polars["regret"].to_list() == frame.regret.tolist()
    assert polars["in_set"].null_count() == int(frame.in_set.isna().sum())


def test_a_summary_shows_itself(results: optimist.Results) -> None:
    assert [row["policy"] for row in results.summary] == ["optimist", "laplace-ts", "at random"] * 2
    final = results.frame("pandas").query("t == 200").groupby(["environment", "policy"]).regret.mean()
    for row in results.summary:
        assert row["regret"] == pytest.approx(final[row["environment"], row["policy"]], rel=1e-12)
    assert "at random" in repr(results) and "<table>" in results._repr_html_()
    assert results.runs == (18, 18) and results.details["experiment"]["horizon"] == 200


def test_policies_are_compared_run_by_run(results: optimist.Results) -> None:
    differences = results.differences()
    assert len(differences) == 2 * 3
    frame = results.frame("pandas")
    final = frame[(frame.t == 200) & (frame.environment == differences[0]["environment"])]
    regret = {label: rows.sort_values("run").regret.to_numpy() for label, rows in final.groupby("policy")}
    for row in differences[:3]:
        gaps = regret[row["policy"]] - regret[row["reference"]]
        assert row["runs"] == 3 and row["t"] == 200
        assert row["mean"] == pytest.approx(gaps.mean())
        assert row["standard_error"] == pytest.approx(gaps.std(ddof=1) / np.sqrt(3))
        # The 97.5% quantile of Student's t with two degrees of freedom.
        assert row["high"] - row["mean"] == pytest.approx(4.302652729911275 * row["standard_error"])
    with pytest.raises(ValueError, match="t is 201: no figures were taken"):
        results.differences(201)


def test_tables_for_papers(results: optimist.Results) -> None:
    latex = results.table("latex")
    assert "\\begin{tabular}{lrr}" in latex and "policy & kappa=30 & kappa=10 \\\\" in latex
    markdown = results.table(policies="at random", environments=["kappa=10"])
    assert markdown.startswith("| policy | kappa=10 |\n| --- | ---: |\n| at random | **")
    rows = list(csv.DictReader(results.table("csv", t=100).splitlines()))
    assert len(rows) == 2 * 3 and {row["t"] for row in rows} == {"100"}
    with pytest.raises(ValueError, match="format is"):
        results.table("html")


def test_what_varies_has_columns(results: optimist.Results) -> None:
    frame = results.frame("pandas")
    assert list(frame.columns)[-1] == "kappa" and set(frame.kappa) == {10.0, 30.0}
    assert results.details["cells"][0]["environment"]["swept"] == {"kappa": 30.0}


def test_results_are_pickled_and_saved(results: optimist.Results, tmp_path: Path) -> None:
    assert pickle.loads(pickle.dumps(results)) == results
    results.save(tmp_path / "kept")
    assert optimist.load(tmp_path / "kept") == results
    assert (tmp_path / "kept" / "report.html").exists()
    # Nothing is left to do there.
    before = (tmp_path / "kept" / "runs.log").read_bytes()
    assert optimist.run(EXPERIMENT, tmp_path / "kept") == results
    assert (tmp_path / "kept" / "runs.log").read_bytes() == before


def test_a_directory_goes_on_where_it_was(results: optimist.Results, tmp_path: Path) -> None:
    optimist.run({**EXPERIMENT, "runs": 2}, tmp_path)
    before = (tmp_path / "runs.log").read_bytes()
    assert optimist.run(EXPERIMENT, tmp_path) == results
    after = (tmp_path / "runs.log").read_bytes()
    assert after.startswith(before) and after.count(b"\n") == 18
    rows = list(csv.DictReader((tmp_path / "results.csv").open()))
    frame = results.frame("pandas", checkpoints=True)
    assert [float(row["regret"]) for row in rows] == frame.regret.tolist()


def test_the_command_line_has_the_same_bits(results: optimist.Results, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TOML)
    command = [cli(), "run", str(tmp_path / "small.toml"), "--out", str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True)
    assert optimist.load(tmp_path / "out") == results


def test_plots(results: optimist.Results) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = results.plot()
    assert [len(ax.lines) for ax in axes] == [3, 3] and axes[0].get_title() == "d=2 ball-sample=8 kappa=30"
    assert len(results.plot(band="quantiles", policies=["optimist"])[0].lines) == 1
    one = results.plot(policies="optimist", log=True)[0]
    assert len(one.lines) == 1 and one.get_xscale() == one.get_yscale() == "log"
    pyplot.close("all")
    with pytest.raises(optimist.InvalidOption, match="band is 'x'"):
        results.plot(band="x")
    with pytest.raises(optimist.InvalidOption, match="'nobody': there are optimist"):
        results.plot(policies=["nobody"])


def test_figures_are_those_of_the_command_line(results: optimist.Results, tmp_path: Path) -> None:
    style = {"format": ["svg", "pdf", "csv"], "width": "85mm", "font_size": "8pt", "no_title": True, "legend": "inside"}
    written = results.figures(tmp_path / "here", **style, figures="regret", label={"optimist": "Ours"}, dpi=None)
    names = sorted(Path(name).name for name in written)
    assert len(names) == 8 and all((tmp_path / "here" / name).exists() for name in names)
    table = next(name for name in written if name.endswith(".csv"))
    rows = list(csv.DictReader(Path(table).open()))
    assert {row["curve"] for row in rows} == {"Ours", "laplace-ts", "at random"}
    frame = results.frame("pandas")
    ours = frame[(frame.environment == frame.environment.iloc[0]) & (frame.policy == "optimist")]
    means = ours.groupby("t").regret.mean().to_numpy()
    np.testing.assert_allclose([float(row["y"]) for row in rows if row["curve"] == "Ours"], means, rtol=1e-12)
    results.save(tmp_path / "kept")
    command = [cli(), "plot", str(tmp_path / "kept"), "--out", str(tmp_path / "there"), "--format", "svg,pdf,csv"]
    command += ["--width", "85mm", "--font-size", "8pt", "--no-title", "--legend", "inside", "--figures", "regret"]
    subprocess.run([*command, "--label", "optimist=Ours"], check=True, capture_output=True)
    for name in names:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name
    for wrong, words in [({"fontsize": "8pt"}, 'did you mean "font-size"'), ({"width": 85}, "give a number with a unit")]:
        with pytest.raises(optimist.InvalidInput, match=words):
            results.figures(tmp_path / "no", **wrong)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizont": 5}, "horizon"),
        ({"delta": float("nan")}, "delta is nan"),
        ({"policy": ["optimst"]}, 'did you mean "optimist"'),
        ({"policy": [{"label": "x"}]}, r"policies\[0\] has no name"),
        ({"policy": [3]}, r"policies\[0\] is a int"),
        ({"policy": ["optimist", "optimist"]}, "two policies are called"),
        ({"environment": {"dimension": 2, "kappa": 30, "arms": {"kind": object()}}}, "environment.arms.kind is a object"),
        ({"environment": {1: 2}}, "keys must be texts"),
        ({"runs": None}, "runs is missing"),
    ],
)
def test_bad_experiments_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(optimist.InvalidInput, match=words):
        optimist.run({**EXPERIMENT, **change})


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        optimist.run("nowhere.toml")
    with pytest.raises(optimist.InvalidInput, match="experiment is a int"):
        optimist.run(3)  # type: ignore[arg-type]
    with pytest.raises(optimist.InvalidOption, match="jobs is 0"):
        optimist.run(EXPERIMENT, jobs=0)
    with pytest.raises(optimist.InvalidInput, match="keep is \"nobody\""):
        optimist.run(EXPERIMENT, keep=["nobody"])
    with pytest.raises(optimist.InvalidOption, match="library is 'numpy'"):
        optimist.run({**EXPERIMENT, "runs": 1, "horizon": 1}).frame("numpy")
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(optimist.InvalidInput, match="holds something else .* give another out"):
        optimist.run(EXPERIMENT, tmp_path)
    optimist.run(EXPERIMENT, tmp_path / "out")
    with pytest.raises(optimist.InvalidInput, match="holds another experiment: seed is 3 there and 4 here"):
        optimist.run({**EXPERIMENT, "seed": 4}, tmp_path / "out")
    with pytest.raises(optimist.InvalidInput, match="holds no results"):
        optimist.load(tmp_path)


def test_damaged_pickles_are_refused(results: optimist.Results) -> None:
    restore, (experiment, runs, path) = results.__reduce__()
    with pytest.raises(optimist.InvalidInput, match="damaged"):
        restore(experiment, runs[:-20], path)
    other = experiment.replace('"seed":3', '"seed":5')
    with pytest.raises(optimist.InvalidInput, match="of another experiment"):
        restore(other, runs, path)


def test_progress_is_shown_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    long = {**EXPERIMENT, "runs": 40, "horizon": 4000, "policy": ["optimist"]}
    optimist.run(long, progress=True)
    shown = capsys.readouterr().err
    assert "small [" in shown and "%" in shown and shown.endswith("\r")
    optimist.run(EXPERIMENT)
    assert capsys.readouterr().err == ""


LONG = """
import optimist, sys
experiment = dict(name="long", seed=1, runs=200, horizon=20_000, policy=["optimist"],
    environment=dict(dimension=3, kappa=30, arms=dict(kind="ball-sample", count=50)))
print("ready", flush=True)
try:
    optimist.run(experiment, sys.argv[1] or None, jobs=2, progress=False)
except KeyboardInterrupt as error:
    print(type(error).__name__, error, error.partial.runs, sep="|")
"""


@pytest.mark.parametrize("in_directory", [False, True])
def test_an_interrupt_loses_nothing(in_directory: bool, tmp_path: Path) -> None:
    out = str(tmp_path / "out") if in_directory else ""
    process = subprocess.Popen([sys.executable, "-c", LONG, out], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    text = process.communicate(timeout=20)[0]
    assert time.monotonic() - start < 5, "it stops soon"
    kind, words, runs = text.strip().split("|")
    done = eval(runs)[0]
    assert kind == "Interrupted" and f"{done} of 200 runs are finished and kept" in words
    if in_directory:
        assert "the same call goes on from there" in words
        assert (tmp_path / "out" / "runs.log").read_bytes().count(b"\n") == done > 0
        assert optimist.load(out).runs == (done, 200)


def test_policies_are_listed_and_described() -> None:
    every = optimist.policies()
    assert next(iter(every)) == "optimist" and len(every) > 25 and "laplace-ts" in every
    one = optimist.policies("laplace-ts")
    assert one == every["laplace-ts"] and one.summary.startswith("Thompson sampling")
    assert one.defaults["scale"] == 1.0 and "scale" in one.help and "Guarantee" in one.doc
    assert "laplace-ts" in repr(every) and "<table>" in every._repr_html_()
    assert "scale = 1.0" in repr(one) and "<pre>" in one._repr_html_()
    with pytest.raises(AttributeError, match="no 'colour'"):
        _ = one.colour
    with pytest.raises(optimist.InvalidOption, match='did you mean "laplace-ts"'):
        optimist.policies("laplace-tz")


def test_the_registry_is_that_of_the_command_line() -> None:
    listed = subprocess.run([cli(), "policies", "--json"], check=True, capture_output=True, text=True).stdout
    ours = [dict(policy) for policy in optimist.policies().values()]
    assert json.loads(listed) == ours and "python" not in optimist.policies()
    assert optimist.policies("python").name == "python"


def test_a_dict_without_policies_is_answered_in_words_of_python() -> None:
    bare = {key: value for key, value in EXPERIMENT.items() if key != "policy"}
    for given in ({}, {"policies": []}):
        with pytest.raises(optimist.InvalidInput, match=r"give policies=\[\.\.\.\]") as caught:
            optimist.run(bare, **given)
        assert "[[" not in str(caught.value)
    with pytest.raises(optimist.InvalidInput, match=r"\[\[policy\]\]"):
        optimist.run('name = "x"\nruns = 1\nhorizon = 5\nenvironment = { dimension = 2, kappa = 30, arms = { kind = "ball" } }')


def test_everything_that_is_promised_is_there() -> None:
    assert sorted(optimist.__all__) == dir(optimist)
    assert all(getattr(optimist, name) is not None for name in optimist.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = optimist.nothing


def test_importing_is_light() -> None:
    heavy = ["numpy", "pandas", "polars", "matplotlib", "concurrent.futures", "logging", "json", "inspect", "optimist.laboratory"]
    code = f"import sys, optimist; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_without_pandas_or_polars_there_is_a_remedy(tmp_path: Path) -> None:
    code = textwrap.dedent(
        f"""
        import sys
        from importlib.machinery import PathFinder
        class Hide:
            def find_spec(name, path=None, target=None):
                if name in ("pandas", "polars", "matplotlib"):
                    raise ModuleNotFoundError(name)
        import importlib.util
        real = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *a: None if name in ("pandas", "polars") else real(name, *a)
        sys.meta_path.insert(0, Hide)
        import optimist
        results = optimist.run({ {**EXPERIMENT, "environment": {**EXPERIMENT["environment"], "dimension": 2}}!r})
        for ask in (results.frame, results.plot):
            try:
                ask()
            except ImportError as error:
                print(error)
        """
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert shown.stdout == "a frame needs pandas or polars: pip install pandas\na plot needs matplotlib: pip install matplotlib\n"


