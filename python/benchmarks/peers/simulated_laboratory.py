"""Games of the simulated benchmark, a player in an environment each: in our laboratory, or on the forest's clusters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import optimist

from . import simulated_forest as forest


@dataclass(frozen=True)
class Environment:
    """Bandits that all players meet with the same luck."""

    name: str
    title: str
    horizon: int
    keys: dict[str, Any] = field(default_factory=dict)
    """The table `environment` of an experiment; none for the forest, which is played outside of the laboratory."""
    delta: float = 0.05
    like: str = ""
    """The environment on which peers are tuned for this one; itself if empty."""

    @property
    def tuned_on(self) -> str:
        return self.like or self.name

    @property
    def fixed(self) -> bool:
        """Whether the list of arms stays the same during a run."""
        return self.keys.get("arms", {}).get("redraw") != "round"

    @property
    def drifts(self) -> bool:
        return "drift" in self.keys


@dataclass(frozen=True)
class Game:
    """One player in one environment, so many runs."""

    stage: str
    environment: Environment
    library: str
    setting: str
    policy: str | type
    options: dict[str, Any]
    runs: int
    rounds: int
    seed: int

    @property
    def key(self) -> tuple[str, ...]:
        return self.stage, self.environment.name, self.library, self.setting, str(self.rounds)


@dataclass(frozen=True)
class Outcome:
    """Regret of every run, and the time of a round."""

    regrets: list[float]
    microseconds: float


def play(game: Game) -> Outcome:
    """Plays a game. The luck of a run depends on the seed and the environment, not on who plays."""
    return in_laboratory(game) if game.environment.keys else in_forest(game)


def in_laboratory(game: Game) -> Outcome:
    options = dict(game.options)
    keys = dict(game.environment.keys)
    # The bound that policies are told belongs to the environment; a player may ask to be told another one, or none.
    keys |= {"norm_bound": options.pop("norm_bound")} if "norm_bound" in options else {}
    experiment = {
        "name": game.environment.name,
        "seed": game.seed,
        "runs": game.runs,
        "horizon": game.rounds,
        "delta": game.environment.delta,
        "checkpoints": [game.rounds],
        # Whether sets hold the truth is not the question here, and to look takes time.
        "coverage": "off",
        "environment": keys,
    }
    policy = {"name": game.policy, "label": game.setting, **options}
    results = optimist.run(experiment, policies=[policy], jobs=1, progress=False)
    frame = results.frame("pandas", checkpoints=True)
    last = frame[frame["t"] == game.rounds].sort_values("run")
    rate = float(results.details["cells"][0]["policies"][0]["rounds_per_second"])
    return Outcome([float(regret) for regret in last["regret"]], 1e6 / rate)


def in_forest(game: Game) -> Outcome:
    def player(run: int) -> Any:
        dim = forest.load().arms.shape[1]
        if isinstance(game.policy, type):
            return game.policy(dim, **game.options)
        options = {"norm_bound": forest.NORM_BOUND, "delta": game.environment.delta} | game.options
        return Ours(optimist.Bandit(dim, game.policy, seed=1000 * game.seed + run, **options))

    played = [forest.play(player(run), [game.seed, run], game.rounds) for run in range(game.runs)]
    seconds = sum(seconds for _, seconds in played)
    return Outcome([regret for regret, _ in played], 1e6 * seconds / (game.runs * game.rounds))


class Ours:
    """Our bandit with the two methods that every player has."""

    def __init__(self, bandit: Any) -> None:
        self.bandit = bandit

    def choose(self, arms: Any, rng: Any) -> int:
        return int(self.bandit.choose(arms).arm)

    def observe(self, x: Any, reward: float) -> None:
        self.bandit.observe(x, reward)
