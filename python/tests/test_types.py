"""What tools see: type checkers, stubs beside the compiled module, documentation."""

import inspect
import subprocess
import sys
from pathlib import Path

import optimist
import pytest

PACKAGE = Path(__file__).parents[1] / "optimist"
USE = """
import numpy as np
import optimist

arms = np.eye(3)
bandit = optimist.Bandit(3, "bayes-ucb", norm_bound=2.0, seed=1, ridge=2.0)
choice: optimist.Choice = bandit.choose(arms)
bandit.observe(choice, 1.0)
bandit.observe(arms, [1.0, 0.0, 1.0])
lower: float = choice.interval.lower
widths = bandit.intervals(arms).upper - bandit.intervals(arms).lower
total: float = float(widths.sum())

engine = optimist.Engine(["red", "green"], {"age": float, "device": ["phone", "desktop"]}, explore=0.1, seed=1)
decision: optimist.Decision = engine.decide({"age": 31, "device": "phone"}, event_id="visit-1")
engine.reward(decision.event_id, 1)
bounds: optimist.Bounds = engine.interval("visit-1")
estimate: float = engine.predict({"age": 31})["red"].estimate
mab: optimist.MAB[int] = optimist.MAB([1, 2], "laplace-ts", seed=1)
mab.fit([1, 2, 1], [1, 0, 1])
arm: int | list[int] = mab.predict()
"""
MISUSE = """
import optimist

bandit = optimist.Bandit("three")
bandit.choose([[1.0]]).arms
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)


def test_mypy_and_pyright_find_nothing_in_the_package(tmp_path):
    use = tmp_path / "use.py"
    use.write_text(USE)
    found = run("mypy", "--strict", str(PACKAGE), str(use))
    assert found.returncode == 0, found.stdout
    config = Path(__file__).parents[1] / "pyproject.toml"
    found = run("basedpyright", "--project", str(config), "--pythonpath", sys.executable, str(PACKAGE), str(use))
    assert found.returncode == 0, found.stdout


def test_mypy_finds_misuse(tmp_path):
    misuse = tmp_path / "misuse.py"
    misuse.write_text(MISUSE)
    found = run("mypy", "--strict", str(misuse))
    assert "arg-type" in found.stdout and "attr-defined" in found.stdout, found.stdout


def test_the_stubs_are_those_of_the_compiled_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # Beside the sources the installed module would not be found.
    found = run("mypy.stubtest", "optimist._optimist", "--ignore-disjoint-bases")
    assert found.returncode == 0, found.stdout


def public() -> list[tuple[str, object]]:
    names = [name for name in dir(optimist) if not name.startswith("_")]
    everything = [(name, getattr(optimist, name)) for name in names]
    return [(name, thing) for name, thing in everything if not inspect.ismodule(thing)]


@pytest.mark.parametrize(("name", "thing"), public(), ids=[name for name, _ in public()])
def test_everything_public_is_documented(name, thing):
    assert inspect.getdoc(thing), name
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return
    for member, value in vars(thing).items():
        if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
            assert inspect.getdoc(value), f"{name}.{member}"
