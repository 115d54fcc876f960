"""Statements of the papers: each has one verdict, verdicts follow from records, and reasons are from a closed list."""

import csv
import os
from dataclasses import replace
from pathlib import Path

import pytest

from semisvm_papers.agreement import Cell, Verdict
from semisvm_papers.claim_checks import KINDS, Check, Measured, NoRecordError, find
from semisvm_papers.claims import PAPERS, REASONS, Claim, Judged, claims_sentence, judged_claims, list_claims
from semisvm_papers.records import Record
from semisvm_papers.report import PapersReport
from semisvm_papers.report_html import html
from semisvm_papers.report_markdown import markdown
from semisvm_papers.table import Published, Table, list_tables

CLAIMS = list_claims()


@pytest.mark.skipif("SEMISVM_PUBLISHED" not in os.environ, reason="SEMISVM_PUBLISHED names no folder")
def test_every_transcribed_statement_has_one_entry_with_its_number():
    with (Path(os.environ["SEMISVM_PUBLISHED"]) / "claims.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    printed = [(line["claim_id"], float(line["number"]) if line["number"] else None, line["unit"]) for line in lines]
    assert [(claim.id, claim.number, claim.unit) for claim in CLAIMS] == printed


def test_statements_have_their_own_names_and_words():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.id[:2] for claim in CLAIMS} == set(PAPERS)
    for paper in PAPERS:
        words = [claim.says for claim in CLAIMS if claim.id.startswith(paper)]
        assert len(set(words)) == len(words)


def test_every_check_names_cells_of_a_table():
    tables = {name: Table.load(name) for name in list_tables()}
    for claim in CLAIMS:
        if (check := claim.check) is not None:
            methods = {column.method for column in tables[check.table].columns}
            assert {check.method, *check.among} <= methods, claim.id
            other = tables[check.against_table or check.table]
            assert check.against is None or check.against in {column.method for column in other.columns}, claim.id
            named = [row.dataset for row in tables[check.table].rows]
            cells = [Cell("", name, "", "", (), None, Verdict.SHOWN) for name in named]
            for pattern in check.datasets:
                assert Measured(cells, [])._named(Check("figure", "", "", [pattern]), ""), (claim.id, pattern)


def test_every_kind_of_check_is_used():
    assert {claim.check.kind for claim in CLAIMS if claim.check} == set(KINDS)


def measured(figures, shows="error_pct", published=None, **measures):
    """Cells with the figures of two splits each, by data set and method; measures are the same for all records."""
    cells = [
        Cell("t", dataset, method, shows, (value - 0.5, value + 0.5), published, Verdict.SHOWN)
        for (dataset, method), value in figures.items()
    ]
    facts = (0, 0, 1.0, 0.1, None, None, None, {}, "")
    records = [
        Record("t", dataset, method, *facts, measures={k: v[dataset] for k, v in measures.items()})
        for dataset, method in figures
    ]
    return Measured(cells, records)


def check(kind, method="a", **more):
    return Check(kind, "t", method, **more)


TWO = {("x", "a"): 2.0, ("x", "b"): 8.0, ("y", "a"): 3.0, ("y", "b"): 2.0, ("z", "a"): 1.0, ("z", "b"): 1.0}


@pytest.mark.parametrize(
    ("asked", "number", "ours", "holds"),
    [
        (check("figure", datasets=["x"]), 2.9, "2", True),
        (check("figure", datasets=["x"]), 3.1, "2", False),
        (check("figure", datasets=["x"], within=0.5), 2.9, "2", False),
        (check("figure", datasets=["x"], scale=100), 200, "200", True),
        (check("lowest figure", "b", datasets=["x"]), 2.5, "2 (a)", True),
        (check("lowest figure", "b", datasets=["x"]), 8, "2 (a)", False),
        (check("at most"), 3, "3", True),
        (check("at most"), 2.9, "3", False),
        (check("at most", of_splits=True), 3, "3.5", False),
        (check("below"), 3, "3", False),
        (check("below"), 3.1, "3", True),
        (check("at least"), 1, "1", True),
        (check("at least"), 1.1, "1", False),
        (check("at least", of_splits=True), 1, "0.5", False),
        (check("factor", against="b", datasets=["x"]), 8, "4", True),
        (check("factor", against="b", datasets=["x"]), 8.1, "4", False),
        (check("factor", against="b"), 1, "0.67 (y, least of 3; below 1 on 1)", True),
        (check("factor", against="b"), 2, "0.67 (y, least of 3; below 1 on 1)", False),
        (check("factor", against="b", take="largest"), 8, "4 (x, largest of 3; below 1 on 1)", True),
        (check("rows below", against="b"), 3, "1 of 3 rows", False),
        (check("rows below", against="b", of=3), 1, "1 of 3 rows", True),
        (check("rows below", against="b", of=2), 1, "1 of 3 rows", False),
        (check("rows below", against="b", ties=True, of=3), 2, "2 of 3 rows", True),
        (check("rows below", against="b", datasets=["x"]), 0, "1 of 1 rows", True),
        (check("rows lowest"), 3, "2 of 3 rows", False),
        (check("rows lowest", of=3), 2, "2 of 3 rows", True),
        (check("rows highest", of=3), 2, "2 of 3 rows", True),
        (check("rows highest", of=3), 3, "2 of 3 rows", False),
        (check("place", datasets=["x"], place=1), 0, "2, place 1 of 2", True),
        (check("place", datasets=["x"], place=2), 0, "2, place 1 of 2", False),
        (check("constant", datasets=["x", "z"]), 0, "1 to 2", True),
        (check("constant"), 0, "1 to 3", False),
    ],
)
def test_kinds_of_checks(asked, number, ours, holds):
    finding = find(asked, number, measured(TWO))
    assert (finding.ours, finding.holds) == (ours, holds)


