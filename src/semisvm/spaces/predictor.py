"""What is left of a space once training is over: scores of new rows, in chunks that fit into memory."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from semisvm.geometry.distances import Cloud, Points, slices
from semisvm.geometry.kernels import Kernel, ProductKernel
from semisvm.memory import chunk_rows

CHUNK_BYTES = 64 * 2**20
"""Kernel values held at a time where each block has a high fixed cost: sparse rows, and kernels given as a function."""
STRIP_BYTES = 2 * 2**20
"""The same for dense rows: as many as stay in a core's cache between the products and the sums."""
MOST_FOR_SINGLE = 1e4
"""sum_i |alpha_i| up to which kernel values that are wrong by 1e-7 make scores wrong by a thousandth of the margin."""


class Predictor(ABC):
    """Scores f(x) + b of new rows x, one column per binary problem."""

    @abstractmethod
    def scores(self, X: Any) -> np.ndarray:
        """(m, k) scores of the m rows of X."""


@dataclass(frozen=True)
class LinearPredictor(Predictor):
    """x'w + b."""

    coef: np.ndarray
    intercept: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        # float32 coefficients for a float32 X: a product of mixed types would copy X
        scores: np.ndarray = np.asarray(X @ self.coef.astype(X.dtype, copy=False), dtype=np.float64) + self.intercept
        return scores


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

    def scores(self, X: Any) -> np.ndarray:
        outputs = np.empty((X.shape[0], len(self.intercept)))
        for rows, values in self.strips(X):
            outputs[rows] = values @ self.dual_coef.astype(values.dtype, copy=False)
        scores: np.ndarray = outputs + self.intercept
        return scores

    def strips(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """(rows of X, their kernel values against the support points), which the next strip may overwrite.

        Float32 rows use support points in float32 where that is precise enough.
        """
        support = self._light_points if X.dtype == np.float32 else self.support_points
        by_products = isinstance(self.kernel, ProductKernel)
        in_cache = by_products and not (issparse(X) or support.sparse)
        step = chunk_rows(len(support), support.dtype.itemsize, STRIP_BYTES if in_cache else CHUNK_BYTES)
        held: np.ndarray | None = None
        for rows in slices(X.shape[0], step):
            points = support.beside(X[rows])
            values = self.kernel.block(points, support, None if held is None else held[: len(points)])
            held = values if by_products else None
            yield rows, values

    @cached_property
    def _light_points(self) -> Points:
        points = self.support_points
        if points.dtype == np.float32 or np.abs(self.dual_coef).sum(axis=0).max(initial=0.0) > MOST_FOR_SINGLE:
            return points
        return Points(points.X.astype(np.float32), points.index, Cloud(points.cloud.origin))
