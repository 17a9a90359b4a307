"""Policies written in Python, as an experiment names them.

A policy is a class::

    class Mine:
        def __init__(self, dim, **options): ...
        def choose(self, arms, rng): ...    # arms: read-only array (K, d); rng: numpy Generator; returns an index
        def observe(self, x, reward): ...   # x: array (d,), reward: float

In an experiment it stands as the policy "python" with the options ``class`` (module:name), ``options`` and ``source``, a digest
of its code, so that runs of code that has changed since are not taken for runs of this one.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from .._optimist import InvalidInput, InvalidOption, known_class, register_class
from .digest import digest
from .kinds import is_iterable, is_list, is_mapping

PROTOCOL = "a policy is a class with choose(self, arms, rng) and observe(self, x, reward)"


def tables(policies: Iterable[Any]) -> list[dict[str, Any]]:
    """Policies as tables of an experiment: names, classes, pairs of one of these and options, or tables."""
    if is_mapping(policies) or not is_iterable(policies):
        raise InvalidInput("policies must be a list: of names, classes, pairs (name or class, options), or dicts with a name")
    drafts = [_draft(entry, f"policies[{i}]") for i, entry in enumerate(policies)]
    seen: dict[tuple[str, str], type] = {}
    for cls in (draft["name"] for draft in drafts if isinstance(draft["name"], type)):
        name, source = register(cls)
        if seen.setdefault((name, source), cls) is not cls:
            raise InvalidInput(f"two different classes are called {name} and have the same code: let options tell them apart")
    return [_table(draft, drafts) for draft in drafts]


def _draft(entry: Any, path: str) -> dict[str, Any]:
    """The name or class of an entry, its label and its options."""
    from .experiment import plain

    if isinstance(entry, (str, type)):
        return {"name": entry}
    if is_mapping(entry):
        if not isinstance(entry.get("name"), (str, type)):
            raise InvalidInput(f"{path} has no name: give the name of a policy, or a class")
        return {"name": entry["name"], **plain({k: v for k, v in entry.items() if k != "name"}, path)}
    if is_list(entry) and len(entry) == 2 and is_mapping(entry[1]):
        return _draft({"name": entry[0], **entry[1]}, path)
    what = f"an instance of {type(entry).__name__}" if hasattr(entry, "choose") else f"a {type(entry).__name__}"
    raise InvalidInput(f"{path} is {what}: give a name, a class, a pair (name or class, options), or a dict with a name")


def _table(draft: dict[str, Any], all_drafts: list[dict[str, Any]]) -> dict[str, Any]:
    cls = draft["name"]
    if isinstance(cls, str):
        return draft
    name, source = register(cls)
    options = {key: value for key, value in draft.items() if key not in ("name", "label")}
    label = draft.get("label")
    if label is None:
        alone = sum(other["name"] is cls for other in all_drafts) == 1
        label = " ".join([cls.__name__, *([] if alone else [f"{key}={value}" for key, value in options.items()])])
    return {"name": "python", "label": label, "class": name, "source": source, "options": options}


def register(cls: type) -> tuple[str, str]:
    """Makes a class known to the laboratory by its name and the digest of its code, which are returned."""
    for method in ("choose", "observe"):
        if not callable(getattr(cls, method, None)):
            raise InvalidInput(f"{cls.__name__} has no {method}: {PROTOCOL}")
    name, source = f"{cls.__module__}:{cls.__qualname__}", digest(cls)
    register_class(name, source, cls)
    return name, source


def find(name: str) -> type:
    """The class of a name such as ``module:Class``."""
    module, _, path = name.partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidOption(f"class is {name!r}: it cannot be imported ({error}); give module:Class") from error
    if not isinstance(found, type):
        raise InvalidOption(f"class is {name!r}: {PROTOCOL}")
    return found


def is_known(name: str, source: str) -> bool:
    """Whether a class of that name and source has been made known."""
    try:
        known_class(name, source)
    except InvalidInput:
        return False
    return True


def _specs(experiment: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [policy["options"] for policy in experiment["policies"] if policy["policy"] == "python"]


def with_sources(experiment: str) -> str:
    """The experiment with the digests of classes that were named in a file."""
    if '"python"' not in experiment:
        return experiment
    document = json.loads(experiment)
    for options in _specs(document):
        if not options.get("source"):
            _, options["source"] = register(find(options["class"]))
        elif not is_known(options["class"], options["source"]):
            register_class(options["class"], options["source"], find(options["class"]))
    return json.dumps(document)


def packed(experiment: str) -> bytes | None:
    """The classes of an experiment for other processes; none if there are none."""
    if '"python"' not in experiment:
        return None
    classes = [(o["class"], o["source"], known_class(o["class"], o["source"])) for o in _specs(json.loads(experiment))]
    if not classes:
        return None
    pickler: Any = pickle
    try:
        # It also takes classes of scripts and notebooks.
        pickler = import_module("cloudpickle")
    except ImportError:
        pass
    try:
        data: bytes = pickler.dumps(classes)
    except Exception as error:
        names = ", ".join(name for name, _, _ in classes)
        raise InvalidInput(
            f"{names} cannot be sent to other processes ({error}): put the class into a module, or install cloudpickle"
        ) from error
    return data


def unpack(data: bytes | None) -> None:
    """Makes classes known that another process has packed."""
    if data is not None:
        for name, source, cls in pickle.loads(data):
            register_class(name, source, cls)
