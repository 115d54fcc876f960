"""The report: counts, sentences, both pages, figures."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from semisvm_papers.figures import drawings
from semisvm_papers.not_runnable import NotRunnable
from semisvm_papers.pages import write_pages
from semisvm_papers.records import Record
from semisvm_papers.report import Explanation, gather, read_all_records, read_explanations
from semisvm_papers.report_html import html
from semisvm_papers.report_markdown import markdown
from semisvm_papers.report_text import figure_text
from semisvm_papers.table import Table, list_tables

from .toys import TOY, resolver

FIGURE = """
[[figures]]
title = "error < gap"
x = "steps"
y = "errors"
x_label = "steps of annealing"

[[figures]]
title = "over the sets"
x = "size"
y = "error_pct"
x_scale = "log"

[[figures]]
title = "never recorded"
x = "nothing"
y = "error_pct"
"""
MISSING = NotRunnable("toy.csv", "nobody has the data", 1, dataset="lost")


def record(method, split, error, failure=None, **measures):
    machine = {"cores": 2, "GiB": 23.5}
    facts = ("toy", "moons", method, split, split, error, 0.1, None, None, "abc123", {}, f"2026-11-{10 + split}T10:00")
    declared = Table.parse("toy", TOY).declarations["toy", "moons", method]
    return Record(*facts, failure, None, measures, machine, declared)


def shown(nearest=40.0, explanations=(), text=TOY, n_splits=10, **measures):
    records = [record("nearest", split, nearest + split % 2, **measures) for split in range(n_splits)]
    records.append(record("broken", 0, None, "ValueError: a < b"))
    return gather([Table.parse("toy", text)], records, explanations, [MISSING], resolver(NotWrittenYet=None))


def test_the_opening_comment_of_a_table_is_shown():
    report = shown(text="# Widths are ours,\n#   not <theirs>.\n\n# no remark\n" + TOY)
    assert report.tables[0].table.remarks == "Widths are ours, not <theirs>."
    assert "Widths are ours, not &lt;theirs&gt;." in html(report, {})
    assert "Widths are ours, not <theirs>." in markdown(report, {})


def test_counts_and_last_line():
    report = shown()
    assert report.last_line == "1 of 2 cells agree; values not measured: 1 no data to be had"
    assert shown(nearest=60.0).last_line == "0 of 2 cells agree; values not measured: 1 no data to be had"
    summary = report.summary()
    assert summary["tables"][0]["agrees"] == 1
    assert summary["tables"][0]["failed"] == 1
    assert summary["unexplained"] == 0


def test_agreement_is_reported_of_all_and_of_the_papers_own_data():
    own, other = shown(), shown(text=TOY.replace('dataset = "moons"', 'dataset = "moons"\nstand_in = true'))
    assert (
        "enough splits 1 of 1 (100 %) agree; of those whose rows of data are the paper's own, 1 of 1" in own.agreement
    )
    assert (
        "enough splits 1 of 1 (100 %) agree; of those whose rows of data are the paper's own, 0 of 0."
        in other.agreement
    )
    assert "0 of 1 (0 %) agree" in shown(nearest=60.0).agreement
    assert shown(n_splits=2).agreement == "No cell has the 10 splits from which on cells are judged."
    for page in (html(own, {}), markdown(own, {})):
        assert "1 of 1 (100 %) agree" in page


def test_what_is_still_to_be_run_is_listed():
    report = shown(n_splits=2)
    assert report.completeness == (
        "Cells still to be run: toy (2 on fewer splits). All others were run on all of their splits."
    )
    none = gather([Table.parse("toy", TOY)], [], resolve=resolver())
    assert none.completeness.startswith("Cells still to be run: toy (2 not run).")
    failures = [record("broken", split, None, "ValueError: a < b") for split in range(3)]
    records = [record("nearest", split, 40.0) for split in range(3)]
    whole = gather([Table.parse("toy", TOY)], records + failures, resolve=resolver())
    assert whole.completeness == "Every cell that can be run was run on all of its splits."
    assert report.summary()["completeness"] == report.completeness
    for page in (html(report, {}), markdown(report, {})):
        assert "toy (2 on fewer splits)" in page


def test_cells_that_follow_from_another_table_do_not_take_its_records_of_before():
    derived = """
title = "follows"
paper = "nobody 2000"
metric = "unlabeled_error_pct"
n_splits = 1

[[columns]]
method = "nearest"

