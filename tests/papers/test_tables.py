"""The table files: readable, complete, and equal to the transcribed values where those are at hand."""

import csv
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from semisvm import datasets
from semisvm_papers.table import Table, list_tables
from semisvm_papers.tasks import DrawnSplits, FreshDraws, PublishedSplits

from .toys import TOY

TABLES = list_tables()


def test_tables_stand_in_the_order_of_their_numbers():
    survey = [name for name in TABLES if name.startswith("s3vmopt-table") and Table.load(name).variant_of is None]
    assert survey[:3] == ["s3vmopt-table1", "s3vmopt-table2", "s3vmopt-table3"]
    assert survey[-1].startswith("s3vmopt-table15")


def test_tables_are_found():
    assert "s3vmopt-table8" in TABLES
    assert "s3vmopt-table1" in TABLES


@pytest.mark.parametrize("name", TABLES)
def test_table_declares_what_it_needs(name):
    table = Table.load(name)
    assert table.name == name
    assert table.rows
    for row in table.rows:
        assert (row.source is None) == (row.not_runnable is not None or row.derived is not None)
        if row.source is not None:
            assert row.source.load in datasets.__all__
    for column in table.columns:
        assert (column.estimator is None) == (column.not_runnable is not None or column.derived is not None)


TRANSCRIBED = sorted({csv_file for name in TABLES if (csv_file := Table.load(name).csv)})


@pytest.mark.parametrize("file", TRANSCRIBED)
@pytest.mark.skipif("SEMISVM_PUBLISHED" not in os.environ, reason="SEMISVM_PUBLISHED names no folder")
def test_published_values_equal_the_transcribed_ones(file):
    tables = [table for table in map(Table.load, TABLES) if table.csv == file]
    metrics = {table.metric for table in tables}
    metrics |= {entry.metric for table in tables for entry in (*table.rows, *table.columns) if entry.metric}
    by_setting = any(entry.setting for table in tables for entry in (*table.rows, *table.columns))
    with (Path(os.environ["SEMISVM_PUBLISHED"]) / file).open(encoding="utf-8") as lines:
        transcribed = {
            (line["dataset"], line["method"], line["setting"] if by_setting else None, line["metric"]): (
                float(line["value"]),
                float(line["std"]) if line["std"] else None,
            )
            for line in csv.DictReader(lines)
            if line["metric"] in metrics and line["value"]
        }
    declared = {key: value for table in tables for key, value in declared_values(table).items()}
    assert declared == transcribed


def declared_values(table):
    columns = {column.method: column for column in table.columns}
    return {
        (
            row.printed_as or row.dataset,
            columns[method].printed_as or method,
            row.setting or columns[method].setting,
            row.metric or columns[method].metric or table.metric,
        ): (value.mean, value.std)
        for row in table.rows
        for method, value in row.published.items()
    }


def test_tables_without_transcribed_values_print_none():
    for table in map(Table.load, TABLES):
        assert table.csv or not declared_values(table)


@pytest.mark.skipif("SEMISVM_PUBLISHED" not in os.environ, reason="SEMISVM_PUBLISHED names no folder")
def test_survey_parameters_equal_the_transcribed_ones():
    path = Path(os.environ["SEMISVM_PUBLISHED"]) / "s3vmopt_table5_hyperparameters.csv"
    with path.open(encoding="utf-8") as file:
        transcribed = {(line["dataset"], line["metric"]): float(line["value"]) for line in csv.DictReader(file)}
    for name in (name for name in TABLES if name.startswith("s3vmopt")):
        for row in Table.load(name).rows:
            for parameter in ("sigma", "C"):
                printed = "Uspst" if row.dataset == "Uspst2" else row.printed_as or row.dataset
                if row.derived is None:
                    assert row.parameters[parameter] == transcribed[printed, parameter]


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in TABLES if "imdb" not in name])  # half a minute of tokens
def test_every_row_supplies_its_splits(name):
    table = Table.load(name)
    for row in table.rows:
        if row.source is not None:
            tasks = list(islice(row.source.tasks(), table.splits_of(row)))
            assert len(tasks) == table.splits_of(row)
            for task in tasks:
                assert np.isin(task.seen, task.test).all()
                parts = [task.labeled, task.unlabeled, task.validation, np.setdiff1d(task.test, task.seen)]
                assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(task.y)))
                assert len(task.scored_rows)
                assert set(task.y[task.labeled]) == set(task.y)


@pytest.mark.data
def test_sizes_are_those_of_the_survey():
    sizes = {}
    for name in ("s3vmopt-table1", "s3vmopt-table8"):
        for row in Table.load(name).rows:
            if row.source is not None:
                task = next(row.source.tasks())
                sizes[row.dataset] = (len(np.unique(task.y)), task.X.shape[1], len(task.y), len(task.labeled))
    assert sizes == {
        "g50c": (2, 50, 550, 50),
        "Text": (2, 7511, 1946, 50),
        "Uspst": (10, 256, 2007, 50),
        "Isolet (groups 1 and 5)": (9, 617, 1080, 50),
        "Coil20": (20, 1024, 1440, 40),
        "Coil3": (3, 1024, 216, 6),
        "2moons": (2, 102, 200, 2),
    }


@pytest.mark.data
def test_sources_are_repeatable():
    sources = [
        PublishedSplits("load_g50c", n_labeled=50),
        DrawnSplits("load_coil3", per_class=2),
        FreshDraws("make_two_moons", labeled=[0, 1]),
    ]
    for source in sources:
        first, again = (list(islice(source.tasks(), 3)) for _ in range(2))
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.labeled, other.labeled)
            np.testing.assert_array_equal(one.X, other.X)
    drawn = [tuple(task.labeled) for task in islice(sources[1].tasks(), 10)]
    assert len(set(drawn)) == 10


def test_true_ratio_of_two_and_more_classes():
    task = next(FreshDraws("make_two_moons", labeled=[0, 1]).tasks())
    assert task.true_ratio() == 0.5
    three = type(task)(task.X[:6], np.array([0, 1, 2, 2, 2, 1]), np.array([0, 1, 2]))
    assert three.true_ratio() == [0, 1 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('splits = "fresh"', 'splits = "stale"', "splits = 'stale' is not known: use one of published, drawn, fresh."),
        ("n_splits = 3", "", "has an entry no table knows: .*n_splits"),
        ('dataset = "lost"', "", "has an entry no table knows: .*dataset"),
        ("published = { nearest = 7 }", "", "lacks the entry 'published'"),
        ("published = { nearest = 7 }", "published = { fast = 7 }", "has a value of fast for lost but no such column"),
        ("true_ratio = true", 'protocol = "magic"', "protocol 'magic' is not known"),
        ("true_ratio = true", 'assign = "guess"', "assign = 'guess' is not known"),
        ('title = "a toy"', "title = a toy", "cannot be read"),
    ],
)
def test_mistakes_in_a_table_file_are_named(old, new, sentence):
    assert old in TOY
    with pytest.raises(ValueError, match=sentence):
        Table.parse("toy", TOY.replace(old, new))


def test_a_table_of_ones_own(tmp_path):
    (tmp_path / "mine.toml").write_text(TOY)
    assert Table.read(tmp_path / "mine.toml").name == "mine"
    with pytest.raises(ValueError, match=r"There is no table 'mine': the tables are .*s3vmopt-table1"):
        Table.load("mine")
