"""Kernels k(x, z).

Most kernels are products x'z followed by a function of each entry. The products are one call for a whole block; the
entries are finished piece by piece, each piece while it is in the cache. A Gram matrix takes the products of one half,
finishes its tiles and mirrors each, so it is symmetric to the last bit. float32 rows give float32 kernel values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf, log10, sqrt
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from threadpoolctl import threadpool_info

from semisvm._core.gaussian import gaussian
from semisvm.geometry.distances import (
    Array,
    Points,
    half_products,
    measured,
    products,
    same_rows,
    strips,
)
from semisvm.memory import demand

TILE = 256  # rows and columns of a Gram matrix finished at a time: half a megabyte
THREADED_ABOVE = 2**22  # entries of a matrix from which more threads than one finish it
LARGEST_EXPONENT = {np.dtype(np.float64): 300, np.dtype(np.float32): 37}  # of ten, well below overflow

Factor = tuple[Any, Array]


class Kernel(ABC):
    """k(x, z) for all rows x of A and z of B."""

    @abstractmethod
    def block(self, A: Points, B: Points, out: Array | None = None) -> Array:
        """The len(A) x len(B) matrix of kernel values."""

    @abstractmethod
    def gram(self, A: Points) -> Array:
        """The matrix of A against itself, exactly symmetric; refused before it is taken where it would not fit."""

    @abstractmethod
    def diagonal(self, A: Points) -> Array:
        """k(x, x) of every row of A, float64."""


class ProductKernel(Kernel):
    """A function of x'z and of one number per row, such as its length."""

    @abstractmethod
    def factors(self, A: Points, B: Points) -> tuple[Factor, Factor]:
        """For A and for B the rows whose products are taken and the number of each row."""

    @abstractmethod
    def finish(self, tile: Array, a: Array, b: Array) -> None:
        """Turn scale x'z into k(x, z), in place; a and b are the numbers of the rows and of the columns."""

    @property
    def scale(self) -> float:
        """The factor the products are taken with."""
        return 1.0

    def block(self, A: Points, B: Points, out: Array | None = None) -> Array:
        (x, a), (z, b) = self.factors(A, B)
        K = products(x, z, out, self.scale)
        a, b = a.astype(K.dtype)[:, None], b.astype(K.dtype)
        _each(strips(K), lambda rows: self.finish(K[rows], a[rows], b), K.size)
        i, j = same_rows(A, B)
        if len(i):
            K[i, j] = self.diagonal(A)[i]
        return K

    def gram(self, A: Points) -> Array:
        demand_gram(len(A), A.dtype.itemsize)
        x, a = self.factors(A, A)[0]
        K = half_products(x, self.scale)
        a = a.astype(K.dtype)

        def finish_panel(j: int) -> None:
            cols = slice(j, j + TILE)
            corner = K[cols, cols]
            _mirror_lower(corner)  # nothing was computed above the diagonal
            self.finish(corner, a[cols, None], a[cols])
            _mirror_lower(corner)
            for i in range(j + TILE, len(K), TILE):
                rows = slice(i, i + TILE)
                self.finish(K[rows, cols], a[rows, None], a[cols])
                K[cols, rows] = K[rows, cols].T

        _each(range(0, len(K), TILE), finish_panel, K.size)
        np.fill_diagonal(K, self.diagonal(A))
        return K


def demand_gram(n: int, itemsize: int) -> None:
    """Refuse a Gram matrix of n rows that would not fit into memory."""
    demand(n * n * itemsize, f"The Gram matrix of {n:,} rows", 'set n_components=..., or kernel="linear"')


@dataclass(frozen=True)
class RBF(ProductKernel):
    """exp(-gamma |x - z|^2)"""

    gamma: float

    def __post_init__(self) -> None:
        positive_number("gamma", self.gamma)

    @property
    def scale(self) -> float:
        return 2.0 * float(self.gamma)

    def factors(self, A: Points, B: Points) -> tuple[Factor, Factor]:
        (x, xx), (z, zz) = measured(A, B)
        size = float(self.gamma) * max(float(lengths.max(initial=0.0)) for lengths in (xx, zz))
        refuse_overflow("gamma |x|^2", log10(size) if size > 0 else -inf, "a smaller gamma", A, B)
        return (x, self.gamma * xx), (z, self.gamma * zz)

    def finish(self, tile: Array, a: Array, b: Array) -> None:
        # -gamma |x - z|^2 = 2 gamma x'z - gamma |x|^2 - gamma |z|^2, not above zero
        gaussian(tile, a, b)

    def diagonal(self, A: Points) -> Array:
        return np.ones(len(A))


