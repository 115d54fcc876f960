"""Kernels k(x, z), evaluated in tiles that stay in the cache, and the rules that choose the width of the RBF kernel.

A kernel says how one tile is filled; blocks and Gram matrices are assembled here. A Gram matrix is computed by halves:
tiles on and below the diagonal, each mirrored while it is in the cache, so the result is symmetric to the last bit.
float32 rows give float32 kernel values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from semisvm.distances import Array, Points, inner_products, paired_squared_distances, same_rows, squared_distances
from semisvm.memory import demand

WIDTH_SAMPLE = 2000  # rows whose pairwise distances are taken for a width


class Kernel(ABC):
    """k(x, z) for all rows x of A and z of B."""

    tile: ClassVar[tuple[int, int]] = (1024, 256)  # dense rows x columns filled at a time: one tile fits the cache
    sparse_tile: ClassVar[tuple[int, int]] = (4096, 512)  # sparse products have more to set up per tile

    @abstractmethod
    def fill(self, A: Points, B: Points, out: Array) -> None:
        """Write k(x, z) of one tile into `out`."""

    @abstractmethod
    def diagonal(self, A: Points) -> Array:
        """k(x, x) of every row of A, float64."""

    def share(self, points: Points) -> None:  # noqa: B027
        """Compute once what all tiles of `points` need; nothing by default."""

    def dtype(self, A: Points, B: Points) -> np.dtype:
        """The precision of the values: that of the rows by default."""
        return np.result_type(A.dtype, B.dtype)

    def block(self, A: Points, B: Points, out: Array | None = None) -> Array:
        """The len(A) x len(B) matrix of kernel values."""
        if out is None:
            out = np.empty((len(A), len(B)), dtype=self.dtype(A, B))
        if A is not B:
            A = A.about(B)
            self.share(A)
        self.share(B)
        height, width = self.sparse_tile if A.sparse or B.sparse else self.tile
        # A few rows against many columns (one row of a solver's cache) are one wide tile.
        width = max(width, height * width // max(1, len(A)))
        for i in range(0, len(A), height):
            a = A if len(A) <= height else A.take(slice(i, i + height))
            for j in range(0, len(B), width):
                b = B if len(B) <= width else B.take(slice(j, j + width))
                self.fill(a, b, out[i : i + height, j : j + width])
        return out

    def gram(self, A: Points) -> Array:
        """The matrix of A against itself, exactly symmetric; refused before it is taken where it would not fit."""
        n, dtype = len(A), self.dtype(A, A)
        demand_gram(n, dtype.itemsize)
        K = np.empty((n, n), dtype=dtype)
        self.share(A)
        height, width = self.sparse_tile if A.sparse else self.tile
        for j in range(0, n, width):
            b = A.take(slice(j, j + width))
            corner = K[j : j + width, j : j + width]
            self.fill(b, b, corner)
            _mirror_lower(corner)
            for i in range(j + width, n, height):
                tile = K[i : i + height, j : j + width]
                self.fill(A.take(slice(i, i + height)), b, tile)
                K[j : j + width, i : i + height] = tile.T
        return K


def demand_gram(n: int, itemsize: int) -> None:
    """Refuse a Gram matrix of n rows that would not fit into memory."""
    demand(n * n * itemsize, f"The Gram matrix of {n:,} rows", 'set n_components=..., or kernel="linear"')


@dataclass(frozen=True)
class RBF(Kernel):
    """exp(-gamma |x - z|^2)"""

    gamma: float

    def __post_init__(self) -> None:
        _positive("gamma", self.gamma)

    def fill(self, A: Points, B: Points, out: Array) -> None:
        # exp(-gamma |x - z|^2)
        squared_distances(A, B, out=out, scale=-float(self.gamma))
        np.exp(out, out=out)

    def diagonal(self, A: Points) -> Array:
        return np.ones(len(A))

    def share(self, points: Points) -> None:
        _ = points.squared_norms if points.sparse else points.squared_lengths


@dataclass(frozen=True)
class Linear(Kernel):
    """x'z"""

    def fill(self, A: Points, B: Points, out: Array) -> None:
        inner_products(A, B, out=out)

    def diagonal(self, A: Points) -> Array:
        return A.squared_norms


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x'z + coef0)^degree"""

    degree: int
    gamma: float
    coef0: float

    def __post_init__(self) -> None:
        if not isinstance(self.degree, Integral) or isinstance(self.degree, bool) or self.degree < 1:
            raise ValueError(f"degree={self.degree!r} was given: a polynomial kernel needs a whole number of at least 1.")
        _positive("gamma", self.gamma)
        if not isinstance(self.coef0, Real) or not np.isfinite(self.coef0):
            raise ValueError(f"coef0={self.coef0!r} was given: a polynomial kernel needs a finite number.")

    def fill(self, A: Points, B: Points, out: Array) -> None:
        inner_products(A, B, out=out, scale=float(self.gamma))
        out += float(self.coef0)
        _power(out, self.degree)

    def diagonal(self, A: Points) -> Array:
        values = self.gamma * A.squared_norms + self.coef0
        _power(values, self.degree)
        return values


