"""Cells that follow from other records, by hand."""

import pytest
from scipy.stats import ttest_rel

from semisvm_papers.derived import Derived, derived_records, source_tables
from semisvm_papers.records import Record
from semisvm_papers.table import Table

TABLE = """
title = "derived"
paper = "nobody 2000"
metric = "mean_rank"
n_splits = 2

[[columns]]
method = "a"
estimator = "A"

[[columns]]
method = "b"
estimator = "B"

[[columns]]
method = "c"
estimator = "C"

[[columns]]
method = "all"
derived = { RULE }

[[rows]]
dataset = "x"
data = { load = "make_g50c", splits = "fresh", labeled = [0] }
published = {}

[[rows]]
dataset = "y"
data = { load = "make_g50c", splits = "fresh", labeled = [0] }
published = {}

[[rows]]
dataset = "both"
derived = { RULE }
published = {}
"""


def record(dataset, method, split, error, objective, table="own", failure=None):
    return Record(
        table, dataset, method, split, split, error, 1.0, objective, 3, "abc", {}, "2000-01-01", failure=failure
    )


RECORDS = [
    record("x", "a", 0, 10.0, 1.0),
    record("x", "b", 0, 20.0, 2.0),
    record("x", "c", 0, 15.0, 2.0 + 1e-9),
    record("y", "a", 0, 30.0, 5.0),
    record("y", "b", 0, 20.0, 4.0),
    record("y", "c", 0, 25.0, 3.0),
    record("x", "a", 1, None, None, failure="it broke"),
    record("x", "a", 0, 99.0, 0.0, table="another"),
]


def cells(rule, records=RECORDS):
    table = Table.parse("own", TABLE.replace("RULE", rule))
    return {(one.dataset, one.method, one.split): one.measures for one in derived_records(table, records)}


def test_mean_over_data_sets():
    found = cells('kind = "mean", of = "error_pct"')
    assert found["both", "a", 0]["error_pct"] == 20
    assert found["both", "c", 0]["error_pct"] == 20
    assert ("both", "a", 1) not in found


def test_mean_rank_with_ties():
    found = cells('kind = "mean rank", of = "objective"')
    # x: 1, 2.5, 2.5 (equal to a millionth); y: 3, 2, 1
    ranks = [found["both", method, 0]["mean_rank"] for method in "abc"]
    assert ranks == [2.0, 2.25, 1.75]


def test_ranks_among_some_methods():
    found = cells('kind = "mean rank", of = "objective", among = ["a", "b"]')
    assert [found["both", method, 0]["mean_rank"] for method in "ab"] == [1.5, 1.5]
    assert ("both", "c", 0) not in found


def test_kendall_over_methods():
    found = cells('kind = "kendall", of = "error_pct", against = "objective"')
    assert found["y", "all", 0]["kendall"] == pytest.approx(1 / 3)
    assert ("x", "all", 1) not in found


def test_kendall_waits_for_splits_that_are_not_done():
    rule = 'kind = "kendall", of = "error_pct", against = "objective"'
    begun = [record("y", method, 1, error, error) for method, error in (("a", 30.0), ("b", 20.0), ("c", 10.0))]
    fourth = [record("y", "d", split, 40.0, 40.0) for split in (0, 1)]
    assert ("y", "all", 1) not in cells(rule, [*RECORDS, *begun, fourth[0]])
    assert cells(rule, [*RECORDS, *begun, *fourth])["y", "all", 1]["kendall"] == pytest.approx(1)


def test_paired_test_over_methods():
    found = cells('kind = "t test", of = "error_pct", against = "objective"')
    expected = ttest_rel([10, 20, 15], [1, 2, 2 + 1e-9]).pvalue
    assert found["x", "all", 0]["p_value"] == pytest.approx(expected)
    assert found["both", "a", 0]["n_records"] == 2


def test_paired_test_over_methods_and_data_sets():
    found = cells('kind = "t test", of = "error_pct", against = "objective"')
    expected = ttest_rel([10, 20, 15, 30, 20, 25], [1, 2, 2 + 1e-9, 5, 4, 3]).pvalue
    assert found["both", "all", 0]["p_value"] == pytest.approx(expected)
    assert found["both", "all", 0]["n_records"] == 6


def test_paired_test_of_means_takes_one_pair_of_every_split():
    found = cells('kind = "t test of means", of = "error_pct", against = "objective"')
    # one split of x and one of y, of three methods each
    expected = ttest_rel([15, 25], [(5 + 1e-9) / 3, 4]).pvalue
    assert found["both", "all", 0]["p_value"] == pytest.approx(expected)
    assert ("x", "all", 0) not in found


def test_the_column_rules_where_a_derived_row_and_column_meet():
    compared = 'of = "error_pct", against = "objective"'
    text = TABLE.replace("RULE", f'kind = "t test of means", {compared}', 1).replace(
        "RULE", f'kind = "t test", {compared}'
    )
    found = {(one.dataset, one.method): one for one in derived_records(Table.parse("own", text), RECORDS)}
    expected = ttest_rel([15, 25], [(5 + 1e-9) / 3, 4]).pvalue
    assert found["both", "all"].measures["p_value"] == pytest.approx(expected)


def test_records_of_another_table():
    rule = 'kind = "mean", of = "error_pct", table = "another"'
    assert cells(rule)["both", "a", 0]["error_pct"] == 99
    assert source_tables(Table.parse("own", TABLE.replace("RULE", rule))) == {"another"}
    assert source_tables(Table.parse("own", TABLE.replace("RULE", 'kind = "mean", of = "error_pct"'))) == set()


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="'median' is not known: use one of mean, mean rank, rank sum, kendall"):
        Derived("median", "error_pct")
    with pytest.raises(ValueError, match="compares two figures: name the second one as against"):
        Derived("kendall", "error_pct")


RANKED = """
title = "ranks"
paper = "nobody 2000"
metric = "rank"
n_splits = 1

[[columns]]
method = "a"
estimator = "A"
shows = "rank_sum"

[[columns]]
method = "b"
estimator = "B"
shows = "rank_sum"

[[rows]]
dataset = "one set"
derived = { kind = "rank sum", of = "error_pct", table = ["own", "other"], datasets = ["x"] }
published = {}

[[rows]]
dataset = "sum"
derived = { kind = "rank sum", of = "error_pct", table = ["own", "other"] }
published = {}
"""


def rank_sums(records):
    table = Table.parse("ranks", RANKED)
    assert source_tables(table) == {"own", "other"}
    return {(one.dataset, one.method): (one.split, one.measures["rank_sum"]) for one in derived_records(table, records)}


def test_rank_sums_are_of_the_means_over_the_splits():
    # means on x: a 12, b 20, c 12; on y, of another table: a 30, b 20, c 25
    records = [record("x", "a", 0, 10.0, None), record("x", "a", 1, 14.0, None)]
    records += [record("x", "b", 1, 20.0, None), record("x", "c", 0, 12.0, None)]
    errors = {"a": 30.0, "b": 20.0, "c": 25.0}
    records += [record("y", method, 0, error, None, table="other") for method, error in errors.items()]
    assert rank_sums(records) == {
        ("one set", "a"): (0, 1.0),
        ("one set", "b"): (0, 3.0),
        ("sum", "a"): (0, 4.0),
        ("sum", "b"): (0, 4.0),
    }
    # an order of fewer methods is another figure
    assert set(rank_sums(records[:-1])) == {("one set", "a"), ("one set", "b")}
