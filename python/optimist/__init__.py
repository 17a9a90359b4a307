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
    UnknownEvent,
    __version__,
)

__all__ = [
    "Bandit",
    "Best",
    "Certificate",
    "Choice",
    "Comparison",
    "Guarantee",
    "Interval",
    "Intervals",
    "InvalidDocument",
    "InvalidInput",
    "InvalidOption",
    "NoGuarantee",
    "OptimistError",
    "UnknownEvent",
    "__version__",
]
