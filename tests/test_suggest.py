"""Which rows to label next."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from semisvm import GradientS3VM, SupervisedSVM, suggest_labels
from tests.estimators.quick import blobs


@pytest.fixture
def fitted():
    X, truth, y = blobs(n=60)
    return SupervisedSVM(kernel="linear").fit(X, y), X, truth, y


def test_without_diversity_it_is_the_smallest_margins(fitted):
    model, X, _, y = fitted
    margins = np.abs(model.decision_function(X))
    assert_array_equal(suggest_labels(model, X, 7, diversity=0.0), np.argsort(margins, kind="stable")[:7])
    unlabeled = np.flatnonzero(y < 0)
    expected = unlabeled[np.argsort(margins[unlabeled], kind="stable")[:7]]
    assert_array_equal(suggest_labels(model, X, 7, y=y, diversity=0.0), expected)


def test_margins_of_more_classes_lie_between_the_two_best():
    X, _, y = blobs(3, n=60)
    model = GradientS3VM(n_stages=2).fit(X, y)
    scores = np.sort(model.decision_function(X), axis=1)
    first = suggest_labels(model, X, 1, diversity=0.0)
    assert first[0] == np.argmin(scores[:, -1] - scores[:, -2])


def test_diversity_does_not_ask_for_copies(fitted):
    model, X, _, _ = fitted
    closest = suggest_labels(model, X, 1)[0]
    copies = np.vstack([X, np.repeat(X[[closest]], 30, axis=0)])
    chosen = suggest_labels(model, copies, 5)
    twins = set(range(60, 90)) | {closest}
    assert len(twins & set(chosen.tolist())) == 1
    assert len(twins & set(suggest_labels(model, copies, 5, diversity=0.0).tolist())) == 5


def test_rows_close_to_labeled_ones_are_not_asked_for(fitted):
    model, X, _, _ = fitted
    twins = np.vstack([X, X])
    labels = np.concatenate([np.arange(60) % 2, np.full(60, -1)])
    labels[0] = -1  # the only row whose twin has no label
    assert suggest_labels(model, twins, 1, y=labels, diversity=1.0)[0] in (0, 60)


def test_indices_are_distinct_within_the_rows_and_as_many_as_asked_for(fitted):
    model, X, _, y = fitted
    for k in (1, 10, 54, 100):
        rows = suggest_labels(model, X, k, y=y)
        assert len(set(rows.tolist())) == len(rows) == min(k, 54)
        assert np.all(y[rows] == -1)
    assert_array_equal(suggest_labels(model, X, 5, y=y), suggest_labels(model, X, 54, y=y)[:5])


def test_frames_sparse_rows_and_other_classifiers(fitted):
    model, X, truth, y = fitted
    expected = suggest_labels(model, X, 5, y=y)
    assert_array_equal(suggest_labels(model, sp.csr_array(X), 5, y=y), expected)
    frame = pd.DataFrame(X, columns=list("abc"))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, truth)
    assert len(suggest_labels(pipeline, frame, 5)) == 5


def test_a_loop_of_labeling_needs_fewer_labels_than_chance():
    X, truth, y = blobs(n=200, n_labeled=4, seed=2)
    X = X + 0.9 * np.random.default_rng(0).normal(size=X.shape)
    asked, drawn = y.copy(), y.copy()
    rng = np.random.default_rng(1)
    for _ in range(4):
        model = SupervisedSVM(kernel="linear", C=0.5).fit(X, asked)
        rows = suggest_labels(model, X, 4, y=asked)
        asked[rows] = truth[rows]
        rows = rng.choice(np.flatnonzero(drawn < 0), 4, replace=False)
        drawn[rows] = truth[rows]
    chosen = SupervisedSVM(kernel="linear", C=0.5).fit(X, asked).score(X, truth)
    chance = SupervisedSVM(kernel="linear", C=0.5).fit(X, drawn).score(X, truth)
    assert chosen >= chance - 0.01


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"k": 0}, "k=0 was given and a whole number of at least 1 is needed"),
        ({"k": 2, "diversity": 2}, "diversity=2 was given and a number from 0 to 1 is needed"),
        ({"k": 2, "y": [0, 1, -1]}, "X has 60 rows and y has 3: the same number is needed"),
    ],
)
def test_refusals(fitted, arguments, text):
    model, X, _, _ = fitted
    with pytest.raises(ValueError, match=text):
        suggest_labels(model, X, **arguments)
