"""Squared distances and nearest neighbours, by matrix products in blocks; shared by kernels and graphs.

Accuracy. |x - z|^2 = |x|^2 + |z|^2 - 2 x'z loses digits where the rows lie far from zero compared with the distances
between them, so dense rows far from zero are moved there first (`Points.positions`). What is left is an absolute error
of about eps (|x|^2 + |z|^2) with eps = 1e-7 for float32 and 2e-16 for float64, lengths taken after the move. Products
are taken in the precision of the data, squared lengths are summed in float64. Neighbours are only pre-selected this
way: their order and their distances come from sums of squared differences in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.sparse import csr_array, csr_matrix, hstack, issparse
from scipy.spatial import cKDTree

from semisvm.memory import chunk_rows

ORIGIN_SAMPLE = 1024  # rows that decide where the middle of the data lies
SCREEN_BYTES = 16 * 2**20  # a block of the neighbour search: half a common last-level cache
SPARSE_COLUMNS = 512  # columns of a sparse product made dense at a time
STRIP_BYTES = 512 * 2**10  # what is worked on entry by entry: a core's own cache
PAIR_BYTES = 2 * 2**20  # differences of row pairs taken at a time
TREE_FEATURES = 6  # up to this many dense columns a k-d tree is faster than products
APPROXIMATE_ABOVE = 50_000  # points from which neighbours are searched approximately

Array = np.ndarray
Rows = slice | np.ndarray
Pairs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Cloud:
    """The data set some rows belong to; `origin` is where its distances are measured from, None for zero."""

    origin: Array | None


@dataclass(frozen=True, eq=False)
class Points:
    """Rows for kernels and graphs: `X` (C-contiguous float32 / float64, or csr) and their `index` in the data set."""

    X: Any
    index: Array
    cloud: Cloud

    @classmethod
    def of(cls, X: Any) -> Points:
        """All rows of a matrix. Integers and half floats become float64; nothing is copied that already fits."""
        if issparse(X):
            X = csr_array(X, dtype=_precision(X.dtype))
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
        else:
            X = np.asarray(X)
            X = np.ascontiguousarray(X, dtype=_precision(X.dtype))
        if X.ndim != 2:
            raise ValueError(
                f"Points are the rows of a matrix and an array of shape {X.shape} was given: reshape it to 2-d."
            )
        return cls(X, np.arange(X.shape[0]), Cloud(None if issparse(X) else _origin(X)))

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def dtype(self) -> np.dtype:
        return self.X.dtype

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def sparse(self) -> bool:
        return issparse(self.X)

    @cached_property
    def squared_norms(self) -> Array:
        """|x|^2 of every row, float64."""
        return squared_norms(self.X)

    @cached_property
    def positions(self) -> Array:
        """x - origin of every (dense) row."""
        return self.X if self.cloud.origin is None else self.X - self.cloud.origin.astype(self.dtype)

    @cached_property
    def squared_lengths(self) -> Array:
        """|x - origin|^2 of every (dense) row, float64."""
        return self.squared_norms if self.cloud.origin is None else squared_norms(self.positions)

    def take(self, rows: Rows) -> Points:
        """Some of the rows, with what is already known of them; a slice copies nothing."""
        X = self.X[rows]
        taken = Points(X if self.sparse else np.ascontiguousarray(X), self.index[rows], self.cloud)
        for name in ("squared_norms", "squared_lengths"):
            if name in self.__dict__:
                taken.__dict__[name] = self.__dict__[name][rows]
        if self.cloud.origin is not None and "positions" in self.__dict__:
            taken.__dict__["positions"] = np.ascontiguousarray(self.positions[rows])
        return taken

    def spread(self) -> tuple[float, float]:
        """Mean and variance of all entries, float64."""
        if not self.sparse:
            return float(self.X.mean(dtype=np.float64)), float(self.X.var(dtype=np.float64))
        values, size = self.X.data.astype(np.float64), self.X.shape[0] * self.X.shape[1]
        mean = values.sum() / size
        # the entries that are not stored are zeros, each (0 - mean)^2 from the mean
        return float(mean), float((np.sum((values - mean) ** 2) + (size - len(values)) * mean**2) / size)

    def box(self) -> tuple[Array, Array]:
        """The smallest and the largest entry of each column, float64."""
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        if self.sparse:
            low, high = low.toarray().ravel(), high.toarray().ravel()
        return low.astype(np.float64), high.astype(np.float64)

    def about(self, other: Points) -> Points:
        """The same rows measured from the origin of `other`."""
        if self.cloud.origin is other.cloud.origin:
            return self
        return replace(self, cloud=Cloud(other.cloud.origin))


def squared_distances(A: Points, B: Points, out: Array | None = None) -> Array:
    """|x - z|^2 for every x of A and z of B; never negative, and zero where x and z are the same row."""
    (x, xx), (z, zz) = measured(A, B)
    # |x - z|^2 = -2 x'z + |x|^2 + |z|^2
    D = products(x, z, out, -2.0)
    xx, zz = xx.astype(D.dtype)[:, None], zz.astype(D.dtype)
    for rows in strips(D):
        strip = D[rows]
        strip += xx[rows]
        strip += zz
        np.maximum(strip, 0, out=strip)
    D[same_rows(A, B)] = 0
    return D


def measured(A: Points, B: Points) -> tuple[tuple[Any, Array], tuple[Any, Array]]:
    """The rows of A and of B about one origin, each with their squared lengths."""
    if A.sparse or B.sparse:
        return (A.X, A.squared_norms), (B.X, B.squared_norms)
    A = A.about(B)
    return (A.positions, A.squared_lengths), (B.positions, B.squared_lengths)


def products(x: Any, z: Any, out: Array | None = None, scale: float = 1.0) -> Array:
    """scale x z', dense; sparse factors stay sparse."""
    if out is None:
        out = np.empty((x.shape[0], z.shape[0]), dtype=np.result_type(x.dtype, z.dtype))
    if issparse(x) and issparse(z):
        for few in _slices(z.shape[0], SPARSE_COLUMNS):
            out[:, few] = _sparse_products(x, z[few], scale)
    elif issparse(x):
        np.multiply(x @ z.T, scale, out=out, casting="same_kind")
    elif issparse(z):
        np.multiply((z @ x.T).T, scale, out=out, casting="same_kind")
    elif scale == 1:
        np.matmul(x, z.T, out=out)
    elif x.size < z.size:
        np.matmul(x.dtype.type(scale) * x, z.T, out=out)
    else:
        np.matmul(x, (z.dtype.type(scale) * z).T, out=out)
    return out


