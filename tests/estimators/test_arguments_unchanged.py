"""No argument of a public method is changed: a second call with it gives the same answer."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from semisvm import LaplacianRLSRegressor, LaplacianSVM
from tests.estimators.quick import CLASSIFIERS, blobs, quick

ESTIMATORS = [*CLASSIFIERS, LaplacianRLSRegressor]


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
    parameters = {} if real else {"class_weight": class_weight}
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
