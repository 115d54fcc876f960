"""scikit-learn's own checks over every public estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import semisvm

ESTIMATORS = [
    getattr(semisvm, name)
    for name in semisvm.__all__
    if isinstance(getattr(semisvm, name), type) and issubclass(getattr(semisvm, name), BaseEstimator)
]
CLASSIFIERS = [e for e in ESTIMATORS if is_classifier(e())]
SAMPLE_WEIGHT = {
    f"check_sample_weight_equivalence_on_{kind}_data": 'gamma="scale" sees the rows, not their weights; tested below with a '
    "numeric gamma"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [e(unlabeled=None) for e in CLASSIFIERS], expected_failed_checks=lambda estimator: SAMPLE_WEIGHT
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator", [semisvm.SupervisedSVM(), semisvm.SupervisedSVM(loss="hinge"), semisvm.SupervisedRLS()], ids=str
)
def test_a_weight_of_two_is_a_row_twice(estimator, rng):
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 3
    weights = rng.integers(0, 3, 40).astype(float)
    estimator.set_params(gamma=0.2, tol=1e-9)
    weighted = estimator.fit(X, y, sample_weight=weights).decision_function(X)
    repeated = estimator.fit(
        np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int))
    ).decision_function(X)
    assert_allclose(weighted, repeated, atol=1e-6)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_minus_one_and_plus_one_are_never_silently_unlabeled(estimator, rng):
    X, y = rng.normal(size=(20, 2)), np.where(np.arange(20) % 2, 1, -1)
    with pytest.raises(ValueError, match=r"y has 1 class.*unlabeled=-1.*0/1 labels.*unlabeled=0.*unlabeled=None"):
        estimator().fit(X, y)
