"""The expected error rests on drawn rows that recent models guessed; the sentence says what more labels bring."""

import numpy as np
import pytest
from scipy.stats import beta

from semisvm.annotate.decisions import Decision
from semisvm.annotate.evidence import (
    Estimate,
    estimate_from,
    guesses_on_drawn_rows,
    proportion,
    shares_of_drawn_rows,
)
from semisvm.annotate.labels import RowLabels
from semisvm.annotate.stopping import FEWEST, CurvePoint, put_right_by_answers, sentence, settled


def labels(decisions, rows=100):
    held = RowLabels([None] * rows)
    held.replay(decisions)
    return held


def drawn(row, label, guess, knew=100):
    return Decision("answer", (row,), label, drawn=True, guess=guess, learned_from=knew)


def test_the_interval_is_that_of_a_beta_distribution_and_holds_the_truth_as_often_as_it_says():
    mean, low, high = proportion(3, 20)
    assert (mean, low, high) == pytest.approx((3.5 / 21, beta.ppf(0.1, 3.5, 17.5), beta.ppf(0.9, 3.5, 17.5)))
    assert proportion(0, 20)[1] == 0.0
    assert proportion(20, 20)[2] == 1.0
    random = np.random.default_rng(0)
    shares = random.random(4000)
    found = [proportion(int(k), 30) for k in random.binomial(30, shares)]
    inside = np.mean([low <= share <= high for share, (_, low, high) in zip(shares, found, strict=True)])
    assert inside == pytest.approx(0.8, abs=0.03)


def test_only_drawn_rows_with_a_recent_guess_count():
    held = labels([
        drawn(0, "a", "b", knew=1),  # a model of few labels
        drawn(1, "a", "b", knew=3),
        Decision("answer", (2,), "a", guess="b", learned_from=3),  # suggested
        drawn(3, "a", None),
        Decision("accept", parts={"a": [9]}),
        drawn(4, "b", "b", knew=3),
    ])  # fmt: skip
    assert guesses_on_drawn_rows(held) == [("b", "a"), ("b", "b")]


def test_a_mended_label_and_a_merged_class_change_what_was_wrong():
    steps = [drawn(0, "a", "b"), drawn(1, "spam", "Spam")]
    assert guesses_on_drawn_rows(labels(steps)) == [("b", "a"), ("Spam", "spam")]
    steps += [Decision("mend", (0,), "b"), Decision("class", label="Spam"), Decision("merge", label="Spam", to="spam")]
    assert guesses_on_drawn_rows(labels(steps)) == [("b", "b"), ("spam", "spam")]


def test_nothing_is_said_of_too_few():
    assert estimate_from([("a", "a")] * 4) is None
    assert estimate_from([("a", "a")] * 4 + [("a", "b")]) == Estimate(1.5 / 6, *proportion(1, 5)[1:], 5)


def test_shares_of_the_classes_are_those_of_the_drawn_rows():
    steps = [drawn(row, "a", "a") for row in range(8)] + [drawn(8, "b", "a"), drawn(9, "b", "a")]
    steps += [Decision("answer", (row,), "b") for row in range(20, 60)]
    found = shares_of_drawn_rows(labels(steps))
    assert [round(share, 3) for share, _, _ in found] == [round(8.5 / 11, 3), round(2.5 / 11, 3)]
    held = RowLabels(["a"] * 9 + ["b"] + [None] * 5)
    assert shares_of_drawn_rows(held)[0][0] == pytest.approx(9.5 / 11), "labels of the table count as drawn"


ERROR = Estimate(0.09, 0.05, 0.13, 40)


def point(n=60, gain=0.0, answered=0.0, **more):
    return CurvePoint(n, 0.01, gain, answered, ERROR, **more)


def test_the_sentence_says_what_is_wrong_and_what_more_labels_bring():
    assert sentence([point(gain=0.03)], ERROR, 12) == (
        "About 9 % (5 to 13) wrong; 20 more labels should save about 2 points."
    )
    assert sentence([point(), point(65)], ERROR, 12) == (
        "About 9 % (5 to 13) wrong; more labels no longer change the result."
    )
    assert "less than 1 point" in sentence([point(gain=0.009)], ERROR, 12)
    assert "about 1 point." in sentence([point(gain=0.016)], ERROR, 12)
    assert sentence([], None, 2).endswith("not known yet: 2 of 5 drawn rows were guessed so far.")


def test_the_gain_that_is_promised_is_never_more_than_the_error():
    assert "about 9 points" in sentence([point(gain=0.5)], ERROR, 12)


@pytest.mark.parametrize(
    "last", [
        point(gain=None), point(gain=0.02), point(answered=0.02), point(unsettled=True),
        CurvePoint(60, 0.0, 0.0, 0.0),
    ],
)  # fmt: skip
def test_it_does_not_say_stop_too_early(last):
    assert settled([point(), point(65)])
    assert not settled([point(), last])
    assert not settled([last, point()])
    assert not settled([point()])


def test_all_fits_of_the_last_labels_have_to_agree_and_two_at_least():
    fits = [point(80), point(81), point(90), point(100)]
    assert settled(fits)
    assert not settled([point(80, gain=0.1), *fits[1:]])
    assert settled([point(79, gain=0.1), *fits]), "that is long ago"
    assert not settled([point(50, gain=0.1), point(100)]), "fits that are far apart"
    assert settled([point(40), point(50), point(60)])
    assert not settled([point(40), point(50), point(FEWEST - 1)])


def test_answers_to_rows_in_doubt_put_more_right_than_answers_to_others():
    doubt = np.full(120, 0.1)
    doubt[:20] = 0.5
    is_open = np.ones(120, dtype=bool)
    is_open[100:] = False
    mean = (20 * 0.5 + 80 * 0.1) / 100
    # 16 of the next 20 rows are suggested, 4 are drawn: (100 * mean - 16 * 0.5 - 4 * mean) / 80 are left
    left = (100 * mean - 8.0 - 4 * mean) / 80
    assert put_right_by_answers(doubt, is_open, np.arange(40)) == pytest.approx(mean - left)
    assert put_right_by_answers(doubt, is_open, np.arange(30, 70)) == 0.0
    assert put_right_by_answers(doubt, np.arange(120) < 20, np.arange(20)) == pytest.approx(0.5), "no row is left"
    assert put_right_by_answers(doubt, np.zeros(120, dtype=bool), np.arange(0)) == 0.0


def test_a_point_is_written_and_read_back():
    for one in (point(gain=None), point(gain=0.1, answered=0.2, unsettled=True), CurvePoint(7, 0.5)):
        assert CurvePoint.of(one.as_dict()) == one
