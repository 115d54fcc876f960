"""Coordinates in which clusters are tight: softened shortest paths over the neighbor graph, then scaling.

Chapelle and Zien, "Semi-supervised classification by low density separation" (2005). The cost of a path grows with
its longest edges,

    d_rho(i, j) = 1/rho log(1 + min over paths p of sum_k (exp(rho d(p_k, p_k+1)) - 1))

from the shortest path (rho -> 0) to the path with the shortest longest edge (rho -> infinity). Multidimensional scaling
turns the squared distances into coordinates, the leading ones: -1/2 H D^2 H = U diag(w) U',  Z = U diag(w)^1/2.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from semisvm.geometry.distances import Points, squared_distances
from semisvm.geometry.neighbors import nearest_neighbors
from semisvm.memory import chunk_rows, demand

LARGEST_EXPONENT = 600.0
"""exp(rho d) of the longest edge must stay finite, and its sums too."""


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """The embedding: coordinates Z of the training rows, and what places new rows among them."""

    points: Points
    Z: np.ndarray
    rho: float
    n_neighbors: int
    unit: float
    """The mean distance of neighbors; all distances are taken in it."""
    costs: np.ndarray
    """(n, n) costs of the best paths, sum_k (exp(rho d) - 1)."""
    mean_square: np.ndarray
    axes: np.ndarray
    """U diag(w)^-1/2 / 2."""

    @classmethod
    def of(cls, points: Points, rho: float, delta: float, n_neighbors: int) -> "ShortestPaths":
        """Keep the leading p coordinates: they hold 1 - delta of the variance, and w_p <= delta w_1."""
        n = len(points)
        k = min(n_neighbors, n - 1)
        # costs, squares, B and U; an edge is kept with its ends, once each way, while the graph is built
        needed, otherwise = 8 * n * (4 * n + 8 * k), "use fewer rows or neighbors, or GradientS3VM with a graph"
        demand(needed, f"The shortest paths between {n:,} rows", otherwise)
        neighbors, distances = nearest_neighbors(points, k)
        unit = float(distances.mean()) or 1.0
        edges = _joined(points, neighbors, distances) / unit
        _refuse_overflow(rho * edges.data.max(initial=0.0), rho)
        costs = shortest_path(_edge_costs(edges, rho), directed=False)
        squares = _softened(costs, rho) ** 2
        mean_square = squares.mean(axis=1)
        # -1/2 H D^2 H
        B = -0.5 * (squares - mean_square[:, None] - mean_square + mean_square.mean())
        w, U = eigh(B, overwrite_a=True)
        w, U = w[::-1], U[:, ::-1]
        p = _dimensions(w, delta)
        if p == 0:  # all rows are one point
            none = np.zeros((n, 1))
            return cls(points, none, rho, n_neighbors, unit, costs, mean_square, none)
        roots = np.sqrt(w[:p])
        return cls(points, U[:, :p] * roots, rho, n_neighbors, unit, costs, mean_square, U[:, :p] / (2 * roots))

    def coordinates(self, X) -> np.ndarray:
        """Coordinates of new rows: they reach the training rows through their nearest ones (Gower's formula)."""
        m, n = X.shape[0], len(self.points)
        Z = np.empty((m, self.Z.shape[1]))
        k = min(self.n_neighbors, n)
        step = chunk_rows(n * (k + 2), 8)
        for start in range(0, m, step):
            rows = slice(start, min(start + step, m))
            d = np.sqrt(squared_distances(Points.of(X[rows]), self.points)).astype(np.float64) / self.unit
            near = np.argpartition(d, k - 1, axis=1)[:, :k]
            # the best of the paths by way of a neighbor: exp(rho d(x, i)) - 1 + cost(i, j)
            first = np.expm1(np.minimum(self.rho * np.take_along_axis(d, near, axis=1), LARGEST_EXPONENT))
            costs = np.min(first[:, :, None] + self.costs[near], axis=1)
            # z = 1/2 diag(w)^-1/2 U'(mean of D^2 - d^2(x))
            Z[rows] = (self.mean_square - _softened(costs, self.rho) ** 2) @ self.axes
        return Z


def _softened(costs: np.ndarray, rho: float) -> np.ndarray:
    # d_rho = 1/rho log(1 + cost)
    return np.log1p(costs) / rho


def _edge_costs(edges: csr_array, rho: float) -> csr_array:
    costs = edges.copy()
    # exp(rho d) - 1; copies of a row have distance zero, and a stored zero would mean "no edge"
    costs.data = np.maximum(np.expm1(rho * edges.data), 1e-300)
    return costs


def _joined(points: Points, neighbors: np.ndarray, distances: np.ndarray) -> csr_array:
    """Lengths of the neighbor edges, and of one shortest edge from every separate part to the rest."""
    n, k = neighbors.shape
    rows, cols, lengths = [np.repeat(np.arange(n), k)], [neighbors.ravel()], [np.maximum(distances.ravel(), 1e-300)]
    while True:
        # graph routines take short indices only, which older versions of scipy do not choose by themselves
        ends = tuple(np.concatenate(side).astype(np.int32) for side in (rows, cols))
        edges = csr_array(coo_array((np.concatenate(lengths), ends), shape=(n, n)))
        n_parts, part = connected_components(edges, directed=False)
        if n_parts == 1:
            return csr_array(edges.maximum(edges.T))
        for one in range(n_parts - 1):
            inside, outside = np.flatnonzero(part == one), np.flatnonzero(part != one)
            squares = squared_distances(points.take(inside), points.take(outside))
            i, j = np.unravel_index(np.argmin(squares), squares.shape)
            rows.append(inside[[i]])
            cols.append(outside[[j]])
            lengths.append(np.sqrt(np.maximum(squares[[i], [j]].astype(np.float64), 1e-300)))


def _dimensions(w: np.ndarray, delta: float) -> int:
    """The first p with sum_{i<=p} w_i >= (1 - delta) sum of the positive ones and w_p <= delta w_1."""
    positive = w[w > max(0.0, 1e-10 * w[0])]
    if not len(positive):
        return 0
    enough = np.cumsum(positive) >= (1 - delta) * positive.sum() * (1 - 1e-12)
    found = np.flatnonzero(enough & (positive <= delta * positive[0]))
    return int(found[0]) + 1 if len(found) else len(positive)


def _refuse_overflow(exponent: float, rho: float) -> None:
    if exponent > LARGEST_EXPONENT:
        least = rho * LARGEST_EXPONENT / exponent
        raise ValueError(
            f"rho={rho:g} was given and the longest edge is so long that exp(rho d) overflows: set rho to at most "
            f"{least:.2g}."
        )
