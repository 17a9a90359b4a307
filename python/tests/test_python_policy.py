"""Policies written in Python, beside the others."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import optimist
from optimist.laboratory import own
from optimist.laboratory.example import EpsilonGreedy

EXPERIMENT: dict[str, Any] = {
    "name": "mine",
    "seed": 2,
    "runs": 3,
    "horizon": 150,
    "environment": {"dimension": 3, "kappa": 30, "arms": {"kind": "ball-sample", "count": 6}},
}


class Recorder:
    """Writes down what it is given."""

    seen: list["Recorder"] = []

    def __init__(self, dim: int, **options: Any) -> None:
        self.dim, self.options, self.calls = dim, options, list[Any]()
        Recorder.seen.append(self)

    def choose(self, arms: npt.NDArray[np.float64], rng: np.random.Generator) -> int:
        self.calls.append(("choose", arms, rng))
        return int(rng.integers(len(arms)))

    def observe(self, x: npt.NDArray[np.float64], reward: float) -> None:
        self.calls.append(("observe", x, reward))


def test_it_is_given_what_the_protocol_says() -> None:
    Recorder.seen.clear()
    options = {"a": 1, "b": [1.5, "x"], "c": {"d": None, "e": True}}
    optimist.run({**EXPERIMENT, "runs": 1}, policies=[(Recorder, options)], jobs=1)
    one = max(Recorder.seen, key=lambda recorder: len(recorder.calls))
    assert one.dim == 3 and one.options == {"a": 1, "b": [1.5, "x"], "c": {"e": True}}
    assert [call[0] for call in one.calls] == ["choose", "observe"] * 150
    choose, observe = one.calls[0], one.calls[1]
    assert choose[1].shape == (6, 3) and choose[1].dtype == np.float64 and not choose[1].flags.writeable
    assert isinstance(choose[2], np.random.Generator) and one.calls[2][2] is choose[2]
    assert observe[1].shape == (3,) and observe[2] in (0.0, 1.0) and (choose[1] == observe[1]).all(1).any()


def test_results_do_not_depend_on_threads_and_runs_differ() -> None:
    policies = ["greedy", EpsilonGreedy, (EpsilonGreedy, {"epsilon": 0.5}), {"name": EpsilonGreedy, "label": "mine"}]
    results = optimist.run(EXPERIMENT, policies=policies)
    assert results == optimist.run(EXPERIMENT, policies=policies, jobs=1)
    labels = ["greedy", "EpsilonGreedy", "EpsilonGreedy epsilon=0.5", "mine"]
    assert [row["policy"] for row in results.summary] == labels
    frame = results.frame("pandas").query("t == 150")
    same = frame[frame.policy == "EpsilonGreedy"].regret.tolist()
    assert same == frame[frame.policy == "mine"].regret.tolist(), "the same policy, the same luck"
    assert len(set(same)) == 3
    # The others play as if it were not there.
    alone = optimist.run(EXPERIMENT, policies=["greedy"]).frame("pandas").query("t == 150")
    assert alone.regret.tolist() == frame[frame.policy == "greedy"].regret.tolist()


class Failing:
    def __init__(self, dim: int, where: str, round: int = 20) -> None:
        if where == "init":
            raise RuntimeError("no")
        self.where, self.round, self.t = where, round, 0

    def choose(self, arms: Any, rng: Any) -> Any:
        self.t += 1
        if self.t == self.round:
            answers = {"choose": lambda: {}["gone"], "high": lambda: 6, "low": lambda: -1, "text": lambda: "1"}
            answers |= {"float": lambda: 1.0}
            return answers.get(self.where, lambda: 0)()
        return np.int64(0)

    def observe(self, x: Any, reward: float) -> None:
        if self.where == "observe" and self.t == self.round:
            raise ValueError("bad reward")


@pytest.mark.parametrize(
    ("where", "words", "cause"),
    [
        ("init", r"Failing\.__init__: RuntimeError: no", RuntimeError),
        ("choose", r'policy "Failing" in "d=3 .*", run \d: Failing\.choose, round 20: KeyError: \'gone\'', KeyError),
        ("observe", r"Failing\.observe, round 20: ValueError: bad reward", ValueError),
        ("high", r"Failing\.choose, round 20: returned 6: there are 6 arms, from 0 to 5", None),
        ("low", r"Failing\.choose, round 20: returned -1", None),
        ("text", r"Failing\.choose, round 20: returned a <class 'str'>: it must return the index", None),
        ("float", r"Failing\.choose, round 20: returned a <class 'float'>", None),
    ],
)
def test_what_goes_wrong_is_named(where: str, words: str, cause: type | None) -> None:
    with pytest.raises(optimist.PolicyFailed, match=words) as caught:
        optimist.run(EXPERIMENT, policies=[(Failing, {"where": where})])
    assert (caught.value.__cause__ is None) if cause is None else isinstance(caught.value.__cause__, cause)


def test_the_last_reward_counts_too() -> None:
    with pytest.raises(optimist.PolicyFailed, match="observe, round 150"):
        optimist.run(EXPERIMENT, policies=[(Failing, {"where": "observe", "round": 150})])


def test_what_is_no_policy_is_refused() -> None:
    class Mute:
        def choose(self, arms: Any, rng: Any) -> int:
            return 0

    with pytest.raises(optimist.InvalidInput, match="Mute has no observe: a policy is a class with choose"):
        optimist.run(EXPERIMENT, policies=[Mute])
    with pytest.raises(optimist.InvalidInput, match="an instance of EpsilonGreedy: give a name, a class"):
        optimist.run(EXPERIMENT, policies=[EpsilonGreedy(3)])
    with pytest.raises(optimist.PolicyFailed, match="unexpected keyword argument 'eps'"):
        optimist.run(EXPERIMENT, policies=[(EpsilonGreedy, {"eps": 1})])
    with pytest.raises(optimist.InvalidInput, match="policies must be a list"):
        optimist.run(EXPERIMENT, policies="greedy")
    ball = {**EXPERIMENT, "environment": {"dimension": 3, "kappa": 30, "arms": {"kind": "ball"}}}
    with pytest.raises(optimist.InvalidInput, match="it is not defined for environment.arms.kind"):
        optimist.run(ball, policies=[EpsilonGreedy])
    with pytest.raises(optimist.PolicyFailed, match="cannot be imported"):
        optimist.run({**EXPERIMENT, "policy": [{"name": "python", "class": "nowhere:Nobody"}]})
    with pytest.raises(optimist.OptimistError, match="classes of your own run in optimist.run"):
        optimist.Bandit(2, "python", **{"class": "optimist.laboratory.example:EpsilonGreedy"}).to_bytes()


def test_a_file_names_a_class(tmp_path: Path) -> None:
    text = """
    name = "mine"
    seed = 2
    runs = 3
    horizon = 150
    environment = { dimension = 3, kappa = 30, arms = { kind = "ball-sample", count = 6 } }
    [[policy]]
    name = "python"
    label = "EpsilonGreedy"
    class = "optimist.laboratory.example:EpsilonGreedy"
    options = { epsilon = 0.2 }
    """
    assert optimist.run(text) == optimist.run(EXPERIMENT, policies=[(EpsilonGreedy, {"epsilon": 0.2})])


def test_runs_of_changed_code_are_not_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    code = "class Fixed:\n    def __init__(self, dim): pass\n    def choose(self, arms, rng): return {}\n    def observe(self, x, r): pass\n"
    (tmp_path / "changing.py").write_text(code.format(0))
    module = importlib.import_module("changing")
    out = tmp_path / "out"
    first = optimist.run(EXPERIMENT, out, policies=["greedy", module.Fixed])
    log = (out / "runs.log").read_bytes()
    assert optimist.run(EXPERIMENT, out, policies=["greedy", module.Fixed]) == first
    assert (out / "runs.log").read_bytes() == log
    (tmp_path / "changing.py").write_text(code.format("1  # another"))
    module = importlib.reload(module)
    second = optimist.run(EXPERIMENT, out, policies=["greedy", module.Fixed])
    assert (out / "runs.log").read_bytes().count(b"\n") == log.count(b"\n") + 3, "only the class is run again"
    regret = [row["regret"] for row in first.summary], [row["regret"] for row in second.summary]
    assert regret[0][0] == regret[1][0] and regret[0][1] != regret[1][1]


def test_classes_without_a_source_are_told_apart() -> None:
    code = "import sys\nsys.modules.pop('x', None)\nclass P:\n    def choose(self, a, r): return {}\n    def observe(self, x, r): pass\n"
    digests = []
    for arm in (0, 1, 0):
        space: dict[str, Any] = {"__name__": "nowhere"}
        exec(code.format(arm), space)
        digests.append(own.digest(space["P"]))
    assert digests[0] == digests[2] != digests[1]


HELPED = """
import functools
import numpy as np
import helper
from other import help as helped, Base

