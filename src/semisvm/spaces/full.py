"""All functions of a kernel on the training points: theta = alpha, f = sum_i alpha_i k(x_i, .)."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dsymv, ssymv

from semisvm._core.gathered import scaled_triangle
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel, Precomputed
from semisvm.memory import available_bytes, chunk_rows, demand
from semisvm.spaces.predictor import KernelPredictor
from semisvm.spaces.space import EVERY_ROW, Rows, Space

SMALL = 4096
"""Up to this many points every product forms the Gram matrix: avoiding it would take longer."""
TILE_COLUMNS = 4096
FEW_COLUMNS = 4
"""Columns up to which one symmetric product each is faster than a product of matrices, which copies K into packs."""
PACK = 4
"""Rows that a product of matrices takes at once: for 5 of them it takes longer than for 8."""


@dataclass(frozen=True, eq=False)
class Full(Space):
    """The Gram matrix is formed at the first product and shared by all columns; `block` and `once` never form it."""

    kernel: Kernel
    points: Points
    exact: bool = True
    """Whether the Gram matrix of float32 rows is held in float64, so that products and certificates are exact."""

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def dimension(self) -> int:
        return len(self.points)

    @cached_property
    def matrix(self) -> np.ndarray:
        """In float64; in the float32 of its rows where that is precise enough, or where float64 does not fit."""
        n, itemsize = self.n_points, self.points.dtype.itemsize
        demand(itemsize * n * n, f"The Gram matrix of {n:,} rows", 'set n_components=500, or kernel="linear"')
        K = self.kernel.gram(self.points)
        widened = self.exact and itemsize == 4 and 8 * n * n <= available_bytes() // 2
        return K.astype(np.float64) if widened else K

    def in_the_precision_of_its_rows(self) -> "Full":
        """The same functions, the Gram matrix of float32 rows in float32: half the memory to read in every product."""
        return replace(self, exact=False)

    def in_single_precision(self) -> "Full":
        """The same kernel on the same rows in float32: half the memory and half the time of a block."""
        return Full(self.kernel, Points.of(self.points.X.astype(np.float32, copy=False)))

    def gram(self) -> np.ndarray:
        return self.matrix

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        return _symmetric_product(self.matrix, theta)

    def ready(self) -> None:
        self.gram()

    def once(self, theta: np.ndarray) -> np.ndarray:
        """K theta by blocks of rows, of which only those that theta uses are computed; the matrix where it is held."""
        if "matrix" in self.__dict__ or self.n_points <= SMALL:
            return self.outputs(theta)
        flat = theta.reshape(self.n_points, -1)
        used = np.flatnonzero(np.any(flat != 0, axis=1))
        if 2 * len(used) > self.n_points:
            return self._symmetric_pass(flat).reshape(theta.shape)
        support, outputs = self.points.take(used), np.empty(flat.shape)
        weights = flat[used]
        step = chunk_rows(max(1, len(used)), self.points.dtype.itemsize)
        for i in range(0, self.n_points, step):
            rows = slice(i, i + step)
            outputs[rows] = _product(self.kernel.block(self.points.take(rows), support), weights)
        return outputs.reshape(theta.shape)

    def _symmetric_pass(self, theta: np.ndarray) -> np.ndarray:
        """K theta with every entry of K computed once: a tile right of the diagonal serves its mirror image too."""
        n, outputs = self.n_points, np.zeros(theta.shape)
        step = chunk_rows(min(n, TILE_COLUMNS), self.points.dtype.itemsize)
        for i in range(0, n, step):
            rows = slice(i, min(i + step, n))
            for j in range(i, n, step):
                cols = slice(j, min(j + step, n))
                tile = self.block(rows, cols)
                outputs[rows] += _product(tile, theta[cols])
                if i != j:
                    outputs[cols] += _product(tile.T, theta[rows])
        return outputs

    def represent(self, v: np.ndarray) -> np.ndarray:
        return v

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return self.outputs(theta)

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return metric

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        if "matrix" in self.__dict__:
            return entries(self.matrix, rows, cols)
        return self.kernel.block(_take(self.points, rows), _take(self.points, cols))

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        K = self.__dict__.get("matrix")
        if K is None or K.dtype not in (np.float32, np.float64) or not K.flags.c_contiguous:
            return super().scaled_triangle(rows, scale, less)
        triangle = np.empty((len(rows), len(rows)))
        scaled_triangle(K, rows, scale, less, triangle)
        return triangle

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.points), dtype=np.float64)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> KernelPredictor:
        return KernelPredictor.sparse(self.kernel, self.points, theta, bias)


def of_gram(K: np.ndarray) -> Full:
    """The functions of a given Gram matrix."""
    return Full(Precomputed(), Points.of(K))


def entries(matrix: np.ndarray, rows: Rows, cols: Rows) -> np.ndarray:
    """matrix[rows][:, cols] with one gather."""
    if isinstance(rows, slice) or isinstance(cols, slice):
        return matrix[rows, cols]
    block: np.ndarray = matrix[np.ix_(rows, cols)]
    return block


def _product(K: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """K theta with theta in the precision of K (a mixed product would copy K), the result in float64."""
    return np.asarray(K @ theta.astype(K.dtype, copy=False), dtype=np.float64)


def _symmetric_product(K: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """K theta; for a few columns one half of K is read for each, which takes less time than one packed product."""
    columns = theta.reshape(len(K), -1)
    k = columns.shape[1]
    if not k or K.dtype not in (np.float32, np.float64) or not K.flags.c_contiguous:
        return _product(K, theta)
    if k > FEW_COLUMNS:
        # K theta = (theta'K)': packs of theta' are small, and full where their rows fill the registers
        rows = np.zeros((-(-k // PACK) * PACK, len(K)), dtype=K.dtype)
        rows[:k] = columns.T
        return np.ascontiguousarray((rows @ K)[:k].T, dtype=np.float64).reshape(theta.shape)
    symv, outputs = dsymv if K.dtype == np.float64 else ssymv, np.empty(columns.shape)
    for j in range(k):
        outputs[:, j] = symv(1.0, K.T, columns[:, j])
    return outputs.reshape(theta.shape)


def _take(points: Points, rows: Rows) -> Points:
    if isinstance(rows, slice) and rows == EVERY_ROW:
        return points
    return points.take(rows)
