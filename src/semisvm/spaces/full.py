"""All functions of a kernel on the training points: theta = alpha, f = sum_i alpha_i k(x_i, .)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.distances import Points
from semisvm.kernels import Kernel
from semisvm.memory import demand
from semisvm.spaces.predictor import KernelPredictor
from semisvm.spaces.space import EVERY_ROW, Rows, Space


@dataclass(frozen=True, eq=False)
class Full(Space):
    """The Gram matrix is formed at the first product and shared by all columns; `block` alone never forms it."""

    kernel: Kernel
    points: Points

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def dimension(self) -> int:
        return len(self.points)

    @cached_property
    def matrix(self) -> np.ndarray:
        n = self.n_points
        itemsize = np.dtype(self.points.X.dtype).itemsize
        demand(itemsize * n * n, f"The Gram matrix of {n:,} rows", 'set n_components=500, or kernel="linear"')
        return self.kernel.gram(self.points)

    def gram(self) -> np.ndarray:
        return self.matrix

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        K = self.matrix
        return np.asarray(K @ theta.astype(K.dtype, copy=False), dtype=np.float64)

    def represent(self, v: np.ndarray) -> np.ndarray:
        return v

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return self.outputs(theta)

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return metric

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        if "matrix" in self.__dict__:
            return entries(self.matrix, rows, cols)
        return self.kernel.block(_take(self.points, rows), _take(self.points, cols))

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        return np.asarray(self.kernel.diagonal(self.points), dtype=np.float64)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> KernelPredictor:
        return KernelPredictor.sparse(self.kernel, self.points, theta, bias)



def entries(matrix: np.ndarray, rows: Rows, cols: Rows) -> np.ndarray:
    """matrix[rows][:, cols] with one gather."""
    if isinstance(rows, slice) or isinstance(cols, slice):
        return matrix[rows, cols]
    return matrix[np.ix_(rows, cols)]


def _take(points: Points, rows: Rows) -> Points:
    if isinstance(rows, slice) and rows == EVERY_ROW:
        return points
    return points.take(np.arange(len(points))[rows])
