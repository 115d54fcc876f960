"""No argument of a public method is changed: a second call with it gives the same answer."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from semisvm import (
    S3VM,
    GradientS3VM,
    LaplacianRLSRegressor,
    LaplacianSVM,
    estimate_memory,
    s3vm_objective,
    suggest_first_labels,
    suggest_labels,
)
from semisvm.model_selection import LabeledKFold, S3VMSearchCV, labeled_scorer
from tests.estimators.quick import CLASSIFIERS, FROM_POSITIVES, blobs, positives, quick

ESTIMATORS = [*CLASSIFIERS, *FROM_POSITIVES, LaplacianRLSRegressor]


def locked(array):
    """A copy that cannot be written to."""
    array = np.array(array)
    array.flags.writeable = False
    return array


def locked_csr(X):
    matrix = sp.csr_array(X)
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    return matrix


def called(model, X, y, weights, parameters):
    """Everything public, once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(**parameters).fit(X, y, weights)
        answers = [model.predict(X), model.score(X, np.nan_to_num(y), weights)]
        if hasattr(model, "predict_proba"):
            answers += [model.decision_function(X), model.predict_proba(X), model.predict(X, min_confidence=0.9)]
    return answers


@pytest.mark.parametrize("make", [locked, locked_csr], ids=["dense", "sparse"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_read_only_arguments_do(estimator, make):
    X, _truth, y = blobs()
    real = estimator is LaplacianRLSRegressor
    y = np.where(y < 0, np.nan, y) if real else y
    weights = np.linspace(0.5, 2.0, len(y))
    class_weight = {0: 3.0, 1: 0.5}
    one_class = estimator in FROM_POSITIVES
    y = positives(y) if one_class else y
    parameters = {} if real or one_class else {"class_weight": class_weight}
    model = quick(estimator)
    given = make(X), locked(y), locked(weights)
    first, second = called(model, *given, parameters), called(model, *given, parameters)
    writeable = called(model, X, y, weights, parameters)
    for one, two, three in zip(first, second, writeable, strict=True):
        assert_array_equal(one, two)
        if make is locked:
            assert_array_equal(one, three)
    assert_array_equal(weights, np.linspace(0.5, 2.0, len(y)))
    assert class_weight == {0: 3.0, 1: 0.5}


def test_rows_set_aside_keep_the_weights_they_were_given():
    X, _, y = blobs()
    weights = np.ones(len(y))
    LaplacianSVM(early_stopping="validation", random_state=0).fit(X, y, weights)
    assert_array_equal(weights, np.ones(len(y)))


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if e is not LaplacianRLSRegressor], ids=lambda e: e.__name__
)
def test_rows_for_validation_and_masks_are_not_changed(estimator):
    X, truth, y = blobs()
    y = positives(y) if estimator in FROM_POSITIVES else y
    given = locked(X), locked(y)
    others = {"X_val": locked(X[12:]), "y_val": locked(truth[12:]), "drawn": locked(y >= 0)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = (quick(estimator).fit(*given, **others).decision_function(X) for _ in range(2))
    assert_array_equal(first, second)


def test_refits_objectives_and_first_suggestions_change_nothing():
    X, truth, y = (locked(part) for part in blobs(n=40, n_labeled=12))
    weights, drawn = locked(np.linspace(0.5, 2.0, len(y))), locked(y >= 0)
    model = S3VM().fit(X, y)
    scores = [model.refit(y, weights, drawn=drawn).decision_function(X) for _ in range(2)]
    assert_array_equal(*scores)
    assert s3vm_objective(X, y, truth) == s3vm_objective(X, y, truth)
    assert_array_equal(suggest_first_labels(X, 3), suggest_first_labels(X, 3))
    assert estimate_memory(model, X) == estimate_memory(model, X)


def test_searches_scorers_folds_and_suggestions_change_nothing():
    X, truth, y = (locked(part) for part in blobs(n=40, n_labeled=12))
    weights = locked(np.linspace(0.5, 2.0, len(y)))
    grid = {"C": [0.1, 1.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GradientS3VM().fit(X, y, weights)
        searches = [S3VMSearchCV(GradientS3VM(), grid, cv=LabeledKFold(3)).fit(X, y) for _ in range(2)]
    assert_array_equal(*(search.decision_function(X) for search in searches))
    assert grid == {"C": [0.1, 1.0]}
    assert labeled_scorer()(model, X, y) == labeled_scorer()(model, X, y)
    assert_array_equal(suggest_labels(model, X, 3, y=y), suggest_labels(model, X, 3, y=y))
    for (train, test), (again, held) in zip(LabeledKFold(3).split(X, y), LabeledKFold(3).split(X, y), strict=True):
        assert_array_equal(train, again)
        assert_array_equal(test, held)
    assert model.score(X, truth, weights) == model.score(X, truth, weights)
