"""Squared distances by matrix products in blocks; shared by kernels and graphs.

Accuracy. |x - z|^2 = |x|^2 + |z|^2 - 2 x'z loses digits where the rows lie far from zero compared with the distances
between them, so dense rows far from zero are moved there first (`Points.positions`). What is left is an absolute error
of about eps (|x|^2 + |z|^2) with eps = 1e-7 for float32 and 2e-16 for float64, lengths taken after the move. Products
are taken in the precision of the data, squared lengths are summed in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import get_blas_funcs
from scipy.sparse import csr_array, issparse

from semisvm._core.near_points import paired_squares
from semisvm.memory import chunk_rows

ORIGIN_SAMPLE = 1024  # rows that decide where the middle of the data lies
SPARSE_COLUMNS = 512  # columns of a sparse product made dense at a time
STRIP_BYTES = 512 * 2**10  # what is worked on entry by entry: a core's own cache
PAIR_BYTES = 2 * 2**20  # differences of row pairs taken at a time

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
        X = _matrix(X)
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

    def in_double_precision(self) -> Points:
        return replace(self, X=self.X.astype(np.float64))

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

    def beside(self, X: Any) -> Points:
        """The rows of another matrix, none of which is one of these, measured from the same origin."""
        X = _matrix(X)
        return Points(X, np.arange(X.shape[0]), Cloud(self.cloud.origin))

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
    if B.sparse or (A.sparse and B.cloud.origin is None):
        return (A.X, A.squared_norms), (B.X, B.squared_norms)
    if A.sparse:
        A = replace(A, X=A.X.toarray())  # no zero is left in rows that are moved
    A = A.about(B)
    return (A.positions, A.squared_lengths), (B.positions, B.squared_lengths)


def products(x: Any, z: Any, out: Array | None = None, scale: float = 1.0) -> Array:
    """scale x z', dense; sparse factors stay sparse."""
    if out is None:
        out = np.empty((x.shape[0], z.shape[0]), dtype=np.result_type(x.dtype, z.dtype))
    if issparse(x) and issparse(z):
        for few in slices(z.shape[0], SPARSE_COLUMNS):
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
    """scale x x' on and below the diagonal of a new matrix; entries above it are arbitrary."""
    n = x.shape[0]
    out = np.empty((n, n), dtype=x.dtype)
    if issparse(x):
        for few in slices(n, SPARSE_COLUMNS):
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
    return slices(len(matrix), chunk_rows(matrix.shape[1], matrix.itemsize, STRIP_BYTES))


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
    X = points.X
    if not points.sparse:
        return paired_squares(X, np.ascontiguousarray(rows, dtype=np.intp), np.ascontiguousarray(cols, dtype=np.intp))
    squares = np.empty(len(rows))
    step = chunk_rows(points.n_features, 8, PAIR_BYTES)
    for pairs in slices(len(rows), max(step, 4096)):
        difference = X[rows[pairs]].astype(np.float64) - X[cols[pairs]]
        squares[pairs] = squared_norms(difference)
    return squares


def squared_norms(X: Any) -> Array:
    """|x_i|^2 of every row, dense or sparse, in float64."""
    if issparse(X):
        squares = csr_array((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
        return squares @ np.ones(X.shape[1])
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _matrix(X: Any) -> Any:
    """Rows in C order or canonical csr, in float32 or float64."""
    if issparse(X):
        X = csr_array(X, dtype=_precision(X.dtype))
        if not X.has_canonical_format:
            # columns of many entries are brought in order faster by counting them than by comparing
            X = X.tocsc().tocsr() if X.nnz > X.shape[1] else X.copy()
            X.sum_duplicates()
    else:
        X = np.asarray(X)
        X = np.ascontiguousarray(X, dtype=_precision(X.dtype))
    if X.ndim != 2:
        raise ValueError(
            f"Points are the rows of a matrix and an array of shape {X.shape} was given: reshape it to 2-d."
        )
    return X


def _origin(X: Array) -> Array | None:
    """The mean of some rows if it is farther from zero than the rows are from it; otherwise None, which means zero."""
    if not X.size:
        return None
    sample = X[:: max(1, len(X) // ORIGIN_SAMPLE)].astype(np.float64)
    middle = sample.mean(axis=0)
    spread = squared_norms(sample - middle).mean()
    return middle if middle @ middle > 4 * spread else None


def _precision(dtype: np.dtype) -> type:
    return np.float32 if dtype == np.float32 else np.float64


def slices(n: int, step: int) -> Iterator[slice]:
    """Rows 0 to n, `step` at a time."""
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
