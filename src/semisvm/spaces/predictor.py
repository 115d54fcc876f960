"""What is left of a space once training is over: scores of new rows, in chunks that fit into memory."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel

CHUNK_BYTES = 64 * 2**20


class Predictor(ABC):
    """Scores f(x) + b of new rows x, one column per binary problem."""

    @abstractmethod
    def scores(self, X) -> np.ndarray:
        """(m, k) scores of the m rows of X."""


@dataclass(frozen=True)
class LinearPredictor(Predictor):
    """x'w + b."""

    coef: np.ndarray
    intercept: np.ndarray

    def scores(self, X) -> np.ndarray:
        # a float32 X is met by float32 coefficients: the product would copy X otherwise
        return np.asarray(X @ self.coef.astype(X.dtype, copy=False), dtype=np.float64) + self.intercept


@dataclass(frozen=True)
class KernelPredictor(Predictor):
    """sum_i alpha_i k(x_i, x) + b over the support points x_i."""

    kernel: Kernel
    support_points: Points
    dual_coef: np.ndarray
    intercept: np.ndarray

    @classmethod
    def sparse(cls, kernel: Kernel, points: Points, dual_coef: np.ndarray, intercept: np.ndarray) -> "KernelPredictor":
        """Keep only the points that some column uses."""
        used = np.flatnonzero(np.any(dual_coef != 0, axis=1))
        if len(used) == len(points):
            return cls(kernel, points, dual_coef, intercept)
        return cls(kernel, points.take(used), dual_coef[used], intercept)

    @cached_property
    def chunk(self) -> int:
        return max(1, CHUNK_BYTES // (8 * max(1, len(self.support_points))))

    def scores(self, X) -> np.ndarray:
        m = X.shape[0]
        scores = np.empty((m, len(self.intercept)))
        for start in range(0, m, self.chunk):
            rows = slice(start, min(start + self.chunk, m))
            values = self.kernel.block(Points.of(X[rows]), self.support_points)
            scores[rows] = values @ self.dual_coef.astype(values.dtype, copy=False)
        return scores + self.intercept
