"""Experiments: policies in environments whose parameter is known, here or on many machines."""

from .errors import Interrupted, ShardLost
from .ray_tasks import ray_executor
from .registry import Policies, Policy, policies
from .results import Results, load
from .run import run
from .show import Table

__all__ = ["Interrupted", "Policies", "Policy", "Results", "ShardLost", "Table", "load", "policies", "ray_executor", "run"]
