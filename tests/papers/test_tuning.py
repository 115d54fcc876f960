"""Tuning a cell on the rows it is scored on, in the mean over the splits."""

import pytest

from semisvm_papers.records import Record
from semisvm_papers.runner import run
from semisvm_papers.table import Table
from semisvm_papers.tuning import best_first, read_grid, tuning_table

from . import toys

# an estimator of semisvm in the place of the toy, with a parameter of the cell alone
TABLE = toys.TOY.replace('"Nearest"', '"GradientS3VM"').replace(
    "published =", "cells = { nearest = { tol = 0.1 } }\npublished =", 1
)


def toy() -> Table:
    return Table.parse("toy", TABLE)


def test_every_point_of_the_grid_is_a_column_that_keeps_what_the_cell_declares():
    table = tuning_table(toy(), "moons", "nearest", {"C": [1, 10], "sigma": [0.1, 1]})
    assert [column.method for column in table.columns] == [
        "C = 1, sigma = 0.1",
        "C = 1, sigma = 1",
        "C = 10, sigma = 0.1",
        "C = 10, sigma = 1",
    ]
    assert table.rows[0].cells["C = 10, sigma = 1"] == {"tol": 0.1, "C": 10, "sigma": 1}
    assert len(set(table.declarations.values())) == 4


def test_the_errors_are_those_of_the_cell_with_the_same_parameters():
    tried = best_first(run(tuning_table(toy(), "moons", "nearest", {"C": [0.5, 10], "sigma": [0.5, 5]})))
    cell = [record.error_pct for record in run(toy())]
    assert {one.point: list(one.errors_pct) for one in tried}["C = 10, sigma = 0.5"] == cell
    assert [one.mean for one in tried] == sorted(one.mean for one in tried)
    assert all(one.std is not None and len(one.errors_pct) == 3 for one in tried)


def test_points_are_compared_on_the_splits_that_all_of_them_have():
    def record(point: str, split: int, error: float | None) -> Record:
        failure = "it broke" if error is None else None
        return Record("toy-tuning", "moons", point, split, split, error, 0.1, None, None, None, {}, "", failure)

    records = [record("a", 0, 10.0), record("a", 1, 50.0), record("b", 0, 20.0), record("b", 1, None)]
    assert [(one.point, one.errors_pct, one.std) for one in best_first(records)] == [
        ("a", (10.0,), None),
        ("b", (20.0,), None),
    ]
    assert best_first([]) == []


def test_a_grid_is_read_as_table_files_write_it():
    assert read_grid('{ C = [1, 10], C_unlabeled = ["auto"] }') == {"C": [1, 10], "C_unlabeled": ["auto"]}
    for wrong in ("C=1,10", "{ C = 1 }", "{ C = [] }", "{}", "3"):
        with pytest.raises(ValueError, match=r"write it as \{ C = \[1, 10\] \}"):
            read_grid(wrong)


def test_a_cell_that_is_not_run_cannot_be_tuned():
    with pytest.raises(ValueError, match="outside on moons is not run in toy"):
        tuning_table(toy(), "moons", "outside", {"C": [1]})
    with pytest.raises(ValueError, match="'sun' is not among the data sets of toy: moons, lost"):
        tuning_table(toy(), "sun", "nearest", {"C": [1]})


def test_a_grid_may_speak_in_the_words_of_the_papers():
    tried = best_first(run(tuning_table(toy(), "moons", "nearest", {"C_unlabeled_share": [1.0, 0.01]}), splits=1))
    (cell,) = [record.error_pct for record in run(toy(), splits=1)]
    # the cell has C_unlabeled = "equal", which is the whole of C
    assert {one.point: one.errors_pct for one in tried}["C_unlabeled_share = 1.0"] == (cell,)
    assert len(tried) == 2
