"""How much the kernels of the default count, and the graph that they share with `Graph`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import Graph
from semisvm.estimators.default.graph_kernels import _laplacian
from semisvm.estimators.default.weights import LEAST_WEIGHT, kernel_weights, left_out_residuals, without_small
from semisvm.geometry.distances import Points
from semisvm.geometry.neighbors import nearest_neighbors


def test_weights_sum_to_one_and_small_ones_are_none():
    w = without_small(np.array([50.0, 47.0, 2.01, 0.99]))
    # of 100 parts 0.99 are below a fiftieth, 2.01 are not
    assert_allclose(w, np.array([50.0, 47.0, 2.01, 0.0]) / 99.01, rtol=1e-12)
    many = without_small(np.arange(1.0, 101.0))
    assert_allclose(many.sum(), 1.0)
    # where every share is below a fiftieth, those below the largest one are left out
    assert_array_equal(many > 0, np.arange(100) == 99)


def test_a_kernel_that_rounding_made_indefinite_is_weighed_as_the_one_it_stands_for():
    rows = np.array([[10.0], [10.0], [10.0], [-1.0], [2.0]])  # three labels of equal rows
    K, y, kept = rows @ rows.T, np.array([[1.0], [1.0], [1.0], [-1.0], [1.0]]), np.ones((1, 5), dtype=bool)
    between = np.array([1.0, -1.0, 0.0, 0.0, 0.0]) / np.sqrt(2)
    rounded = K - 0.05 * np.outer(between, between)
    assert np.linalg.eigvalsh(rounded)[0] < -0.04
    assert_allclose(left_out_residuals(rounded, y, kept), left_out_residuals(K, y, kept), rtol=1e-9)


def test_weights_are_the_formula():
    q, n_labeled = np.array([0.3, 0.2, 0.5, 2.0]), 30
    w = np.exp(-0.5 * 20 * (q - 0.2))
    w /= w.sum()
    kept = np.where(w < LEAST_WEIGHT, 0.0, w)
    assert_allclose(kernel_weights(q, n_labeled), kept / kept.sum(), rtol=1e-12)
    assert 0 < np.count_nonzero(kept) < 4


@pytest.mark.parametrize("normalized", [True, False])
def test_the_graph_of_the_default_is_that_of_graph(normalized, rng):
    points = Points.of(rng.normal(size=(40, 3)))
    ours = _laplacian(*nearest_neighbors(points, 6), normalized=normalized)
    term = Graph(n_neighbors=6, normalized=normalized).term(points, 1.0, full_kernel=True)
    expected = term.apply(np.eye(40))
    if not normalized:
        # divided by the mean degree
        expected /= np.trace(expected) / 40
    assert_allclose(ours.toarray(), expected, atol=1e-12)
