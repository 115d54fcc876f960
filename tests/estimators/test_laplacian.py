"""LaplacianSVM, LaplacianRLS, LaplacianRLSRegressor and LowDensitySeparation as users meet them."""

import sys
from functools import partial as partial_function
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse as sp
from sklearn.base import clone

from semisvm import (
    Graph,
    LaplacianRLS,
    LaplacianRLSRegressor,
    LaplacianSVM,
    SupervisedRLS,
    SupervisedSVM,
)
from semisvm.datasets import hide_labels, make_clock, make_g50c, make_two_moons
from semisvm.geometry.distances import Points
from semisvm.geometry.neighbors import nearest_neighbors
from semisvm.spaces import SparseGram
from tests.estimators.quick import three_blobs

CLASSIFIERS = [LaplacianSVM, LaplacianRLS]


# -------------------------------------------------------------------- toys


@pytest.mark.parametrize("nuisance", [0, 100])
@pytest.mark.parametrize("seed", range(10))
def test_two_moons_without_error(seed, nuisance):
    X, y = make_two_moons(200, noise=0.05, angle=0.2 * np.pi, nuisance=nuisance, random_state=seed)
    model = LaplacianSVM(gamma=1 / (2 * 0.35**2), gamma_A=1e-4, gamma_I=1, graph=Graph(n_neighbors=10))
    assert_array_equal(model.fit(X, hide_labels(y, [0, 1])).transduction_, y)


@pytest.mark.parametrize("solver", ["pcg", "newton", "dual"])
def test_the_clock_is_separated_by_the_graph_and_not_by_the_svm(solver):
    X, y = make_clock(300, noise=0.02, random_state=0)
    partial = hide_labels(y, [0, 1])
    supervised = np.mean(SupervisedSVM(gamma=10, C=100).fit(X, partial).predict(X) != y)
    model = LaplacianSVM(gamma=10, gamma_A=1e-4, gamma_I=1, solver=solver).fit(X, partial)
    assert supervised > 0.3
    assert np.mean(model.predict(X) != y) == 0


