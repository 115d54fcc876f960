"""What an agreement is worth: the strict rule, distinct measurements, power, the sign test."""

import pytest

from semisvm_papers.agreement import cells_of
from semisvm_papers.judgement import is_strict, judgement_of
from semisvm_papers.records import Record
from semisvm_papers.report import gather
from semisvm_papers.report_html import html
from semisvm_papers.report_markdown import markdown
from semisvm_papers.report_text import judgement_lines
from semisvm_papers.table import Published, Table

from .toys import resolver

METHODS = ("first", "second", "third")


def table(published, metric="unlabeled_error_pct", shows="error_pct", same=False):
    """Rows of published figures of three methods, whose measurements differ unless they are to be the same."""
    columns = "".join(
        f'[[columns]]\nmethod = "{method}"\nestimator = "Nearest"\nshows = "{shows}"\n'
        f"parameters = {{ C = {1 if same else place} }}\n"
        for place, method in enumerate(METHODS)
    )
    rows = "".join(
        f'[[rows]]\ndataset = "set {place}"\n'
        f'data = {{ load = "make_two_moons", arguments = {{ n = {40 + place} }}, splits = "fresh", '
        "labeled = [0, 1] }\n"
        f"published = {{ {', '.join(f'{name} = {value}' for name, value in zip(METHODS, row, strict=False))} }}\n"
        for place, row in enumerate(published)
    )
    return Table.parse("toy", f'title = "t"\npaper = "p"\nmetric = "{metric}"\nn_splits = 10\n{columns}{rows}')


def records_of(one, ours, n_splits=10):
    """Records with the same error on all splits, of the methods of each row."""
    return [
        Record(
            "toy", f"set {place}", method, split, split, error, 0.1, None, None, "abc", {}, "2000-01-01",
            declaration=one.declarations["toy", f"set {place}", method],
        )
        for place, row in enumerate(ours)
        for method, error in zip(METHODS, row, strict=False)
        for split in range(n_splits)
    ]  # fmt: skip


def judgement(published, ours, n_splits=10, **how):
    one = table(published, **how)
    return judgement_of(one, cells_of(one, records_of(one, ours, n_splits), resolver()))


@pytest.mark.parametrize(
    ("ours", "published", "strict"),
    [
        (11.0, Published(10.0), True),
        (11.1, Published(10.0), False),
        (12.9, Published(10.0, 3.0), True),
        (13.1, Published(10.0, 3.0), False),
        (10.5, Published(10.0, 0.4), False),  # a deviation below one point is stricter than the point
    ],
)
def test_the_strict_rule_is_one_deviation_or_one_point(ours, published, strict):
    assert is_strict([ours] * 10, published) == strict


def test_a_tenth_of_a_large_error_agrees_and_is_not_strict():
    found = judgement([(30.0,)], [(32.5,)])
    assert (found.n_judged, found.n_agree, found.n_strict) == (1, 1, 0)


def test_power_is_measured_by_the_figures_of_other_methods():
    apart = judgement([(5.0, 20.0, 40.0)], [(5.0, 20.0, 40.0)])
    assert (apart.n_agree, apart.n_others, apart.others_agree, apart.has_power) == (3, 6, 0.0, True)
    alike = judgement([(5.0, 5.5, 6.0)], [(5.0, 5.5, 6.0)])
    assert (alike.n_agree, alike.n_others, alike.others_agree, alike.has_power) == (3, 6, 1.0, False)
    # 28 and 30 agree within a tenth and not within a point; 10 agrees with neither
    strict_alone = judgement([(28.0, 30.0)], [(28.0, 30.0)])
    assert (strict_alone.has_power, strict_alone.strict_has_power) == (False, True)


def test_other_methods_count_in_their_own_row_only_and_without_a_run():
    two_rows = judgement([(5.0, 20.0), (20.0, 5.0)], [(5.0, 20.0), (20.0, 5.0)])
    assert (two_rows.n_others, two_rows.others_agree) == (4, 0.0)
    not_run = judgement([(5.0, 5.5)], [(5.0,)])
    assert (not_run.n_judged, not_run.n_others, not_run.others_agree) == (1, 1, 1.0)


def test_power_is_not_known_with_one_method():
    alone = judgement([(5.0,)], [(5.0,)])
    assert (alone.others_agree, alone.has_power, alone.summary()["has_power"]) == (None, True, None)


def test_the_same_measurement_in_several_cells_is_one():
    published = [(5.0, 20.0, 40.0)]
    assert len(judgement(published, [(5.0, 5.0, 5.0)]).measurements) == 3
    once = judgement(published, [(5.0, 5.0, 5.0)], same=True)
    assert (once.n_judged, len(once.measurements)) == (3, 1)
    assert once.n_above + once.n_below == 1


def test_the_sign_test_is_of_errors():
    published = [(10.0, 20.0, 30.0), (10.0, 20.0, 30.0)]
    above = judgement(published, [(10.1, 20.1, 30.1), (10.1, 20.1, 30.0)])
    assert (above.n_above, above.n_below) == (5, 0)
    # 2 (1/2)^5
    assert above.sign_level == pytest.approx(0.0625)
    below = judgement([(90.0,)], [(10.1,)], metric="accuracy_pct", shows="accuracy_pct")
    # the accuracy of 89.9 is below the published one, so the error is above
    assert (below.n_above, below.n_below, below.sign_level) == (1, 0, 1.0)
    assert judgement([(10.0,)], [(10.0,)]).sign_level is None


def test_cells_of_few_splits_are_not_judged():
    assert judgement([(5.0,)], [(5.0,)], n_splits=9).n_judged == 0


def report_on(published):
    one = table(published)
    return gather([one], records_of(one, published), resolve=resolver())


def test_a_table_without_power_is_named_and_not_counted():
    report = report_on([(5.0, 5.5, 6.0)])
    assert report.last_line == "0 of 0 cells agree; values not measured: none"
    assert report.without_power == [
        "The rule has no power, so that the cells are not counted: toy (3 of 3; others 100 %).",
        "The strict rule has no power, so that the cells are not counted: toy (3 of 3; others 100 %).",
    ]
    assert report.strictness.startswith("By the strict rule 0 of 0 agree;")
    ((_, line),) = judgement_lines(report)
    assert line[4] == "100 %, no power"
    for page in (html(report, {}), markdown(report, {})):
        assert "toy (3 of 3; others 100 %)" in page


def test_pages_and_summary_have_the_judgement():
    report = report_on([(5.0, 20.0, 40.0)])
    assert report.last_line == "3 of 3 cells agree; values not measured: none"
    assert report.without_power == []
    assert report.strictness.startswith("By the strict rule 3 of 3 (100 %) agree;")
    assert "The 3 cells with enough splits of all tables are 3 distinct measurements" in report.strictness
    assert "| [toy](#toy) | 3 | 3 | 3 | 3 | 0 % | 0 % | 0 | 0 |  |" in markdown(report, {})
    assert '<td class="number">0 %</td>' in html(report, {})
    assert report.summary()["tables"][0]["judgement"] == {
        "judged": 3, "agree": 3, "strict": 3, "distinct": 3, "others_agree": 0.0, "others_strict": 0.0,
        "has_power": True, "strict_has_power": True, "above": 0, "below": 0, "sign_test": None,
    }  # fmt: skip
