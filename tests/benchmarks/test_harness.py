"""The benchmark runner: what a figure says, how figures are compared, and a contest with methods of known cost."""

import json

import numpy as np
import pytest
from benchmarks.harness import check, peers, report, table
from benchmarks.harness.contest import CLOCKS, Contest, Draw, Entry
from benchmarks.harness.figure import Figure

from benchmarks import __main__ as runner
from benchmarks import growth


def figure(value=2.0, **more) -> Figure:
    return Figure("task", "method", "SVC fits", value, value, value, **more)


@pytest.mark.parametrize(
    ("value", "bar", "at_least", "met"),
    [(2.0, 2.0, False, True), (2.1, 2.0, False, False), (2.0, 2.0, True, True), (1.9, 2.0, True, False)],
)
def test_a_bar_is_an_upper_one_unless_said(value, bar, at_least, met):
    assert figure(value, bar=bar, at_least=at_least).met is met


def test_no_bar_is_neither_met_nor_missed():
    assert figure().met is None
    assert table.met(figure()) == ""


@pytest.mark.parametrize(("error", "met"), [(6.1, True), (6.2, False)])
def test_an_error_may_exceed_the_best_peer_by_half_a_point(error, met):
    assert figure(error=error, error_spread=0.0, peer_error=5.65).error_met is met


def test_a_figure_survives_json():
    before = figure(bar=3.0, error=1.0, points={"2000": 0.5}, benchmark="growth")
    assert Figure.of_dict(json.loads(json.dumps(before.as_dict()))) == before


class LabeledDraw:
    """A model whose labels of hidden rows are all of class 0."""

    def __init__(self, n: int) -> None:
        self.transduction_ = np.zeros(n, dtype=int)


def test_a_contest_gives_paired_ratios_and_mean_errors(monkeypatch):
    now = [0.0]
    monkeypatch.setitem(CLOCKS, "cpu", lambda: now[0])

    def taking(seconds: float):
        def fit(draw: Draw) -> LabeledDraw:
            # every draw is slower than the one before: ratios are those of one draw
            now[0] += seconds * draw.X.shape[0]
            return LabeledDraw(len(draw.y))

        return fit

    draws = [Draw(np.zeros((n, 1)), np.arange(n) % 2, np.full(n, -1)) for n in (4, 8, 40)]
    entries = [Entry("three", taking(3.0), 3.5), Entry("one draw", taking(5.0), 4.0, draws=1)]
    three, one = Contest("task", {"fits": taking(1.0)}, entries).figures(draws[0], draws)
    assert (three.value, three.low, three.high, three.met, three.error) == (3.0, 3.0, 3.0, True, 50.0)
    assert (one.value, one.met, one.seconds) == (5.0, False, 20.0)


def test_stored_peers_can_be_asked_for_by_task_and_method():
    assert peers.best_error("Text, linear", "quasi-Newton") == 6.38
    assert "SVMlin 30x, 5.7 %" in peers.described("Text, linear", "annealing")
    assert peers.best_error("Text, linear", "tea leaves") is None
    assert all(peer.seconds > 0 and 0 <= peer.error < 100 for peer in peers.stored())


def test_growth_is_the_slope_of_logarithms():
    sizes = [1000, 2000, 4000]
    assert growth.exponent(sizes, [3e-6 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_a_check_warns_above_a_quarter():
    def record(*figures: Figure) -> dict:
        return {"figures": [one.as_dict() for one in figures]}

    recorded = record(figure(2.0), figure(0.5, at_least=True, threads=2))
    assert check.warnings_of(recorded, record(figure(2.5), figure(0.41, at_least=True, threads=2))) == []
    slow, weak = check.warnings_of(recorded, record(figure(2.6), figure(0.39, at_least=True, threads=2)))
    assert slow == "task, method: 2.60 SVC fits, recorded 2.00, 1.30 times worse."
    assert "1.28 times worse" in weak
    assert "not recorded yet" in check.warnings_of(record(), recorded)[0]


def test_an_unknown_benchmark_is_refused(capsys):
    assert runner.main(["flight"]) == 1
    assert "There is no benchmark 'flight'; there are kernel, landmarks," in capsys.readouterr().err


def test_a_run_ends_with_one_table_and_a_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(runner, "BENCHMARKS", ("growth",))
    monkeypatch.setattr(growth, "figures", lambda: iter([figure(2.0, bar=3.0), figure(9.0, bar=3.0, peers="tea 4x")]))
    assert runner.main(["--json", str(tmp_path / "out.json")]) == 0
    said = capsys.readouterr().out
    assert "9.00 SVC fits" in said
    assert "tea 4x" in said
    assert "1 of 2 bars met" in said
    record = json.loads((tmp_path / "out.json").read_text())
    assert [one["benchmark"] for one in record["figures"]] == ["growth", "growth"]
    assert {"commit", "versions", "cores", "load_before", "load_after"} <= set(record["machine"])


def test_a_report_shows_tables_and_plots(tmp_path):
    grown = Figure("g", "m, kernel", "exponent", 1.9, 1.9, 1.9, 2.15, points={"2000": 0.5, "4000": 2.0})
    shown = figure(2.0, bar=3.0, error=5.0, error_spread=0.1, seconds=1.0, benchmark="kernel")
    machine = {"commit": "abc", "taken": "now", "versions": {"numpy": "2"}, "cores": 2, "processor": "p"}
    machine |= {"memory_gib": 8.0, "blas": [], "load_before": 0.1, "load_after": 0.2, "minutes": 1.0}
    record = {"machine": machine, "figures": [shown.as_dict(), grown.as_dict() | {"benchmark": "growth"}]}
    report.write(record, tmp_path)
    page = (tmp_path / "benchmarks.md").read_text()
    assert "| task | method | 2.0 SVC fits (bar 3) | 5.0 |" in page
    assert "| task | method | 2.00 SVC fits | <= 3 | yes |" in page
    for name in ("growth.svg", "error_over_time.svg"):
        assert f"benchmarks/{name}" in page
        assert (tmp_path / "benchmarks" / name).read_text().count("<svg") == 1
