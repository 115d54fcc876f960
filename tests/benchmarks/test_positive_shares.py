"""Estimates of the share of positives: recorded once, and shown with the side on which the truth is."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import positive_sets as sets
from benchmarks import positive_shares as bench
from semisvm.estimators.positive_share import ABOVE, BELOW


def toy():
    rng = np.random.default_rng(0)
    positive = rng.random(150) < 0.4
    return rng.normal(size=(150, 3)) + 2.5 * positive[:, None], positive


def run(off, positives=20):
    """One whose truth is so many deviations above the estimate."""
    return bench.PositiveShareRun("toy", positives, 0, 150, 0.4 + 0.02 * off, dict.fromkeys(bench.ESTIMATES, 0.4), 0.02)


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "RECORDS", tmp_path / "records.jsonl")
    monkeypatch.setattr(bench, "TUNING_SETS", {"toy": toy})
    return tmp_path / "records.jsonl"


def test_a_run_is_recorded_once_and_shown(records, capsys):
    bench.main(["--draws", "2"])
    found = bench.read_runs(records, bench.PositiveShareRun)
    assert [one.key for one in found] == [("toy", 20, 0), ("toy", 20, 1)], "half stay hidden"
    assert all(set(one.shares) == set(bench.ESTIMATES) for one in found)
    assert found[0].shares["ours"] == pytest.approx(found[0].true_share, abs=0.2)
    assert "| 20 | 2 | " in capsys.readouterr().out
    bench.main(["--draws", "2"])
    assert len(records.read_text().splitlines()) == 2


def test_sides_of_the_interval():
    runs = [run(-BELOW - 0.5), run(ABOVE + 0.5), run(-BELOW + 0.5), run(ABOVE - 0.5)]
    low, high = bench.interval(runs[0])
    assert (low, high) == pytest.approx((0.4 - 0.02 * BELOW, 0.4 + 0.02 * ABOVE))
    assert bench.share_table(runs)[-1].endswith("| 50% | 25% | 25% |")


def test_the_reach_of_the_interval_is_judged_by_sets_left_out():
    calm = [replace(run(off), draw=off) for off in range(-5, 6)]
    wild = [replace(one, data="wild", true_share=0.4 + 0.2 * one.draw) for one in calm]
    alone = bench.held_left_out(calm + wild, 0.1)
    assert all(alone[one.key] for one in calm), "as far as the wild set reaches"
    assert [one.draw for one in wild if alone[one.key]] == [0], "no further than the calm one does"
    assert bench.choice_table(calm)[2] == "| 10% | 4.0 | 4.0 | 100% |  |  |"


def test_rows_are_drawn_until_enough_are_positive(monkeypatch):
    monkeypatch.setattr(sets, "ROWS", 40)
    monkeypatch.setattr(sets, "POSITIVES", 10)
    rare, common = np.arange(1000) % 20 == 0, np.arange(1000) % 2 == 0
    X = np.arange(1000.0)[:, None]
    rows, positive = sets.drawn_rows(X, rare)
    assert positive.sum() == 10
    assert positive[-1], "not one row more than it takes"
    assert np.array_equal(rare[rows[:, 0].astype(int)], positive)
    assert len(sets.drawn_rows(X, common)[1]) == 40
    assert len(sets.drawn_rows(X[:100], rare[:100])[1]) == 100, "all rows where there are too few"


def test_half_of_the_positive_rows_stay_hidden():
    positive = np.arange(100) % 2 == 0
    assert len(sets.known_rows(positive, 25, 0)) == 25
    assert positive[sets.known_rows(positive, 25, 0)].all()
    assert sets.known_rows(positive, 26, 0) is None


def test_no_set_is_for_tuning_and_for_the_report():
    assert not set(sets.SETS) & set(sets.TUNING_SETS)
    assert len(sets.SETS) >= 10
