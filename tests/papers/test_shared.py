"""Several tables in one go: each cell in the file of its table, cells in common measured once."""

from dataclasses import replace

import pytest

from semisvm_papers import runner
from semisvm_papers.jobs import pending_jobs
from semisvm_papers.records import read_records
from semisvm_papers.runner import run_tables
from semisvm_papers.shared import taken_over
from semisvm_papers.table import Table

from .toys import TOY, InterruptedNearest, Nearest, resolver


@pytest.fixture(autouse=True)
def fresh_counts():
    Nearest.fits = InterruptedNearest.fits = 0


def tables():
    different = TOY.replace("sigma = 0.5", "sigma = 0.6")
    return [Table.parse("one", TOY), Table.parse("two", TOY), Table.parse("far", different)]


def jobs_of(chosen, records=()):
    return [job for one in chosen for job in pending_jobs(one, records, methods=["nearest"], resolve=resolver())]


def test_cells_in_common_are_measured_once(tmp_path):
    chosen = tables()
    records = run_tables(chosen, lambda name: tmp_path / f"{name}.jsonl", jobs_of(chosen))
    assert Nearest.fits == 3 + 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far.jsonl", "one.jsonl", "two.jsonl"]
    assert len(records) == 9
    one, two = ([r for r in records if r.table == name] for name in ("one", "two"))
    assert [r.error_pct for r in one] == [r.error_pct for r in two]
    assert {r.dataset for r in read_records(tmp_path / "two.jsonl")} == {"moons"}


def test_earlier_runs_of_other_tables_count(tmp_path):
    def files(name):
        return tmp_path / "all.jsonl"

    one, two = tables()[:2]
    run_tables([one], files, jobs_of([one]))
    seen = []
    run_tables([one, two], files, jobs_of([one, two], read_records(files(""))), watch=seen.append)
    assert Nearest.fits == 3
    assert [(r.table, r.split) for r in seen] == [("two", 0), ("two", 1), ("two", 2)]


def test_records_of_a_table_that_is_not_run_count(tmp_path):
    def files(name):
        return tmp_path / f"{name}.jsonl"

    one, two = tables()[:2]
    done = run_tables([one], files, jobs_of([one]))
    records = run_tables([two], files, jobs_of([two]), known=done)
    assert Nearest.fits == 3
    assert [(r.table, r.split) for r in records] == [("two", 0), ("two", 1), ("two", 2)]


def test_records_of_cells_as_they_were_declared_before_are_not_returned(tmp_path):
    def files(name):
        return tmp_path / f"{name}.jsonl"

    one = tables()[0]
    run_tables([one], files, jobs_of([one]))
    changed = Table.parse("one", TOY.replace("sigma = 0.5", "sigma = 0.6"))
    assert run_tables([changed], files, []) == []
    assert len(run_tables([one], files, [])) == 3


def test_rows_that_are_to_be_alone_have_one_process_after_all_others(monkeypatch):
    handed = []

    def noted(jobs, processes, time_limit):
        handed.append(([job.row.dataset for job in jobs], processes))
        return iter(())

    monkeypatch.setattr(runner, "measured", noted)
    row = TOY[TOY.index("[[rows]]") : TOY.index('[[rows]]\ndataset = "lost"')]
    large = Table.parse("large", TOY + row.replace('"moons"', '"many moons"\nalone = true'))
    large = replace(large, rows=(large.rows[-1], *large.rows[:-1]))
    assert list(runner.run_jobs(jobs_of([large]), n_jobs=2)) == []
    assert handed == [(["moons"] * 3, 2), (["many moons"] * 3, 1)]


def test_an_interrupted_run_of_several_tables_goes_on(tmp_path):
    def files(name):
        return tmp_path / f"{name}.jsonl"

    chosen = tables()
    slow = resolver(Nearest=InterruptedNearest)
    jobs = [job for one in chosen for job in pending_jobs(one, methods=["nearest"], resolve=slow)]
    with pytest.raises(KeyboardInterrupt):
        run_tables(chosen, files, jobs)
    done = [record for name in ("one", "two", "far") for record in read_records(files(name))]
    assert len(done) == 4
    run_tables(chosen, files, jobs_of(chosen, done))
    assert Nearest.fits == 1 + 3


def test_failures_and_old_records_are_not_taken_over(tmp_path):
    one, two = tables()[:2]
    broken = pending_jobs(one, methods=["broken"], resolve=resolver())
    records = run_tables([one], lambda name: tmp_path / "one.jsonl", broken)
    assert all(record.failure for record in records)
    found, left = taken_over(pending_jobs(two, methods=["broken"], resolve=resolver()), records)
    assert (len(found), len(left)) == (0, 3)
