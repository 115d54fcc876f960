"""Distances of points of which only kernel values are known, so that a graph can be built on a precomputed kernel.

    |x - z|^2 = k(x, x) + k(z, z) - 2 k(x, z)        cos(x, z) = k(x, z) / sqrt(k(x, x) k(z, z))

both taken between the images of the points in the space of the kernel. Rounding makes an absolute error of about
eps (k(x, x) + k(z, z)) in the square; what falls below zero counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.geometry.distances import Array, Points
from semisvm.geometry.kernels import Precomputed
from semisvm.memory import chunk_rows

BLOCK_BYTES = 16 * 2**20  # of the distances taken at a time


@dataclass(frozen=True, eq=False)
class KernelDistances:
    """`points` hold the rows of a precomputed kernel, dense or sparse; distances are taken by blocks of rows."""

    points: Points

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def squared_norms(self) -> Array:
        """k(x, x) of every point."""
        return np.maximum(Precomputed().diagonal(self.points), 0.0)

    def nearest(self, k: int, metric: str) -> tuple[Array, Array]:
        """The k nearest other points of every point and their distances, nearest first, equal ones by position."""
        n = len(self)
        indices, distances = np.empty((n, k), dtype=np.int64), np.empty((n, k))
        for start in range(0, n, step := chunk_rows(n, 8, BLOCK_BYTES)):
            rows = slice(start, min(start + step, n))
            D = self._squares(rows) if metric == "euclidean" else 1.0 - self._cosines(rows)
            m = len(D)
            D[np.arange(m), np.arange(start, start + m)] = np.inf
            limit = np.partition(D, k - 1, axis=1)[:, [k - 1]]
            i, j = np.nonzero(limit >= D)
            values = D[i, j]
            order = np.lexsort((j, values, i))
            first = np.searchsorted(i, np.arange(m))[:, None] + np.arange(k)
            indices[rows], distances[rows] = j[order][first], values[order][first]
        return indices, np.sqrt(distances) if metric == "euclidean" else distances

    def cosines(self, neighbors: Array) -> Array:
        """cos(x, z) of every point and its neighbors, 0 with a point of length zero."""
        n, k = neighbors.shape
        values = self.points.X[np.repeat(np.arange(n), k), self.points.index[neighbors.ravel()]]
        norms = np.sqrt(self.squared_norms)
        sizes = (norms[:, None] * norms[neighbors]).ravel()
        products = np.asarray(values, dtype=np.float64).ravel()
        return np.divide(products, sizes, out=np.zeros(n * k), where=sizes > 0).reshape(n, k)

    def _squares(self, rows: slice) -> Array:
        D = self._values(rows)
        D *= -2.0
        D += self.squared_norms[rows, None]
        D += self.squared_norms
        return np.maximum(D, 0.0, out=D)

    def _cosines(self, rows: slice) -> Array:
        norms = np.sqrt(self.squared_norms)
        values, sizes = self._values(rows), norms[rows, None] * norms
        # two points of length zero are the same point
        same = (norms[rows, None] == 0) & (norms == 0)
        return np.divide(values, sizes, out=same.astype(np.float64), where=sizes > 0)

    def _values(self, rows: slice) -> Array:
        K = Precomputed().block(self.points.take(rows), self.points)
        return np.array(K, dtype=np.float64)
