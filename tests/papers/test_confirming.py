"""One split run again says whether all records of a cell still hold; where it differs, all splits are run again."""

from dataclasses import replace

import numpy as np
import pytest

from semisvm_papers.checking import affordable_checks, check, other_kernels, run_again
from semisvm_papers.confirming import (
    CodeState,
    Confirmation,
    confirmation_of,
    difference,
    read_confirmations,
    state_of,
    states_of,
    to_check,
)
from semisvm_papers.fingerprint import fingerprint_of
from semisvm_papers.jobs import pending_jobs
from semisvm_papers.measuring import TaskSupply, measure
from semisvm_papers.records import append_record, read_parts, read_records
from semisvm_papers.report import gather
from semisvm_papers.report_markdown import markdown
from semisvm_papers.runner import run
from semisvm_papers.table import Table

from .test_parts import swept
from .toys import TOY, Nearest, resolver, toy_table


class Farthest(Nearest):
    """Another method under the same name: code that has changed."""

    def fit(self, X, y):
        super().fit(X, y)
        self.transduction_ = np.where(y >= 0, y, 1 - self.transduction_)
        return self


def cells(table, make=Nearest):
    return pending_jobs(table, splits=1, methods=["nearest"], resolve=resolver(Nearest=make))


def recorded(path, table, code="earlier"):
    for record in run(table, methods=["nearest"], resolve=resolver()):
        append_record(path, replace(record, code=code))
    return read_records(path)


def test_records_hold_the_fingerprint_of_their_code(tmp_path):
    records = run(toy_table(), out=tmp_path / "toy.jsonl", methods=["nearest"], resolve=resolver())
    (job,) = cells(toy_table())
    assert {record.code for record in records} == {fingerprint_of(job)}
    assert {record.code for record in read_records(tmp_path / "toy.jsonl")} == {fingerprint_of(job)}
    assert states_of([job], records, []) == {("toy", "moons", "nearest"): CodeState.TODAY}


def test_a_whole_cell_has_a_fingerprint_if_all_its_parts_have_it(tmp_path):
    path = tmp_path / "swept.jsonl"
    run(swept(), splits=1, out=path, methods=["nearest"], resolve=resolver())
    assert read_records(path)[0].code is not None
    parts = [replace(part, code="earlier") if part.part == 1 else part for part in read_parts(path)]
    path.unlink()
    for part in parts:
        append_record(path, part)
    run(swept(), splits=1, out=path, methods=["nearest"], resolve=resolver())
    assert read_records(path)[0].code is None


def test_states():
    (record, *_) = run(toy_table(), splits=1, methods=["nearest"], resolve=resolver())
    record = replace(record, code="earlier")
    right = Confirmation(record.declaration, 0, None, "now", None, "", 1e-7)
    assert state_of([record], "earlier", []) is CodeState.TODAY
    assert state_of([record], "now", []) is CodeState.UNCHECKED
    assert state_of([record], "now", [right]) is CodeState.CONFIRMED
    assert state_of([record], "later", [right]) is CodeState.CONFIRMED_BEFORE
    assert state_of([record], "later", [right, replace(right, difference=1e-5)]) is CodeState.UNCHECKED
    assert state_of([record], "now", [replace(right, declaration="other")]) is CodeState.UNCHECKED
    assert state_of([record], "now", [right, replace(right, difference=1e-5)]) is CodeState.DIFFERS
    assert state_of([record], "now", [replace(right, difference=None)]) is CodeState.DIFFERS
    assert state_of([record, replace(record, code="now")], "now", []) is CodeState.UNCHECKED
    assert state_of([replace(record, code=None)], None, []) is CodeState.UNCHECKED


def test_figures_are_compared_and_times_are_not():
    (record, *_) = run(toy_table(), splits=1, methods=["nearest"], resolve=resolver())
    record = replace(record, objective=200.0, measures={"fit_seconds": 1.0, "curve": [1.0, 2.0]})
    names = ("error_pct", "objective", "fit_seconds", "curve", "missing")
    assert difference(record, record, names) == 0
    assert difference(record, replace(record, objective=200.1), names) == pytest.approx(5e-4)
    assert difference(record, replace(record, objective=None), names) == float("inf")
    assert difference(record, replace(record, measures={"fit_seconds": 9.0, "curve": [1.0, 2.0]}), names) == 0
    assert difference(record, replace(record, measures={"curve": [1.0]}), names) == float("inf")
    assert difference(replace(record, objective=None), record, names) == 0


def test_the_quickest_split_is_run_again_and_confirms_the_cell(tmp_path):
    table, path = toy_table(), tmp_path / "records" / "toy.jsonl"
    records = [replace(one, seconds=3.0 - one.split) for one in recorded(path, table)]
    pairs = to_check(cells(table), records, [], [])
    assert [(job.key, before.split) for job, before in pairs] == [(("toy", "moons", "nearest", 2), 2)]
    assert affordable_checks(pairs, 0.5) == []
    assert affordable_checks(pairs, 1.0) == affordable_checks(pairs, None) == pairs
    (one,) = check(pairs, tmp_path / "confirmed.jsonl")
    known = read_confirmations(tmp_path / "confirmed.jsonl")
    assert known == [one[2]]
    assert known[0].same
    assert known[0].code == fingerprint_of(pairs[0][0])
    assert states_of(cells(table), records, known) == {("toy", "moons", "nearest"): CodeState.CONFIRMED}
    assert to_check(cells(table), records, [], known) == []


