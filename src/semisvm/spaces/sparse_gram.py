"""Functions of a sparse Gram matrix that was given: theta = alpha, every product costs its stored entries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel
from semisvm.spaces.predictor import KernelPredictor
from semisvm.spaces.space import EVERY_ROW, Rows, Space


@dataclass(frozen=True, eq=False)
class SparseGram(Space):
    """`points` hold the rows of a precomputed kernel as CSR; they are never densified as a whole."""

    kernel: Kernel
    points: Points

    @cached_property
    def matrix(self) -> sp.csr_array:
        K = self.points.X[:, self.points.index]
        worst = abs(K - K.T).max()
        if worst > 1e-6 * abs(K).max():
            raise ValueError(
                f"The precomputed kernel is not symmetric, k(x, z) and k(z, x) differ by up to {worst:.2g}: use "
                "(K + K.T) / 2."
            )
        return sp.csr_array((K + K.T) / 2)

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def dimension(self) -> int:
        return len(self.points)

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = self.matrix @ theta
        return outputs

    def represent(self, v: np.ndarray) -> np.ndarray:
        return v

    def metric(self, theta: np.ndarray) -> np.ndarray:
        products: np.ndarray = self.matrix @ theta
        return products

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return metric

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        block: np.ndarray = self.matrix[rows][:, cols].toarray()
        return block

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        return np.asarray(self.matrix.diagonal(), dtype=np.float64)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> KernelPredictor:
        return KernelPredictor.sparse(self.kernel, self.points, theta, bias)
