"""The kernels of the default: what is found by products, drawn rows and values computed again is what it stands for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.estimators.default import graph_kernels, kernel_rows, row_sums, views
from semisvm.estimators.default.graph_kernels import GraphKernel, GraphMetrics, laplacians_of
from semisvm.estimators.default.kernel_rows import Computed, Held, against_landmarks
from semisvm.estimators.default.leading_directions import leading_directions
from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.default.views import kernel_views
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF

ROWS = np.random.default_rng(0).normal(size=(300, 7))


@pytest.mark.parametrize("n", [60, 500])
def test_leading_directions_are_those_of_a_full_decomposition(n):
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    spectrum = 0.9 ** np.arange(n)
    A = (basis * spectrum) @ basis.T
    products = []

    def product(columns):
        products.append(columns.shape[1])
        return A @ columns

    w, U, AU = leading_directions(product, n, 20, np.dtype(np.float64))
    assert_allclose(w[::-1], spectrum[:20], rtol=1e-4)
    assert_allclose(U.T @ U, np.eye(20), atol=1e-12)
    assert_allclose(AU, A @ U, atol=1e-12)
    assert sum(products) <= max(n, 80) if n == 60 else sum(products) < 80


@pytest.mark.parametrize("n_columns", [7, 300])
def test_values_computed_again_are_those_held(n_columns):
    X = np.random.default_rng(0).normal(size=(300, n_columns)) + 5.0
    points, gamma = Points.of(X), 0.3 / n_columns
    landmarks = points.take(np.arange(0, 300, 9))
    W = np.random.default_rng(1).normal(size=(len(landmarks), 3)).astype(np.float32)
    for rows, width in zip(against_landmarks(points, landmarks, gamma), (gamma, 4 * gamma), strict=True):
        assert isinstance(rows, Computed if n_columns == 7 else Held)
        expected = RBF(width).block(points, landmarks)
        assert_allclose(rows.at(slice(5, 50)), expected[5:50], atol=1e-5)
        assert_allclose(rows.times(W), expected @ W, atol=1e-4)


@pytest.mark.parametrize(
    ("share", "kinds"), [(2.1, (Held, Held)), (1.1, (Computed, Held)), (0.9, (Computed, Computed))]
)
def test_kernel_values_of_wide_rows_are_held_within_bounds(share, kinds, monkeypatch):
    X = np.random.default_rng(0).normal(size=(90, 300)).astype(np.float32)
    points = Points.of(X)
    landmarks = points.take(np.arange(0, 90, 9))
    monkeypatch.setattr(kernel_rows, "HELD_BYTES", int(share * 4 * len(points) * len(landmarks)))
    found = against_landmarks(points, landmarks, 1e-3)
    assert tuple(type(one) for one in found) == kinds
    for rows, width in zip(found, (1e-3, 4e-3), strict=True):
        assert_allclose(rows.at(slice(None)), RBF(width).block(points, landmarks), atol=1e-5)


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_metrics_of_graphs_may_be_summed_over_some_rows(power, monkeypatch):
    graph = GraphKernel(5, power, 10.0)
    L = laplacians_of(Points.of(ROWS), (graph,), normalized=False)[graph]
    F = ROWS[:, :4] / 3
    expected = np.eye(4) + 10.0 * F.T @ np.linalg.matrix_power(L.toarray(), power) @ F
    R = np.tril(GraphMetrics(F).root(L, graph))
    assert_allclose(R @ R.T, expected, rtol=1e-9, atol=1e-9)
    monkeypatch.setattr(row_sums, "SUMMED", 200)
    R = np.tril(GraphMetrics(F).root(L, graph))
    assert_allclose(np.diag(R @ R.T), np.diag(expected), rtol=0.3)


def test_landmark_features_of_new_rows_continue_those_of_training_rows(monkeypatch):
    monkeypatch.setattr(views, "EXACT_ROWS", 100)
    monkeypatch.setattr(views, "LANDMARKS", 60)
    monkeypatch.setattr(row_sums, "SUMMED", 200)
    for kernel in kernel_views(ROWS + 3.0, preparations(ROWS + 3.0), 0):
        view = kernel.leading(20)
        theta = np.random.default_rng(1).normal(size=(view.Z.shape[1], 2))
        predictor = view.features.predictor(view.directions @ theta, -view.offset @ theta)
        assert_allclose(predictor.scores(view.preparation.apply(ROWS + 3.0)), view.Z @ theta, atol=2e-3)
        assert_allclose(view.Z.mean(axis=0), 0.0, atol=1e-4)


@pytest.mark.parametrize("exact_rows", [100, 1000])
def test_neighbors_are_searched_once_for_every_preparation(exact_rows, monkeypatch):
    monkeypatch.setattr(views, "EXACT_ROWS", exact_rows)
    searches, search = [], graph_kernels.nearest_neighbors
    monkeypatch.setattr(graph_kernels, "nearest_neighbors", lambda points, k: searches.append(k) or search(points, k))
    prepared = preparations(ROWS)
    assert len(list(kernel_views(ROWS, prepared, 0))) == 6 * len(prepared)
    assert searches == [10] * len(prepared)
