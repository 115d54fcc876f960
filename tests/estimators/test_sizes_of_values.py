"""Values of any size are learnt from or refused in a sentence; nothing overflows in between."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import AnchorGraph, GradientS3VM, LaplacianSVM, LinearProgrammingS3VM, SupervisedSVM
from tests.estimators.quick import CLASSIFIERS, blobs, quick

every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)


def fit_without_overflow(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model.fit(X, y)
        except RuntimeError as refusal:
            # a linear program takes coefficients below 1e15
            assert isinstance(model, LinearProgrammingS3VM)
            assert abs(X).max() > 1e15
            assert str(refusal).endswith("scale the columns of X.")  # noqa: PT017
            return model
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()
    return model


@every_classifier
@pytest.mark.parametrize("size", [1e-70, 1e-20, 1e-9, 1e9, 1e20, 1e70])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_sizes_that_are_learnt(estimator, size, make):
    X, _, y = blobs()
    fit_without_overflow(quick(estimator), make(X * size), y)


@every_classifier
@pytest.mark.parametrize("size", [1e-70, 1e-20, 1e20, 1e70])
def test_a_linear_kernel_of_any_size_is_learnt_from_or_refused(estimator, size):
    X, _, y = blobs()
    model = quick(estimator)
    if "kernel" not in model.get_params():
        pytest.skip("it chooses its kernels")
    try:
        fit_without_overflow(model.set_params(kernel="linear"), X * size, y)
    except ValueError as refusal:
        assert size >= 1e20
        assert "met a system of equations without a solution" in str(refusal)  # noqa: PT017


@every_classifier
@pytest.mark.parametrize("size", [1e-30, 1e-15, 1e15, 1e30])
def test_single_precision_is_no_bound(estimator, size):
    X, _, y = blobs()
    fit_without_overflow(quick(estimator), (X * size).astype(np.float32), y)


@pytest.mark.parametrize("size", [1e76, 1e150, 1e300])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_values_too_large_are_refused_with_their_column(size, make):
    X, _, y = blobs()
    X[7, 2] = -size
    with pytest.raises(ValueError, match=r"^X has a value of size .* in column 2 and sizes up to 1e\+75 are needed"):
        GradientS3VM().fit(make(X), y)
    with pytest.raises(ValueError, match="in column 'c'"):
        GradientS3VM().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    X[7, 2] = 0.0
    model = SupervisedSVM().fit(X, y)
    with pytest.raises(ValueError, match="in column 0"):
        model.predict(make(np.full((1, 3), size)))


@pytest.mark.parametrize("size", [1e-76, 1e-200, 5e-324])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_values_too_small_are_refused(size, make):
    X, _, y = blobs()
    with pytest.raises(ValueError, match=r"^The largest value of X has size .* and 1e-75 or more is needed"):
        LaplacianSVM().fit(make(np.sign(X) * size), y)


def test_the_size_of_single_values_does_not_change_the_result():
    X, _, y = blobs()
    plain, large = SupervisedSVM().fit(X, y), SupervisedSVM().fit((X * 2.0**60).astype(np.float32), y)
    assert_allclose(large.decision_function(X * 2.0**60), plain.decision_function(X), atol=1e-5)
    assert_array_equal(large.predict((X * 2.0**60).astype(np.float32)), plain.predict(X))


POLYNOMIAL_REFUSALS = (
    "The square of the polynomial kernel exceeds 1e300",
    "The objective falls without end",  # rows near 1e9 leave a matrix of rounding, with negative eigenvalues
    "met a system of equations without a solution",
)


@every_classifier
@pytest.mark.parametrize(("size", "shift"), [(1e60, 0.0), (1.0, 1e9)])
@pytest.mark.parametrize("degree", [1, 7, 40])
def test_a_polynomial_is_learnt_from_or_refused(estimator, size, shift, degree):
    X, _, y = blobs()
    model = quick(estimator)
    if "degree" not in model.get_params() or estimator is LinearProgrammingS3VM:
        pytest.skip("it has no polynomial kernel")
    for gamma in ("scale", 1e9):
        model.set_params(kernel="poly", degree=degree, gamma=gamma)
        try:
            fit_without_overflow(model, X * size + shift, y)
        except ValueError as refusal:
            assert any(said in str(refusal) for said in POLYNOMIAL_REFUSALS), refusal  # noqa: PT017


@pytest.mark.parametrize("seed", range(4))
def test_an_anchor_graph_of_large_rows_on_a_line_is_learnt_from(seed):
    random = np.random.default_rng(seed)
    X = 1e20 * random.normal(size=(33, 1)) * random.normal(size=(1, 3))
    y = np.where(np.arange(33) < 8, np.arange(33) % 2, -1)
    model = GradientS3VM(kernel="linear", graph=AnchorGraph(n_anchors=5), random_state=0)
    fit_without_overflow(model, X, y)
