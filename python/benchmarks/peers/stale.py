"""What was played with another version of a library is forgotten, so that a table never mixes two of them."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from importlib import metadata
from pathlib import Path

from . import race
from .players import registry

VERSIONS = "versions.json"


def forget(out: Path) -> None:
    """Takes out of the files below `out` all games of libraries that were installed anew since, and notes what is installed."""
    path = out / VERSIONS
    before = json.loads(path.read_text()) if path.is_file() else {}
    now = {library: stamp(library) for library in registry.LIBRARIES}
    changed = {library for library in now if before.get(library, now[library]) != now[library]}
    for library in sorted(changed):
        print(f"{library} is another one than before: it plays anew", file=sys.stderr, flush=True)
        forget_library(out, library)
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(now, indent=1) + "\n")


def stamp(library: str) -> str:
    """The version that is installed. Ours is built again and again under one version, so what it consists of counts."""
    version = registry.version(library)
    if library != registry.OURS:
        return version
    files = sorted(metadata.files(registry.LIBRARIES[library][1]) or [])
    # The list that comes with a wheel has a digest of every file.
    digests = [f"{file} {file.hash.value}" for file in files if file.hash]
    return f"{version} {hashlib.sha256(chr(10).join(digests).encode()).hexdigest()[:16]}"


def forget_library(out: Path, library: str) -> None:
    """Takes out of the files below `out` all games of a library."""
    for stage in ("tune", "report"):
        for setting in registry.settings(library):
            race.games_file(out, stage, setting).unlink(missing_ok=True)
    for path in out.glob("*.csv"):
        with path.open(newline="") as file:
            head, *rows = csv.reader(file)
        column = head.index("library")
        kept = [row for row in rows if row[column] != library]
        if len(kept) < len(rows):
            with path.open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([head, *kept])