def half_products(x: Any, scale: float = 1.0) -> Array:
    """scale x x' on and below the diagonal of a new matrix; what is above it is anything."""
    n = x.shape[0]
    out = np.empty((n, n), dtype=x.dtype)
    if issparse(x):
        for few in _slices(n, SPARSE_COLUMNS):
            out[few.start :, few] = _sparse_products(x[few.start :], x[few], scale)
        return out
    if not x.size:
        out[...] = 0
        return out
    # one call for the whole half; its upper triangle by columns is our lower triangle by rows
    syrk = get_blas_funcs("syrk", dtype=x.dtype)
    syrk(scale, x.T, c=out.T, trans=1, lower=0, overwrite_c=1)
    return out


def _sparse_products(x: csr_array, z: csr_array, scale: float) -> Array:
    product = x @ z.T.tocsr()
    product.data *= scale
    return product.toarray()


def strips(matrix: Array) -> Iterator[slice]:
    """Rows of a matrix, as many at a time as fit a core's cache."""
    return _slices(len(matrix), chunk_rows(matrix.shape[1], matrix.itemsize, STRIP_BYTES))


def same_rows(A: Points, B: Points) -> Pairs:
    """(i, j) of all pairs where row i of A and row j of B are the same row of one data set."""
    if A is B:
        return np.arange(len(A)), np.arange(len(A))
    apart = A.cloud is not B.cloud or not len(A) or not len(B)
    if apart or A.index.max() < B.index.min() or B.index.max() < A.index.min():
        return np.empty(0, dtype=int), np.empty(0, dtype=int)
    order = np.argsort(B.index, kind="stable")
    first = np.searchsorted(B.index, A.index, side="left", sorter=order)
    count = np.searchsorted(B.index, A.index, side="right", sorter=order) - first
    rows = np.repeat(np.arange(len(A)), count)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    return rows, order[np.repeat(first, count) + within]


def paired_squared_distances(points: Points, rows: Array, cols: Array) -> Array:
    """|x_r - x_c|^2 of row pairs, by differences in float64: exact zeros for equal rows, the same number both ways."""
    X, squares = points.X, np.empty(len(rows))
    step = chunk_rows(points.n_features, 8, PAIR_BYTES)
    for pairs in _slices(len(rows), step if not points.sparse else max(step, 4096)):
        difference = X[rows[pairs]].astype(np.float64) - X[cols[pairs]]
        squares[pairs] = squared_norms(difference)
    return squares


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
        return indices, np.sqrt(squares)
    if metric == "cosine":
        # 1 - cos(x, z) = |x / |x| - z / |z||^2 / 2
        indices, squares = _nearest(_directions(points), k, approximate_above)
        return indices, squares / 2
    raise ValueError(f'The metric {metric!r} is not known: use "euclidean" or "cosine".')


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
    for block in _slices(len(wanted), chunk_rows(n, 4, SCREEN_BYTES)):
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
        X /= abs(X).max() or 1.0
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


def squared_norms(X: Any) -> Array:
    """|x_i|^2 of every row, dense or sparse, in float64."""
    if issparse(X):
        squares = csr_array((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
        return squares @ np.ones(X.shape[1])
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _origin(X: Array) -> Array | None:
    """The middle of some rows if it is farther from zero than the rows are from it, else None: zero will do."""
    if not X.size:
        return None
    sample = X[:: max(1, len(X) // ORIGIN_SAMPLE)].astype(np.float64)
    middle = sample.mean(axis=0)
    spread = squared_norms(sample - middle).mean()
    return middle if middle @ middle > 4 * spread else None


def _precision(dtype: np.dtype) -> type:
    return np.float32 if dtype == np.float32 else np.float64


def _slices(n: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