@dataclass(frozen=True)
class Cosine(Kernel):
    """x'z / (|x| |z|), and 0 where x or z is a row of zeros"""

    def fill(self, A: Points, B: Points, out: Array) -> None:
        inner_products(A, B, out=out)
        out *= _inverse_norms(A).astype(out.dtype)[:, None]
        out *= _inverse_norms(B).astype(out.dtype)
        np.clip(out, -1, 1, out=out)
        rows, cols = same_rows(A, B)
        out[rows, cols] = self.diagonal(A)[rows]

    def diagonal(self, A: Points) -> Array:
        return (A.squared_norms > 0).astype(np.float64)

    def share(self, points: Points) -> None:
        _ = points.squared_norms


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Rows are kernel values against the training set: A.X[:, B.index], B being rows of that set."""

    def fill(self, A: Points, B: Points, out: Array) -> None:
        if len(B) and B.index.max() >= A.n_features:
            raise ValueError(
                f"Precomputed rows hold {A.n_features} kernel values and training point {B.index.max()} was asked for: "
                "give k(x, z) for every training point z, in the order of fit."
            )
        values = A.X[:, B.index]
        out[...] = values.toarray() if issparse(values) else values

    def diagonal(self, A: Points) -> Array:
        """k(x, x) of training points; no other rows hold it."""
        return np.asarray(A.X[np.arange(len(A)), A.index], dtype=np.float64).ravel()

    def gram(self, A: Points) -> Array:
        if A.n_features <= A.index.max(initial=0):
            raise ValueError(
                f"A precomputed kernel of shape {A.X.shape} was given: fit needs one column for every training point."
            )
        demand_gram(len(A), A.dtype.itemsize)
        K = self.block(A, A)
        _refuse_asymmetric(K, "The precomputed kernel")
        _mirror_lower(K)
        return K


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """Any function k(A, B) of two matrices of rows (dense or csr, as given to fit) that returns all kernel values."""

    function: Callable[[Any, Any], Any]
    tile: ClassVar[tuple[int, int]] = (1024, 1024)
    sparse_tile: ClassVar[tuple[int, int]] = (1024, 1024)

    def fill(self, A: Points, B: Points, out: Array) -> None:
        values = self.function(A.X, B.X)
        values = np.asarray(values.toarray() if issparse(values) else values)
        if values.shape != (len(A), len(B)):
            raise ValueError(
                f"The kernel function returned shape {values.shape} for {len(A)} and {len(B)} rows: "
                f"it must return all pairs, shape {(len(A), len(B))}."
            )
        if values.dtype.kind not in "fiub" or not np.isfinite(values).all():
            raise ValueError("The kernel function returned values that are not finite real numbers: it must not.")
        if A is B:
            _refuse_asymmetric(values, "The kernel function")
        out[...] = values

    def diagonal(self, A: Points) -> Array:
        values, few = np.empty(len(A)), 32
        for i in range(0, len(A), few):
            a = A.take(slice(i, i + few))
            values[i : i + few] = np.diagonal(self.block(a, a))
        return values


KERNELS: dict[str, Callable[[float, int, float], Kernel]] = {
    "rbf": lambda gamma, degree, coef0: RBF(gamma),
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "cosine": lambda gamma, degree, coef0: Cosine(),
    "precomputed": lambda gamma, degree, coef0: Precomputed(),
}


def kernel_from(kernel: str | Callable[..., Any] | Kernel, gamma: float, degree: int = 3, coef0: float = 0.0) -> Kernel:
    """The kernel of an estimator's parameters: a name, a function k(A, B), or a kernel as it is."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel](gamma, degree, coef0)
    if callable(kernel):
        return FunctionKernel(kernel)
    known = ", ".join(f'"{name}"' for name in KERNELS)
    raise ValueError(f"kernel={kernel!r} was given: use {known}, or a function k(A, B).")


