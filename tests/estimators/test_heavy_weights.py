"""Losses that weigh a million times as much as usual: rounding of kernel values must not take over."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from semisvm import AnnealingS3VM, MeanS3VM, SupervisedRLS, SupervisedSVM
from semisvm.estimators.parameters import HEAVIEST_SINGLE
from semisvm.estimators.space_store import SpaceStore


def smooth_task():
    """Rows on a line, where a Gram matrix has few eigenvalues that are more than rounding."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(40, 1)) + (np.arange(40) % 2)[:, None]).astype(np.float32)
    y = np.full(40, -1)
    y[:12] = np.arange(12) % 4
    return X, y, 1e6 * (rng.random(40) + 0.1)


def quiet_fit(model, X, y, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        return model.fit(X, y, weights)


@pytest.mark.parametrize("estimator", [AnnealingS3VM, MeanS3VM, SupervisedRLS, SupervisedSVM])
@pytest.mark.parametrize("where", ["weights", "C"])
def test_float32_rows_are_those_of_float64(estimator, where):
    X, y, weights = smooth_task()
    parameters = {} if where == "weights" else {"C": float(weights.max())}
    weights = weights if where == "weights" else None
    single = quiet_fit(estimator(**parameters), X, y, weights)
    double = quiet_fit(estimator(**parameters), X.astype(np.float64), y, weights)
    scores = single.decision_function(X.astype(np.float64))
    assert np.isfinite(scores).all()
    assert_array_equal(scores, double.decision_function(X.astype(np.float64)))


def test_light_losses_leave_rows_as_they_are():
    X, y, _ = smooth_task()
    kept = [
        SupervisedSVM(C=C).fit(X, y).predictor_.support_points.dtype for C in (HEAVIEST_SINGLE, 2 * HEAVIEST_SINGLE)
    ]
    assert kept == [np.float32, np.float64]


def test_a_search_keeps_spaces_of_both_precisions_apart():
    X, y, weights = smooth_task()
    store, alone = SpaceStore(), quiet_fit(SupervisedRLS(), X, y, weights)
    for given in (None, weights):
        model = SupervisedRLS()
        model._space_store = store
        quiet_fit(model, X, y, given)
    assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_values_of_a_coarse_kernel_lead_to_no_function_of_negative_norm():
    """Descent along its negative eigenvalues went to scores of 1e85."""
    X, y, weights = smooth_task()
    K = np.exp(-np.square(X - X.T)).astype(np.float32)
    for scale in (1.0, 1e3, 1e6):
        model = quiet_fit(AnnealingS3VM(kernel="precomputed", cooling=3.0), K, y, scale * weights)
        assert np.isfinite(model.decision_function(K)).all()
        assert (model.objective_ > -1e-3 * scale * weights.sum()).all()
