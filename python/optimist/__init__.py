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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .laboratory import (
        Interrupted,
        Plan,
        Policies,
        Policy,
        Replay,
        Results,
        ShardLost,
        Theory,
        load,
        plan,
        policies,
        ray_executor,
        replay,
        run,
        theory,
    )

__all__ = [
    "Bandit",
    "Best",
    "Certificate",
    "Choice",
    "Comparison",
    "Guarantee",
    "Interrupted",
    "Interval",
    "Intervals",
    "InvalidDocument",
    "InvalidInput",
    "InvalidOption",
    "NoGuarantee",
    "OptimistError",
    "Plan",
    "Policies",
    "Policy",
    "PolicyFailed",
    "Replay",
    "Results",
    "ShardLost",
    "Theory",
    "UnknownEvent",
    "__version__",
    "load",
    "plan",
    "policies",
    "ray_executor",
    "replay",
    "run",
    "theory",
]

# The laboratory is loaded when somebody asks for it: who only decides need not wait for it.
_LABORATORY = frozenset(
    """
    Interrupted Plan Policies Policy Replay Results ShardLost Theory
    load plan policies ray_executor replay run theory
    """.split()
)


def __getattr__(name: str) -> object:
    if name not in _LABORATORY:
        raise AttributeError(f"module 'optimist' has no attribute {name!r}")
    from . import laboratory

    value: object = getattr(laboratory, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LABORATORY})
