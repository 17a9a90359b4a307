"""``python -m peers``: the race against other libraries, in stages that each go on where they were stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import costs, coverage, logs, page, race, records, simulated, skyline
from .game import Game, Plan
from .packages import ROOT
from .players import registry
from .tables_as_bandits import load

STAGES = ("tune", "report", "skyline", "costs", "coverage", "simulated", "logs", "page")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m peers",
        description="Races Optimist against other bandit libraries on public data, and writes docs/benchmarks.md. What was "
        "played is kept: after Ctrl-C the same call goes on, and who is to be played anew is deleted below --out.",
    )
    parser.add_argument("stages", nargs="*", metavar="stage", help=f"all if none is named: {', '.join(STAGES)}")
    parser.add_argument("--library", action="append", choices=registry.RACED, help="of tune and report, these only")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "peers", help="where games are kept (target/peers)")
    parser.add_argument("--quick", action="store_true", help="a few rounds of everything, to see that it runs; no page is written")
    given = parser.parse_args()
    for stage in given.stages:
        if stage not in STAGES:
            parser.error(f"stage is {stage!r}: there are {', '.join(STAGES)}")
    out = given.out / "quick" if given.quick else given.out
    libraries = given.library or registry.RACED
    for stage in given.stages or STAGES:
        run(stage, out, libraries, given.quick)
    return 0


def run(stage: str, out: Path, libraries: list[str], quick: bool) -> None:
    """One stage."""
    print(f"== {stage}", file=sys.stderr, flush=True)
    if stage == "tune":
        race.tune(out, race.QUICK["tune"] if quick else race.TUNE, libraries)
    elif stage == "report":
        race.report(out, race.QUICK["report"] if quick else race.PLAY, libraries)
    elif stage == "skyline":
        _skyline(out, race.QUICK["report"] if quick else race.PLAY)
    elif stage == "page":
        if not quick:
            page.write(out)
    else:
        {"costs": costs, "coverage": coverage, "simulated": simulated, "logs": logs}[stage].play(out, quick)


def _skyline(out: Path, plan: Plan) -> None:
    path = out / "report" / "skyline.csv"
    known = {(game.set, game.order) for game in records.read(path, Game)}
    for name in plan.sets:
        # It is a yardstick, and in no test.
        for order in range(min(plan.orders, 3)):
            if (name, order) not in known:
                records.add(path, skyline.play(load(name), order, plan.rounds))
        print(f"skyline {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; the same call goes on from here")
