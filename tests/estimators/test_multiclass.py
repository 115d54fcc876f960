"""More than two classes: one-vs-rest on one space, ratios per class, and counts of all classes at once."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from semisvm import GradientS3VM, LabelSwitchingS3VM, LaplacianSVM, SupervisedSVM
from semisvm.estimators.joint_counts import assign, class_counts
from tests.estimators.quick import CLASSIFIERS, blobs, quick

every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)


@every_classifier
def test_three_named_classes(estimator):
    X, truth, y = blobs(3, n=18)
    names = np.array(["red", "green", "blue"])
    labels = np.array([None if code < 0 else names[code] for code in y], dtype=object)
    model = quick(estimator).fit(X, labels)
    assert_array_equal(model.classes_, ["blue", "green", "red"])
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (18, 3)
    assert np.mean(model.predict(X) == names[truth]) > 0.9
    assert np.mean(model.transduction_ == names[truth]) > 0.9
    assert_array_equal(model.classes_[np.argmax(model.decision_function(X), axis=1)], model.predict(X))


@pytest.mark.parametrize("estimator", [SupervisedSVM, GradientS3VM], ids=lambda e: e.__name__)
def test_a_column_is_the_binary_problem_of_its_class(estimator):
    X, _, y = blobs(3, n=18)
    together = estimator(gamma=0.2, tol=1e-7).fit(X, y)
    for code in range(3):
        alone = np.where(y < 0, -1, (y == code).astype(int))
        binary = type(together)(**together.get_params()).fit(X, alone)
        assert_allclose(together.decision_function(X)[:, code], binary.decision_function(X), atol=1e-4)
        assert_allclose(together.objective_[code], binary.objective_[0], rtol=1e-6)


def test_ratios_of_classes_are_estimated_given_or_uniform():
    X, _, y = blobs(3, n=18, n_labeled=7)  # labels 0 1 2 0 1 2 0
    assert_allclose(GradientS3VM(n_stages=1).fit(X, y).ratio_, [3 / 7, 2 / 7, 2 / 7])
    assert_allclose(GradientS3VM(n_stages=1, ratio="uniform").fit(X, y).ratio_, [1 / 3] * 3)
    assert_allclose(GradientS3VM(n_stages=1, ratio=[0.2, 0.3, 0.5]).fit(X, y).ratio_, [0.2, 0.3, 0.5])
    for ratio, text in (
        (0.5, "ratio=0.5 was given for 3 classes and one number per class is needed"),
        (
            [0.5, 0.5],
            r"ratio has shape \(2,\) and one number for each of the 3 classes that have a label is needed",
        ),
        ([0.5, 0.6, 0.1], "shares between 0 and 1 that sum to 1 are needed"),
    ):
        with pytest.raises(ValueError, match=text):
            GradientS3VM(ratio=ratio).fit(X, y)


def rare_class(n=300, seed=0):
    """Two large blobs and a third class of one row in a hundred."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [n // 2, n - n // 2 - n // 100, n // 100])
    X = 0.5 * rng.normal(size=(n, 2)) + 4.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    y = np.full(n, -1)
    for code in range(3):
        y[np.flatnonzero(truth == code)[: 1 if code == 2 else 8]] = code
    return X, truth, y


@pytest.mark.parametrize("estimator", [GradientS3VM, LabelSwitchingS3VM, LaplacianSVM], ids=lambda e: e.__name__)
def test_a_class_of_one_in_a_hundred_is_kept(estimator):
    X, truth, y = rare_class()
    shares = {} if estimator is LaplacianSVM else {"ratio": np.bincount(truth) / len(truth)}
    model = quick(estimator, gamma=0.3, **shares).fit(X, y)
    assert set(model.predict(X[truth == 2])) == {2}
    assert np.mean(model.predict(X) == truth) > 0.97


def test_the_smallest_share_still_gets_a_row():
    assert_array_equal(class_counts(np.array([0.5, 0.496, 0.004]), 20), [10, 9, 1])
    assert class_counts(np.array([0.7, 0.3]), 1).sum() == 1
    assert_array_equal(class_counts(np.array([1 / 3, 1 / 3, 1 / 3]), 10), [4, 3, 3])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ties", [False, True])
def test_assignment_is_optimal(seed, ties):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    n = int(rng.integers(k, 40))
    scores = rng.integers(-2, 3, size=(n, k)).astype(float) if ties else rng.normal(size=(n, k))
    counts = class_counts(rng.dirichlet(np.ones(k)), n)
    codes = assign(scores, counts, counts)
    assert_array_equal(np.bincount(codes, minlength=k), counts)
    assert_allclose(scores[np.arange(n), codes].sum(), _largest_total(scores, counts))


@pytest.mark.parametrize("seed", range(6))
def test_counts_within_bounds_cost_as_little_as_they_can(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 5)), 12
    scores = rng.normal(size=(n, k)) + rng.normal(size=k)
    middle = class_counts(rng.dirichlet(np.full(k, 4.0)), n)
    low, high = np.maximum(middle - 1, 0), middle + 1
    codes = assign(scores, low, high)
    counts = np.bincount(codes, minlength=k)
    assert np.all((low <= counts) & (counts <= high))
    bounds = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    best = max(_largest_total(scores, np.array(wanted)) for wanted in itertools.product(*bounds) if sum(wanted) == n)
    assert_allclose(scores[np.arange(n), codes].sum(), best)


def _largest_total(scores, counts):
    seats = np.repeat(np.arange(len(counts)), counts)
    rows, places = linear_sum_assignment(-scores[:, seats])
    return scores[rows, seats[places]].sum()


def test_bounds_that_hold_already_change_nothing(rng):
    scores = rng.normal(size=(30, 3))
    assert_array_equal(assign(scores, np.zeros(3, dtype=int), np.full(3, 30)), scores.argmax(axis=1))


def test_assignment_of_counts_that_do_not_add_up_is_refused():
    with pytest.raises(ValueError, match="5 rows were given for counts that sum to between 3 and 4: they must agree"):
        assign(np.zeros((5, 2)), np.array([1, 2]), np.array([2, 2]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_joint_counts_hold_for_all_classes_and_change_no_given_label(n_classes, rng):
    X, _, y = blobs(n_classes, n=40, n_labeled=2 * n_classes)
    X = X + rng.normal(size=X.shape)  # overlapping, so that plain predictions miss the counts
    shares = np.array([0.7, 0.3]) if n_classes == 2 else np.array([0.6, 0.3, 0.1])
    model = GradientS3VM(n_stages=3, ratio=shares, joint_counts=True).fit(X, y)
    unlabeled = y < 0
    assert_array_equal(np.bincount(model.transduction_[unlabeled]), class_counts(shares, unlabeled.sum()))
    assert_array_equal(model.transduction_[~unlabeled], y[~unlabeled])
    plain = GradientS3VM(n_stages=3, ratio=shares).fit(X, y)
    assert_array_equal(plain.transduction_[unlabeled], plain.predict(X[unlabeled]))
    assert_array_equal(plain.predict(X), model.predict(X))


def test_joint_counts_is_yes_or_no():
    X, _, y = blobs(3)
    with pytest.raises(ValueError, match="joint_counts='all' was given and one of False, True is needed"):
        GradientS3VM(joint_counts="all").fit(X, y)
