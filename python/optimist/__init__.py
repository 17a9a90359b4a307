"""Logistic bandits: choose between options whose outcome is yes or no, and say how sure you are."""

from ._optimist import (
    Bandit,
    Best,
    Certificate,
    Choice,
    Comparison,
    Guarantee,
    Interval,
    Intervals,
    InvalidDocument,
    InvalidInput,
    InvalidOption,
    NoGuarantee,
    OptimistError,
    PolicyFailed,
    UnknownEvent,
    __version__,
)
from .laboratory import Interrupted, Policies, Policy, Results, ShardLost, load, policies, ray_executor, run