[[rows]]
dataset = "all"
derived = { kind = "mean", of = "error_pct", table = "toy" }
published = { nearest = 40 }
"""
    now = record("nearest", 0, 40.0)
    before = replace(record("nearest", 1, 60.0), declaration="before")
    # the table that follows comes first, as Table 10 does before Table 9
    follows = gather([Table.parse("follows", derived), Table.parse("toy", TOY)], [now, before], resolve=resolver())
    (cell,) = follows.tables[0].cells
    assert cell.ours == (40.0,)


def test_origin_is_that_of_the_records():
    assert shown().origin == [
        "11 records of 2026-11-10 to 2026-11-19.",
        "Code: abc123 (+ marks uncommitted changes).",
        "Machine: 2 cores, 23.5 GiB; one thread per cell.",
    ]
    assert gather([Table.parse("toy", TOY)], []).origin == ["There are no records yet."]


def test_origin_names_the_kernels_of_blas():
    found = [
        replace(record("nearest", split, 40.0), versions={"blas": f"openblas {of}"} if of else {})
        for split, of in enumerate(["Haswell", "", "SkylakeX", "Haswell"])
    ]
    report = gather([Table.parse("toy", TOY)], found, resolve=resolver())
    assert (
        report.origin[-1]
        == "Kernels of BLAS: openblas Haswell (2 records), openblas SkylakeX (1 records); not recorded before."
    )


def test_sentences_of_disagreements():
    explained = shown(60.0, [Explanation("no", table="other*"), Explanation("other data", method="near*")])
    cell = explained.cells[0]
    assert explained.sentence(cell) == "other data"
    assert "- Differ: moons (nearest): other data" in markdown(explained, {})
    assert "- Differ: moons (nearest): unexplained" in markdown(shown(60.0), {})
    assert shown(60.0).summary()["unexplained"] == 1
    assert explained.summary()["unexplained"] == 0
    assert "Differ" not in markdown(shown(), {})


def test_markdown_shows_ours_beside_theirs():
    text = markdown(shown(), {})
    assert "| moons | ✓ 40.5 ± 0.527 (10) / 40 ± 2.5 | ! failed / 1.5 | ∅ not runnable / 3 |" in text
    assert "- moons (broken): failed: ValueError: a < b" in text
    assert "- lost (nearest): not runnable: nobody has the data" in text
    assert "| [toy](#toy) | 1 | 0 | 0 | 1 | 0 | 2 |  |" in text
    assert "| toy: lost | 1 | no data to be had | nobody has the data |" in text
    assert text.splitlines()[-1] == "1 of 2 cells agree; values not measured: 1 no data to be had"


class Balanced(HTMLParser):
    """Raises where an element is closed that is not the last one opened."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.words = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "path", "use", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("meta", "path", "use", "br"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("nearest", [40.0, 60.0])
def test_html_is_whole_and_says_verdicts_in_words(nearest):
    page = html(shown(nearest), {"toy": ["<svg></svg>"]})
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    verdict, sign = ("agrees", "✓") if nearest == 40 else ("differs", "✗")
    assert re.search(rf'<td class="{verdict}" title="{verdict}">{sign} {nearest + 0.5:.1f}', page)
    assert "ValueError: a &lt; b" in page
    assert "<figure><svg></svg></figure>" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    last = page[page.index("<footer>") :]
    assert " cells agree; values not measured: 1 no data to be had</footer>" in last


def test_figures_are_drawn_from_curves_and_from_numbers():
    curves = {"steps": [1.0, 2.0, 3.0], "errors": [9.0, 6.0, 5.0], "size": 40.0}
    report = shown(text=TOY + FIGURE, **curves)
    first, second = drawings(report.tables[0].table, report.tables[0].records)
    assert first.startswith("<svg")
    assert "steps of annealing" in first
    assert "error &lt; gap" in first
    assert "nearest" in first
    assert "over the sets" in second
    assert list(drawings(report.tables[0].table, report.tables[0].records)) == [first, second]
    assert list(drawings(report.tables[0].table, [])) == []


def test_curves_of_different_lengths_are_drawn_one_by_one():
    table = Table.parse("toy", TOY + FIGURE)
    same = [record("nearest", s, 1.0, steps=[1.0, 2.0], errors=[3.0, 4.0]) for s in range(2)]
    other = [same[0], record("nearest", 1, 1.0, steps=[1.0, 2.0, 3.0], errors=[3.0, 4.0, 5.0])]
    lines = [next(drawings(table, records)).count('id="line2d') for records in (same, other)]
    assert lines[1] > lines[0]


