"""The race against other libraries: what is computed of its games. No other library is needed for that."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from peers import choosing, game, processes, race, records, skyline, stale, statistics, tables_as_bandits  # noqa: E402
from peers.game import Game, Plan  # noqa: E402
from peers.players import registry  # noqa: E402
from peers.players.player import Setting, Task  # noqa: E402


def games(shares, rounds=1000, name="s"):
    """One game per order with these shares of mistakes, spread evenly."""
    def marks(share):
        return tuple(round(share * upto) for upto in range(100, rounds + 1, 100))

    return {(name, order): Game(name, order, rounds, True, 1.0, marks(share)) for order, share in enumerate(shares)}


def test_tables_become_numbers_that_are_standardised_and_cut():
    rows = [[str(i % 7), "red" if i % 2 else "blue", "1", "?" if i == 3 else str(i), "yes" if i % 3 else "no"] for i in range(50)]
    rows[49][0] = "1000"
    found = tables_as_bandits.encode("t", rows)
    # The first column, two levels, the fourth; the third never changes.
    assert found.contexts.shape == (50, 4) and found.arms == 2
    assert found.contexts[49, 0] == tables_as_bandits.CUT
    assert set(found.contexts[:, 1]) == {0.0, 1.0} and np.all(found.contexts[:, 1] + found.contexts[:, 2] == 1)
    known = np.array([float(row[3]) for row in rows if row[3] != "?"])
    assert found.contexts[3, 3] == 0.0
    assert found.contexts[10, 3] == pytest.approx((10 - known.mean()) / known.std())
    assert found.right.tolist() == [int(row[4] == "yes") for row in rows]
    assert sorted(found.order(1, 50)) == list(range(50)) and found.order(1, 20).tolist() == found.order(1, 50)[:20].tolist()
    with pytest.raises(ValueError, match="differ in length"):
        tables_as_bandits.encode("t", [["1", "a"], ["1"]])


def test_the_halves_have_nothing_in_common():
    assert not set(tables_as_bandits.TUNING) & set(tables_as_bandits.REPORT)
    assert len(tables_as_bandits.TUNING) + len(tables_as_bandits.REPORT) >= 12


class Second:
    """Always the second arm; notes what it is told."""

    def __init__(self, task):
        self.task, self.rewards = task, []

    def choose(self, context):
        assert context.shape == (self.task.dimension,)
        return 1

    def learn(self, reward):
        self.rewards.append(reward)


def small(rows=250):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, 3))
    return tables_as_bandits.Bandit("small", x, (x[:, 0] > 0).astype(int), 2)


def test_a_game_counts_mistakes_up_to_every_mark_and_to_the_end():
    bandit, made = small(), []
    setting = Setting("x", "y", lambda task: made.append(Second(task)) or made[-1])
    played = game.play(setting, bandit, 4, 1000, limit=60.0)
    right = bandit.right[bandit.order(4, 250)]
    assert (played.rounds, played.whole) == (250, True)
    assert list(played.mistakes) == [int((right[:upto] == 0).sum()) for upto in (100, 200, 250)]
    assert [played.upto(n) for n in (100, 200, 250)] == list(played.mistakes)
    assert made[0].rewards == [float(one == 1) for one in right]
    assert made[0].task == Task(2, 3, bandit.norm, 250, seed=5)
    cut = game.play(setting, bandit, 4, 1000, limit=0.0)
    assert (cut.rounds, cut.whole, cut.mistakes) == (100, False, played.mistakes[:1])


def test_games_are_kept_and_not_played_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_as_bandits, "load", lambda name: small())
    count = []
    setting = Setting("x", "y", lambda task: count.append(1) or Second(task))
    path, plan = tmp_path / "a" / "games.csv", Plan(("one", "two"), 2, 200, 60.0, 100)
    game.play_all(setting, Plan(("one",), 1, 200, 60.0, 100), path)
    # The name of a set is that of its table.
    assert [(g.set, g.order) for g in records.read(path, Game)] == [("small", 0)]
    monkeypatch.setattr(tables_as_bandits, "load", lambda name: tables_as_bandits.Bandit(name, small().contexts, small().right, 2))
    path.unlink()
    game.play_all(setting, plan, path)
    game.play_all(setting, plan, path)
    assert [(g.set, g.order) for g in records.read(path, Game)] == [("one", 0), ("one", 1), ("two", 0), ("two", 1)]
    assert len(count) == 5
    # Who is cut early plays no second order, not when it goes on either.
    path.unlink()
    for _ in range(2):
        game.play_all(setting, Plan(("one",), 3, 250, 0.0, 200), path)
        assert [(g.order, g.rounds) for g in records.read(path, Game)] == [(0, 100)]


def test_a_player_that_fails_is_a_result(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_as_bandits, "load", lambda name: small())

    def fails(task):
        raise RuntimeError("no\nsuch thing")

    path = tmp_path / "games.csv"
    game.play_all(Setting("x", "y", fails), Plan(("one",), 3, 200, 60.0, 100), path)
    assert [g.failure for g in records.read(path, Game)] == ["RuntimeError: no such thing"]


def test_the_paired_test_is_that_of_scipy_and_holm_s_rule_is_applied():
    rng = np.random.default_rng(3)
    a, b = np.round(0.2 + 0.01 * rng.normal(size=10), 2), np.round(0.21 + 0.01 * rng.normal(size=10), 2)
    found = statistics.duel("s", games(a), games(b))
    assert found.p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert found.difference == pytest.approx((a - b).mean())
    assert statistics.duel("s", games(a), games(a)).p == 1.0
    assert statistics.duel("s", games([0.1, 0.1]), games([0.2, 0.2])).p == 0.0
    assert statistics.duel("s", games(a[:1]), games(b[:1])) is None

    def duels(*ps):
        return [statistics.Duel("s", 1, -1.0, 1.0, p) for p in ps]

    # By hand: 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2, and all that follow are not.
    assert statistics.significant(duels(0.03, 0.01, 0.04, 0.015)) == [False, True, False, True]
    assert statistics.significant(duels(0.02, 0.02, 0.02)) == [False, False, False]


def test_level_players_are_called_different_no_more_often_than_promised():
    """Holm over nine sets keeps the chance of any false win at 5%: 400 pairs of equal players, three deviations of margin."""
    rng, false = np.random.default_rng(5), 0
    for _ in range(400):
        a, b = ({}, {})
        for name in range(9):
            for one in (a, b):
                one |= games(0.3 + 0.02 * rng.normal(size=10), name=str(name))
        found = statistics.record([str(name) for name in range(9)], a, b)
        false += found.wins + found.losses > 0
    assert false <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)
    # And one that is better is found.
    better = {key: Game(g.set, g.order, g.rounds, True, 1.0, tuple(m - 10 * (i + 1) for i, m in enumerate(g.mistakes))) for key, g in a.items()}
    assert statistics.record([str(name) for name in range(9)], better, a) == statistics.Record(9, 0, 9)


def test_who_was_cut_is_compared_up_to_where_it_came():
    whole = games([0.2, 0.3, 0.25])
    cut = {key: Game(g.set, g.order, 350, False, 1.0, (50, 100, 150, 175)) for key, g in whole.items()}
    found = statistics.duel("s", whole, cut)
    assert found.rounds == 300 and found.difference == pytest.approx(0.25 - 0.5)
    assert statistics.share("s", cut).rounds == 350
    assert statistics.share("s", whole | {("s", 0): cut["s", 0]}).rounds == 300


def test_the_setting_with_the_fewest_mistakes_is_chosen():
    easy, hard = games([0.01, 0.01], name="easy"), games([0.5, 0.5], name="hard")
    twice = games([0.02, 0.02], name="easy") | games([0.5, 0.5], name="hard")
    third = games([0.01, 0.01], name="easy") | games([0.6, 0.6], name="hard")
    found = choosing.scores({"a": easy | hard, "b": twice, "c": third, "d": easy})
    # Half of the mistakes on an easy set counts for as much as on a hard one; who did not play every set is out.
    assert set(found) == {"a", "b", "c"} and found["a"] < found["c"] < found["b"]
    assert found["a"] == pytest.approx(np.sqrt(10.5 / 1000 * 500.5 / 1000))


def test_a_setting_that_is_much_slower_than_its_siblings_does_not_shorten_their_games():
    quick, slow = games([0.1]), {("s", 0): Game("s", 0, 300, False, 1.0, (10, 20, 30))}
    other = {("s", 0): Game("s", 0, 700, False, 1.0, tuple(15 * (i + 1) for i in range(7)))}
    found = choosing.scores({"a": quick, "b": other, "c": games([0.2]), "d": slow})
    assert set(found) == {"a", "b", "c"} and found["a"] == pytest.approx(70.5 / 700)


def test_mistakes_relative_to_another_are_those_of_the_same_rounds():
    base, cut = games([0.1, 0.2]), {("s", i): Game("s", i, 500, False, 1.0, (40, 80, 120, 160, 200)) for i in (0, 1)}
    mean, error = statistics.relative(["s"], cut, base)
    assert mean == pytest.approx((200.5 + 200.5) / (50.5 + 100.5))
    logs = np.log([200.5 / 50.5, 200.5 / 100.5])
    assert error == pytest.approx(mean * logs.std(ddof=1) / np.sqrt(2))
    assert statistics.relative(["s"], base, base) == (1.0, 0.0)


def test_the_skyline_learns_what_is_linear():
    played = skyline.play(small(1000), 0, 1000)
    assert played.rounds == 1000 and played.mistakes[-1] - played.mistakes[4] < 25


def test_our_players_learn_and_have_names_of_their_own():
    names = [setting.name for setting in registry.settings("Optimist")]
    assert len(set(names)) == len(names)
    bandit = small(600)
    for setting in registry.settings("Optimist"):
        played = game.play(setting, bandit, 0, 600, limit=60.0)
        assert played.mistakes[-1] < 0.25 * 600, setting.name
        assert played.mistakes == game.play(setting, bandit, 0, 600, limit=60.0).mistakes, setting.name


def test_games_of_a_library_that_was_installed_anew_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "LIBRARIES", {"a": ("", ""), "b": ("", "")})
    monkeypatch.setattr(registry, "settings", lambda library: [Setting(library, "s", Second)])
    installed = {"a": "1.0", "b": "1.0"}
    monkeypatch.setattr(stale, "stamp", lambda library: installed[library])
    played = [race.games_file(tmp_path, stage, Setting(library, "s", Second)) for stage in ("tune", "report") for library in "ab"]
    for path in played:
        records.add(path, games([0.1])["s", 0])
    (tmp_path / "costs.csv").write_text('library,setting\na,"one, two"\nb,one\n')
    stale.forget(tmp_path)
    assert all(path.is_file() for path in played), "nothing was installed since"
    installed["a"] = "1.1"
    stale.forget(tmp_path)
    assert [path.is_file() for path in played] == [False, True, False, True]
    assert (tmp_path / "costs.csv").read_text() == "library,setting\nb,one\n"


def test_ours_is_known_by_what_it_consists_of():
    assert stale.stamp(registry.OURS).startswith(registry.version(registry.OURS) + " ")


def test_a_game_that_was_cut_by_a_shorter_limit_is_played_again(tmp_path, monkeypatch):
    monkeypatch.setattr(tables_as_bandits, "load", lambda name: small())
    path, setting = tmp_path / "games.csv", Setting("x", "y", Second)
    cut = Game("small", 0, 100, False, 0.5, (50,))
    records.add(path, cut)
    game.play_all(setting, Plan(("small",), 1, 1000, 0.5, 100), path)
    assert records.read(path, Game) == [cut]
    game.play_all(setting, Plan(("small",), 1, 1000, 60.0, 100), path)
    assert [one.whole for one in records.read(path, Game)] == [False, True]


def test_after_an_interrupt_nothing_more_is_begun(monkeypatch):
    monkeypatch.setattr(processes.os, "cpu_count", lambda: 1)
    begun, gate = [], threading.Event()

    def job(number):
        begun.append(number)
        gate.wait(60)

    with pytest.raises(KeyboardInterrupt), processes.pool() as threads:
        for number in range(5):
            threads.submit(job, number)
        threading.Timer(0.2, gate.set).start()
        raise KeyboardInterrupt
    assert begun == [0]
