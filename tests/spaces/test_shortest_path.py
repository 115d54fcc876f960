"""Softened shortest paths: the distances of the definition, and coordinates that keep them."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.geometry.distances import Points
from semisvm.geometry.shortest_path import ShortestPaths

X = np.random.default_rng(0).normal(size=(7, 2))


def by_all_paths(X, rho):
    """1/rho log(1 + min over all simple paths of sum (exp(rho d) - 1)), d in units of the mean distance."""
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    n = len(X)
    d = d / (d.sum() / (n * (n - 1)))
    cost = np.expm1(rho * d)
    best = cost.copy()
    for i in range(n):
        for j in range(n):
            others = [m for m in range(n) if m not in (i, j)]
            for size in range(1, 4):
                for between in permutations(others, size):
                    path = [i, *between, j]
                    best[i, j] = min(best[i, j], sum(cost[a, b] for a, b in pairwise(path)))
    np.fill_diagonal(best, 0)
    return np.log1p(best) / rho


@pytest.mark.parametrize("rho", [0.1, 2.0, 6.0])
def test_costs_are_the_best_of_all_paths(rho):
    paths = ShortestPaths.of(Points.of(X), rho, delta=0.0, n_neighbors=6)
    assert_allclose(np.log1p(paths.costs) / rho, by_all_paths(X, rho), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_neighbors", [4, 29])
def test_few_and_all_edges_give_the_costs_of_relaxing_every_edge_until_nothing_changes(n_neighbors):
    """Sparse and complete graphs take different routines; a copy of a row is no way apart in either."""
    X = np.random.default_rng(2).normal(size=(30, 2))
    X[1] = X[0]
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(d, np.inf)
    near = np.argsort(d, axis=1, kind="stable")[:, :n_neighbors]
    unit = np.take_along_axis(d, near, axis=1).mean()
    costs = np.full((30, 30), np.inf)
    rows = np.arange(30)[:, None]
    costs[rows, near] = np.expm1(2.0 * d[rows, near] / unit)
    costs = np.minimum(costs, costs.T)
    np.fill_diagonal(costs, 0)
    for _ in range(30):
        # the best way by a stop in between, for all pairs at once
        costs = np.minimum(costs, (costs[:, :, None] + costs[None]).min(axis=1))
    paths = ShortestPaths.of(Points.of(X), 2.0, delta=0.0, n_neighbors=n_neighbors)
    assert np.isfinite(costs).all()
    assert_allclose(paths.costs, costs, rtol=1e-9, atol=1e-12)


def test_coordinates_keep_distances_where_they_can():
    """With a small rho and all neighbors the distances are Euclidean, and so are those of the coordinates."""
    X = np.random.default_rng(1).normal(size=(40, 3))
    paths = ShortestPaths.of(Points.of(X), 1e-6, delta=0.0, n_neighbors=39)
    distances = np.linalg.norm(paths.Z[:, None] - paths.Z[None], axis=2) * paths.unit
    expected = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert_allclose(distances, expected, atol=1e-3)


@pytest.mark.parametrize("delta", [0.0, 0.1, 0.3])
def test_delta_leaves_that_share_of_the_variance_out(delta):
    X = np.random.default_rng(1).normal(size=(60, 3))
    everything = ShortestPaths.of(Points.of(X), 2.0, delta=0.0, n_neighbors=8)
    some = ShortestPaths.of(Points.of(X), 2.0, delta=delta, n_neighbors=8)
    variance = np.sum(everything.Z**2, axis=0)
    p = some.Z.shape[1]
    assert variance[:p].sum() >= (1 - delta) * variance.sum() * (1 - 1e-9)
    assert (p < len(variance)) == (delta > 0)
    assert_allclose(np.abs(some.Z), np.abs(everything.Z[:, :p]), atol=1e-6)


def test_training_rows_are_placed_where_they_are():
    X = np.random.default_rng(2).normal(size=(80, 4))
    paths = ShortestPaths.of(Points.of(X), 2.0, delta=0.1, n_neighbors=6)
    assert_allclose(paths.coordinates(X), paths.Z, atol=1e-5)
    near = paths.coordinates(X + 1e-6)
    assert_allclose(near, paths.Z, atol=1e-3)


def test_separate_parts_and_copies_are_joined():
    rng = np.random.default_rng(3)
    X = np.concatenate(
        [rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 8, rng.normal(size=(3, 2)) - 8, [[-8.0, -8.0]] * 4]
    )
    paths = ShortestPaths.of(Points.of(X), 1.0, delta=0.1, n_neighbors=2)
    assert np.all(np.isfinite(paths.Z))
    assert_allclose(paths.costs, paths.costs.T)
    assert_allclose(paths.Z[-4:], np.repeat(paths.Z[[-1]], 4, axis=0), atol=1e-6)