@pytest.mark.parametrize("gamma_I", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
@pytest.mark.parametrize("make", [make_two_moons, make_clock], ids=lambda m: m.__name__)
def test_it_is_never_far_worse_than_the_supervised_one(make, estimator, gamma_I):
    X, y = make(random_state=1)
    partial = hide_labels(y, [0, 1])
    supervised = np.mean(SupervisedSVM().fit(X, partial).transduction_ != y)
    error = np.mean(estimator(gamma_I=gamma_I).fit(X, partial).transduction_ != y)
    assert error <= supervised + 0.1
    if gamma_I == 10.0:
        assert error == 0


def test_clouds_are_separated_better_with_the_published_parameters():
    gamma, graph, errors = 1 / (2 * 17.5**2), Graph(n_neighbors=50, power=5), []
    for seed in range(5):
        X, y = make_g50c(random_state=seed)
        partial = hide_labels(y, np.arange(50))
        supervised = SupervisedSVM(gamma=gamma, C=5, fit_intercept=False).fit(X, partial)
        model = LaplacianSVM(gamma=gamma, gamma_A=0.1, gamma_I=10, graph=graph).fit(X, partial)
        errors.append([np.mean(supervised.transduction_ != y), np.mean(model.transduction_ != y)])
    supervised_error, error = np.mean(errors, axis=0)
    assert error < supervised_error
    assert error < 0.1


def test_few_landmarks_do_not_collapse():
    X, y = make_two_moons(2000, noise=0.1, nuisance=0, random_state=0)
    partial = hide_labels(y, np.arange(20))
    supervised = np.mean(SupervisedSVM(gamma=5.0).fit(X, partial).transduction_ != y)
    model = LaplacianSVM(gamma=5.0, gamma_A=1e-3, gamma_I=1e-2, n_components=60, random_state=0).fit(X, partial)
    assert np.mean(model.transduction_ != y) <= min(supervised, 0.05)
    assert np.std(model.decision_function(X)) > 0.2


def test_many_rows_and_few_landmarks_take_the_plain_laplacian():
    """The normalized one charges n times as much for a constant, which few smooth features cannot evade: 11 % here."""
    X, y = make_two_moons(20_000, noise=0.15, nuisance=0, random_state=0)
    partial = hide_labels(y, np.arange(20))
    supervised = np.mean(SupervisedSVM(gamma=5.0).fit(X, partial).transduction_ != y)
    model = LaplacianSVM(gamma=20.0, gamma_A=1e-3, gamma_I=1e-2, n_components=100, random_state=0).fit(X, partial)
    assert np.mean(model.transduction_ != y) <= supervised


# -------------------------------------------------------------------- one problem, many ways


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("free", [True, False])
def test_the_solver_does_not_change_the_function(loss, free):
    X, _, partial = three_blobs()
    common = {"gamma": 0.5, "loss": loss, "early_stopping": None, "fit_intercept": free, "tol": 1e-10}
    models = [
        LaplacianSVM(solver=solver, max_iter=20_000, **common).fit(X, partial) for solver in ("pcg", "newton", "dual")
    ]
    for model in models[1:]:
        assert_allclose(model.decision_function(X), models[0].decision_function(X), atol=1e-7)
        assert_allclose(model.objective_, models[0].objective_, rtol=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_it_is_the_svm_with_a_deformed_kernel(loss):
    X, _, partial = three_blobs()
    graph = Graph(n_neighbors=7, power=2)
    laplacian = LaplacianSVM(gamma=0.5, gamma_A=0.05, gamma_I=0.2, graph=graph, loss=loss, solver="dual", tol=1e-10)
    deformed = SupervisedSVM(
        gamma=0.5, C=1 / (2 * 0.05), graph=graph, deformation=0.2 / 0.05, loss=loss, fit_intercept=False, tol=1e-10
    )
    laplacian.fit(X, partial), deformed.fit(X, partial)
    new = np.random.default_rng(5).normal(size=(20, 2))
    assert_allclose(laplacian.decision_function(new), deformed.decision_function(new), atol=1e-8)
    assert_allclose(laplacian.objective_, deformed.objective_, rtol=1e-9)


def test_rls_solvers_agree_and_gamma_i_of_zero_is_the_supervised_ridge():
    X, _, partial = three_blobs()
    common = {"gamma": 0.5, "gamma_A": 0.05, "early_stopping": None, "tol": 1e-10, "max_iter": 20_000}
    direct = LaplacianRLS(solver="direct", **common).fit(X, partial)
    pcg = LaplacianRLS(solver="pcg", **common).fit(X, partial)
    assert_allclose(pcg.decision_function(X), direct.decision_function(X), atol=1e-8)
    plain = LaplacianRLS(solver="direct", gamma_I=0, **{**common, "tol": 1e-10}).fit(X, partial)
    ridge = SupervisedRLS(gamma=0.5, C=1 / (2 * 0.05), fit_intercept=False, tol=1e-10).fit(X, partial)
    assert_allclose(plain.decision_function(X), ridge.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("solver", ["pcg", "newton", "dual"])
def test_sparse_rows_and_linear_functions(solver):
    X, _, partial = three_blobs()
    rows = sp.csr_array(np.where(np.abs(X) > 0.3, X, 0.0))
    dense = LaplacianSVM(kernel="linear", solver=solver, early_stopping=None, tol=1e-9, max_iter=5000)
    sparse = clone(dense)
    assert_allclose(
        sparse.fit(rows, partial).decision_function(rows),
        dense.fit(rows.toarray(), partial).decision_function(rows.toarray()),
        atol=1e-6,
    )
    assert sparse.coef_.shape == (3, 2)


def test_precomputed_kernels_with_a_graph_of_their_own():
    X, _, partial = three_blobs()
    d = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    near = d <= np.sort(d, axis=1)[:, [8]]
    graph = Graph.from_affinity(sp.csr_array((near | near.T).astype(float)))
    rbf = LaplacianSVM(gamma=0.5, graph=graph, solver="newton").fit(X, partial)
    given = LaplacianSVM(kernel="precomputed", graph=graph, solver="newton").fit(np.exp(-0.5 * d), partial)
    assert_allclose(given.decision_function(np.exp(-0.5 * d)), rbf.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("estimator", [LaplacianSVM, LaplacianRLSRegressor, SupervisedSVM], ids=lambda e: e.__name__)
@pytest.mark.parametrize("n_components", [None, 40])
def test_neighbors_of_a_precomputed_kernel_are_those_of_its_images(estimator, n_components):
    """x'z is known, the rows are not: they are the images, so the graph is theirs and not that of the rows of K."""
    X, _, partial = three_blobs()
    y = np.where(partial < 0, np.nan, partial) if estimator is LaplacianRLSRegressor else partial
    common = {"graph": Graph(n_neighbors=8), "n_components": n_components, "random_state": 0, "tol": 1e-9}
    rows = estimator(kernel=lambda A, B: A @ B.T, max_iter=5000, **common).fit(X, y)
    values = estimator(kernel="precomputed", max_iter=5000, **common).fit(X @ X.T, y)
    assert_allclose(values.predict(X @ X.T), rows.predict(X), atol=1e-5)
    assert_allclose(values.objective_, rows.objective_, rtol=1e-5)


@pytest.mark.parametrize("solver", ["pcg", "newton", "dual"])
def test_sparse_precomputed_kernels_stay_sparse(solver, monkeypatch):
    X, _, partial = three_blobs()
    d = np.sqrt(np.sum((X[:, None] - X[None]) ** 2, axis=2))
    K = np.maximum(0, 1 - d) ** 3  # a kernel of compact support
    near = d <= np.sort(d, axis=1)[:, [8]]
    graph = Graph.from_affinity(sp.csr_array((near | near.T).astype(float)))
    common = {"kernel": "precomputed", "graph": graph, "solver": solver, "early_stopping": None, "tol": 1e-9}
    dense = LaplacianSVM(**common).fit(K, partial)
    if solver == "pcg":
        monkeypatch.setattr(SparseGram, "gram", lambda self: pytest.fail("the Gram matrix was made dense"))
    sparse = LaplacianSVM(**common).fit(sp.csr_array(K), partial)
    assert_allclose(sparse.decision_function(sp.csr_array(K)), dense.decision_function(K), atol=1e-7)


def test_awkward_graphs():
    """Copies, points far from all others, and a component without any label."""
    X, _, partial = three_blobs()
    far = np.array([[100.0, 100.0], [100.5, 100.0], [100.0, 100.5], [-300.0, 0.0]])
    X = np.concatenate([X, X[:20], far])
    partial = np.concatenate([partial, np.full(24, -1)])
    for solver in ("pcg", "newton", "dual"):
        model = LaplacianSVM(gamma=0.5, graph=Graph(n_neighbors=2), solver=solver).fit(X, partial)
        assert np.all(np.isfinite(model.decision_function(X)))
        assert_array_equal(model.transduction_[150:170], model.transduction_[:20])


@pytest.mark.parametrize("solver", ["pcg", "newton", "dual"])
def test_rows_without_edges_and_parts_without_labels_are_left_to_the_kernel(solver):
    X, _, partial = three_blobs()
    W = Graph(n_neighbors=6).adjacency(Points.of(X)).toarray()
    alone = np.array([5, 40, 41])  # a labeled row and two others
    W[alone] = W[:, alone] = 0.0
    W[0, 0] = 7.0
    model = LaplacianSVM(gamma=0.5, graph=Graph.from_affinity(sp.csr_array(W)), solver=solver, early_stopping=None)
    model.set_params(tol=1e-9, max_iter=5000).fit(X, partial)
    assert np.all(np.isfinite(model.decision_function(X)))
    # the graph costs a row without edges nothing, so it holds the coefficient of its loss alone
    assert not np.isin([40, 41], model.support_[np.abs(model.dual_coef_).max(axis=0) > 1e-8]).any()


@pytest.fixture
def approximate(monkeypatch):
    """Few rows that are searched as if they were many."""
    search = partial_function(nearest_neighbors, approximate_above=100)
    monkeypatch.setattr("semisvm.geometry.graph.nearest_neighbors", search)


def test_a_fit_on_approximate_neighbors_decides_as_on_exact_ones(approximate, monkeypatch):
    """A stand-in for the package that misses every tenth neighbor: compiling the real one takes half a minute."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 10)) + 2.0 * y[:, None]
    asked = []

    def descent(rows, *, metric, n_neighbors, random_state):
        asked.append(n_neighbors)
        d = np.sum((rows[:, None] - rows) ** 2, axis=2)
        found = np.argsort(d, axis=1)[:, :n_neighbors]
        return SimpleNamespace(neighbor_graph=(np.where(rng.random(found.shape) < 0.1, -1, found), None))

    monkeypatch.setitem(sys.modules, "pynndescent", SimpleNamespace(NNDescent=descent))
    partial, common = hide_labels(y, np.arange(10)), {"gamma": "median", "n_components": 60, "random_state": 0}
    found = LaplacianSVM(graph=Graph(n_neighbors=8), **common).fit(X, partial)
    assert asked == [14]
    monkeypatch.undo()
    exact = LaplacianSVM(graph=Graph(n_neighbors=8), **common).fit(X, partial)
    assert np.mean(found.transduction_ != exact.transduction_) < 0.01
    assert np.mean(found.transduction_ != y) < 0.02


def test_many_rows_without_the_extra_are_searched_exactly_with_a_warning(approximate, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    X = np.random.default_rng(0).normal(size=(120, 9))
    with pytest.warns(UserWarning, match=r"All 120 points with 9 columns .* pip install semisvm\[ann\]"):
        model = LaplacianSVM(n_components=20).fit(X, hide_labels(np.arange(120) % 2, np.arange(4)))
    assert model.transduction_.shape == (120,)
