"""Nearest neighbours: exact by matrix products in blocks or a k-d tree, approximate beyond a size; for graphs.

Products only pre-select neighbours: their order and their distances come from sums of squared differences in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, hstack, issparse
from scipy.spatial import cKDTree

from semisvm.distances import Array, Points, paired_squared_distances, slices, squared_norms
from semisvm.memory import chunk_rows

SCREEN_BYTES = 16 * 2**20  # a block of the search: half a common last-level cache
TREE_FEATURES = 6  # up to this many dense columns a k-d tree is faster than products
APPROXIMATE_ABOVE = 50_000  # points from which neighbours are searched approximately


def nearest_neighbors(
    points: Points, k: int, metric: str = "euclidean", *, approximate_above: int = APPROXIMATE_ABOVE
) -> tuple[Array, Array]:
    """The k nearest other points of every point: their positions (n, k) and distances (n, k), nearest first.

    A point is never its own neighbour, however many copies it has. Equal distances are ordered by position. The cosine
    distance is 1 - cos, of directions in the precision of the data; a row of zeros has distance 1 to every row but
    another row of zeros.
    Up to `approximate_above` points, or with a handful of columns, the search is exact; beyond, it is approximate and
    the true distances of the neighbours found are returned.
    """
    n = len(points)
    if not 1 <= k < n:
        raise ValueError(
            f"{k} neighbours of each of {n} points were asked for: ask for at least 1 and at most {n - 1}."
        )
    if metric == "euclidean":
        indices, squares = _nearest(points, k, approximate_above)
        return _all_found(indices), np.sqrt(squares)
    if metric == "cosine":
        # 1 - cos(x, z) = |x / |x| - z / |z||^2 / 2
        indices, squares = _nearest(_directions(points), k, approximate_above)
        return _all_found(indices), squares / 2
    raise ValueError(f'The metric {metric!r} is not known: use "euclidean" or "cosine".')


def _all_found(indices: Array) -> Array:
    """The indices, none of which is missing: compiled loops would follow one that is."""
    if indices.min() < 0:
        raise ValueError(
            "Some rows have no neighbours because distances to them are not finite numbers: divide the columns by "
            "their size first."
        )
    return indices


def _nearest(points: Points, k: int, approximate_above: int) -> tuple[Array, Array]:
    n = len(points)
    if not points.sparse and points.n_features <= TREE_FEATURES:
        found = cKDTree(points.X).query(points.X, k=min(n, k + 8))[1]
        complete = found.shape[1] == n
    elif n > approximate_above:
        found, complete = _descend(points, k), True
    else:
        return _search(points, np.arange(n), k)
    rows, cols = np.repeat(np.arange(n), found.shape[1]), found.ravel()
    others = (cols != rows) & (cols >= 0)
    rows, cols = rows[others], cols[others]
    squares = paired_squared_distances(points, rows, cols)
    indices, nearest = _first_of_each(n, rows, cols, squares, k)
    unsure = indices[:, -1] < 0
    if not complete:
        # A k-th neighbour as far as the farthest point found may have equals that were not found.
        farthest = np.zeros(n)
        np.maximum.at(farthest, rows, squares)
        unsure |= farthest <= nearest[:, -1] * (1 + 1e-9)
    again = np.flatnonzero(unsure)
    if len(again):
        indices[again], nearest[again] = _search(points, again, k)
    return indices, nearest


def _search(points: Points, wanted: Array, k: int) -> tuple[Array, Array]:
    """Exact neighbours of the `wanted` rows: screened by products, in float32 where that will do, then ranked."""
    n, most = len(points), 4 * k + 60
    indices, nearest = np.empty((len(wanted), k), dtype=np.int64), np.empty((len(wanted), k))
    coarse, fine = _Screen.at(points, np.float32), None
    for block in slices(len(wanted), chunk_rows(n, 4, SCREEN_BYTES)):
        rows = wanted[block]
        if fine is None:
            r, c, _ = coarse.within(rows, k)
            if len(r) > most * len(rows):
                fine = _Screen.at(points, np.float64)
        if fine is not None:
            r, c, screened = fine.within(rows, k)
            if len(r) > most * len(rows):  # equal up to rounding: the first by position will do
                kept = _first_of_each(len(rows), r, c, screened, most)[0]
                r, c = np.nonzero(kept >= 0)[0], kept[kept >= 0]
        squares = paired_squared_distances(points, rows[r], c)
        indices[block], nearest[block] = _first_of_each(len(rows), r, c, squares, k)
    return indices, nearest


@dataclass(frozen=True, eq=False)
class _Screen:
    """All points in one precision, to tell which can be among the k nearest of some rows."""

    rows: Any
    columns: Any
    squared_norms: Array
    error: float

    @classmethod
    def at(cls, points: Points, precision: type) -> _Screen:
        X: Any = points.X.astype(np.float64)
        if points.cloud.origin is not None:
            X -= points.cloud.origin
        # divided, not multiplied by a reciprocal, which is infinite for the smallest numbers
        largest = abs(X).max() or 1.0
        if points.sparse:
            X.data /= largest
        else:
            X /= largest
        X = X.astype(precision, copy=False)
        norms = squared_norms(X)
        # rounding of X, of d products and of the sums: at most about (d + 8) eps / 2 (|x|^2 + |z|^2)
        error = (X.shape[1] + 8) * np.finfo(precision).eps * norms.max()
        return cls(X, X.T.tocsr() if points.sparse else X.T, norms.astype(precision), float(error))

    def within(self, wanted: Array, k: int) -> tuple[Array, Array, Array]:
        """(row, point, screened distance) of all pairs that rounding allows among the k nearest; self excluded."""
        x = self.rows[wanted]
        # |x - z|^2 - |x|^2 = |z|^2 - 2 x'z orders the z as the distance does
        D = (x @ self.columns).toarray() * -2 if issparse(x) else (-2 * x) @ self.columns
        D += self.squared_norms
        D[np.arange(len(wanted)), wanted] = np.inf
        limit = np.partition(D, k - 1, axis=1)[:, k - 1] + D.dtype.type(2 * self.error)
        candidates = np.flatnonzero(limit[:, None] >= D)
        rows, cols = np.divmod(candidates, D.shape[1])
        return rows, cols, D.ravel()[candidates]


def _first_of_each(n: int, rows: Array, cols: Array, values: Array, k: int) -> tuple[Array, Array]:
    """Per row the k columns of least value, equal values by column; -1 and infinity where there are fewer."""
    order = np.lexsort((cols, values, rows))
    rows, cols, values = rows[order], cols[order], values[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows, side="left")
    first = rank < k
    indices, least = np.full((n, k), -1, dtype=np.int64), np.full((n, k), np.inf)
    indices[rows[first], rank[first]] = cols[first]
    least[rows[first], rank[first]] = values[first]
    return indices, least


def _descend(points: Points, k: int) -> Array:
    """Approximate neighbours by nearest-neighbour descent (Dong, Moses and Li 2011), self among them."""
    search = _descent(f"{len(points):,} points with {points.n_features:,} columns")
    X = csr_matrix(points.X) if points.sparse else points.X
    return search(X, metric="euclidean", n_neighbors=min(len(points), k + 6), random_state=0).neighbor_graph[0]


def _descent(what: str) -> Callable[..., Any]:
    try:
        from pynndescent import NNDescent
    except ImportError:
        raise ImportError(
            f"The neighbours of {what} are searched approximately, by pynndescent, which is not installed: "
            "pip install semisvm[ann], use fewer points, or give the graph itself, Graph.from_affinity(W)."
        ) from None
    return NNDescent


def _directions(points: Points) -> Points:
    """x / |x|; rows of zeros get an axis of their own, at right angles to every other row."""
    norms = np.sqrt(points.squared_norms)
    zero = norms == 0
    lengths = np.where(zero, 1, norms)[:, None].astype(points.dtype)
    axis = zero[:, None].astype(points.dtype)
    if points.sparse:
        unit = points.X.copy()
        unit.data /= np.repeat(lengths.ravel(), np.diff(unit.indptr))
        return Points.of(hstack([unit, csr_array(axis)]) if zero.any() else unit)
    unit = points.X / lengths
    return Points.of(np.hstack([unit, axis]) if zero.any() else unit)
