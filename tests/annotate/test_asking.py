"""One row in five is drawn at random; the others are spread rows first, then suggested ones."""

import numpy as np

from semisvm.annotate.asking import FIRST_LABELS, MOST_FIRST_LABELS, Asking
from semisvm.annotate.decisions import Decision
from semisvm.annotate.labels import RowLabels


def labels(rows=300):
    return RowLabels([None] * rows)


def answered(held, question, label):
    held.apply(Decision("answer", (question.row,), label, drawn=question.drawn))


def run(asking, held, times, label=lambda k: "ab"[k % 2]):
    found = []
    for k in range(times):
        question = asking.next(held)
        assert asking.next(held) == question, "the same row until something is decided"
        found.append(question)
        answered(held, question, label(k))
    return found


def test_one_in_five_is_drawn_and_the_first_row_needs_nothing():
    found = run(Asking(seed=1), labels(), 1)
    assert found[0].drawn
    asking = Asking(seed=1, spread=list(range(40)), suggested=list(range(100, 200)))
    found = run(asking, labels(), 50)
    assert [one.drawn for one in found] == [k % 5 == 0 for k in range(50)]


def test_spread_rows_come_first_and_go_on_while_new_classes_turn_up():
    asking = Asking(seed=1, spread=list(range(200)), suggested=list(range(200, 300)))
    whys = [one.why for one in run(asking, labels(), 30) if not one.drawn]
    assert whys.count("spread") == FIRST_LABELS * 4 // 5
    assert whys == sorted(whys)
    whys = [one.why for one in run(asking, labels(), 60, label=str) if not one.drawn]
    assert whys.count("spread") == MOST_FIRST_LABELS * 4 // 5


def test_a_table_with_labels_needs_no_spread_rows():
    held = RowLabels(["a", "b"] * 10 + [None] * 280)
    asking = Asking(seed=1, spread=list(range(100, 200)), suggested=list(range(200, 300)))
    assert {one.why for one in run(asking, held, 10)} == {"drawn", "suggested"}


def test_drawn_rows_are_a_fair_draw_of_the_open_rows():
    counts = np.zeros(20)
    for seed in range(2000):
        counts[Asking(seed=seed).next(labels(20)).row] += 1
    # 2,000 draws of 20 rows: 100 each, within four deviations
    assert np.abs(counts - 100).max() < 40


def test_rows_that_were_answered_skipped_or_filled_are_not_asked_and_skipped_ones_come_back_last():
    held, asking = labels(4), Asking(seed=0, spread=[0, 1, 2, 3])
    held.apply(Decision("answer", (0,), "a"))
    assert asking.next(held).row == 1
    held.apply(Decision("skip", (1,)))
    assert asking.next(held).row == 2
    held.apply(Decision("accept", parts={"a": [2]}))
    assert asking.next(held).row == 2, "an accepted row may be asked: nobody looked at it"
    for row in (2, 3):
        held.apply(Decision("answer", (row,), "a"))
    assert asking.next(held).row == 1
    held.apply(Decision("answer", (1,), "a"))
    assert asking.next(held) is None


def test_rows_that_the_person_wants_come_first():
    held, asking = labels(), Asking(seed=0, spread=[1, 2])
    held.apply(Decision("ask", (50, 60)))
    assert [one.row for one in run(asking, held, 2)] == [50, 60]
    assert held.decided[-1].drawn is False


def test_draws_are_taken_from_the_pool_while_it_lasts():
    held, asking = labels(), Asking(seed=0, pool=np.array([7, 8]))
    rows = [one.row for one in run(asking, held, 2)]
    assert sorted(rows) == [7, 8]
    assert asking.next(held).row not in (7, 8)