def width(rule: str | float, points: Points, random_state: int | np.random.RandomState | None = 0) -> float:
    """gamma by a rule, or the positive number that was given.

    "scale": 1 / (d var(X)). Otherwise 1 / (2 sigma^2) with sigma the "median" or "mean_distance" of the distances
    between points (of 2,000 points drawn by `random_state` where there are more), or the diagonal of the bounding
    "box". Where all points are equal, 1.
    """
    if isinstance(rule, str) and rule in WIDTHS:
        gamma = WIDTHS[rule](points, random_state)
        return gamma if np.isfinite(gamma) else 1.0
    if isinstance(rule, str):
        known = ", ".join(f'"{name}"' for name in WIDTHS)
        raise ValueError(f"gamma={rule!r} was given: use {known}, or a positive number.")
    _positive("gamma", rule)
    return float(rule)


def _scale(points: Points, random_state: Any) -> float:
    X = points.X
    if points.sparse:
        values, size = X.data.astype(np.float64), X.shape[0] * X.shape[1]
        mean = values.sum() / size
        # the entries that are not stored are zeros, each (0 - mean)^2 from the mean
        variance = (np.sum((values - mean) ** 2) + (size - len(values)) * mean**2) / size
    else:
        mean, variance = X.mean(dtype=np.float64), X.var(dtype=np.float64)
    equal = variance <= (8 * np.finfo(X.dtype).eps * mean) ** 2  # nothing but rounding
    return np.inf if equal else float(1 / (X.shape[1] * variance))


def _median(points: Points, random_state: Any) -> float:
    distances = _some_distances(points, random_state)
    sigma = np.median(distances) if len(distances) else 0.0
    if sigma == 0 and distances.any():  # most points are copies: the others tell the scale
        sigma = np.median(distances[distances > 0])
    return _gamma(sigma)


def _mean_distance(points: Points, random_state: Any) -> float:
    distances = _some_distances(points, random_state)
    return _gamma(distances.mean() if len(distances) else 0.0)


def _box(points: Points, random_state: Any) -> float:
    X = points.X
    if points.sparse:
        top, bottom = X.max(axis=0).toarray().ravel(), X.min(axis=0).toarray().ravel()
    else:
        top, bottom = X.max(axis=0), X.min(axis=0)
    return _gamma(np.linalg.norm(top.astype(np.float64) - bottom))


WIDTHS: dict[str, Callable[[Points, Any], float]] = {
    "scale": _scale,
    "median": _median,
    "mean_distance": _mean_distance,
    "box": _box,
}


def _gamma(sigma: float) -> float:
    """gamma = 1 / (2 sigma^2)"""
    return float(1 / (2 * sigma**2)) if sigma > 0 else np.inf


def _some_distances(points: Points, random_state: Any) -> Array:
    """Distances of all pairs of points, or of all pairs of WIDTH_SAMPLE points drawn without replacement."""
    if len(points) > WIDTH_SAMPLE:
        drawn = check_random_state(random_state).choice(len(points), WIDTH_SAMPLE, replace=False)
        points = points.take(np.sort(drawn))
    exact = Points.of(points.X.astype(np.float64))
    i, j = np.triu_indices(len(points), 1)
    squares = squared_distances(exact, exact)[i, j]
    lengths = exact.squared_norms if exact.sparse else exact.squared_lengths
    near = np.flatnonzero(squares <= 1e-10 * (lengths[i] + lengths[j]))  # copies, or hardly to be told from them
    squares[near] = paired_squared_distances(exact, i[near], j[near])
    return np.sqrt(squares)


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{name}={value!r} was given: a positive finite number is needed.")


def _power(values: Array, degree: int) -> None:
    """values^degree in place, by squaring."""
    square, rest = values.copy(), degree - 1
    while rest:
        if rest % 2:
            values *= square
        rest //= 2
        if rest:
            square *= square


def _inverse_norms(points: Points) -> Array:
    norms = np.sqrt(points.squared_norms)
    return np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)


def _mirror_lower(K: Array, step: int = 256) -> None:
    """Copy the part below the diagonal onto the part above it, a panel at a time."""
    for j in range(0, len(K), step):
        corner, below = K[j : j + step, j : j + step], K[j + step :, j : j + step]
        np.copyto(corner, corner.T, where=np.triu(np.ones(corner.shape, dtype=bool), 1))
        K[j : j + step, j + step :] = below.T


def _refuse_asymmetric(K: Array, what: str, step: int = 256) -> None:
    """A difference between k(x, z) and k(z, x) far beyond rounding is a mistake."""
    size = worst = 0.0
    for j in range(0, len(K), step):
        across, down = K[j : j + step, j:].astype(np.float64), K[j:, j : j + step].T
        size = max(size, np.abs(across).max())
        worst = max(worst, np.abs(across - down).max())
    precision = np.finfo(np.result_type(K.dtype, np.float32)).eps
    if worst > np.sqrt(precision) * size:
        raise ValueError(f"{what} is not symmetric, k(x, z) and k(z, x) differ by up to {worst:.2g}: use (K + K.T) / 2.")