@dataclass(frozen=True)
class LinearKernel(ProductKernel):
    """x'z"""

    def factors(self, A: Points, B: Points) -> tuple[Factor, Factor]:
        return _plain(A), _plain(B)

    def finish(self, tile: Array, a: Array, b: Array) -> None:
        """x'z itself: nothing to compute."""

    def diagonal(self, A: Points) -> Array:
        return A.squared_norms


@dataclass(frozen=True)
class Polynomial(ProductKernel):
    """(gamma x'z + coef0)^degree"""

    degree: int
    gamma: float
    coef0: float

    def __post_init__(self) -> None:
        if not isinstance(self.degree, Integral) or isinstance(self.degree, bool) or self.degree < 1:
            raise ValueError(
                f"degree={self.degree!r} was given: a polynomial kernel needs a whole number of at least 1."
            )
        positive_number("gamma", self.gamma)
        if not isinstance(self.coef0, Real) or not np.isfinite(float(self.coef0)):
            raise ValueError(f"coef0={self.coef0!r} was given: a polynomial kernel needs a finite number.")

    @property
    def scale(self) -> float:
        return float(self.gamma)

    def factors(self, A: Points, B: Points) -> tuple[Factor, Factor]:
        self._refuse_overflow(A, B)
        return _plain(A), _plain(B)

    def finish(self, tile: Array, a: Array, b: Array) -> None:
        tile += float(self.coef0)
        _power(tile, self.degree)

    def diagonal(self, A: Points) -> Array:
        self._refuse_overflow(A, A)
        values = self.gamma * A.squared_norms + self.coef0
        _power(values, self.degree)
        return values

    def _refuse_overflow(self, A: Points, B: Points) -> None:
        x, z = (sqrt(float(rows.squared_norms.max(initial=0.0))) for rows in (A, B))
        # |gamma x'z + coef0| <= gamma |x| |z| + |coef0|, and squares of kernel values are needed, too
        size = float(self.gamma) * x * z + abs(float(self.coef0))
        exponent = 2 * self.degree * log10(size) if size > 0 else -inf
        refuse_overflow("The square of the polynomial kernel", exponent, "a smaller degree or gamma", A, B)