def test_numbers_that_change_from_split_to_split_are_points():
    table = Table.parse("toy", TOY + FIGURE)
    still = [record("nearest", split, 1.0, size=40.0) for split in range(3)]
    moving = [record("nearest", split, 1.0, size=40.0 + split) for split in range(3)]
    assert "PathCollection" not in next(drawings(table, still))
    assert "PathCollection" in next(drawings(table, moving))


def test_pages_are_written_with_their_figures(tmp_path):
    report = shown(text=TOY + FIGURE, steps=[1.0, 2.0], errors=[9.0, 6.0], size=40.0)
    pages = write_pages(report, tmp_path / "new")
    assert [page.name for page in pages] == ["report.html", "report.md"]
    assert sorted(path.name for path in (tmp_path / "new" / "figures").iterdir()) == ["toy-1.svg", "toy-2.svg"]
    assert "](figures/toy-1.svg)" in pages[1].read_text()
    assert pages[0].read_text().count("<svg") == 2


def test_records_of_a_folder_and_reasons_of_a_file(tmp_path):
    from semisvm_papers.records import append_record

    append_record(tmp_path / "a.jsonl", record("nearest", 0, 1.0))
    append_record(tmp_path / "b.jsonl", record("nearest", 1, 2.0))
    append_record(tmp_path / "b.jsonl", record("nearest", 0, 3.0))
    assert [one.error_pct for one in read_all_records(tmp_path)] == [3.0, 2.0]
    assert [one.error_pct for one in read_all_records(tmp_path / "a.jsonl")] == [1.0]
    assert read_explanations(tmp_path / "none.toml") == []
    (tmp_path / "why.toml").write_text('[[because]]\ntable = "toy"\nsentence = "so it is"\n')
    assert read_explanations(tmp_path / "why.toml") == [Explanation("so it is", table="toy")]


def test_figures_have_few_digits():
    assert [figure_text(v) for v in (0, 0.01234, 6.342, 23.14, 1204.4, -6.342)] == [
        "0", "0.0123", "6.34", "23.1", "1204", "-6.34",
    ]  # fmt: skip


def test_the_records_in_the_docs_are_those_of_tables_at_hand():
    root = Path(__file__).parents[2]
    folder = root / "docs" / "papers"
    files = list((root / "papers" / "records").glob("*.jsonl"))
    assert files
    for file in files:
        assert file.stem in list_tables()
        assert {one.table for one in read_all_records(file)} == {file.stem}
    assert re.fullmatch(
        r"\d+ of \d+ cells agree; values not measured: \d+ no data to be had, \d+ of a method of another paper",
        (folder / "report.md").read_text(encoding="utf-8").splitlines()[-1],
    )
    assert all(one.sentence.endswith(".") for one in read_explanations(folder / "disagreements.toml"))


def cells_by_text(text, error, table="toy"):
    declared = Table.parse(table, text).declarations[table, "moons", "nearest"]
    return [replace(record("nearest", split, error), table=table, declaration=declared) for split in range(10)]


def test_cells_that_agree_without_the_cause_are_counted_by_themselves():
    variant = TOY.replace("n_splits = 3", 'n_splits = 3\nvariant_of = "toy"')
    tables = [Table.parse("toy", TOY), Table.parse("again", variant)]
    reason = Explanation("the seed", table="toy", dataset="moons", removed_in="again")

    def causes(without, explanations=(reason,)):
        records = [*cells_by_text(TOY, 50.0), *cells_by_text(variant, without, "again")]
        return gather(tables, records, explanations, [], resolver(NotWrittenYet=None))

    assert "does not pass, 1 of 1 (100 %) are within it" in causes(41.0).causes
    assert causes(41.0).causes.endswith("With those it passes they are 1 of 1 (100 %); the goal is 85 %.")
    assert "does not pass, 0 of 1 (0 %) are within it" in causes(49.0).causes
    assert causes(49.0).causes.endswith("With those it passes they are 0 of 1 (0 %); the goal is 85 %.")
    assert "does not pass, 0 of 1 (0 %) are within it" in causes(41.0, ()).causes
    # a table that measures another one otherwise is not counted
    assert "strict rule 0 of 1 (0 %) agree" in causes(41.0).strictness
    assert causes(41.0).last_line.startswith("0 of 2 cells agree")
    assert causes(41.0).causes in markdown(causes(41.0), {})
