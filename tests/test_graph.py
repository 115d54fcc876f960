"""Neighbor graphs and Laplacians: symmetric, positive semi-definite, and sane on awkward data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone

from semisvm.geometry.distance_order import DistanceOrder
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import TILE_COLUMNS, Graph, GraphTerm, Laplacian
from semisvm.geometry.kernel_distances import KernelDistances
from semisvm.geometry.kernels import RBF, Cosine, Polynomial
from semisvm.geometry.neighbors import nearest_neighbors

X = np.random.default_rng(3).normal(size=(50, 4))
POINTS = Points.of(X)


def brute_force_weights(X, k, width=None):
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(d, np.inf)
    near = np.argsort(d, axis=1, kind="stable")[:, :k]
    lengths = np.take_along_axis(d, near, axis=1)
    t = lengths.mean() if width is None else width
    W = np.zeros_like(d)
    np.put_along_axis(W, near, np.exp(-(lengths**2) / (2 * t**2)), axis=1)
    return np.maximum(W, W.T)


@pytest.mark.parametrize("width", ["mean", 0.5])
def test_weights_are_those_of_the_definition(width):
    expected = brute_force_weights(X, 6, None if width == "mean" else width)
    assert_allclose(Graph(n_neighbors=6, width=width).adjacency(POINTS).toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("weights", ["heat", "binary", "cosine"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_weights_are_symmetric_without_a_diagonal(metric, weights):
    W = Graph(n_neighbors=5, metric=metric, weights=weights).adjacency(POINTS).toarray()
    assert_allclose(W, W.T, atol=0)
    assert np.all(np.diag(W) == 0)
    assert np.all(W >= 0)
    assert W.max() > 0


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("normalized", [True, False])
def test_laplacians_are_positive_semi_definite_and_the_plain_one_knows_constants(normalized, power):
    L = Graph(n_neighbors=5, power=power).laplacian(POINTS, normalized)
    dense = np.linalg.matrix_power(L.matrix.toarray(), power)
    eigenvalues = np.linalg.eigvalsh((dense + dense.T) / 2)
    assert eigenvalues[0] > -1e-10 * eigenvalues[-1]
    if normalized and power == 1:
        assert eigenvalues[-1] <= 2 + 1e-12
    ones = np.ones(len(X))
    assert (np.abs(L.apply(ones)).max() < 1e-12) == (not normalized)
    V = np.random.default_rng(0).normal(size=(len(X), 3))
    assert_allclose(L.apply(V), dense @ V, atol=1e-10)
    assert_allclose(L.quadratic(V), np.einsum("ij,ij->j", V, dense @ V), rtol=1e-10)
    assert_allclose(L.dense(), dense, atol=1e-10)


@pytest.mark.parametrize("power", [1, 3])
def test_a_term_scales_the_power_of_the_laplacian(power):
    term = Graph(n_neighbors=5, power=power).term(POINTS, 0.7, full_kernel=True)
    V = np.random.default_rng(0).normal(size=(len(X), 2))
    assert_allclose(term.apply(V), 0.7 * term.laplacian.apply(V), rtol=1e-12, atol=1e-12)
    assert_allclose(term.apply(V), term.dense() @ V, atol=1e-10)
    assert_allclose(term.quadratic(V), np.sum(V * term.apply(V), axis=0))
    wide = np.random.default_rng(4).normal(size=(len(V), 3 * TILE_COLUMNS + 7))
    assert_allclose(term.apply(wide), term.dense() @ wide, atol=1e-10)


def test_auto_is_normalized_with_a_full_kernel_only():
    graph = Graph()
    assert graph.normalizes(full_kernel=True)
    assert not graph.normalizes(full_kernel=False)
    assert not Graph(normalized=False).normalizes(full_kernel=True)


@pytest.mark.parametrize("times", [1, 4], ids=["by a tree", "by products"])
def test_a_point_is_no_neighbor_of_itself_even_among_copies(times):
    copies = np.repeat(np.tile(X[:5], times), 6, axis=0)
    W = Graph(n_neighbors=5).adjacency(Points.of(copies))
    assert np.all(W.diagonal() == 0)
    assert np.all(W.sum(axis=1) > 0)
    n_parts, _ = connected_components(W)
    assert n_parts == 5
    assert_allclose(W.data, 1.0)


def test_points_without_edges_have_rows_of_zeros():
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = 0.5
    for normalized in (True, False):
        L = Laplacian.of(csr_array(W), normalized).matrix.toarray()
        assert np.all(L[2:] == 0)
        assert np.all(np.isfinite(L))
        assert np.linalg.eigvalsh(L)[0] > -1e-12


def test_a_given_affinity_is_used_as_it_is():
    W = brute_force_weights(X, 4)
    graph = Graph.from_affinity(csr_array(W), normalized=False, power=2)
    assert_allclose(graph.adjacency(POINTS).toarray(), W)
    assert graph.laplacian(POINTS, False).power == 2


@pytest.mark.parametrize(
    ("affinity", "sentence"),
    [
        (np.zeros((3, 3)), r"shape \(3, 3\) and there are 50 points: give one row and column for each"),
        (-np.ones((50, 50)), "negative or infinite weights: give finite weights of at least 0"),
        (np.triu(np.ones((50, 50))), r"not symmetric: give W.maximum\(W.T\)"),
    ],
)
def test_affinities_that_are_none_are_refused(affinity, sentence):
    with pytest.raises(ValueError, match=sentence):
        Graph.from_affinity(affinity).adjacency(POINTS)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, r"Graph\(n_neighbors=0\) was given: use a whole number of at least 1"),
        ({"power": 1.5}, r"Graph\(power=1.5\) was given: use a whole number"),
        ({"metric": "city"}, r'use "euclidean" or "cosine"'),
        ({"weights": "heavy"}, r'use "heat", "binary" or "cosine"'),
        ({"width": -1.0}, r'use "mean" or a positive number'),
        ({"normalized": "yes"}, r'use "auto", True or False'),
    ],
)
def test_parameters_are_refused_in_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Graph(**parameters).adjacency(POINTS)


def test_a_term_can_be_made_by_hand():
    L = Laplacian.of(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), normalized=False)
    assert_allclose(GraphTerm(L, 3.0).apply(np.array([1.0, 0.0])), [3.0, -3.0])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", ["heat", "binary", "cosine"])
def test_sparse_and_dense_rows_give_the_same_graph(metric, weights):
    rows = np.where(np.abs(X) > 0.4, X, 0.0)
    graph = Graph(n_neighbors=6, metric=metric, weights=weights)
    assert_allclose(graph.adjacency(Points.of(csr_array(rows))).toarray(), graph.adjacency(Points.of(rows)).toarray())


def test_float32_rows_give_float64_weights_close_to_those_of_float64():
    W = Graph(n_neighbors=6).adjacency(Points.of(X.astype(np.float32)))
    assert W.dtype == np.float64
    assert_allclose(W.toarray(), brute_force_weights(X, 6), atol=1e-5)


def test_cosine_weights_are_cosines_and_never_negative():
    W = Graph(n_neighbors=49, weights="cosine").adjacency(POINTS).toarray()
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = np.maximum(unit @ unit.T, 0)
    np.fill_diagonal(expected, 0)
    assert (expected == 0).sum() > len(X)
    assert_allclose(W, expected, atol=1e-14)


def test_cosine_weights_of_rows_of_zeros_are_no_edges():
    rows = X.copy()
    rows[:2] = 0
    W = Graph(n_neighbors=3, weights="cosine").adjacency(Points.of(rows)).toarray()
    assert np.all(W[:2] == 0)
    assert np.all(np.isfinite(W))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_fewer_points_than_neighbors_are_all_joined(n):
    W = Graph(n_neighbors=10, weights="binary").adjacency(Points.of(X[:n])).toarray()
    assert_allclose(W, 1 - np.eye(n))
    assert np.all(np.isfinite(Graph().laplacian(Points.of(X[:n]), True).matrix.toarray()))


@pytest.mark.parametrize("normalized", [True, False])
def test_every_component_adds_one_direction_without_penalty(normalized):
    parts = np.vstack([X[:20], X[:20] + 100, X[:10] - 100])
    L = Graph(n_neighbors=3).laplacian(Points.of(parts), normalized)
    n_parts = connected_components(L.matrix)[0]
    assert n_parts >= 3
    assert np.sum(np.linalg.eigvalsh(L.dense()) < 1e-10) == n_parts


def test_the_penalty_sums_squared_differences_along_edges():
    W, v = brute_force_weights(X, 5), np.random.default_rng(1).normal(size=50)
    graph = Graph(n_neighbors=5)
    plain, normalized = (graph.laplacian(POINTS, kind) for kind in (False, True))
    assert_allclose(plain.quadratic(v), 0.5 * np.sum(W * (v[:, None] - v) ** 2))
    u = v / np.sqrt(W.sum(axis=1))
    assert_allclose(normalized.quadratic(v), 0.5 * np.sum(W * (u[:, None] - u) ** 2))
    assert np.ndim(plain.quadratic(v)) == 0
    assert plain.apply(v).shape == (50,)
    assert_allclose(plain.apply(v[:, None])[:, 0], plain.apply(v))


def test_the_diagonal_of_an_affinity_is_not_used(recwarn):
    W = brute_force_weights(X, 4)
    graph = Graph.from_affinity(W + 3 * np.eye(50))
    assert np.array_equal(graph.adjacency(POINTS).toarray(), W)
    assert np.array_equal(Graph.from_affinity(csr_array(W)).adjacency(POINTS).toarray(), W)
    assert not recwarn.list


def test_a_clone_has_the_same_parameters_and_builds_the_same_graph():
    graph = Graph(n_neighbors=7, weights="binary", normalized=False, power=3)
    assert clone(graph).get_params() == graph.get_params()
    given = Graph.from_affinity(csr_array(brute_force_weights(X, 4)), power=2)
    twin = clone(given)
    assert twin.affinity is not given.affinity
    assert twin.power == 2
    assert np.array_equal(twin.adjacency(POINTS).toarray(), given.adjacency(POINTS).toarray())
    assert clone(graph).set_params(n_neighbors=2).adjacency(POINTS).nnz < graph.adjacency(POINTS).nnz


def test_a_dense_laplacian_beyond_memory_is_refused(monkeypatch):
    L = Graph().laplacian(POINTS, True)
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", "39999")
    with pytest.raises(MemoryError, match=r'The dense Laplacian of 50 points needs 39 KiB .* use solver="pcg"'):
        L.dense()


@pytest.mark.parametrize(
    ("rows", "kernel"),
    [
        (X, RBF(0.1)),
        (X.astype(np.float32), RBF(0.1)),
        (np.repeat(X[:25], 2, axis=0), RBF(0.5)),
        (X / np.linalg.norm(X, axis=1, keepdims=True), Polynomial(9, 1.0, 0.0)),
        (X / np.linalg.norm(X, axis=1, keepdims=True), Polynomial(1, 0.5, 1.0)),
    ],
    ids=["rbf", "float32", "copies", "poly 9", "poly 1"],
)
def test_neighbors_read_off_a_gram_matrix_are_those_of_the_search(rows, kernel):
    points = Points.of(rows)
    order = DistanceOrder.of(kernel.gram(points), kernel)
    neighbors, distances = order.nearest(points, 6)
    expected, lengths = nearest_neighbors(points, 6)
    assert_array_equal(neighbors, expected)
    assert_allclose(distances, lengths, atol=0)
    graph = Graph(n_neighbors=6)
    assert_allclose(graph.adjacency(points, order).toarray(), graph.adjacency(points).toarray(), atol=0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("weights", ["heat", "binary", "cosine"])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_graph_of_kernel_values_is_that_of_the_images(metric, weights, sparse):
    rows = np.concatenate([X, X[:3]])
    K = rows @ rows.T  # the images under the linear kernel are the rows themselves
    known = KernelDistances(Points.of(csr_array(K) if sparse else K))
    graph = Graph(n_neighbors=5, metric=metric, weights=weights)
    expected = graph.adjacency(Points.of(rows)).toarray()
    # copies are no way apart, up to the rounding of K
    assert_allclose(graph.adjacency(known).toarray(), expected, atol=1e-7)


def test_images_of_length_zero_are_far_from_all_but_each_other():
    K = np.diag([1.0, 1.0, 0.0, 0.0]) + 0.5 * np.eye(4)[[1, 0, 2, 3]] * np.array([1, 1, 0, 0])
    neighbors, distances = KernelDistances(Points.of(K)).nearest(1, "cosine")
    assert_array_equal(neighbors[:, 0], [1, 0, 3, 2])
    assert_allclose(distances[:, 0], [0.5, 0.5, 0.0, 0.0])
    assert_allclose(KernelDistances(Points.of(K)).cosines(neighbors)[:, 0], [0.5, 0.5, 0.0, 0.0])


def test_a_graph_of_kernel_values_knows_its_rows_among_others(monkeypatch):
    monkeypatch.setattr("semisvm.geometry.kernel_distances.BLOCK_BYTES", 1000)
    chosen = np.arange(0, 50, 2)
    known = KernelDistances(Points.of(X @ X.T).take(chosen))
    expected = Graph(n_neighbors=4).adjacency(Points.of(X[chosen]))
    assert_allclose(Graph(n_neighbors=4).adjacency(known).toarray(), expected.toarray(), atol=1e-9)


def test_a_gram_matrix_of_float32_rows_is_no_more_exact_in_float64():
    rng = np.random.default_rng(0)
    rows = (3 * rng.normal(size=(40, 1, 30)) + 1e-3 * rng.normal(size=(40, 8, 30))).reshape(-1, 30)
    points = Points.of(rows.astype(np.float32))
    order = DistanceOrder.of(RBF(0.02).gram(points).astype(np.float64), RBF(0.02))
    assert_array_equal(order.nearest(points, 5)[0], nearest_neighbors(points, 5)[0])


def test_gram_matrices_without_the_order_of_distances_are_left_alone():
    assert DistanceOrder.of(np.eye(3), Polynomial(2, 1.0, 0.0)) is None
    assert DistanceOrder.of(np.eye(3), Cosine()) is None
    # rows of unequal length, values that are all zero: the neighbors are right nevertheless
    for kernel in (Polynomial(3, 1.0, 0.0), RBF(1e6)):
        order = DistanceOrder.of(kernel.gram(POINTS), kernel)
        W = Graph(n_neighbors=3).adjacency(POINTS, order)
        assert_allclose(W.toarray(), brute_force_weights(X, 3), atol=1e-12)
    # the cosine distance is another one
    order = DistanceOrder.of(RBF(0.1).gram(POINTS), RBF(0.1))
    graph = Graph(n_neighbors=3, metric="cosine")
    assert_allclose(graph.adjacency(POINTS, order).toarray(), graph.adjacency(POINTS).toarray())