@dataclass(frozen=True)
class Cosine(ProductKernel):
    """x'z / (|x| |z|), and 0 where x or z is a row of zeros"""

    def factors(self, A: Points, B: Points) -> tuple[Factor, Factor]:
        return (A.X, _inverse_norms(A)), (B.X, _inverse_norms(B))

    def finish(self, tile: Array, a: Array, b: Array) -> None:
        tile *= a
        tile *= b
        np.clip(tile, -1, 1, out=tile)

    def diagonal(self, A: Points) -> Array:
        return (A.squared_norms > 0).astype(np.float64)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Rows are kernel values against the training set: A.X[:, B.index], B being rows of that set."""

    def block(self, A: Points, B: Points, out: Array | None = None) -> Array:
        last = B.index.max(initial=-1)
        if last >= A.n_features:
            raise ValueError(
                f"A precomputed kernel of shape {A.X.shape} was given and training point {last} is asked for: "
                "give k(x, z) for every training point z, in the order of fit."
            )
        values = A.X[:, B.index]
        return _into(out, values.toarray() if issparse(values) else values)

    def gram(self, A: Points) -> Array:
        demand_gram(len(A), A.dtype.itemsize)
        return _symmetric(self.block(A, A), "The precomputed kernel")

    def diagonal(self, A: Points) -> Array:
        """k(x, x) of training points; no other rows hold it."""
        return np.asarray(A.X[np.arange(len(A)), A.index], dtype=np.float64).ravel()


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """Any function k(A, B) of two matrices of rows (dense or csr, as given to fit) that returns all kernel values."""

    function: Callable[[Any, Any], Any]

    def block(self, A: Points, B: Points, out: Array | None = None) -> Array:
        values: Any = self.function(A.X, B.X) if len(A) and len(B) else np.empty((len(A), len(B)))
        values = np.asarray(values.toarray() if issparse(values) else values)
        if values.shape != (len(A), len(B)):
            raise ValueError(
                f"The kernel function returned shape {values.shape} for {len(A)} and {len(B)} rows: "
                f"it must return all pairs, shape {(len(A), len(B))}."
            )
        if values.dtype.kind not in "fiub" or not np.isfinite(values).all():
            raise ValueError("The kernel function returned values that are not finite real numbers: it must not.")
        return _into(out, values.astype(np.result_type(A.dtype, B.dtype), copy=False))

    def gram(self, A: Points) -> Array:
        demand_gram(len(A), 2 * A.dtype.itemsize)
        return _symmetric(np.array(self.block(A, A)), "The kernel function")

    def diagonal(self, A: Points) -> Array:
        values, few = np.empty(len(A)), 32
        for i in range(0, len(A), few):
            rows = A.take(slice(i, i + few))
            values[i : i + few] = np.diagonal(self.block(rows, rows))
        return values


KERNELS: dict[str, Callable[[float, int, float], Kernel]] = {
    "rbf": lambda gamma, degree, coef0: RBF(gamma),
    "linear": lambda gamma, degree, coef0: LinearKernel(),
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


def positive_number(name: str, value: Any) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} was given: a positive finite number is needed.")


def refuse_overflow(what: str, exponent: float, instead: str, A: Points, B: Points) -> None:
    """Refuse rows on which something has the size of ten to this exponent, where that is too near to infinity."""
    dtype = np.result_type(A.dtype, B.dtype)
    if exponent > LARGEST_EXPONENT[dtype]:
        doubled = ", or float64 rows" if dtype == np.float32 else ""
        raise ValueError(
            f"{what} exceeds 1e{LARGEST_EXPONENT[dtype]} on these {dtype} rows and would overflow: use {instead}, or "
            f"columns divided by their sizes{doubled}."
        )


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


def _each(pieces: Iterable[Any], work: Callable[[Any], None], n_entries: int) -> None:
    """Work on every piece of a matrix, if it is large on as many threads as the matrix products are allowed."""
    if n_entries < THREADED_ABOVE:
        for piece in pieces:
            work(piece)
        return
    allowed = max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
    with ThreadPoolExecutor(allowed) as threads:
        for _ in threads.map(work, pieces):
            pass


def _plain(points: Points) -> Factor:
    """Rows that need no number besides their products."""
    return points.X, np.zeros(len(points))


def _into(out: Array | None, values: Array) -> Array:
    if out is None:
        return values
    out[...] = values
    return out


def _mirror_lower(K: Array) -> None:
    """Copy the part below the diagonal onto the part above it, a panel at a time."""
    for j in range(0, len(K), TILE):
        corner, below = K[j : j + TILE, j : j + TILE], K[j + TILE :, j : j + TILE]
        np.copyto(corner, corner.T, where=np.triu(np.ones(corner.shape, dtype=bool), 1))
        K[j : j + TILE, j + TILE :] = below.T


def _symmetric(K: Array, what: str) -> Array:
    """K, its halves made equal; a difference between k(x, z) and k(z, x) far beyond rounding is a mistake."""
    size = worst = 0.0
    for j in range(0, len(K), TILE):
        across, down = K[j : j + TILE, j:].astype(np.float64), K[j:, j : j + TILE].T
        size = max(size, np.abs(across).max())
        worst = max(worst, np.abs(across - down).max())
    precision = np.finfo(np.result_type(K.dtype, np.float32)).eps
    if worst > np.sqrt(precision) * size:
        raise ValueError(
            f"{what} is not symmetric, k(x, z) and k(z, x) differ by up to {worst:.2g}: use (K + K.T) / 2."
        )
    _mirror_lower(K)
    return K
