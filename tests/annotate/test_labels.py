"""Decisions change rows and can all be taken back; twins are filled together."""

import numpy as np

from semisvm.annotate.decisions import Decision
from semisvm.annotate.labels import ORIGINS, RowLabels, Twins

IN_FILE = ["b", None, None, "a", None, None]
STEPS = [
    Decision("answer", (1,), "a", drawn=True),
    Decision("answer", (2,), "new"),
    Decision("accept", parts={"b": [4, 5], "new": [2]}),
    Decision("mend", (3,), "b"),
    Decision("skip", (4,)),
    Decision("ask", (5, 4)),
    Decision("class", label="empty"),
    Decision("merge", label="b", to="a"),
    Decision("dismiss", label="doubt 3 b"),
    Decision("answer", (4,), "a"),
]


def labels(twins=None):
    return RowLabels(list(IN_FILE), twins=twins or Twins())


def state(of):
    names = [of.classes[code] if code >= 0 else None for code in of.codes]
    return names, of.origins.tolist(), of.classes[:], set(of.merged), of.skipped[:], of.asked_for[:], of.dismissed[:]


def origins(of):
    return [ORIGINS[origin] for origin in of.origins]


def test_every_step_and_any_number_of_them_can_be_taken_back():
    held = labels(Twins(np.array([0, 1, 1, 2, 3, 4])))
    before = []
    for step in STEPS:
        before.append(state(held))
        held.apply(step)
        assert state(held) != before[-1]
    for step in reversed(STEPS):
        assert held.take_back() == step
        assert state(held) == before.pop()


def test_replaying_the_steps_leads_to_the_same_state():
    one, other = labels(), labels()
    for step in STEPS:
        one.apply(step)
    other.replay(STEPS)
    assert state(one) == state(other)


def test_origins_say_where_a_class_comes_from():
    held = labels()
    held.replay([Decision("answer", (1,), "a", drawn=True), Decision("answer", (2,), "b")])
    held.apply(Decision("accept", parts={"a": [4]}))
    assert origins(held) == ["given", "drawn", "suggested", "given", "accepted", "filled"]
    assert held.known.tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(held.open).tolist() == [4, 5]
    assert held.counts().tolist() == [2, 2]


def test_a_drawn_row_that_is_mended_stays_drawn():
    held = labels()
    held.replay([Decision("answer", (1,), "a", drawn=True), Decision("mend", (1,), "b")])
    assert origins(held)[1] == "drawn"
    assert held.classes[held.codes[1]] == "b"


def test_twins_are_filled_together_and_keep_labels_of_their_own():
    held = labels(Twins(np.array([0, 1, 1, 2, 1, 2])))
    assert origins(held) == ["given", "filled", "filled", "given", "filled", "duplicate"]
    held.apply(Decision("answer", (1,), "b"))
    assert origins(held) == ["given", "suggested", "duplicate", "given", "duplicate", "duplicate"]
    assert [held.classes[code] for code in held.codes] == ["b", "b", "b", "a", "b", "a"]
    held.take_back()
    assert origins(held)[:3] == ["given", "filled", "filled"]


def test_twins_with_two_classes_in_the_table_fill_nothing():
    held = labels(Twins(np.array([0, 0, 1, 0, 2, 3])))
    assert origins(held)[1] == "filled"


def test_classes_that_are_numbers_are_sorted_by_size():
    held = RowLabels(["10", "9", None, "1"])
    assert held.classes == ["1", "9", "10"]


def test_origins_that_an_earlier_run_wrote_are_kept_for_rows_with_a_label():
    held = RowLabels(list(IN_FILE), ["drawn", "accepted", "filled", "suggested", "drawn", "given"])
    assert origins(held) == ["drawn", "filled", "filled", "suggested", "filled", "filled"]