def test_other_figures_make_the_cell_run_again(tmp_path):
    table, path = toy_table(), tmp_path / "toy.jsonl"
    # the split that is run again is one on which the other end differs: not with half of the labels wrong
    records = [replace(one, seconds=1 / (1 + abs(one.error_pct - 50))) for one in recorded(path, table)]
    pairs = to_check(cells(table, Farthest), records, [], [])
    ((job, _, found),) = check(pairs, tmp_path / "confirmed.jsonl")
    assert not found.same
    assert states_of(cells(table, Farthest), records, [found]) == {job.key[:3]: CodeState.DIFFERS}
    again = pending_jobs(table, methods=["nearest"], resolve=resolver(Nearest=Farthest))
    assert len(list(run_again(again, lambda name: path))) == 3
    new = read_records(path)
    assert all(one.error_pct == pytest.approx(100 - old.error_pct) for one, old in zip(new, records, strict=True))
    assert states_of(cells(table, Farthest), new, [found]) == {job.key[:3]: CodeState.TODAY}


def test_a_cell_that_shows_a_time_keeps_it_when_its_error_has_moved(tmp_path):
    text = TOY.replace('method = "nearest"', 'method = "nearest"\nshows = "seconds"', 1)
    assert text != TOY
    table = Table.parse("toy", text)
    records = [replace(one, seconds=1 / (1 + abs(one.error_pct - 50))) for one in recorded(tmp_path / "a.jsonl", table)]
    ((job, _, found),) = check(to_check(cells(table, Farthest), records, [], []), tmp_path / "confirmed.jsonl")
    assert states_of(cells(table, Farthest), records, [found]) == {job.key[:3]: CodeState.TIME_KEPT}
    assert to_check(cells(table, Farthest), records, [], [found]) == []
    same = replace(found, difference=0.0)
    assert states_of(cells(table, Farthest), records, [same]) == {job.key[:3]: CodeState.CONFIRMED}


def test_a_failure_does_not_confirm():
    (record, *_) = run(toy_table(), splits=1, methods=["nearest"], resolve=resolver())
    (job,) = cells(toy_table())
    assert confirmation_of(job, record, replace(record, failure="it does not converge")).difference is None


def test_one_part_stands_for_a_cell_in_parts(tmp_path):
    table, path = swept(), tmp_path / "swept.jsonl"
    run(table, splits=1, out=path, methods=["nearest"], resolve=resolver())
    records, parts = read_records(path), [replace(part, seconds=part.part + 1.0) for part in read_parts(path)]
    old = [replace(record, code="earlier", seconds=9.0) for record in records]
    ((job, before),) = to_check(cells(table), old, parts, [])
    assert (job.part, before.part) == (0, 0)
    ((_, _, found),) = check([(job, before)], tmp_path / "confirmed.jsonl")
    assert found.same
    assert found.part == 0


def test_a_part_is_run_again_where_the_whole_lists_the_errors_of_its_parts(tmp_path):
    table, job = swept(), cells(swept())[0]
    (record,) = run(table, splits=1, methods=["nearest"], resolve=resolver())
    outcomes = [measure(replace(job, part=part), TaskSupply()) for part in range(4)]
    errors = [outcome.error_pct for outcome in outcomes]
    old = replace(record, code="earlier", seconds=8.0, measures={"errors_pct": errors})
    ((again, before),) = to_check([job], [old], [], [])
    assert (again.part, before.part, before.seconds, before.error_pct) == (2, 2, 2.0, errors[2])
    ((*_, found),) = check([(again, before)], tmp_path / "confirmed.jsonl")
    assert found.same
    other = replace(old, measures={"errors_pct": [*errors[:2], errors[2] + 1, errors[3]]})
    ((*_, found),) = check(to_check([job], [other], [], []), tmp_path / "other.jsonl")
    assert not found.same
    ((again, before),) = to_check([job], [replace(old, measures={"errors_pct": errors[:3]})], [], [])
    assert (again.part, before) == (None, replace(old, measures={"errors_pct": errors[:3]}))


def test_other_kernels_than_those_of_the_records_are_named():
    (record, *_) = run(toy_table(), splits=1, methods=["nearest"], resolve=resolver())
    made = [replace(record, versions={"blas": name}) for name in ("openblas Haswell", "openblas Zen")]
    assert other_kernels([made[0], replace(record, versions={})], "openblas Haswell") is None
    assert "kernels of openblas Zen and are checked with those of openblas Haswell" in other_kernels(
        made, "openblas Haswell"
    )
    assert confirmation_of(cells(toy_table())[0], record, made[1]).kernels == "openblas Zen"


def test_cells_that_are_declared_alike_are_checked_once(tmp_path):
    twin = Table.parse("twin", TOY)
    records = [*recorded(tmp_path / "toy.jsonl", toy_table()), *recorded(tmp_path / "twin.jsonl", twin)]
    both = [*cells(toy_table()), *cells(twin)]
    pairs = to_check(both, records, [], [])
    assert len(pairs) == 1
    known = [found for *_, found in check(pairs, tmp_path / "confirmed.jsonl")]
    assert set(states_of(both, records, known).values()) == {CodeState.CONFIRMED}


def test_the_report_counts_states(tmp_path):
    table = toy_table()
    records = recorded(tmp_path / "toy.jsonl", table)
    found = [one for *_, one in check(to_check(cells(table), records, [], []), tmp_path / "confirmed.jsonl")]
    before = gather([table], records, resolve=resolver())
    after = gather([table], records, resolve=resolver(), confirmations=found)
    assert before.confirmed == "Of the 1 cells with records: 1 made with earlier code, not checked."
    assert after.confirmed == "Of the 1 cells with records: 1 confirmed with today's code."
    assert after.summary()["confirmed"] == after.confirmed
    assert "| [toy](#toy) | 0 | 1 | 0 | 0 |" in markdown(after, {})
