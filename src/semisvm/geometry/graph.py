"""Neighbor graphs and their Laplacians: the smoothness o'L^p o of outputs along the data.

Graph and weights follow the Laplacian SVM of Melacci and Belkin (2011) and Belkin, Niyogi and Sindhwani (2006).
L^p is applied p times and never formed, save for small direct solvers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs
from scipy.sparse import csr_array, diags_array, issparse
from sklearn.base import BaseEstimator

from semisvm.geometry.distance_order import DistanceOrder
from semisvm.geometry.distances import Array, Points
from semisvm.geometry.kernel_distances import KernelDistances
from semisvm.geometry.neighbors import nearest_neighbors
from semisvm.memory import demand

METRICS = ("euclidean", "cosine")
WEIGHTS = ("heat", "binary", "cosine")
TILE_COLUMNS = 64
"""Of a wide matrix so many columns are multiplied at a time: they stay in the cache through all powers of L."""


class Graph(BaseEstimator):
    """Every point joined to its nearest neighbors; an edge is there if either end counts the other as a neighbor.

    Parameters
    ----------
    n_neighbors : int
        Neighbors of each point, itself not among them; all others where there are fewer.
    metric : {"euclidean", "cosine"}
        The distance d that defines neighbors: of the rows, or with kernel="precomputed" of their images in the space of
        the kernel, |x - z|^2 = k(x, x) + k(z, z) - 2 k(x, z).
    weights : {"heat", "binary", "cosine"}
        exp(-d^2 / (2 width^2)); 1; or the cosine of the two rows, 0 where it is negative.
    width : "mean" or positive float
        Of the heat weights; "mean" is the mean distance from a point to its neighbors.
    normalized : "auto" or bool
        The Laplacian I - D^-1/2 W D^-1/2 or D - W. "auto" is the first with a full kernel and the second with few
        features, which cannot represent D^1/2 1, the function that the first does not penalize.
    power : int
        p of the penalty o'L^p o.
    affinity : sparse matrix or array of shape (n, n), optional
        A graph of your own: symmetric weights >= 0 between the training rows, in their order; the diagonal is not
        used, nor are the parameters above up to `width`. `clone` copies it, as any parameter that is an array.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        metric: str = "euclidean",
        weights: str = "heat",
        width: str | float = "mean",
        normalized: str | bool = "auto",
        power: int = 1,
        affinity: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.width = width
        self.normalized = normalized
        self.power = power
        self.affinity = affinity

    @classmethod
    def from_affinity(cls, affinity: Any, *, normalized: str | bool = "auto", power: int = 1) -> Graph:
        """A graph whose weights are given instead of built."""
        return cls(normalized=normalized, power=power, affinity=affinity)

    def adjacency(self, points: Points | KernelDistances, order: DistanceOrder | None = None) -> csr_array:
        """The weights W: symmetric, nothing on the diagonal. `order` spares the search where it is known already."""
        self._validate()
        if self.affinity is not None:
            return _given(self.affinity, len(points))
        n, k = len(points), min(self.n_neighbors, len(points) - 1)
        if k == 0:
            return csr_array((n, n))
        neighbors, distances = self._nearest(points, k, order)
        edges = self._weigh(points, neighbors, distances)
        directed = csr_array((edges.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        W = csr_array(directed.maximum(directed.T))
        W.eliminate_zeros()
        return W

    def laplacian(
        self, points: Points | KernelDistances, normalized: bool, order: DistanceOrder | None = None
    ) -> Laplacian:
        """L and its power on these points; `normalizes` settles what "auto" means."""
        return Laplacian.of(self.adjacency(points, order), normalized, int(self.power))

    def normalizes(self, full_kernel: bool) -> bool:
        """Whether the Laplacian is the normalized one, in a space of a full kernel or of few features."""
        self._validate()
        return full_kernel if self.normalized == "auto" else bool(self.normalized)

    def term(
        self, points: Points | KernelDistances, scale: float, full_kernel: bool, order: DistanceOrder | None = None
    ) -> GraphTerm:
        """The graph term scale L^p of an objective."""
        return GraphTerm(self.laplacian(points, self.normalizes(full_kernel), order), float(scale))

    def _nearest(self, points: Points | KernelDistances, k: int, order: DistanceOrder | None) -> tuple[Array, Array]:
        """Neighbors and their distances, by the cheapest way there is."""
        if isinstance(points, KernelDistances):
            return points.nearest(k, self.metric)
        found = order.nearest(points, k) if order is not None and self.metric == "euclidean" else None
        return nearest_neighbors(points, k, self.metric) if found is None else found

    def _weigh(self, points: Points | KernelDistances, neighbors: Array, d: Array) -> Array:
        """Weights of the directed edges."""
        if self.weights == "binary":
            return np.ones_like(d)
        if self.weights == "cosine":
            cosines = points.cosines if isinstance(points, KernelDistances) else partial(_cosines, points)
            return np.maximum(cosines(neighbors), 0)
        t = d.mean() if self.width == "mean" else float(self.width)
        # exp(-d^2 / (2 t^2)), and 1 where all neighbors are copies
        return np.exp(-(d**2) / (2 * t**2)) if t > 0 else np.ones_like(d)

    def _validate(self) -> None:
        _whole("n_neighbors", self.n_neighbors)
        _whole("power", self.power)
        _one_of("metric", self.metric, METRICS)
        _one_of("weights", self.weights, WEIGHTS)
        if self.width != "mean" and not _is_positive(self.width):
            raise ValueError(f'Graph(width={self.width!r}) was given: use "mean" or a positive number.')
        if self.normalized != "auto" and not isinstance(self.normalized, bool | np.bool_):
            raise ValueError(f'Graph(normalized={self.normalized!r}) was given: use "auto", True or False.')


@dataclass(frozen=True, eq=False)
class Laplacian:
    """L^p for a symmetric positive semi-definite sparse L, applied and never formed."""

    matrix: csr_array
    power: int = 1

    @classmethod
    def of(cls, W: csr_array, normalized: bool, power: int = 1) -> Laplacian:
        """D - W, or normalized I - D^-1/2 W D^-1/2; a point without edges has a row of zeros in both."""
        degrees = np.asarray(W.sum(axis=1)).ravel()
        # D - W
        if not normalized:
            return cls(csr_array(diags_array(degrees) - W), power)
        joined = degrees > 0
        roots = np.divide(1, np.sqrt(degrees), out=np.zeros(len(degrees)), where=joined)
        # I - D^-1/2 W D^-1/2
        scaling = diags_array(roots)
        return cls(csr_array(diags_array(joined.astype(float)) - scaling @ W @ scaling), power)

    @property
    def n_points(self) -> int:
        return self.matrix.shape[0]

    def apply(self, V: Array) -> Array:
        """L^p V for V of shape (n,) or (n, k)."""
        for _ in range(self.power):
            V = self.matrix @ V
        return V

    def quadratic(self, V: Array) -> Any:
        """v'L^p v: a number for V of shape (n,), one per column for (n, k); never below zero."""
        for _ in range(self.power // 2):
            V = self.matrix @ V
        # v'L^p v = |L^(p/2) v|^2, or u'L u with u = L^((p-1)/2) v
        other = self.matrix @ V if self.power % 2 else V
        return np.maximum(np.sum(V * other, axis=0), 0.0)

    def dense(self) -> Array:
        """L^p as a dense symmetric matrix, for direct solvers."""
        n = self.n_points
        demand(2 * n * n * 8, f"The dense Laplacian of {n:,} points", 'use solver="pcg", or n_components=...')
        L = self.matrix.toarray()
        for _ in range(self.power - 1):
            L = self.matrix @ L
        return (L + L.T) / 2


@dataclass(frozen=True, eq=False)
class GraphTerm:
    """G = scale L^p, the matrix of 1/2 o'G o."""

    laplacian: Laplacian
    scale: float

    @cached_property
    def _scaled(self) -> csr_array:
        """scale L: the last factor of scale L^p, so that no pass over a large V is spent on the scale."""
        return csr_array(self.scale * self.laplacian.matrix)

    def apply(self, V: Array) -> Array:
        """G V for V of shape (n,) or (n, k)."""
        if V.ndim == 1 or V.shape[1] <= 2 * TILE_COLUMNS:
            return self._applied(V)
        tiles = [slice(start, start + TILE_COLUMNS) for start in range(0, V.shape[1], TILE_COLUMNS)]
        product = np.empty(V.shape, dtype=np.result_type(V.dtype, self._scaled.dtype))
        for columns in tiles:
            product[:, columns] = self._applied(np.ascontiguousarray(V[:, columns]))
        return product

    def _applied(self, V: Array) -> Array:
        for _ in range(self.laplacian.power - 1):
            V = self.laplacian.matrix @ V
        return self._scaled @ V

    def quadratic(self, V: Array) -> Any:
        """v'G v: a number, or one per column."""
        return self.scale * self.laplacian.quadratic(V)

    def dense(self) -> Array:
        """G as a dense symmetric matrix."""
        return self.scale * self.laplacian.dense()


def factorized(GK: Array) -> tuple[Array, Array]:
    """LU factors of I + K G from G K, which they overwrite; a `LinAlgError` where it is singular to the last digit."""
    # K G = (G K)', for both are symmetric; LAPACK reads columns, so that the transpose is no copy
    system = GK.T
    system[np.diag_indices(len(system))] += 1.0
    (getrf,) = get_lapack_funcs(("getrf",), (system,))
    factors, pivots, zero_pivot = getrf(system, overwrite_a=True)
    if zero_pivot:
        raise np.linalg.LinAlgError("I + K G is singular.")
    return factors, pivots


def _cosines(points: Points, neighbors: Array) -> Array:
    """x'z / (|x| |z|) of every point and its neighbors, 0 with a row of zeros."""
    n, k = neighbors.shape
    norms = np.sqrt(points.squared_norms)
    cosines = np.zeros((n, k))
    for column in range(k):
        other = neighbors[:, column]
        if points.sparse:
            products = np.asarray(points.X.multiply(points.X[other]).sum(axis=1)).ravel()
        else:
            products = np.einsum("ij,ij->i", points.X, points.X[other], dtype=np.float64)
        sizes = norms * norms[other]
        np.divide(products, sizes, out=cosines[:, column], where=sizes > 0)
    return cosines


def _given(affinity: Any, n: int) -> csr_array:
    """An affinity matrix as it is, checked and without its diagonal."""
    W = csr_array(affinity if issparse(affinity) else np.asarray(affinity), dtype=np.float64)
    if W.shape != (n, n):
        raise ValueError(
            f"The affinity matrix has shape {W.shape} and there are {n} points: give one row and column for each."
        )
    if W.nnz and not (np.isfinite(W.data).all() and W.data.min() >= 0):
        raise ValueError("The affinity matrix has negative or infinite weights: give finite weights of at least 0.")
    if abs(W - W.T).max() > 1e-8 * abs(W).max():
        raise ValueError("The affinity matrix is not symmetric: give W.maximum(W.T), which keeps every edge.")
    W = csr_array(W.maximum(W.T) - diags_array(W.diagonal()))
    W.eliminate_zeros()
    return W


def _whole(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"Graph({name}={value!r}) was given: use a whole number of at least 1.")


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        names = ", ".join(f'"{choice}"' for choice in known[:-1])
        raise ValueError(f'Graph({name}={value!r}) was given: use {names} or "{known[-1]}".')


def _is_positive(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf
