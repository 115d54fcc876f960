"""Time left and cells that fit, from recorded seconds."""

import io
import sys
from dataclasses import replace

import pytest

from semisvm_papers.costs import Costs, affordable, in_words
from semisvm_papers.jobs import pending_jobs
from semisvm_papers.progress import cells_done
from semisvm_papers.records import Record
from semisvm_papers.table import Table

from .toys import TOY, resolver, toy_table


def record(method, seconds, table="toy", dataset="moons", split=0):
    return Record(table, dataset, method, split, split, 5.0, seconds, None, None, None, {}, "2000-01-01")


def jobs(name="toy"):
    return pending_jobs(Table.parse(name, TOY), resolve=resolver())


def test_cells_cost_what_they_cost_before():
    costs = Costs([record("nearest", 2.0), record("nearest", 4.0, split=1), record("broken", 9.0)])
    assert [costs.known(job) for job in jobs()[:2]] == [3.0, 9.0]
    assert costs.time_left(jobs(), 1) == pytest.approx(3 * 3 + 3 * 9)
    assert costs.time_left(jobs(), 2) == pytest.approx((3 * 3 + 3 * 9) / 2)
    assert costs.time_left(jobs(), 100) == 9.0
    assert costs.time_left([], 2) == 0


def test_what_was_never_run_costs_what_is_nearest():
    nearest, broken = jobs()[:2]
    costs = Costs([record("nearest", 2.0, dataset="other"), record("x", 8.0)])
    assert costs.known(nearest) is None
    assert costs.expected(nearest) == 2.0  # the method on another set
    assert costs.expected(broken) == 5.0  # the table
    elsewhere = Costs([record("x", 7.0, table="elsewhere")])
    assert elsewhere.expected(nearest) == 7.0
    assert Costs().expected(nearest) is None
    assert Costs().time_left(jobs(), 1) is None


def test_whole_cells_fit_the_quickest_first():
    costs = Costs([record("nearest", 2.0), record("broken", 9.0)])
    kept, left_out = affordable(jobs(), costs, 10)
    assert [(job.column.method, job.split) for job in kept] == [("nearest", 0), ("nearest", 1), ("nearest", 2)]
    assert {job.column.method for job in left_out} == {"broken"}
    assert len(affordable(jobs(), costs, 6 + 27)[0]) == 6
    assert affordable(jobs(), costs, 5.9)[0] == []


def test_cells_that_were_never_run_are_left_out():
    kept, left_out = affordable(jobs(), Costs([record("broken", 1.0)]), 1e9)
    assert {job.column.method for job in kept} == {"broken"}
    assert {job.column.method for job in left_out} == {"nearest"}


def test_every_table_gets_its_quickest_cell_first():
    costs = Costs([record("nearest", 1.0), record("broken", 2.0), record("nearest", 5.0, table="slow")])
    kept, _ = affordable([*jobs("toy"), *jobs("slow")], costs, 3 + 15)
    assert {(job.table.name, job.column.method) for job in kept} == {("toy", "nearest"), ("slow", "nearest")}


def test_times_in_words():
    assert [in_words(seconds) for seconds in (40, 600, 3 * 3600 + 300)] == ["40 s", "10 min", "3 h 5 min"]


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_tells_the_cell_and_the_time_left(monkeypatch):
    monkeypatch.setattr("sys.stderr", FakeTerminal())
    monkeypatch.setenv("COLUMNS", "120")
    with cells_done(jobs(), Costs([record("nearest", 100.0), record("broken", 300.0)]), 2) as advance:
        for job in jobs():
            advance(record(job.column.method, 100.0, split=job.split))
    shown = sys.stderr.getvalue()
    assert "about 10 min left" in shown
    assert "toy: moons, broken" in shown
    assert "6/6" in shown


def test_progress_tells_parts_and_counts_whole_cells(monkeypatch):
    monkeypatch.setattr("sys.stderr", FakeTerminal())
    monkeypatch.setenv("COLUMNS", "120")
    with cells_done(jobs(), Costs(), 2) as advance:
        advance(replace(record("broken", 1.0), part=6))
    shown = sys.stderr.getvalue()
    assert "toy: moons, broken (part 7)" in shown
    assert "0/6" in shown
    assert "1/6" not in shown


def test_progress_is_silent_in_a_pipe(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with cells_done(jobs(), Costs(), 2) as advance:
        advance(record("nearest", 1.0))
    assert sys.stderr.getvalue() == ""


def test_jobs_of_a_table_are_known_by_their_keys():
    assert {job.key[:3] for job in pending_jobs(toy_table(), resolve=resolver())} == {
        ("toy", "moons", "nearest"),
        ("toy", "moons", "broken"),
    }
