"""Rows that leave nothing to measure: all equal, all as far from each other, one unlabeled row."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone

from semisvm import (
    S3VM,
    ContinuationS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    LaplacianRLSRegressor,
    LowDensitySeparation,
    SupervisedSVM,
)
from semisvm.geometry.graph import factorized
from tests.estimators.quick import CLASSIFIERS, quick

N = 12
FEW = np.r_[0, 1, 0, 1, np.full(N - 4, -1)]
ALL_BUT_ONE = np.r_[np.arange(N - 1) % 2, -1]
RANDOM = np.random.default_rng(0).normal(size=(N, 3))

TASKS = {
    "one-hot rows": (np.eye(N), FEW),
    "identical rows": (np.ones((N, 3)), FEW),
    "rows of zeros": (np.zeros((N, 3)), FEW),
    "equal unlabeled rows": (np.where(FEW[:, None] < 0, RANDOM[4], RANDOM), FEW),
    "one unlabeled row": (RANDOM, ALL_BUT_ONE),
    "two points": (np.arange(N)[:, None] % 2 * np.ones(3), FEW),
}


def check(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings("ignore", category=UserWarning)
        model.fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()
    assert set(model.predict(X)) <= {0, 1}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_every_classifier_learns(estimator, task):
    check(quick(estimator), *TASKS[task])


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 1e6 / 3])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_a_row_has_one_score_alone_and_among_its_copies(estimator, value):
    X = np.full((N, 3), value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = quick(estimator).fit(X, np.r_[0, FEW[1:]])
    assert_allclose(model.decision_function(X), model.decision_function(X[:1])[0], atol=1e-9)


@pytest.mark.parametrize("n", range(5, 21))
@pytest.mark.parametrize("balance", ["soft", "none"])
def test_continuation_on_rows_at_equal_distances(n, balance):
    y = np.r_[0, 1, 0, 1, np.full(n - 4, -1)]
    check(ContinuationS3VM(gamma=1e3, balance=balance), np.random.default_rng(n).normal(size=(n, 3)), y)
    check(ContinuationS3VM(gamma=1e3, balance=balance), np.eye(n), y)


@pytest.mark.parametrize("model", [LowDensitySeparation(), LowDensitySeparation(kernel="rbf", delta=0.0)], ids=str)
def test_low_density_separation_of_one_point(model):
    check(clone(model), *TASKS["identical rows"])


@pytest.mark.parametrize(("dtype", "shift"), [(np.float32, 2.0**10), (np.float64, 2.0**40)])
@pytest.mark.parametrize("estimator", [GradientS3VM, LabelSwitchingS3VM], ids=lambda e: e.__name__)
def test_sparse_rows_far_from_zero_keep_their_distances(estimator, dtype, shift):
    rng = np.random.default_rng(0)
    y = np.r_[0, 1, 0, 1, np.full(12, -1)]
    X = (np.round(rng.normal(size=(16, 5)), 2) + shift).astype(dtype)
    plain, light = estimator().fit(X.astype(np.float64) - shift, y), estimator().fit(csr_array(X), y)
    assert_allclose(light.decision_function(csr_array(X)), plain.decision_function(X - shift), atol=1e-4)


def test_landmarks_without_length_are_functions_that_are_zero():
    y = np.r_[0, 1, 0, 1, np.full(8, -1)]
    model = LabelSwitchingS3VM(kernel="precomputed", n_components=1, random_state=0)
    check(model, np.zeros((N, N)), y)


@pytest.mark.parametrize("estimator", [SupervisedSVM, LaplacianRLSRegressor], ids=lambda e: e.__name__)
def test_a_singular_system_is_a_sentence(estimator, monkeypatch):
    def singular(*_):
        return factorized(-np.eye(N))

    monkeypatch.setattr(estimator, "_problem", singular)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"met a system of equations without a solution.*extreme parameters\.$"):
            estimator().fit(RANDOM, np.where(FEW < 0, np.nan, FEW))


@pytest.mark.parametrize("n", [5, 6, 11, 20, 40, 300])
@pytest.mark.parametrize("value", [0.0, 1.0, 3.3])
def test_the_default_takes_equal_rows_however_many(n, value):
    """Centered kernels of equal rows are rounding: scaled up, they had large negative eigenvalues."""
    X, y = np.full((n, 4), value), np.full(n, -1)
    y[:4] = 0, 0, 1, 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = S3VM().fit(X, y).decision_function(X)
    assert np.isfinite(scores).all()
    assert np.ptp(scores) < 1e-8
