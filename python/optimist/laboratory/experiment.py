"""Experiments as people hand them over: a file, a text, or a dictionary."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .._optimist import InvalidInput, read_experiment
from . import own
from .kinds import is_list, is_mapping, is_path

Given = str | os.PathLike[str] | Mapping[str, Any]

# What Python calls the tables of a file.
IN_PYTHON = {
    "policy is missing: give one or more tables, each headed by [[policy]]": "there are no policies: give policies=[...]",
    "policy is an empty list: it must be one or more tables, each headed by [[policy]]": "policies is empty: give policies=[...]",
    "one or more tables, each headed by [[policy]]": "a list of policies",
    'another label = "..."': 'another label, as in {"name": ..., "label": "..."}',
    "[[policy]]": "policies",
}


def read(experiment: Given, policies: Sequence[Any] | None = None) -> str:
    """The experiment, checked and written out as JSON."""
    listed = None if policies is None else json.dumps(own.tables(policies))
    if is_mapping(experiment):
        return own.with_sources(_read_document(_document(experiment), listed))
    if isinstance(experiment, str) and ("\n" in experiment or "=" in experiment):
        return own.with_sources(read_experiment(experiment, False, ".", listed))
    if not is_path(experiment):
        kind = type(experiment).__name__
        raise InvalidInput(f"experiment is a {kind}: give the path of a TOML file, its text, or a dict with the same keys")
    text, directory = _file(experiment)
    return own.with_sources(read_experiment(text, False, directory, listed))


def _read_document(document: str, listed: str | None) -> str:
    """A dictionary. What is said of the tables of a file is put in words of Python."""
    try:
        return read_experiment(document, True, ".", listed)
    except InvalidInput as error:
        text = str(error)
        for words, ours in IN_PYTHON.items():
            text = text.replace(words, ours)
        if text == str(error):
            raise
        raise InvalidInput(text) from None


def _file(path: str | os.PathLike[str]) -> tuple[str, str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), os.path.dirname(os.fspath(path)) or "."
    except FileNotFoundError:
        raise FileNotFoundError(f"experiment is {os.fspath(path)!r}: there is no such file") from None


def _document(experiment: Mapping[str, Any]) -> str:
    document = dict(experiment)
    if "policy" in document:
        given = document["policy"]
        many = is_list(given) and not isinstance(given, tuple)
        document["policy"] = own.tables(given if many else [given])
    return json.dumps(plain(document, ""))


def plain(value: Any, path: str) -> Any:
    """Numbers, texts, lists and dictionaries as JSON has them; keys without a value are left out."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{path} is {value}: it must be a finite number")
        return float(value)
    if is_mapping(value):
        return {_key(key, path): plain(item, _join(path, key)) for key, item in value.items() if item is not None}
    if is_path(value):
        return os.fspath(value)
    if is_list(value):
        return [plain(item, f"{path}[{i}]") for i, item in enumerate(value)]
    # Arrays and scalars of numpy, columns of frames.
    for method in ("tolist", "to_list"):
        if hasattr(value, method):
            return plain(getattr(value, method)(), path)
    raise InvalidInput(f"{path} is a {type(value).__name__}: give a number, a text, a list or a dict")


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise InvalidInput(f"{path or 'the experiment'} has the key {key!r}: keys must be texts")
    return key


def _join(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)
