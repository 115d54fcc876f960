"""Statements of the papers: each has one verdict, verdicts follow from records, and reasons are from a closed list."""

import csv
import os
from dataclasses import replace
from pathlib import Path

import pytest

from semisvm_papers.agreement import Cell, Verdict
from semisvm_papers.claim_checks import KINDS, Check, Measured, NoRecordError, find
from semisvm_papers.claim_settings import KINDS as SETTING_KINDS
from semisvm_papers.claim_settings import Declared, Setting, find_setting
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
    assert {claim.setting.kind for claim in CLAIMS if claim.setting} == set(SETTING_KINDS)


def test_every_setting_is_declared_somewhere():
    declared = Declared({name: Table.load(name) for name in list_tables()})
    for claim in CLAIMS:
        if (setting := claim.setting) is not None and not setting.kind.startswith("record"):
            assert find_setting(setting, claim.number, declared), claim.id


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


def test_bounds_of_exponents_are_not_exceeded():
    sizes = {"x": 100.0, "y": 200.0, "z": 400.0}
    cells, labels = dict.fromkeys(((name, "a") for name in sizes), 1.0), dict.fromkeys(sizes, 0.0)
    # n^2 seconds over n steps
    figures = measured(cells, s={k: v**2 for k, v in sizes.items()}, steps=sizes, n_unlabeled=sizes, n_labeled=labels)
    assert find(check("exponent at most", figure="s", per="steps"), 3, figures).holds
    assert find(check("exponent at most", figure="s", per="steps"), 0.5, figures).ours == "1.00"
    assert not find(check("exponent at most", figure="s", per="steps"), 0.4, figures).holds
    assert not find(check("exponent at most", figure="s"), 1, figures).holds


def test_two_printed_times_are_compared_as_a_factor():
    asked = check("factor", against="b", datasets=["x"], ratio=8)
    assert find(asked, 900, measured(TWO)).holds
    assert not find(replace(asked, ratio=8.1), 900, measured(TWO)).holds


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
        "Of 4 statements of the papers 1 hold and 1 do not hold; of 0 that say how an experiment was set up, our runs "
        "follow 0; 2 are not judged (1 setting, 1 not run)."
    )


TABLE = Table.parse(
    "t",
    """
title = "T"
paper = "P"
metric = "error_pct"
n_splits = 4
[[columns]]
method = "a"
estimator = "SupervisedSVM"
parameters = { C = 3 }
protocol = "grid by folds"
grid = { kernel = ["linear", "rbf"] }
n_folds = 7
[[columns]]
method = "nobody"
not_runnable = "it is lost"
[[rows]]
dataset = "x"
data = { load = "load_g50c", splits = "drawn", n_labeled = 10, only = ["u", "v"], held_out = 0.25 }
published = {}
[[rows]]
dataset = "y"
data = { load = "load_g50c", splits = "drawn", n_labeled = 30, only = ["v", "w"] }
parameters = { C = 5 }
n_splits = 6
published = {}
[[rows]]
dataset = "z"
not_runnable = "it is lost"
published = {}
""",
)


@pytest.mark.parametrize(
    ("kind", "more", "ours"),
    [
        ("splits", {}, "4 to 6"),
        ("splits", {"datasets": ["x"]}, "4"),
        ("rows", {}, "2"),
        ("methods", {}, "1"),
        ("classes", {}, "3"),
        ("data", {"name": "n_labeled", "take": "largest"}, "30"),
        ("data", {"name": "share", "scale": 100}, "25"),
        ("data", {"name": ["n_labeled", "share"], "over": ["n_labeled"], "datasets": ["x"]}, "1.025"),
        ("parameters", {"name": "C"}, "3 to 5"),
        ("protocol", {"name": "n_folds"}, "7"),
        ("protocol", {"name": "kernel"}, "2"),
        ("records", {"datasets": ["x"]}, "1"),
        ("recorded", {"name": "size", "take": "least"}, "5"),
        ("code", {"name": "semisvm.schedules:Cooling.first"}, "10"),
        ("code", {"name": "semisvm:QuasiNewtonS3VM.weights.1"}, "0.1"),
        ("code", {"name": "semisvm.algorithms.laplacian_stopping:interval", "at": 400}, "10"),
    ],
)
def test_kinds_of_settings(kind, more, ours):
    facts = (0, 0, 1.0, 0.1, None, None, None, {}, "")
    records = [Record("t", "x", "a", *facts, measures={"size": 5.0}), Record("t", "y", "a", *facts)]
    records.append(Record("t", "y", "a", *facts, failure="no", measures={"size": 1.0}))
    declared, setting = Declared({"t": TABLE}, records), Setting(kind, table="t", **more)
    found = find_setting(setting, 1e9, declared)
    assert (found.ours, found.followed) == (ours, False)
    if " to " not in ours:
        assert find_setting(setting, float(ours), declared).followed
        assert find_setting(replace(setting, within=0.6), float(ours) + 0.5, declared).followed


def test_generated_rows_lie_as_far_from_zero_as_stated():
    asked = Setting("generator", "make_gaussian4c", axis=1, within=0.05)
    assert find_setting(asked, 5.0, Declared()).followed
    assert not find_setting(replace(asked, axis=0), 5.0, Declared()).followed


def test_settings_are_counted_apart_from_results():
    claims = [
        Claim("QN001", "a", 6, setting=Setting("splits", table="t", datasets=["y"])),
        Claim("QN002", "b", 7, setting=Setting("splits", table="t", datasets=["y"])),
        Claim("QN003", "c", 7, setting=Setting("recorded", "size", table="t")),
    ]
    judged = judged_claims(claims, measured(TWO), Declared({"t": TABLE}))
    assert [one.verdict for one in judged] == [Judged.FOLLOWED, Judged.NOT_FOLLOWED, Judged.NOT_JUDGED]
    assert "0 hold and 0 do not hold; of 2 that say how an experiment was set up, our runs follow 1; 1 are not" in (
        claims_sentence(judged)
    )


def test_a_statement_has_a_check_or_a_known_reason():
    with pytest.raises(ValueError, match="needs one of a check, a setting and a reason in not_judged"):
        Claim("QN001", "a")
    with pytest.raises(ValueError, match="needs one of a check"):
        Claim("QN001", "a", check=check("figure"), not_judged="setting")
    with pytest.raises(ValueError, match="'dull' of QN001 is no reason: use setting"):
        Claim("QN001", "a", not_judged="dull")
    with pytest.raises(ValueError, match="check kind 'guess' is not known"):
        check("guess")
    with pytest.raises(ValueError, match="setting kind 'guess' is not known"):
        Setting("guess")
    with pytest.raises(ValueError, match="names the table 'lost', and there is none"):
        find_setting(Setting("rows", table="lost"), 1, Declared())
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
