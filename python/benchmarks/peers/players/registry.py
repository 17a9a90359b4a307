"""All players. A library is loaded only when it is played: some take seconds."""

from __future__ import annotations

from functools import cache
from importlib import import_module, metadata

from .player import Setting

# The name in the tables, the module here, and the package.
LIBRARIES = {
    "Optimist": ("optimist_", "optimist"),
    "Vowpal Wabbit": ("vowpal_wabbit", "vowpalwabbit"),
    "MABWiser": ("mabwiser", "mabwiser"),
    "contextualbandits": ("contextualbandits", "contextualbandits"),
    "bayesianbandits": ("bayesianbandits", "bayesianbandits"),
    "pybandits": ("pybandits", "pybandits"),
    "river": ("river", "river"),
    "coba": ("coba", "coba"),
}
OURS = "Optimist"
TOO_SLOW = {"pybandits"}
"""Not raced on tables: a first update takes 20 to 35 seconds, so that no game comes to its hundredth round in time."""
RACED = [library for library in LIBRARIES if library not in TOO_SLOW]


@cache
def settings(library: str) -> tuple[Setting, ...]:
    """The settings of a library."""
    module, _ = LIBRARIES[library]
    return tuple(import_module(f"peers.players.{module}").SETTINGS)


def find(library: str, name: str) -> Setting:
    """The setting of this name."""
    found = [setting for setting in settings(library) if setting.name == name]
    if not found:
        raise SystemExit(f"{library} has no setting {name!r}; there are {[s.name for s in settings(library)]}")
    return found[0]


def version(library: str) -> str:
    """The installed version."""
    return metadata.version(LIBRARIES[library][1])
