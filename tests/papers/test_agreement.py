"""The rule of agreement, number by number."""

import math

import pytest

from semisvm_papers.agreement import Verdict, cells_of, count, judged, order_correlation, tolerance
from semisvm_papers.records import Record
from semisvm_papers.table import Published, Table

from .toys import TOY, resolver


def around(mean, spread=0.0, n=10):
    """n figures with that mean; half of them below by the spread, half above."""
    return [mean + (spread if place % 2 else -spread) for place in range(n)]


@pytest.mark.parametrize(
    ("ours", "theirs", "agrees"),
    [
        (around(6.0), 5.0, True),  # one point
        (around(6.01), 5.0, False),
        (around(4.0), 5.0, True),
        (around(3.99), 5.0, False),
        (around(33.0), 30.0, True),  # a tenth of theirs
        (around(33.01), 30.0, False),
        (around(27.0), 30.0, True),
    ],
)
def test_one_point_or_a_tenth(ours, theirs, agrees):
    assert (judged(ours, Published(theirs), 10) is Verdict.AGREES) == agrees


def test_two_standard_errors_where_theirs_are_printed():
    ours = around(10.0, spread=3.0)
    s = 3.0 * math.sqrt(10 / 9)
    allowed = 2 * math.sqrt(s**2 / 10 + 4.0**2 / 20)
    assert allowed > 1.3
    assert tolerance(ours, Published(8.0, 4.0), 20) == pytest.approx(allowed)
    assert judged(ours, Published(10.0 - allowed + 0.01, 4.0), 20) is Verdict.AGREES
    assert judged(ours, Published(10.0 - allowed - 0.01, 4.0), 20) is Verdict.DIFFERS
    assert judged(ours, Published(10.0 - allowed + 0.01), 20) is Verdict.DIFFERS
    assert tolerance(around(10.0), Published(8.0, 0.0), 10) == 1


def test_accuracies_are_compared_as_errors():
    # a tenth of 95 % would be 9.5 points; a tenth of the error of 5 % is less than one point
    assert tolerance(around(90), Published(95.0), 10, accuracy=True) == 1
    assert tolerance(around(90), Published(70.0), 10, accuracy=True) == pytest.approx(3)
    assert judged(around(92.0), Published(95.0), 10, accuracy=True) is Verdict.DIFFERS


def test_fewer_than_ten_splits_never_agree():
    assert judged(around(5.0, n=9), Published(5.0), 10) is Verdict.FEW_SPLITS
    assert judged(around(5.0, n=10), Published(5.0), 10) is Verdict.AGREES


def record(method, split, error, failure=None, dataset="moons"):
    return Record("toy", dataset, method, split, split, error, 0.1, None, None, None, {}, "2000-01-01", failure)


def verdicts(text, records):
    cells = cells_of(Table.parse("toy", text), records, resolver())
    return {(cell.dataset, cell.method): cell.verdict for cell in cells}


def test_published_deviations_are_those_of_as_many_splits_as_the_paper_had():
    records = [record("nearest", split, 8.0) for split in range(10)]
    wide = TOY.replace("{ mean = 40, std = 2.5 }", "{ mean = 5, std = 4 }")
    assert verdicts(wide, records)["moons", "nearest"] is Verdict.AGREES
    certain = wide.replace("n_splits = 3", "n_splits = 3\nn_published = 100")
    assert verdicts(certain, records)["moons", "nearest"] is Verdict.DIFFERS


def test_verdicts_of_a_table():
    records = [record("nearest", split, 40.0) for split in range(10)] + [record("broken", 0, None, "ValueError: no")]
    assert verdicts(TOY, records) == {
        ("moons", "nearest"): Verdict.AGREES,
        ("moons", "broken"): Verdict.FAILED,
        ("moons", "future"): Verdict.NOT_RUNNABLE,
        ("lost", "nearest"): Verdict.NOT_RUNNABLE,
    }
    assert verdicts(TOY, [])["moons", "nearest"] is Verdict.NOT_RUN
    assert verdicts(TOY, records[:3])["moons", "nearest"] is Verdict.FEW_SPLITS


def test_times_are_shown_and_not_judged():
    records = [record("nearest", split, 40.0) for split in range(10)]
    timed = TOY.replace('metric = "unlabeled_error_pct"', 'metric = "train_time_s"')
    assert verdicts(timed, records)["moons", "nearest"] is Verdict.SHOWN
    assert not Verdict.SHOWN.counts
    assert not Verdict.NOT_RUNNABLE.counts
    assert Verdict.NOT_RUN.counts


def test_failed_splits_are_counted_beside_the_others():
    records = [record("nearest", split, 40.0) for split in range(10)] + [record("nearest", 10, None, "ValueError: no")]
    first = cells_of(Table.parse("toy", TOY), records, resolver())[0]
    assert (len(first.ours), first.n_failed, first.verdict) == (10, 1, Verdict.AGREES)
    assert first.mean == 40.0
    assert first.std == 0.0


ORDERED = TOY.replace("broken = 1.5, future = 3", "broken = 50, future = 60").replace("NotWrittenYet", "Nearest")


@pytest.mark.parametrize(("errors", "expected"), [((1, 2, 3), 1.0), ((3, 2, 1), -1.0), ((1, 3, 2), 1 / 3)])
def test_order_of_the_methods(errors, expected):
    records = [record(method, 0, error) for method, error in zip(("nearest", "broken", "future"), errors, strict=True)]
    cells = cells_of(Table.parse("toy", ORDERED), records, resolver())
    assert order_correlation(cells) == pytest.approx(expected)


def test_two_methods_have_no_order():
    records = [record("nearest", 0, 1.0), record("broken", 0, 2.0)]
    assert order_correlation(cells_of(Table.parse("toy", ORDERED), records, resolver())) is None


def test_counting():
    cells = cells_of(Table.parse("toy", TOY), [record("nearest", split, 40.0) for split in range(10)], resolver())
    counts = count(cells)
    assert (counts[Verdict.AGREES], counts[Verdict.NOT_RUN], counts[Verdict.NOT_RUNNABLE]) == (1, 1, 2)
    assert sum(counts.values()) == len(cells) == 4
