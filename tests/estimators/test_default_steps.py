"""The steps of S3VM() one by one: preparations, kernels, features, weights, sizes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import lu_factor, lu_solve
from sklearn.linear_model import Ridge

from semisvm.estimators.default.average import Size
from semisvm.estimators.default.preparation import preparations, scaled_by_much
from semisvm.estimators.default.views import kernel_views, rank_for
from semisvm.estimators.default.weights import kernel_weights, left_out_residuals
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.geometry.widths import width


def test_preparations_do_what_they_say():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [1, 2, 3, 4, 5, 0] + 7
    standard, both, raw = preparations(X)
    assert_allclose(standard.apply(X)[:, :5].std(axis=0), 1.0)
    assert_allclose(standard.apply(X)[:, 5], 0.0)
    assert_allclose(np.linalg.norm(both.apply(X), axis=1), 1.0)
    assert_array_equal(raw.apply(X), X)
    assert scaled_by_much(X) is None
    assert scaled_by_much(X * [1e6, 1, 1, 1, 1, 1])[0] == 0


def test_the_graph_kernel_is_the_deformed_kernel():
    X = np.random.default_rng(0).normal(size=(60, 3))
    points = Points.of(X)
    preparation = preparations(X)[-1]
    every = kernel_views(X, (preparation,), 0)
    view = next(v for v in every if v.name == "graph of 6 neighbors, power 2")
    K = RBF(4 * width("median", points)).gram(points)
    L = Graph(n_neighbors=6).laplacian(points, True).matrix.toarray()
    deformed = lu_solve(lu_factor(np.eye(60) + 1000 * K @ L @ L), K)
    H = np.eye(60) - 1 / 60
    expected = H @ deformed @ H
    expected *= 60 / np.trace(expected)
    Z = view.leading(60).Z
    assert_allclose(Z @ Z.T, expected, atol=1e-5)
    assert_allclose(view.gram(np.arange(7)), expected[:7, :7], atol=1e-5)


def test_features_of_new_rows_continue_those_of_training_rows():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for kernel in kernel_views(X, preparations(X), 0):
        view = kernel.leading(rank_for(kernel))
        theta = np.random.default_rng(1).normal(size=(view.Z.shape[1], 2))
        predictor = view.features.predictor(view.directions @ theta, -view.offset @ theta)
        assert_allclose(predictor.scores(view.preparation.apply(X)), view.Z @ theta, atol=1e-8)


def test_left_out_residual_is_that_of_refitting():
    random = np.random.default_rng(0)
    Z, y = random.normal(size=(12, 4)), np.where(random.random((12, 1)) > 0.5, 1.0, -1.0)
    rows, kept = np.hstack([Z, np.ones((12, 1))]), np.vstack([np.ones(12, dtype=bool), np.arange(12) > 2])
    for mask, found in zip(kept, left_out_residuals(Z @ Z.T, y, kept), strict=True):
        residuals = []
        for i in np.flatnonzero(mask):
            others = mask & (np.arange(12) != i)
            model = Ridge(alpha=0.02, fit_intercept=False).fit(rows[others], y[others])
            residuals.append(y[i] - model.predict(rows[i : i + 1]))
        assert found == pytest.approx(np.mean(np.square(residuals)))


def test_weights_sharpen_with_labels():
    q = np.array([0.2, 0.3, 0.9])
    assert_allclose(kernel_weights(q, 10), 1 / 3)
    some, many = kernel_weights(q, 20), kernel_weights(q, 400)
    assert some[0] < many[0] == 1.0
    assert_allclose(some.sum(), 1.0)


def test_sizes_keep_the_sign_and_the_order():
    f = np.linspace(-30, 30, 61)[:, None]
    common = Size.of(f).common(f)
    assert np.all(np.diff(common[:, 0]) > 0)
    assert_array_equal(np.sign(common), np.sign(f))
