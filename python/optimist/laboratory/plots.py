"""Curves, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._optimist import InvalidOption

if TYPE_CHECKING:
    from .results import Results


def pyplot() -> Any:
    """matplotlib, or what to do about its absence."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("a plot needs matplotlib: pip install matplotlib") from None
    return plt


def axes_of(names: Sequence[str], ax: Any, width: float = 5.5) -> list[Any]:
    """One set of axes per name, in a row, or the one that was given."""
    if ax is not None:
        if len(names) != 1:
            raise InvalidOption(f"ax is one set of axes, and there are {len(names)} environments: leave it out")
        return [ax]
    _, grid = pyplot().subplots(1, len(names), figsize=(width * len(names), 4), squeeze=False, layout="constrained")
    return list(grid[0])


def shade(ax: Any, x: Any, curves: Any, label: str, band: str | None) -> None:
    """The middle of several curves, and how far they spread."""
    import numpy as np

    middle = np.median(curves, axis=0) if band == "quantiles" else curves.mean(axis=0)
    (line,) = ax.plot(x, middle, label=label)
    if band is None or len(curves) < 2:
        return
    if band == "quantiles":
        low, high = np.quantile(curves, [0.1, 0.9], axis=0)
    else:
        spread = curves.std(axis=0, ddof=1)
        # What is drawn is not negative, whatever a symmetric band says.
        low, high = np.maximum(middle - spread, 0.0), middle + spread
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)


def draw(results: Results, ax: Any, band: str | None, policies: str | Sequence[str] | None, log: bool) -> Any:
    """Regret against rounds."""
    if band not in ("std", "quantiles", None):
        raise InvalidOption(f"band is {band!r}: give 'std', 'quantiles' or None")
    columns = {name: values for name, _, values in results._outcome.columns(False)}  # pyright: ignore[reportPrivateUsage]
    (environments, environment), (labels, policy) = columns["environment"], columns["policy"]
    policies = [policies] if isinstance(policies, str) else policies
    unknown = [name for name in policies or () if name not in labels]
    if unknown:
        raise InvalidOption(f"policies has {unknown[0]!r}: there are {', '.join(labels)}")
    axes = axes_of(environments, ax)
    for number, panel in enumerate(axes):
        for code, label in enumerate(labels):
            rows = (environment == number) & (policy == code)
            if not rows.any() or (policies is not None and label not in policies):
                continue
            rounds = columns["t"][rows]
            marks = len(set(rounds.tolist()))
            shade(panel, rounds[:marks], columns["regret"][rows].reshape(-1, marks), label, band)
        panel.set(title=environments[number], xlabel="round", ylabel="regret")
        if log:
            panel.set(xscale="log", yscale="log")
        panel.legend(frameon=False)
    return axes[0] if len(axes) == 1 else axes


def learning(told: dict[str, Any], ax: Any) -> Any:
    """The share of mistakes so far, or the estimated mean reward so far, of every candidate."""
    import numpy as np

    (ax,) = axes_of([told["title"]], ax, width=8.5)
    figure = "reward" if told["is_log"] else "mistakes"
    for entry, courses in zip(told["entries"], told["curves"], strict=True):
        length = min((len(curve) for curve in courses), default=0)
        # Early estimates from a log are wild, and early shares of mistakes are chance.
        first = max(10, entry["rounds"] // 50) if told["is_log"] else 10
        rounds = np.array([point["round"] for point in courses[0][:length]], float) if length else np.array([])
        shown = rounds >= min(first, entry["rounds"])
        if not shown.any():
            continue
        sums = np.array([[point[figure] for point in curve[:length]] for curve in courses], float)
        shade(ax, rounds[shown], (sums / rounds)[:, shown], f"{entry['policy']}, {entry['model']}", "std")
    if told["level"] is not None:
        label = "the log" if told["is_log"] else "always the most frequent class"
        ax.axhline(told["level"], color="gray", linestyle="--", linewidth=1, label=label)
    ylabel = "mean reward so far" if told["is_log"] else "share of mistakes so far"
    ax.set(title=told["title"], xlabel="round", ylabel=ylabel, xscale="log")
    # Beside the curves: they fill the panel.
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
