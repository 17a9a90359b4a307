"""Logistic bandits: choose between options whose outcome is yes or no, and say how sure you are."""

from importlib import import_module

from ._optimist import (
    ActionReport,
    Bandit,
    Best,
    Bounds,
    Certificate,
    Choice,
    Comparison,
    Contribution,
    Decision,
    Engine,
    Explanation,
    Guarantee,
    Interval,
    Intervals,
    InvalidDocument,
    InvalidInput,
    InvalidOption,
    NoGuarantee,
    OptimistError,
    PolicyFailed,
    Prediction,
    Ranked,
    Report,
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
    from .mab import MAB

__all__ = [
    "MAB",
    "ActionReport",
    "Bandit",
    "Best",
    "Bounds",
    "Certificate",
    "Choice",
    "Comparison",
    "Contribution",
    "Decision",
    "Engine",
    "Explanation",
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
    "Prediction",
    "Ranked",
    "Replay",
    "Report",
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


def __getattr__(name: str) -> object:
    """What is not compiled is loaded when somebody asks for it: who only decides need not wait for the rest."""
    if name not in __all__:
        raise AttributeError(f"module 'optimist' has no attribute {name!r}")
    value: object = getattr(import_module(".mab" if name == "MAB" else ".laboratory", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
