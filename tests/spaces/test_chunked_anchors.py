"""Anchor graphs: the sums of one pass are the Laplacian's, and the fit is the one in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import AnchorGraph, GradientS3VM, Graph, LaplacianRLS, LaplacianSVM, chunked
from tests.spaces.test_chunked_fits import TRUTH, D, N, X, Y

GRAPH = AnchorGraph(n_anchors=15, n_neighbors=3)


def laplacian(rows):
    """I - Z D^-1 Z', dense."""
    Z = GRAPH.anchors(rows).ties(X).toarray()
    assert_allclose(Z.sum(axis=1), 1.0)
    assert np.all((Z > 0).sum(axis=1) <= 3)
    return np.eye(N) - Z / np.where(Z.sum(axis=0) > 0, Z.sum(axis=0), 1.0) @ Z.T


def test_it_is_the_laplacian_of_a_graph():
    L = laplacian(chunked(X, chunk_rows=50))
    assert_allclose(L, L.T, atol=1e-12)
    assert_allclose(L.sum(axis=1), 0.0, atol=1e-12)
    values = np.linalg.eigvalsh(L)
    assert values[0] > -1e-12
    assert values[-1] < 1 + 1e-12


@pytest.mark.parametrize("rows", [X, chunked(X, chunk_rows=37)], ids=["in memory", "in chunks"])
def test_least_squares_meet_the_closed_form(rows):
    gamma_A, gamma_I = 0.5, 2.0
    model = LaplacianRLS(
        kernel="linear", gamma_A=gamma_A, gamma_I=gamma_I, graph=GRAPH, early_stopping=None, tol=1e-10
    ).fit(rows, Y)
    L = laplacian(chunked(X))
    labeled = Y >= 0
    # (X_L'X_L + gamma_A I + gamma_I X'L X) w = X_L'y
    A = X[labeled].T @ X[labeled] + gamma_A * np.eye(D) + gamma_I * X.T @ L @ X
    w = np.linalg.solve(A, X[labeled].T @ (2.0 * Y[labeled] - 1))
    assert_allclose(model.coef_.ravel(), w, rtol=1e-7)


def test_landmarks_chunks_and_hybrids():
    for model in (
        LaplacianSVM(n_components=25, random_state=0, graph=GRAPH, early_stopping=None, tol=1e-8),
        GradientS3VM(kernel="linear", graph=GRAPH, deformation=3.0, tol=1e-7),
    ):
        objective, labels = model.fit(X, Y).objective_, model.transduction_
        model.fit(chunked(X, chunk_rows=37), Y)
        assert_allclose(model.objective_, objective, rtol=1e-6)
        assert_array_equal(model.transduction_, labels)
        assert np.mean(labels == TRUTH) > 0.9


def test_what_cannot_be_meant_is_refused_in_a_sentence():
    rows = chunked(X)
    with pytest.raises(ValueError, match="it needs all pairs of rows: use graph=AnchorGraph"):
        LaplacianSVM(kernel="linear", graph=Graph()).fit(rows, Y)
    with pytest.raises(ValueError, match=r"AnchorGraph\(n_anchors=0\) was given: use a whole number of at least 1"):
        LaplacianSVM(kernel="linear", graph=AnchorGraph(n_anchors=0)).fit(rows, Y)
    with pytest.raises(ValueError, match=r'AnchorGraph\(width=-1\) was given: use "mean" or a positive number'):
        LaplacianSVM(kernel="linear", graph=AnchorGraph(width=-1)).fit(rows, Y)


def test_an_anchor_that_no_row_is_tied_to_counts_for_nothing():
    rows = np.repeat(X[:8], 20, axis=0)
    y = np.where(np.arange(160) % 20 == 0, Y[:8].repeat(20), -1)
    y[[0, 20]] = 0, 1
    graph = AnchorGraph(n_anchors=20, n_neighbors=1)
    assert np.any(graph.anchors(chunked(rows)).ties(rows).sum(axis=0) == 0)
    assert np.isfinite(LaplacianRLS(kernel="linear", graph=graph).fit(rows, y).coef_).all()
