"""Scores of new rows by support points: whatever the strips and the precision, the sum of the formula."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel

import semisvm.spaces.predictor
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF, FunctionKernel, Polynomial
from semisvm.spaces import KernelPredictor

WIDE = RBF(0.3)


def predictor(rng, kernel=WIDE, dtype=np.float64, shift=0.0, k=2, size=1.0):
    support = Points.of((rng.normal(size=(30, 4)) + shift).astype(dtype))
    return KernelPredictor(kernel, support, size * rng.normal(size=(30, k)), rng.normal(size=k))


def formula(model, X):
    return rbf_kernel(X, model.support_points.X, gamma=0.3) @ model.dual_coef + model.intercept


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_strips_of_any_size_give_the_formula(rng, monkeypatch, form, k):
    model, X = predictor(rng, k=k), rng.normal(size=(50, 4))
    for name in ("STRIP_BYTES", "CHUNK_BYTES"):
        monkeypatch.setattr(semisvm.spaces.predictor, name, 8 * 30 * 7)
    assert [rows.stop for rows, _ in model.strips(form(X))] == [7, 14, 21, 28, 35, 42, 49, 50]
    np.testing.assert_allclose(model.scores(form(X)), formula(model, X), rtol=1e-12, atol=1e-12)
    assert model.scores(form(X[:0])).shape == (0, k)


@pytest.mark.parametrize("shift", [0.0, 1000.0])
@pytest.mark.parametrize("trained_on", [np.float32, np.float64])
def test_float32_rows_meet_float32_support_points(rng, trained_on, shift):
    model, X = predictor(rng, dtype=trained_on, shift=shift), (rng.normal(size=(50, 4)) + shift).astype(np.float32)
    assert {values.dtype for _, values in model.strips(X)} == {np.dtype(np.float32)}
    # float32 rows far from zero are themselves known to 6e-5 only
    np.testing.assert_allclose(model.scores(X), formula(model, X), atol=1e-5 if not shift else 5e-3)


def test_large_coefficients_that_cancel_keep_double_precision(rng):
    model, X = predictor(rng, size=1e5), rng.normal(size=(50, 4)).astype(np.float32)
    assert {values.dtype for _, values in model.strips(X)} == {np.dtype(np.float64)}
    np.testing.assert_allclose(model.scores(X), formula(model, X.astype(float)), atol=1e-8)


def test_what_a_function_of_the_user_returns_is_not_overwritten(rng, monkeypatch):
    monkeypatch.setattr(semisvm.spaces.predictor, "CHUNK_BYTES", 8 * 30 * 10)
    returned = []

    def remembering(A, B):
        returned.append(rbf_kernel(A, B, gamma=0.3))
        return returned[-1]

    model, X = predictor(rng, kernel=FunctionKernel(remembering)), rng.normal(size=(30, 4))
    np.testing.assert_allclose(model.scores(X), formula(model, X), rtol=1e-12)
    np.testing.assert_array_equal(np.vstack(returned), rbf_kernel(X, model.support_points.X, gamma=0.3))


def test_other_kernels_in_strips(rng, monkeypatch):
    monkeypatch.setattr(semisvm.spaces.predictor, "STRIP_BYTES", 8 * 30 * 7)
    model, X = predictor(rng, kernel=Polynomial(3, 0.5, 1.0)), rng.normal(size=(50, 4))
    expected = (0.5 * X @ model.support_points.X.T + 1) ** 3 @ model.dual_coef + model.intercept
    np.testing.assert_allclose(model.scores(X), expected, rtol=1e-11, atol=1e-11)
