"""Every published value is measured or listed with the reason why not; splits are those that were published."""

import csv
import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from semisvm import datasets
from semisvm_papers.not_runnable import KINDS, NotRunnable, list_not_runnable, list_settings
from semisvm_papers.table import Table, list_tables

ENTRIES = list_not_runnable() + list_settings()
published = pytest.mark.skipif("SEMISVM_PUBLISHED" not in os.environ, reason="SEMISVM_PUBLISHED names no folder")


def transcribed():
    """(file, line) of every published value."""
    for path in sorted(Path(os.environ["SEMISVM_PUBLISHED"]).glob("*_*_*.csv")):
        with path.open(encoding="utf-8") as file:
            yield from ((path.name, line) for line in csv.DictReader(file) if line["value"])


def declared():
    """For every published value of the table files whether it is run; a setting of None stands for all."""
    found = {}
    for table in map(Table.load, list_tables()):
        for row in table.rows:
            for column in table.columns:
                if column.method in row.published:
                    names = (row.printed_as or row.dataset, column.printed_as or column.method)
                    setting, metric = row.setting or column.setting, row.metric or column.metric or table.metric
                    found[table.csv, *names, setting, metric] = not (row.not_runnable or column.not_runnable)
    return found


@published
def test_every_published_value_is_run_or_listed_and_none_is_both():
    tables = declared()
    wrong = []
    for file, line in transcribed():
        names = (file, line["dataset"], line["method"])
        run = any(tables.get((*names, setting, line["metric"]), False) for setting in (line["setting"], None))
        listed = sum(entry.fits(file, line) for entry in ENTRIES)
        if listed != (0 if run else 1):
            wrong.append((*names, line["setting"], line["metric"], f"run: {run}, listed {listed} times"))
    assert wrong == []


@published
def test_every_entry_counts_its_values():
    lines = list(transcribed())
    counts = {entry: sum(entry.fits(file, line) for file, line in lines) for entry in ENTRIES}
    assert {entry: number for entry, number in counts.items() if number != entry.values} == {}


def test_every_entry_has_a_reason_and_values():
    for entry in ENTRIES:
        assert entry.reason
        assert entry.reason[0].islower() or entry.reason.split()[0].isupper() or entry.reason.startswith("SemiBoost")
        assert entry.values > 0


def test_reasons_are_of_a_closed_list_and_nothing_is_left_undone():
    kinds = {entry.kind for entry in list_not_runnable()}
    assert kinds <= set(KINDS.values())
    assert kinds == {"no data to be had", "of a method of another paper"}


def test_patterns_and_words():
    entry = NotRunnable("toy.csv", "nobody has it", 2, dataset="lost*", metric="error_pct")
    line = {"dataset": "lost(3)", "method": "SVM", "setting": "", "metric": "error_pct"}
    assert entry.fits("toy.csv", line)
    assert not entry.fits("other.csv", line)
    assert not entry.fits("toy.csv", {**line, "metric": "time_s"})
    assert not entry.fits("toy.csv", {**line, "dataset": "moons"})
    assert entry.what == "toy: lost*, error_pct"
    assert NotRunnable("toy.csv", "nobody has it", 2).what == "toy"


CHECKSUMS = {
    "g50c @50": (10, "ba1b57f0b2c74c20"),
    "text @50": (10, "9fae3ebd89b558ba"),
    "uspst @50": (10, "4db0861138ef95e2"),
    "ssl g241c @10": (12, "5053f0e25e54544b"),
    "ssl g241c @100": (12, "bde537564aa8b4b5"),
    "ssl g241n @10": (12, "5053f0e25e54544b"),
    "ssl g241n @100": (12, "bde537564aa8b4b5"),
    "ssl digit1 @10": (12, "a09777fd72db5757"),
    "ssl digit1 @100": (12, "16bb092d1b879ede"),
    "ssl usps @10": (12, "2eeafe52cb4957ac"),
    "ssl usps @100": (12, "59c4cd06150c6074"),
    "ssl bci @10": (12, "201ac20d8dd419b1"),
    "ssl bci @100": (12, "f06d865354a48b12"),
    "ssl text @10": (12, "574ae92cf9e5e694"),
    "ssl text @100": (12, "687759ff6cd7ccfd"),
}
"""Number of splits, and the beginning of the SHA-256 of their row numbers (64 bits each, little end first)."""


def checksum(splits):
    return sha256(np.ascontiguousarray(splits, dtype="<i8").tobytes()).hexdigest()[:16]


def published_splits():
    for name, load in (("g50c", datasets.load_g50c), ("text", datasets.load_text), ("uspst", datasets.load_uspst)):
        yield name, load()
    for name in ("g241c", "g241n", "digit1", "usps", "bci", "text"):
        yield f"ssl {name}", datasets.load_ssl(name)


@pytest.mark.data
def test_splits_are_the_published_ones():
    found = {
        f"{name} @{size}": (len(splits), checksum(splits))
        for name, data in published_splits()
        for size, splits in data.splits.items()
    }
    assert found == CHECKSUMS
