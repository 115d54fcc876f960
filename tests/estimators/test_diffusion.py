"""Kernels of very many rows: features that are averaged over neighbors, of training rows and of new ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_moons

from semisvm import S3VM
from semisvm.datasets import hide_labels
from semisvm.estimators.default import graph_kernels, views
from semisvm.estimators.default.diffusion import DIFFUSIONS, Diffusion, diffused, powers, random_walk
from semisvm.estimators.default.graph_kernels import laplacians_of
from semisvm.estimators.default.kernel_rows import Held
from semisvm.estimators.default.landmark_functions import Basis, OnBasis
from semisvm.estimators.default.preparation import AsGiven
from semisvm.estimators.default.views import kernel_views
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Laplacian

ROWS = np.random.default_rng(0).normal(size=(300, 7))


def test_a_step_is_the_mean_over_neighbors_by_their_weights():
    W = np.array([[0, 2, 1, 0], [2, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=float)
    P = random_walk(csr_array(0.3 * Laplacian.of(csr_array(W), normalized=False).matrix)).toarray()
    assert_allclose(P, [[0, 2 / 3, 1 / 3, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], atol=1e-12)


def test_weights_that_are_hardly_numbers_leave_a_row_where_it_is():
    W = np.array([[0, 1, 0], [1, 0, 1e-44], [0, 1e-44, 0]], dtype=np.float32)
    L = csr_array(np.diag(W.sum(axis=1)) - W)
    P = random_walk(L).toarray()
    assert np.isfinite(P).all()
    assert_allclose(P.sum(axis=1), 1.0)
    assert P[2, 2] == 1.0


def test_kernels_are_those_of_features_after_all_their_steps():
    every = (Diffusion(5, 2), Diffusion(5, 6), Diffusion(3, 4))
    graphs = laplacians_of(Points.of(ROWS), every, normalized=False)
    basis = Basis.of(Held(ROWS))
    Z = OnBasis(basis).leading(5)[0]
    found = dict(diffused(Z, basis, graphs))
    assert list(found) == [one.name for one in every]
    for one in every:
        L = graphs[one].toarray()
        P = np.eye(len(L)) - L / L.diagonal()[:, None]
        expected = np.linalg.matrix_power(P, one.steps) @ Z
        expected -= expected.mean(axis=0)
        expected /= np.sqrt(np.mean(np.sum(expected**2, axis=1)))
        kernel, some = found[one.name], np.arange(0, 300, 7)
        assert_allclose(kernel.gram(some), expected[some] @ expected[some].T, atol=1e-5)


@pytest.mark.parametrize(("steps", "most"), [(1, 1), (8, 6), (32, 14)])
def test_many_steps_take_few_products(steps, most):
    graph = Diffusion(5, steps)
    P = random_walk(laplacians_of(Points.of(ROWS), (graph,), normalized=False)[graph]).toarray().astype(float)
    products = []

    class Counted:
        def __matmul__(self, Z):
            products.append(Z.shape)
            return P @ Z

    (found,) = powers(Counted(), ROWS, [steps])
    assert len(products) <= most
    missed = np.linalg.norm(found - np.linalg.matrix_power(P, steps) @ ROWS)
    assert missed < 0.01 * np.linalg.norm(ROWS)


@pytest.fixture
def few_are_many(monkeypatch):
    """300 rows count as very many, and 60 of them are landmarks."""
    monkeypatch.setattr(views, "EXACT_ROWS", 100)
    monkeypatch.setattr(views, "LANDMARKS", 60)
    for module in (views, graph_kernels):
        monkeypatch.setattr(module, "EXACT_NEIGHBORS", 200)


@pytest.mark.usefixtures("few_are_many")
def test_features_of_new_rows_come_near_to_those_of_training_rows():
    X = make_moons(900, noise=0.05, random_state=0)[0]
    seen, new = X[:600], X[600:]
    kernels = [one for one in kernel_views(seen, (AsGiven(),), 0) if "steps" in one.name]
    assert [one.name for one in kernels] == [one.name for one in DIFFUSIONS]
    for kernel in kernels:
        view = kernel.leading(20)
        predictor = view.features.predictor(view.directions, -view.offset)
        nearest = np.argmin(((new[:, None] - seen) ** 2).sum(axis=2), axis=1)
        for rows, features in ((seen, view.Z), (new, view.Z[nearest])):
            missed = np.mean((predictor.scores(rows) - features) ** 2)
            assert missed < 0.03 * np.mean(features**2)


@pytest.mark.usefixtures("few_are_many")
def test_without_unlabeled_rows_there_is_no_graph():
    assert [one.name for one in kernel_views(ROWS, (AsGiven(),), 0, ())] == ["linear", "rbf", "narrow rbf"]


@pytest.mark.usefixtures("few_are_many")
def test_many_rows_are_followed_along_their_graph(monkeypatch):
    X, y = load_digits(return_X_y=True)
    labels = hide_labels(y, np.random.default_rng(0).permutation(len(y))[:60])
    model = S3VM().fit(X, labels)
    assert "steps" in model.report_.kernels[0].kernel
    by_steps = np.mean(model.transduction_ != y)
    monkeypatch.setattr(views, "EXACT_NEIGHBORS", len(X))
    model = S3VM().fit(X, labels)
    assert not any("steps" in one.kernel for one in model.report_.kernels)
    assert by_steps < 0.7 * np.mean(model.transduction_ != y)


@pytest.mark.usefixtures("few_are_many")
def test_many_equal_rows_are_no_obstacle():
    X = ROWS.copy()
    X[50:] = X[50]
    labels = hide_labels((np.arange(300) % 3 == 0).astype(int), np.arange(60))
    assert np.isfinite(S3VM().fit(X, labels).predict_proba(X)).all()
