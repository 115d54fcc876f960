"""Probabilities: always there, never against the predicted class, honest as far as labels allow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.datasets import load_digits

from semisvm import S3VM, GradientS3VM, LabelSwitchingS3VM, SupervisedRLS, SupervisedSVM
from semisvm.datasets import make_g50c
from semisvm.estimators.probabilities import (
    Calibration,
    ClassShares,
    LogOddsCalibration,
    _disagreement,
    _distances,
    _imbalance,
    class_scores,
    platt_targets,
)
from tests.estimators.quick import CLASSIFIERS, blobs, quick

every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)


@every_classifier
@pytest.mark.parametrize(("n_classes", "n_labeled"), [(2, 2), (2, 4), (3, 3)])
def test_probabilities_are_there_with_the_fewest_labels(estimator, n_classes, n_labeled):
    X, _, y = blobs(n_classes, n=12, n_labeled=n_labeled)
    model = quick(estimator).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (12, n_classes)
    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))


def test_two_classes_keep_the_sign_and_the_order_of_scores(rng):
    X, _, y = blobs()
    model = GradientS3VM().fit(X, y)
    points = 3 * rng.normal(size=(200, 3))
    z, p = model.decision_function(points), model.predict_proba(points)[:, 1]
    assert_array_equal(p > 0.5, z > 0)
    assert np.all(np.diff(p[np.argsort(z)]) >= 0)


def test_targets_are_platts():
    assert_allclose(platt_targets(np.array([0, 0, 1]), np.ones(3), 2), [[3 / 4, 1 / 4], [3 / 4, 1 / 4], [1 / 3, 2 / 3]])
    assert_allclose(platt_targets(np.array([0]), np.array([2.0]), 2), [[3 / 4, 1 / 4]])
    # two labels of each of four classes count as four against the rest
    many = platt_targets(np.repeat(np.arange(4), 2), np.ones(8), 4)
    assert_allclose(many[0], [5 / 6, 1 / 18, 1 / 18, 1 / 18])


@pytest.mark.parametrize("per_class", [2, 5, 25])
def test_labels_at_the_margin_claim_no_more_than_their_number_allows(per_class):
    codes = np.repeat([0, 1], per_class)
    scores = class_scores(2.0 * codes - 1.0)
    calibration = Calibration(scores, codes, np.ones(2 * per_class), scores[:0], None)
    at_margin = calibration.probabilities(np.array([1.0]))[0, 1]
    assert_allclose(at_margin, (per_class + 1) / (per_class + 2), atol=2e-3)


def test_wrong_labels_make_it_doubtful():
    z = np.array([1.0, 1, 1, -1, -1, -1, -1, 1])
    codes = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    honest = Calibration(class_scores(z), codes, np.ones(8), np.empty((0, 2)), None)
    assert 0.6 < honest.probabilities(np.array([1.0]))[0, 1] < 0.75


def test_the_mean_probability_of_unlabeled_rows_is_the_given_ratio(rng):
    z = rng.normal(size=400) + 0.3
    labeled = class_scores(np.array([1.0, 1.2, -1.0, -0.8]))
    codes = np.array([1, 1, 0, 0])
    for share in (0.5, 0.6, 0.7):
        expected = ClassShares(np.array([1 - share, share]), 400.0)
        held = Calibration(labeled, codes, np.ones(4), class_scores(z), expected)
        assert_allclose(held.probabilities(z)[:, 1].mean(), share, atol=0.01)


def test_log_odds_are_corrected_as_far_as_labels_have_evidence(rng):
    """Claims of 88 % where 60 % are right: a few labels hardly move them, many labels do."""
    claimed = 2.0
    corrected = {}
    for n in (5, 1000):
        right = np.arange(n) % 5 < 3
        codes = rng.integers(0, 2, n)
        z = claimed * np.where(right, 1, -1) * (2 * codes - 1)
        calibration = LogOddsCalibration(class_scores(z), codes, np.ones(n), np.empty((0, 2)), None)
        corrected[n] = calibration.probabilities(np.array([claimed]))[0, 1]
    assert 0.8 < corrected[5] < 0.88
    assert corrected[1000] < 0.7


def test_where_labels_are_coin_flips_the_confidence_says_so():
    confidence = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(300, 8)), np.full(300, -1)
        y[:40] = np.arange(40) % 2
        confidence.append(S3VM().fit(X, y).predict_proba(X[40:]).max(axis=1).mean())
    assert np.mean(confidence) < 0.6


def test_log_odds_of_a_true_model_stay_as_they_are(rng):
    z = rng.normal(size=2000) * 2
    codes = (rng.random(2000) < 1 / (1 + np.exp(-z))).astype(int)
    calibration = LogOddsCalibration(class_scores(z), codes, np.ones(2000), np.empty((0, 2)), None)
    assert_allclose(calibration.slopes, 1.0, atol=0.15)


def test_derivatives(rng):
    distances = _distances(rng.normal(size=(15, 3)))
    targets, weights = platt_targets(rng.integers(0, 3, 15), np.ones(15), 3), rng.random(15)
    shares, slopes = np.array([0.2, 0.3, 0.5]), np.array([0.7, 1.5, 2.0])
    numeric = approx_fprime(slopes, lambda a: _disagreement(distances, a, targets, weights)[0])
    assert_allclose(_disagreement(distances, slopes, targets, weights)[1], numeric, atol=1e-5)
    numeric = approx_fprime(slopes, lambda a: _imbalance(distances, a, shares)[0])
    assert_allclose(_imbalance(distances, slopes, shares)[1], numeric, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("estimator", [SupervisedSVM(C=3.0), SupervisedRLS(C=3.0)], ids=str)
def test_scores_without_the_own_label_are_those_of_a_fit_without_the_row(estimator, bias, rng):
    X, y = rng.normal(size=(16, 3)), np.arange(16) % 2
    X[y == 1] += 0.7
    estimator.set_params(gamma=0.3, fit_intercept=bias, tol=1e-10)
    model = estimator.fit(X, y)
    left_out = model.calibration_.labeled[:, 1] * 2
    exact = np.empty(16)
    for i in range(16):
        rest = np.delete(np.arange(16), i)
        exact[i] = type(model)(**model.get_params()).fit(X[rest], y[rest]).decision_function(X[[i]])[0]
    # exact for least squares; for the hinge as long as the same rows stay active
    worst = 1e-6 if isinstance(model, SupervisedRLS) else 0.25
    assert np.max(np.abs(left_out - exact)) < worst
    own = model.decision_function(X)
    assert np.mean(np.abs(left_out - exact)) < 0.2 * np.mean(np.abs(own - exact))


@pytest.mark.parametrize("per_class", [5, 25])
@pytest.mark.parametrize("estimator", [SupervisedSVM, GradientS3VM], ids=lambda e: e.__name__)
def test_confidence_is_near_the_accuracy_and_not_above_it(estimator, per_class):
    X, truth = make_g50c(random_state=1)
    y = np.full(len(truth), -1)
    for code in (0, 1):
        y[np.flatnonzero(truth == code)[:per_class]] = code
    model = estimator(gamma="median", C=10.0).fit(X, y)
    rows = y < 0
    p = model.predict_proba(X[rows])
    accuracy, confidence = np.mean(model.predict(X[rows]) == truth[rows]), p.max(axis=1).mean()
    assert accuracy - 0.3 < confidence < accuracy + 0.05
    brier = np.mean((p[:, 1] - truth[rows]) ** 2)
    assert brier < 0.2


def calibration_error(p, truth, n_bins=8):
    """Mean distance of confidence and accuracy over bins of as many rows each."""
    confidence, right = p.max(axis=1), p.argmax(axis=1) == truth
    bins = np.array_split(np.argsort(confidence), n_bins)
    return np.mean([abs(confidence[rows].mean() - right[rows].mean()) for rows in bins])


@pytest.fixture(scope="module", params=["SupervisedSVM", "S3VM"])
def digits(request):
    """(probabilities, truth, model, rows) of ten classes with three labels each, on unlabeled rows."""
    X, truth = load_digits(n_class=10, return_X_y=True)
    X, truth = X[:240], truth[:240]
    y = np.full(240, -1)
    for code in range(10):
        y[np.flatnonzero(truth == code)[:3]] = code
    model = {"SupervisedSVM": SupervisedSVM(gamma="median", C=10.0), "S3VM": S3VM()}[request.param].fit(X, y)
    rows = y < 0
    return model.predict_proba(X[rows]), truth[rows], model, X[rows]


def test_many_classes_with_few_labels_are_neither_timid_nor_bold(digits):
    p, truth, _, _ = digits
    accuracy, confidence = np.mean(p.argmax(axis=1) == truth), p.max(axis=1).mean()
    assert abs(accuracy - confidence) < 0.15
    assert calibration_error(p, truth) < 0.16


def test_rows_above_a_confidence_are_right_more_often_and_there_are_such_rows(digits):
    p, truth, model, X = digits
    answer = model.predict(X, min_confidence=0.8)
    kept = answer != -1
    assert 0.3 < kept.mean() < 1.0
    assert np.mean(answer[kept] == truth[kept]) > max(0.85, np.mean(p.argmax(axis=1) == truth))


# ---------------------------------------------------------------- rows to validate on


@every_classifier
def test_validation_rows_settle_the_probabilities_and_nothing_else(estimator):
    X, _, y = blobs()
    X_val, y_val, _ = blobs(seed=3)
    wrong = 1 - y_val
    plain = quick(estimator).fit(X, y)
    good = quick(estimator).fit(X, y, X_val=X_val, y_val=np.where(np.arange(24) < 20, y_val, -1))
    bad = quick(estimator).fit(X, y, X_val=X_val, y_val=wrong)
    assert_array_equal(good.decision_function(X), plain.decision_function(X))
    assert_array_equal(good.predict(X), bad.predict(X))
    assert good.predict_proba(X).max(axis=1).mean() > bad.predict_proba(X).max(axis=1).mean() + 0.05


def test_validation_rows_come_with_labels_of_known_classes():
    X, truth, y = blobs()
    with pytest.raises(ValueError, match=r"One of X_val and y_val was given and both, or neither, are needed"):
        GradientS3VM().fit(X, y, X_val=X)
    with pytest.raises(ValueError, match=r"y_val contains 7 and the classes are \[0, 1\]"):
        GradientS3VM().fit(X, y, X_val=X, y_val=np.full(24, 7))
    with pytest.raises(ValueError, match=r"X_val has 24 rows and y_val has 24, of which 0 are labels"):
        GradientS3VM().fit(X, y, X_val=X, y_val=np.full(24, -1))
    with pytest.raises(ValueError, match=r"X_val has 24 rows and y_val has 5"):
        GradientS3VM().fit(X, y, X_val=X, y_val=truth[:5])


# ---------------------------------------------------------------- rejection


def test_rejected_rows_get_the_marker_and_can_be_the_labels_of_a_further_fit():
    X, _, y = blobs()
    model = GradientS3VM().fit(X, y)
    limit = float(np.median(model.predict_proba(X).max(axis=1)))
    answer = model.predict(X, min_confidence=limit)
    rejected = answer == -1
    assert 0 < rejected.sum() < len(X)
    assert_array_equal(rejected, model.predict_proba(X).max(axis=1) < limit)
    assert_array_equal(answer[~rejected], model.predict(X)[~rejected])
    assert answer.dtype == model.predict(X).dtype
    GradientS3VM().fit(X, answer)
    assert_array_equal(model.predict(X, min_confidence=0.0), model.predict(X))
    assert np.all(model.predict(X, min_confidence=1.0) == -1)


@pytest.mark.parametrize(
    ("classes", "unlabeled", "dtype"),
    [
        ([3, 7], -1, np.int64),
        ([0.0, 1.0], -1, np.float64),
        (["a", "b"], "?", np.str_),
        (["a", "b"], "unknown", np.str_),
        (["a", "b"], -1, object),
        ([0, 1], None, object),
    ],
)
def test_the_marker_fits_whatever_the_classes_are(classes, unlabeled, dtype):
    X, truth, _ = blobs()
    model = SupervisedSVM(unlabeled=unlabeled).fit(X, np.array(classes)[truth])
    answer = model.predict(X, min_confidence=1.0)
    assert np.issubdtype(answer.dtype, dtype)
    assert all(value == unlabeled for value in answer)


@pytest.mark.parametrize("limit", [-0.1, 1.5, "high", True])
def test_a_confidence_is_a_number_from_0_to_1(limit):
    X, _, y = blobs()
    with pytest.raises(ValueError, match=r"min_confidence=.* was given and a number from 0 to 1 is needed"):
        GradientS3VM().fit(X, y).predict(X, min_confidence=limit)


def test_no_balance_is_held_where_none_is_asked_for():
    X, _, y = blobs()
    assert LabelSwitchingS3VM(n_stages=2).fit(X, y).calibration_.expected is not None
    assert LabelSwitchingS3VM(n_stages=2, balance="none").fit(X, y).calibration_.expected is None
    assert GradientS3VM(unlabeled=None).fit(X, np.arange(24) % 2).calibration_.expected is None
