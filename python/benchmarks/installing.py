"""What a user waits for: the size of the wheel and the time of an import: ``python python/benchmarks/installing.py``.

The import is timed in fresh processes beside ones that import nothing, in turns. Fails above 100 ms or 8 MB.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

WHEELS = Path(__file__).parents[2] / "target" / "wheels"
TURNS = 21


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> int:
    missed = 0
    for wheel in sorted(WHEELS.glob("*.whl")):
        megabytes = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {megabytes:.2f} MB")
        missed |= megabytes > 8
    seconds("import optimist, numpy")
    for code in ["import optimist", "import numpy", "import optimist; optimist.Bandit(2).choose([[1, 0]])"]:
        turns = [(seconds(code), seconds("pass")) for _ in range(TURNS)]
        milliseconds = statistics.median(a - b for a, b in turns) * 1e3
        print(f"{code}: {milliseconds:.0f} ms")
        missed |= code == "import optimist" and milliseconds > 100
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