LIMIT = 1
TABLE = {{"a": [1, 2], "b": {{"x", "y", "z"}}}}
WEIGHTS = np.arange(3.0)

def noted(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper

def make(value):
    class Mine(Base):
        size = 3
        def __init__(self, dim, rate=0.5, *, more=2): ...
        @noted
        def choose(self, arms, rng):
            return helper.one() + helped() + value + LIMIT + sum(lambda: TABLE["a"]) + WEIGHTS[0]
        def observe(self, x, reward):
            import later
        @staticmethod
        def static(): return {{"p", "q", "r"}} | {{1: 2}}.keys()
        @classmethod
        def made(cls): return 2.5
        @property
        def shown(self): return 7
    return Mine

Mine = make({value})
"""
FILES = {
    "helper.py": "import deep\ndef one(): return deep.two()\n",
    "deep.py": "def two(): return 2\n",
    "other.py": "K = 4\ndef help(): return K\nclass Base:\n    def inherited(self): return 5\n",
    "later.py": "def late(): return 6\n",
    "mine.py": HELPED.format(value=8),
}


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes files, imports them anew, and gives the digest of the class in them."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def read(**changed: str) -> tuple[str, Any]:
        for name, text in FILES.items():
            (tmp_path / name).write_text(changed.get(name.removesuffix(".py"), text))
            monkeypatch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
        importlib.invalidate_caches()
        module = importlib.import_module("mine")
        return own.digest(module.Mine), module

    return read


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("helper", "deep.two()", "deep.two() + 1"),
        ("deep", "return 2", "return 3"),
        ("other", "K = 4", "K = 5"),
        ("other", "return K", "return K + 1"),
        ("other", "return 5", "return 6"),
        ("later", "return 6", "return 7"),
        ("mine", "make(8)", "make(9)"),
    ],
)
def test_what_the_code_names_is_part_of_it(fresh: Any, file: str, old: str, new: str) -> None:
    first, _ = fresh()
    assert first == fresh()[0]
    assert FILES[f"{file}.py"].count(old) == 1
    assert first != fresh(**{file: FILES[f"{file}.py"].replace(old, new)})[0]


def _change(module: Any, change: str) -> None:
    mine = module.Mine
    {
        "global": lambda: setattr(module, "LIMIT", 2),
        "dict": lambda: module.TABLE["a"].append(3),
        "set": lambda: module.TABLE["b"].add("w"),
        "array": lambda: module.WEIGHTS.__setitem__(0, 9.0),
        "default": lambda: setattr(mine.__init__, "__defaults__", (0.25,)),
        "keyword": lambda: setattr(mine.__init__, "__kwdefaults__", {"more": 3}),
        "attribute": lambda: setattr(mine, "size", 4),
        "method": lambda: setattr(mine, "made", classmethod(lambda cls: 3.5)),
        "property": lambda: setattr(mine, "shown", property(lambda self: 8)),
        "inherited": lambda: setattr(module.Base, "inherited", lambda self: 9),
        "closure": lambda: setattr(mine.choose.__closure__[0], "cell_contents", len),
    }[change]()


@pytest.mark.parametrize("change", "global dict set array default keyword attribute method property inherited closure".split())
def test_what_changes_after_the_import_is_another_policy(fresh: Any, change: str) -> None:
    first, module = fresh()
    _change(module, change)
    assert own.digest(module.Mine) != first


def test_a_file_that_was_edited_after_the_import_is_not_its_fresh_import(fresh: Any, tmp_path: Path) -> None:
    _, stale = fresh()
    edited = FILES["mine.py"].replace("return 7", "return 77")
    (tmp_path / "mine.py").write_text(edited)
    assert own.digest(stale.Mine) != fresh(mine=edited)[0]


def test_digests_are_the_same_in_every_process(fresh: Any, tmp_path: Path) -> None:
    here, _ = fresh()
    code = "import mine; from optimist.laboratory import own; print(own.digest(mine.Mine))"
    for seed in ("1", "2", "3"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tmp_path)}
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert shown.stdout.strip() == here, shown.stderr


def test_values_without_a_fixed_form_do_no_harm() -> None:
    code = """
import enum, logging, threading, functools, dataclasses, abc
from optimist.laboratory import own
class Colour(enum.Enum):
    RED = 1
@dataclasses.dataclass
class Config:
    rate: float = RATE
    names: list = dataclasses.field(default_factory=lambda: ["a"])
    __hash__ = None
class Node: pass
node = Node(); node.next = node; node.lock = threading.Lock()
log, config, half, many = logging.getLogger("x"), Config(), functools.partial(pow, 2), {Colour.RED, len, print, Node}
@functools.lru_cache
def cached(): return node
class P(abc.ABC):
    __slots__ = ("a", "b")
    def choose(self, a, r): log, config, half, many, cached, Colour; return self
    def observe(self, x, r): return super()
print(own.digest(P))
"""
    digests = []
    for seed, rate in (("1", "0.1"), ("2", "0.1"), ("3", "0.2")):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        told = subprocess.run([sys.executable, "-c", code.replace("RATE", rate)], capture_output=True, text=True, env=env)
        assert told.returncode == 0, told.stderr
        digests.append(told.stdout)
    assert digests[0] == digests[1] != digests[2]


def test_classes_that_cannot_be_told_apart_are_refused() -> None:
    def make(arm: int) -> type:
        class Closed:
            def __init__(self, dim: int) -> None: ...
            def choose(self, arms: Any, rng: Any) -> int:
                return arm

            def observe(self, x: Any, reward: float) -> None: ...

        return Closed

    assert optimist.run(EXPERIMENT, policies=[make(0)]).runs == (3, 3)
    with pytest.raises(optimist.InvalidInput, match="two different classes are called"):
        optimist.run(EXPERIMENT, policies=[make(0), make(0)])
    with pytest.raises(optimist.InvalidInput, match='two policies are called "Closed"; give one of them another label, as in'):
        optimist.run(EXPERIMENT, policies=[make(0), make(1)])
    named = optimist.run(EXPERIMENT, policies=[make(0), {"name": make(1), "label": "other"}])
    assert len({row["regret"] for row in named.summary}) == 2


def test_the_lab_can_be_used_from_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(optimist.run, EXPERIMENT, policies=[EpsilonGreedy]) for _ in range(4)]
        first, *others = [future.result() for future in futures]
    assert all(other == first for other in others)


def test_a_slow_class_can_be_interrupted() -> None:
    code = """
import optimist, signal, threading, time, os
class Slow:
    def __init__(self, dim): ...
    def choose(self, arms, rng): time.sleep(0.001); return 0
    def observe(self, x, reward): ...
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    optimist.run(dict(name="slow", runs=50, horizon=2000, policy=[Slow],
        environment=dict(dimension=2, kappa=30, arms=dict(kind="ball-sample", count=3))))
except KeyboardInterrupt as error:
    print(type(error).__name__)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30).stdout == "Interrupted\n"
