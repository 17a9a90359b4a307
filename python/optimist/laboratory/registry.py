"""The registry of policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from .._optimist import policy_entries
from .show import html_table, text_table


class Policy(dict[str, Any]):
    """What the registry says of a policy: ``summary``, ``doc``, ``guarantee``, ``options`` and more, also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a policy has no {name!r}: there are {', '.join(self)}") from None

    @property
    def defaults(self) -> dict[str, Any]:
        """The options with their defaults."""
        defaults: dict[str, Any] = self["default_options"]
        return defaults

    @property
    def help(self) -> dict[str, str]:
        """The options with what they mean."""
        return {option["name"]: option["help"] for option in [*self["options"], *self["shared_options"]]}

    def _options(self) -> list[list[Any]]:
        shown = {name: repr(self.defaults.get(name)) for name in self.help} | dict.fromkeys(self["required"], "required")
        return [[name, shown[name], text] for name, text in self.help.items()]

    def __repr__(self) -> str:
        facts = [[name, self[name]] for name in ("family", "guarantee", "cost", "memory", "reference")]
        lines = [f"{self['name']}: {self['summary']}", "", self["doc"].rstrip(), ""]
        lines += [f"{name:<10} {text}" for name, text in facts]
        options = [f"  {name} = {default}\n      {text}" for name, default, text in self._options()]
        return "\n".join([*lines, "", "Options:", *options])

    def _repr_html_(self) -> str:
        from html import escape

        head = f"<h4>{escape(self['name'])}: {escape(self['summary'])}</h4><pre>{escape(self['doc'].rstrip())}</pre>"
        return head + html_table(["option", "default", "meaning"], self._options())


class Policies(Mapping[str, Policy]):
    """All policies by name, the default first."""

    def __init__(self, entries: list[dict[str, Any]]) -> None:
        self._entries = {entry["name"]: Policy(entry) for entry in entries}

    def __getitem__(self, name: str) -> Policy:
        return self._entries[name]

    def __iter__(self) -> Any:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _rows(self) -> list[list[Any]]:
        return [[policy["name"], policy["family"], policy["summary"], policy["guarantee"]] for policy in self.values()]

    def __repr__(self) -> str:
        return text_table(["name", "family", "summary"], [row[:3] for row in self._rows()])

    def _repr_html_(self) -> str:
        return html_table(["name", "family", "summary", "guarantee"], self._rows())


@overload
def policies(name: None = None) -> Policies: ...
@overload
def policies(name: str) -> Policy: ...
def policies(name: str | None = None) -> Policies | Policy:
    """The policies there are, or one of them in full: idea, formulas, guarantee, options and their defaults.

    Examples
    --------
    >>> "optimist" in optimist.policies()
    True
    >>> optimist.policies("laplace-ts").defaults["scale"]
    1.0
    """
    entries = policy_entries(name)
    if name is not None:
        return Policy(entries[0])
    # "python" is no policy, but the place of a class of one's own.
    return Policies([entry for entry in entries if entry["name"] != "python"])
