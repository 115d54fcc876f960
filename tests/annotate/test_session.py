"""What each key does to the whole, and what the page shows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from semisvm.annotate.evidence import Estimate
from semisvm.annotate.messages import Failed, RankedRows
from semisvm.annotate.one_class import LEAST_LABELS
from semisvm.annotate.saving import save
from semisvm.annotate.session import Refused
from semisvm.annotate.stopping import CurvePoint
from semisvm.annotate.view import groups_of, keys_of, thinned, view_of

from .sessions import answer, learned, opened, ready


def test_the_first_row_is_asked_before_anything_is_learned(session):
    output = view_of(session)
    assert output["question"]["why"] == "drawn"
    assert output["question"]["guess"] is None
    assert len(output["question"]["cells"]) == 3
    assert output["classes"] == []
    assert output["learning"] == "reading"


def test_labels_given_during_a_fit_are_in_the_next_one(session, table):
    learner = session._learner
    session.receive(ready(60))
    answer(session, table[1], 1)
    assert learner.tasks == [], "one class is not enough"
    while len(session.labels.classes) < 2:
        answer(session, table[1], 1)
    assert len(learner.tasks) == 1
    known = len(session.labels.known)
    answer(session, table[1], 3)
    assert len(learner.tasks) == 1, "one fit at a time"
    session.receive(learned([0] * 60))
    assert [task.n_labels for task in learner.tasks] == [known, known + 3]
    session.receive(learned([0] * 60))
    assert len(learner.tasks) == 2, "nothing new, nothing to learn"
    session.skip(session.question.row)
    session.name_class("third")
    assert len(learner.tasks) == 2, "no label, nothing to learn"


def ranked(score, suggested, *, gives_classes):
    return RankedRows(
        5, np.array(score), suggested, 0.1, (0.05, 0.15), False, ((3, 0.5), (6, 0.8)), "left", gives_classes
    )


@pytest.mark.parametrize("gives_classes", [False, True])
def test_labels_of_one_class_rank_the_rows(session, table, gives_classes):
    learner = session._learner
    session.receive(ready(60))
    lefts = np.flatnonzero(np.asarray(table[1]) == "left")
    for count, row in enumerate(lefts[:LEAST_LABELS], start=1):
        assert len(learner.tasks) == 0, f"{count} labels"
        session.ask_these([int(row)])
        session.answer(int(row), "left")
    assert [len(np.unique(task.codes)) for task in learner.tasks] == [1]
    likely = [int(row) for row in lefts[10:13]]
    session.receive(ranked(np.linspace(1, -1, 60), likely, gives_classes=gives_classes))
    view = view_of(session)
    assert "All labels are left" in view["sentence"]
    assert "50% are among 3 rows at the top, 80% are among 6 rows at the top." in view["sentence"]
    assert "About 10% of the others are left (5% to 15%)" in view["sentence"]
    assert "the error is not known before another class is labeled" in view["sentence"]
    assert view["learning"] == "ready"
    session.answer(session.question.row, "left")
    assert session.question.row in likely
    save(session.sheet.request, session.result(), session.fingerprint, lambda written: None)
    saved = pd.read_csv(session.sheet.request.out)
    assert saved["kind_score"].tolist() == np.round(np.linspace(1, -1, 60), 6).tolist()
    given = np.flatnonzero(session.labels.codes >= 0)
    expected = np.union1d(given, np.arange(30)) if gives_classes else given
    assert_array_equal(np.flatnonzero(saved["kind_predicted"] == "left"), expected)
    assert saved["kind_confidence"].notna().sum() == len(given)
    session.receive(learned([0] * 60))
    assert session.ranked is None
    assert "All labels are left" not in view_of(session)["sentence"]


def test_a_drawn_row_hides_its_guess_and_reveals_it_afterwards(session, table):
    session.receive(ready(60, spread=range(60)))
    answer(session, table[1], 5)
    session.receive(learned([0] * 60))
    assert session.question.drawn
    output = view_of(session)["question"]
    assert output["guess"] is None
    assert "near" not in output
    row = session.question.row
    session.answer(row, "left" if table[1][row] == "right" else "right")
    decision = session.labels.decided[-1]
    assert (decision.drawn, decision.guess, decision.learned_from) == (True, session.labels.classes[0], 4)
    assert view_of(session)["revealed"].startswith(f"The guess was {session.labels.classes[0]}")
    answer(session, table[1], 1)
    assert view_of(session)["revealed"] is None


def test_a_suggested_row_shows_its_guess_and_the_nearest_labels(session, table):
    session.receive(ready(60, spread=range(20, 60)))
    answer(session, table[1], 6)
    session.receive(learned([0] * 60, 0.83))
    output = view_of(session)["question"]
    assert output["why"] == "spread"
    assert output["guess"] == session.labels.classes[0]
    assert output["confidence"] == pytest.approx(0.83, abs=1e-4)
    assert len(output["near"]) == 3
    assert all(one["label"] for one in output["near"])


def test_undo_goes_back_any_number_of_steps_and_asks_the_rows_again(session, table):
    session.receive(ready(60))
    asked = []
    for _ in range(4):
        asked.append(session.question)
        answer(session, table[1], 1)
    for question in reversed(asked):
        session.undo()
        assert session.question.row == question.row
        assert session.question.drawn == question.drawn
    assert session.undo() is None
    assert session.labels.classes == []
    for drawn in (True, False):
        row = session.question.row
        session.skip(row)
        session.asking.spread = [row - 1]  # other rows are suggested by now
        session.undo()
        assert (session.question.row, session.question.drawn) == (row, drawn)
        session.asking.spread = []
        session.ask_these([30])


def test_a_group_is_accepted_and_taken_back_as_one_step_and_is_no_evidence(session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.receive(learned([0] * 60))
    group = groups_of(session)[0]
    n_labels = view_of(session)["n_labels"]
    session.accept(group["rows"], group["label"])
    output = view_of(session)
    assert output["n_accepted"] == len(group["rows"])
    assert output["n_labels"] == n_labels
    task = session.task()
    assert np.count_nonzero(~task.given) == 10, "a group teaches with a few of its rows"
    assert not task.drawn[~task.given].any()
    session.undo()
    assert view_of(session)["n_accepted"] == 0


def test_accepting_keeps_labels_that_a_person_gave(session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.receive(learned([0] * 60))
    before = session.labels.codes[session.labels.known].copy()
    known = session.labels.known.copy()
    session.accept(range(60), "other")
    assert (session.labels.codes[known] == before).all()
    with pytest.raises(Refused, match="no row to accept"):
        session.accept(known.tolist(), "other")


def test_rows_wanted_by_the_person_are_asked_next(session, table):
    session.receive(ready(60))
    session.ask_these([40, 41])
    assert session.question.row == 40
    answer(session, table[1], 1)
    assert session.question.row == 41


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda s: s.answer(s.question.row + 1, "a"), "Another row is asked"),
        (lambda s: s.answer(s.question.row, "  "), "needs a name"),
        (lambda s: s.accept([10**6], "a"), "there is no row 1,000,001"),
        (lambda s: s.mend(0, "a"), "has no class to mend"),
        (lambda s: s.merge("a", "b"), "are not two classes"),
        (lambda s: s.dismiss("nothing"), "not in the list"),
        (lambda s: s.accept([1, 2], None), "no row to accept"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_no_trace(session, act, why):
    size = session.decisions.path.stat().st_size
    with pytest.raises(Refused, match=why):
        act(session)
    assert session.decisions.path.stat().st_size == size


def test_a_class_is_named_merged_and_not_used_again(session):
    session.name_class("Spam")
    with pytest.raises(Refused, match="already"):
        session.name_class("Spam")
    session.answer(session.question.row, "spam")
    session.merge("Spam", "spam")
    assert [one["name"] for one in view_of(session)["classes"]] == ["spam"]
    with pytest.raises(Refused, match="part of another"):
        session.answer(session.question.row, "Spam")


def test_a_session_goes_on_where_it_was(request_, session, table):
    session.receive(ready(60))
    answer(session, table[1], 7)
    session.accept([50, 51], "left")
    session.undo()
    session.skip(session.question.row)
    again = opened(request_)
    assert again.question == session.question
    assert (again.labels.codes == session.labels.codes).all()
    assert again.labels.decided == session.labels.decided


def test_twins_that_are_found_later_are_filled_at_once(session, table):
    answer(session, table[1], 1)
    row = int(session.labels.known[0])
    twins = np.arange(60)
    twins[(row + 1) % 60] = twins[row]
    session.receive(ready(60, twins))
    assert session.labels.codes[(row + 1) % 60] == session.labels.codes[row]
    assert view_of(session)["n_labels"] == 1


def test_a_model_that_is_clearly_worse_by_folds_is_not_kept(session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.receive(learned([0] * 60, estimate=Estimate(0.1, 0.05, 0.15, 20)))
    session.receive(learned([1] * 60, n_labels=5, estimate=Estimate(0.3, 0.2, 0.4, 20)))
    assert (session.guesses() == 0).all()
    assert session.estimate.error == 0.1
    session.receive(learned([1] * 60, n_labels=6, estimate=Estimate(0.12, 0.05, 0.2, 20)))
    assert (session.guesses() == 1).all()


def test_a_learner_that_ended_or_failed_is_reported_and_answers_go_on(session, table):
    session.receive(ready(60))
    session.receive(Failed("Not these labels.", for_good=False))
    assert view_of(session)["trouble"] == "Not these labels."
    session.receive(Failed("It has ended.", for_good=True))
    answer(session, table[1], 3)
    output = view_of(session)
    assert (output["learning"], output["trouble"], output["n_labels"]) == ("stopped", "It has ended.", 3)


def test_keys_are_the_names_where_they_can_be_and_never_change():
    assert keys_of(["4", "cat", "b", "dog", "1"]) == {"4": "4", "cat": "1", "b": "b", "dog": "2", "1": "3"}
    many = keys_of([f"class {k}" for k in range(50)])
    assert len(many) == 35
    assert "n" not in many.values()


def test_the_curve_that_is_sent_is_short_and_ends_at_the_end():
    points = [CurvePoint(n, 0.0) for n in range(1000)]
    kept = thinned(points, 80)
    assert len(kept) <= 80
    assert kept[-1] == points[-1]
    assert thinned(points[:3], 80) == points[:3]


def test_of_very_many_classes_some_are_sent_and_all_can_be_typed(session):
    for k in range(120):
        session.name_class(f"class {k}")
    output = view_of(session)
    assert (len(output["classes"]), output["n_classes"]) == (100, 120)
    session.answer(session.question.row, "class 119")
    assert "class 119" in {one["name"] for one in view_of(session)["classes"]}


def test_a_class_that_was_taken_back_is_guessed_no_more_though_its_code_is_used_again(session, table):
    session.receive(ready(60))
    answer(session, table[1], 6)
    session.answer(session.question.row, "third")
    third = session.labels.classes.index("third")
    session.receive(learned([third] * 60, classes=tuple(session.labels.classes)))
    assert (session.guesses() == third).all()
    session.undo()
    session.name_class("other")
    assert session.labels.classes.index("other") == third
    assert (session.guesses() == -1).all()
    session.undo()
    session.answer(session.question.row, "third")
    assert (session.guesses() == third).all()
