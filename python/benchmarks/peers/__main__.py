"""``python -m peers``: the race against other libraries, in stages that each go on where they were stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import costs, coverage, logs, page, race, records, simulated, skyline, stale
from .game import Game, Plan
from .packages import ROOT
from .players import registry
from .tables_as_bandits import load

STAGES = {
    "tune": "every setting on the tables of the tuning half",
    "report": "the best setting of each library on the tables of the report half, and all of ours",
    "skyline": "logistic regression that is told the right class of every row",
    "costs": "time and memory of a round; wants a quiet machine",
    "coverage": "how often intervals hold",
    "simulated": "bandits of our laboratory",
    "logs": "replay on the logs of two randomised experiments",
    "page": "docs/benchmarks.md and docs/results, from what was played",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m peers",
        description="Races Optimist against other bandit libraries on public data, and writes docs/benchmarks.md. What was "
        "played is kept: after Ctrl-C the same call goes on. Who was installed anew plays anew.",
        epilog="stages:\n" + "\n".join(f"  {name:10} {what}" for name, what in STAGES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stages", nargs="*", metavar="stage", help="which of those below; all if none is named")
    parser.add_argument("--library", action="append", choices=registry.RACED, help="of tune and report, this one only; may be given several times")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "peers", help="where games are kept (target/peers)")
    parser.add_argument("--quick", action="store_true", help="a few rounds of everything, to see that it runs; no page is written")
    given = parser.parse_args()
    for stage in given.stages:
        if stage not in STAGES:
            parser.error(f"stage is {stage!r}: there are {', '.join(STAGES)}")
    out = given.out / "quick" if given.quick else given.out
    libraries = given.library or registry.RACED
    stale.forget(out)
    for stage in given.stages or STAGES:
        run(stage, out, libraries, given.quick)
    print(f"what was played is in {out}", file=sys.stderr)
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
