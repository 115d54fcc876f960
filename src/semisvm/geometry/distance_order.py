"""Neighbors from a Gram matrix that is already computed, where its values fall with the distance.

An RBF kernel falls with the distance, and so does an odd power of x'z on rows of one length. The largest values of a
row are then its nearest points, up to rounding: all that rounding allows are ranked by their exact distances, so the
result is that of the search, without its n^2 d operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semisvm.geometry.distances import Array, Points, paired_squared_distances
from semisvm.geometry.kernels import RBF, Kernel, Polynomial
from semisvm.memory import chunk_rows

BLOCK_BYTES = 16 * 2**20  # of the matrix looked at at a time


@dataclass(frozen=True, eq=False)
class DistanceOrder:
    """A Gram matrix K of some points and the kernel it is of."""

    K: Array
    kernel: RBF | Polynomial

    @classmethod
    def of(cls, K: Array, kernel: Kernel) -> DistanceOrder | None:
        """The order of K, or None for kernels whose values do not follow the distance."""
        match kernel:
            case RBF():
                return cls(K, kernel)
            case Polynomial() if kernel.degree % 2 == 1:
                return cls(K, kernel)
        return None

    def nearest(self, points: Points, k: int) -> tuple[Array, Array] | None:
        """The k nearest other points of every point and their distances; None where too many are equal to K."""
        n, most = len(points), 4 * k + 60
        # K of float32 rows may be held in float64, and is no more exact for it
        precision = np.finfo(points.dtype)
        slack = self._slack(points, precision)
        indices, distances = np.empty((n, k), dtype=np.int64), np.empty((n, k))
        for start in range(0, n, step := chunk_rows(n, self.K.itemsize, BLOCK_BYTES)):
            rows = slice(start, min(start + step, n))
            block = self.K[rows]
            # the point itself is the nearest of all: the k + 1 largest values hold the k nearest others
            limit = self._least(np.partition(block, n - k - 1, axis=1)[:, n - k - 1], slack, precision)
            near = block >= limit[:, None].astype(block.dtype)
            if np.count_nonzero(near) > most * len(block):
                return None
            i, j = np.divmod(np.flatnonzero(near), n)
            others = j != i + start
            i, j = i[others], j[others]
            if np.bincount(i, minlength=len(block)).min() < k:
                return None
            squares = paired_squared_distances(points, i + start, j)
            order = np.lexsort((j, squares, i))
            i, j, squares = i[order], j[order], squares[order]
            first = np.searchsorted(i, np.arange(len(block)))[:, None] + np.arange(k)
            indices[rows], distances[rows] = j[first], np.sqrt(squares[first])
        return indices, distances

    def _slack(self, points: Points, precision: np.finfo) -> float:
        """The largest error of |x - z|^2 in K, and for products also the spread of the lengths."""
        lengths = points.squared_norms
        largest = lengths if points.sparse or isinstance(self.kernel, Polynomial) else points.squared_lengths
        # rounding of d products and of their sums: at most about (d + 8) eps / 2 (|x|^2 + |z|^2)
        rounding = (points.n_features + 8) * float(precision.eps) * float(largest.max())
        return rounding if isinstance(self.kernel, RBF) else rounding + float(lengths.max() - lengths.min())

    def _least(self, value: Array, slack: float, precision: np.finfo) -> Array:
        """The smallest value that a point as near as that of `value` may have; -infinity where it is not known."""
        value = value.astype(np.float64)
        eps = 8 * precision.eps
        match self.kernel:
            case RBF(gamma):
                # exp(-gamma (d^2 + 2 slack)), and a little less: the comparison is made in the precision of K
                least = value * np.exp(-2 * gamma * slack) * (1 - eps)
                return np.where(value > precision.tiny, least, -np.inf)
            case Polynomial(degree, gamma, coef0):
                # x'z = (|x|^2 + |z|^2 - d^2) / 2 and K = (gamma x'z + coef0)^degree, which rises with x'z
                root = np.sign(value) * np.abs(value) ** (1 / degree)
                error = gamma * slack + degree * eps * (np.abs(root) + abs(coef0))
                with np.errstate(over="ignore"):  # to -infinity, which is below all values
                    return (root - error) ** degree
