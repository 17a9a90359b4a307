"""Experiments: policies in environments whose parameter is known, here or on many machines."""

from .errors import Interrupted, ShardLost
from .questions import Plan, Theory, plan, theory
from .ray_tasks import ray_executor
from .registry import Policies, Policy, policies
from .replay import Replay, replay
from .results import Results, load
from .run import run
from .show import Table

__all__ = [
    "Interrupted",
    "Plan",
    "Policies",
    "Policy",
    "Replay",
    "Results",
    "ShardLost",
    "Table",
    "Theory",
    "load",
    "plan",
    "policies",
    "ray_executor",
    "replay",
    "run",
    "theory",
]