def test_a_published_deviation_is_allowed():
    figures = measured({("x", "a"): 8.0}, published=Published(14.0, 6.0))
    assert find(check("figure"), 14.0, figures).holds
    assert not find(check("figure"), 14.1, figures).holds


def test_exponents_are_slopes_of_logarithms():
    sizes = {"x": 100.0, "y": 200.0, "z": 400.0}
    seconds = {name: (size + 20) ** 2 / 1e4 for name, size in sizes.items()}
    cells = dict.fromkeys(((name, "a") for name in sizes), 1.0)
    figures = measured(cells, fit_seconds=seconds, n_unlabeled=sizes, n_labeled=dict.fromkeys(sizes, 20.0))
    finding = find(check("exponent", figure="fit_seconds"), 2.4, figures)
    assert (finding.ours, finding.holds) == ("2.00", True)
    assert not find(check("exponent", figure="fit_seconds"), 3, figures).holds
    with pytest.raises(NoRecordError):
        find(check("exponent", figure="fit_seconds", datasets=["x", "y"]), 2, figures)


def test_curves_reach_zero():
    figures = measured({("x", "a"): 1.0}, error_curve={"x": [5.0, 1.0, 0.0, 0.0]})
    assert find(check("reached", figure="error_curve"), 3, figures).holds
    assert not find(check("reached", figure="error_curve"), 2, figures).holds
    never = measured({("x", "a"): 1.0}, error_curve={"x": [5.0, 1.0]})
    assert not find(check("reached", figure="error_curve"), 9, never).holds


def test_statements_without_records_are_not_judged():
    claims = [
        Claim("QN001", "a", 2, check=check("figure", datasets=["x"])),
        Claim("QN002", "b", 9, check=check("figure", datasets=["x"])),
        Claim("QN003", "c", 1, check=check("figure", "nobody")),
        Claim("QN004", "d", 1, not_judged="setting"),
    ]
    judged = judged_claims(claims, measured(TWO))
    assert [one.verdict for one in judged] == [
        Judged.HOLDS, Judged.DOES_NOT_HOLD, Judged.NOT_JUDGED, Judged.NOT_JUDGED,
    ]  # fmt: skip
    assert [one.reason for one in judged] == [None, None, "not run", "setting"]
    assert claims_sentence(judged) == (
        "Of 4 statements of the papers 1 hold, 1 do not hold and 2 are not judged (1 setting, 1 not run)."
    )


def test_a_statement_has_a_check_or_a_known_reason():
    with pytest.raises(ValueError, match="needs a check or a reason in not_judged, and not both"):
        Claim("QN001", "a")
    with pytest.raises(ValueError, match="needs a check or a reason"):
        Claim("QN001", "a", check=check("figure"), not_judged="setting")
    with pytest.raises(ValueError, match="'dull' of QN001 is no reason: use setting"):
        Claim("QN001", "a", not_judged="dull")
    with pytest.raises(ValueError, match="check kind 'guess' is not known"):
        check("guess")
    with pytest.raises(ValueError, match="fits 3 data sets"):
        find(check("figure"), 1, measured(TWO))
    with pytest.raises(ValueError, match="name the second one as against"):
        find(check("factor"), 1, measured(TWO))


def test_both_pages_show_the_statements():
    claims = [Claim("QN001", "a < b", 2, "points", check=check("figure", datasets=["x"]))]
    report = PapersReport([], [], [], judged_claims(claims, measured(TWO)))
    assert "| QN001 | a < b | 2 points | holds | 2 |" in markdown(report, {})
    assert '<td class="reason">a &lt; b</td>' in html(report, {})
    assert report.summary()["statements"] == {"QN001": "holds"}
    assert "What the papers say" not in markdown(replace(report, claims=()), {})


def test_reasons_are_said_on_the_page():
    text = markdown(PapersReport([], [], [], judged_claims(CLAIMS[:1], Measured([], []))), {})
    assert all(f"{name} ({meaning})" in text for name, meaning in REASONS.items())
