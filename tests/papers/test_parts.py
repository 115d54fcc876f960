"""Cells in parts: each part is kept, none is measured twice, and the whole is what one measurement would have said."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest

from semisvm_papers.jobs import pending_jobs
from semisvm_papers.parts import Assembly, parts_of
from semisvm_papers.protocol import InParts, Outcome
from semisvm_papers.protocols import Sensitivity, Sweep
from semisvm_papers.records import read_parts, read_records
from semisvm_papers.runner import run, run_tables
from semisvm_papers.table import Table

from .test_processes import plain
from .toys import TOY, Nearest, resolver, toy_table

SWEPT = TOY.replace(
    'estimator = "Nearest"\n', 'estimator = "Nearest"\nprotocol = "sweep"\nparameter = "C"\nvalues = [1, 2, 3, 4]\n'
)


class Stops(Nearest):
    """As a user who presses Ctrl-C during the sixth fit."""

    def fit(self, X, y):
        if type(self).fits == 5:
            raise KeyboardInterrupt
        return super().fit(X, y)


class FailsAtThree(Nearest):
    def fit(self, X, y):
        if self.C == 3:
            raise ArithmeticError("it does not converge")
        return super().fit(X, y)


@pytest.fixture(autouse=True)
def fresh_counts():
    Nearest.fits = Stops.fits = FailsAtThree.fits = 0


def swept(name="swept"):
    return Table.parse(name, SWEPT)


def untimed(record):
    return plain(replace(record, measures={name: of for name, of in record.measures.items() if name != "times"}))


def test_the_whole_is_what_one_measurement_says():
    table = swept()
    records = run(table, methods=["nearest"], resolve=resolver())
    assert [(record.split, record.part) for record in records] == [(0, None), (1, None), (2, None)]
    assert Nearest.fits == 12
    assert all(record.measures["swept"] == [1, 2, 3, 4] for record in records)
    assert all(len(record.measures["times"]) == 4 for record in records)
    assert all(record.seconds >= sum(record.measures["times"]) for record in records)


def test_a_stopped_run_goes_on_with_the_next_part(tmp_path):
    out = tmp_path / "swept.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(swept(), out=out, methods=["nearest"], resolve=resolver(Nearest=Stops))
    assert [record.split for record in read_records(out)] == [0]
    assert [(part.split, part.part) for part in read_parts(out)] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
    records = run(swept(), out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 12 - 5
    uninterrupted = run(swept(), methods=["nearest"], resolve=resolver())
    assert list(map(untimed, records)) == list(map(untimed, uninterrupted))


def test_a_cell_of_which_every_part_is_there_is_put_together(tmp_path):
    out = tmp_path / "swept.jsonl"
    whole = run(swept(), splits=1, out=out, methods=["nearest"], resolve=resolver())
    lines = [line for line in out.read_text().splitlines() if '"part": null' not in line]
    assert len(lines) == 4
    out.write_text("\n".join(lines) + "\n")
    assert list(map(untimed, run(swept(), splits=1, out=out, methods=["nearest"], resolve=resolver()))) == list(
        map(untimed, whole)
    )
    assert Nearest.fits == 4


def test_parts_of_a_cell_that_was_declared_otherwise_do_not_count(tmp_path):
    out = tmp_path / "swept.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(swept(), out=out, methods=["nearest"], resolve=resolver(Nearest=Stops))
    other = Table.parse("swept", SWEPT.replace("sigma = 0.5", "sigma = 0.6"))
    run(other, out=out, methods=["nearest"], resolve=resolver())
    assert Nearest.fits == 12


def test_a_part_that_fails_fails_the_cell_and_is_alone_to_be_tried_again(tmp_path):
    out = tmp_path / "swept.jsonl"
    chosen = {"splits": 1, "out": out, "methods": ["nearest"]}
    (failed,) = run(swept(), **chosen, resolve=resolver(Nearest=FailsAtThree))
    assert failed.failure == "Part 3: ArithmeticError: it does not converge"
    assert failed.error_pct is None
    run(swept(), **chosen, resolve=resolver())
    assert Nearest.fits == 0
    (repaired,) = run(swept(), **chosen, resolve=resolver(), retry_failures=True)
    assert Nearest.fits == 1
    assert repaired.failure is None
    assert repaired.measures["swept"] == [1, 2, 3, 4]


def test_a_warning_of_a_part_is_kept_with_the_whole():
    class WarnsAtTwo(Nearest):
        def fit(self, X, y):
            if self.C == 2:
                warnings.warn("gap 0.1 left")
            return super().fit(X, y)

    (record,) = run(swept(), splits=1, methods=["nearest"], resolve=resolver(Nearest=WarnsAtTwo))
    assert record.warning == "gap 0.1 left"


def test_processes_share_the_parts(tmp_path):
    out = tmp_path / "swept.jsonl"
    records = run(swept(), splits=1, out=out, methods=["nearest"], resolve=resolver(), n_jobs=2)
    assert Nearest.fits == 0
    assert list(map(untimed, records)) == list(
        map(untimed, run(swept(), splits=1, methods=["nearest"], resolve=resolver()))
    )
    assert sorted(part.part for part in read_parts(out)) == [0, 1, 2, 3]


def test_tables_share_the_parts_of_cells_declared_alike(tmp_path):
    def files(name):
        return tmp_path / f"{name}.jsonl"

    one, two = swept("one"), swept("two")
    tables = [one, two]
    jobs = [job for table in tables for job in pending_jobs(table, methods=["nearest"], resolve=resolver())]
    stopped = [replace(job, make=Stops) for job in jobs]
    with pytest.raises(KeyboardInterrupt):
        run_tables(tables, files, stopped)
    assert len(read_parts(files("one"))) == 5
    assert not read_parts(files("two"))
    seen = []
    records = run_tables(tables, files, [job for job in jobs if job.split > 0], watch=seen.append)
    assert Nearest.fits == 12 - 5
    assert len(records) == 6
    assert sum(record.part is not None for record in seen) == 12 - 5


def test_what_a_cell_consists_of():
    whole, sweep = (pending_jobs(one, splits=1, resolve=resolver())[0] for one in (toy_table(), swept()))
    assert parts_of(whole) == [whole]
    assert [job.part for job in parts_of(sweep)] == [0, 1, 2, 3]
    assert {job.key for job in parts_of(sweep)} == {sweep.key}
    assembly = Assembly([whole, sweep])
    assert assembly.left == [whole, *parts_of(sweep)]
    assert not list(assembly.complete())


def test_a_protocol_in_parts_measures_all_of_them():
    @dataclass(frozen=True)
    class Counts(InParts):
        n_parts = 3

        def measure_part(self, part, build, task, seed):
            return Outcome(float(part), None, None)

        def whole(self, outcomes):
            return Outcome(float(np.mean([one.error_pct for one in outcomes])), None, None)

    assert Counts().measure(Nearest, None, 0).error_pct == 1.0
    assert Sensitivity().n_parts == 27
    assert Sweep("C", [1, 2]).n_parts == 2
