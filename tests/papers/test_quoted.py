"""Figures of the records on other pages: filled in, and found where no record holds them."""

from pathlib import Path

import pytest

from semisvm_papers.agreement import Cell, Verdict
from semisvm_papers.quoted import filled, without_record
from semisvm_papers.report import gather, read_all_records
from semisvm_papers.table import Published, Table, list_tables

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "methods").glob("*.md"))
CELL = Cell("toy", "a set, U", "SVM [s=0]", "error_pct", (6.0, 7.04), Published(19.65, 1.0), Verdict.DIFFERS)
MARK = "<!-- record: toy / a set, U / SVM [s=0] -->"


@pytest.fixture(scope="module")
def cells():
    return gather([Table.load(name) for name in list_tables()], read_all_records(ROOT / "papers" / "records")).cells


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_of_methods_quote_the_records_of_today(page, cells):
    text = page.read_text(encoding="utf-8")
    stale = [line for line in text.splitlines() if filled(line, cells) != line]
    assert not stale, f"run `semisvm papers quote docs/methods/{page.name}`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_of_methods_name_the_record_of_each_figure_beside_a_published_one(page):
    assert without_record(page.read_text(encoding="utf-8")) == []


def test_some_figures_are_quoted():
    assert sum(page.read_text(encoding="utf-8").count("<!-- record: ") for page in PAGES) > 50


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("9.9 / 9.9", "6.5 / 19.7"),
        ("9.99 / 9", "6.52 / 20"),
        ("9", "7"),
        ("of 3 rows **1.0 / 1.00", "of 3 rows **6.5 / 19.65"),
    ],
)
def test_figures_are_filled_in_with_the_digits_that_stand_there(before, after):
    assert filled(f"| {before}{MARK} | 1.5 / 2 |", [CELL]) == f"| {after}{MARK} | 1.5 / 2 |"
    assert filled(f"| {after}{MARK} |", [CELL]) == f"| {after}{MARK} |"


def test_a_cell_without_a_figure_is_refused():
    with pytest.raises(ValueError, match="no record holds it"):
        filled("1.0<!-- record: toy / a set, U / other -->", [CELL])
    not_run = Cell("toy", "a set, U", "SVM [s=0]", "error_pct", (), Published(1.0), Verdict.NOT_RUN)
    with pytest.raises(ValueError, match="no record holds it"):
        filled(f"1.0{MARK}", [not_run])
    own = Cell("toy", "a set, U", "SVM [s=0]", "error_pct", (1.0,), None, Verdict.SHOWN)
    assert filled(f"2.0{MARK}", [own]) == f"1.0{MARK}"
    with pytest.raises(ValueError, match="which has none"):
        filled(f"1.0 / 2.0{MARK}", [own])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LapSVM has 8.3 / 8.2 there", ["8.3 / 8.2"]),
        ("an error of 6.3 ± 1.2", ["6.3 ± 1.2"]),
        ("6.3 % (published 6.28)", ["published 6.28"]),
        (f"8.3 / 8.2{MARK}, 5 / 6", ["5 / 6"]),
        (f"8.3 / 8.2{MARK}", []),
        ("8.3 / 8.2 <!-- no record: an older run -->", []),
        ("8.3 / 8.2 <!-- no record:  -->", ["8.3 / 8.2"]),
        ("8.3 / 8.2\n\nnext <!-- no record: an older run -->", ["8.3 / 8.2"]),
        ("| 1.5 / 2 |\n| 3 / 4 <!-- no record: an older run --> |", ["1.5 / 2"]),
        ("    x = 1 / 2\n\n```python\n3 / 4\n```\n", []),
        ("ten published splits, 1/2 |w|^2", []),
    ],
)
def test_figures_without_a_record_are_found(text, found):
    assert without_record(text) == found
