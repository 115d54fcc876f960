"""Hiding labels and drawing splits."""

import numpy as np
import pytest

from semisvm.datasets import hide_labels, labeled_splits


def test_hide_labels_keeps_the_labeled_rows_only():
    y = np.array([0, 1, 1, 0], dtype=np.uint8)
    assert hide_labels(y, [1, 3]).tolist() == [-1, 1, -1, 0]
    assert hide_labels(y, np.array([False, True, False, True])).tolist() == [-1, 1, -1, 0]
    assert y.tolist() == [0, 1, 1, 0]


def test_hide_labels_of_texts_and_numbers():
    assert hide_labels(["a", "b", "a"], [1], unlabeled=None).tolist() == [None, "b", None]
    partial = hide_labels([0.5, 1.5], [0], unlabeled=np.nan)
    assert partial[0] == 0.5
    assert np.isnan(partial[1])


def test_hide_labels_refuses_a_class_as_marker():
    with pytest.raises(ValueError, match=r"The labels to keep contain -1, which is to mark unlabeled rows"):
        hide_labels([-1, 1], [0, 1])
    assert hide_labels([-1, 1], [0, 1], unlabeled=0).tolist() == [-1, 1]


@pytest.mark.parametrize("wanted", [{"n_labeled": 7}, {"per_class": 2}])
def test_splits_hold_every_class(wanted):
    y = np.repeat([0, 1, 2], [200, 30, 2])
    splits = labeled_splits(y, **wanted, n_splits=20)
    assert splits.shape == (20, 7 if "n_labeled" in wanted else 6)
    for rows in splits:
        assert len(set(rows)) == len(rows)
        counts = np.bincount(y[rows], minlength=3)
        assert counts.min() >= 1
        if "per_class" in wanted:
            assert counts.tolist() == [2, 2, 2]


def test_splits_are_repeatable_and_independent_of_their_number():
    y = np.arange(100) % 4
    np.testing.assert_array_equal(labeled_splits(y, 10, n_splits=5), labeled_splits(y, 10, n_splits=9)[:5])
    assert not np.array_equal(labeled_splits(y, 10, random_state=0), labeled_splits(y, 10, random_state=1))
    assert len({tuple(rows) for rows in labeled_splits(y, 10, n_splits=9)}) == 9


def test_splits_draw_all_rows_alike():
    y = np.arange(40) % 2
    drawn = np.bincount(labeled_splits(y, 10, n_splits=2000).ravel(), minlength=40)
    assert drawn.min() > 400  # 500 expected, standard deviation about 19
    assert drawn.max() < 600


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({}, "n_labeled=None and per_class=None were given: exactly one of them is needed."),
        ({"n_labeled": 4, "per_class": 2}, "n_labeled=4 and per_class=2 were given: exactly one of them is needed."),
        ({"n_labeled": 1}, "n_labeled=1 was given: it has to lie between 2, one for each class, and 4, the number"),
        ({"per_class": 3}, "per_class=3 was given: it has to lie between 1 and 2, the size of the smallest class."),
    ],
)
def test_impossible_splits_are_refused(wanted, sentence):
    with pytest.raises(ValueError, match=sentence):
        labeled_splits([0, 1, 0, 1], **wanted)
