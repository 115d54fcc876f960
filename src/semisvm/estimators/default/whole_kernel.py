"""A kernel on few rows, all of which are landmarks: nothing is factored but the systems of the graphs.

    K~ = (K^-1 + rho L^p)^-1 = (I + rho K L^p)^-1 K

The leading eigen-directions U of H K~ H, H = I - 1 1'/n, with eigenvalues w, give features of all rows and of new ones:

    Z = H K~ H U w^-1/2,        z(x) = k(x, rows) D - offset,   D = (I + rho L^p K)^-1 H U w^-1/2
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lu_solve

from semisvm.estimators.default.leading_directions import above_rounding, leading_directions
from semisvm.geometry.graph import factorized

SAMPLE = 256
"""Rows whose mean stands for that of all where each costs a solve."""
NO_SPREAD = 100.0
"""Mean diagonal, in roundings of that of K, up to which rows are equal: it must not be scaled up to one."""

System = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class WholeKernel:
    """K of all rows, deformed by a graph where there is a factored system I + rho K L^p."""

    K: np.ndarray
    system: System | None = None

    def _deformed(self, columns: np.ndarray) -> np.ndarray:
        """(I + rho K L^p)^-1 columns."""
        return columns if self.system is None else lu_solve(self.system, columns, check_finite=False)

    def _undone(self, columns: np.ndarray) -> np.ndarray:
        """(I + rho L^p K)^-1 columns."""
        return columns if self.system is None else lu_solve(self.system, columns, trans=1, check_finite=False)

    @cached_property
    def _means(self) -> np.ndarray:
        """K~ 1 / n."""
        means = self.K.mean(axis=1, dtype=np.float64).astype(self.K.dtype)
        return self._deformed(means).astype(np.float64)

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """H K~ H among these rows."""
        # K is symmetric: rows gathered are columns in the order that LAPACK works in
        block = self._deformed(self.K[rows].T)[rows].astype(np.float64)
        block -= self._means[rows, None]
        block -= self._means[rows]
        block += self._means.mean()
        return (block + block.T) / 2

    @cached_property
    def mean_diagonal(self) -> float:
        """Of H K~ H; from some of the rows where each costs a solve. Equal rows: 0, whatever rounding has left."""
        if self.system is None:
            found = float(np.mean(self.K.diagonal() - self._means))
        else:
            found = float(np.mean(self.gram(np.arange(0, len(self.K), -(-len(self.K) // SAMPLE))).diagonal()))
        return found if found > NO_SPREAD * np.finfo(self.K.dtype).eps * float(self.K.diagonal().mean()) else 0.0

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Z, D and the offset."""
        n = len(self.K)
        if self.mean_diagonal == 0.0:
            return np.zeros((n, 1)), np.zeros((n, 1)), np.zeros(1)
        w, U, product = leading_directions(self._product, n, min(rank, n), self.K.dtype)
        kept = above_rounding(w)
        sizes = np.sqrt(w[kept])
        D = self._undone(_centered(U[:, kept] / sizes))
        return product[:, kept] / sizes, D, self.K.mean(axis=0) @ D

    def _product(self, columns: np.ndarray) -> np.ndarray:
        """H K~ H columns."""
        return _centered(self._deformed(self.K @ _centered(columns)))


def _centered(columns: np.ndarray) -> np.ndarray:
    return columns - columns.mean(axis=0)


def deformed(K: np.ndarray, smooth: np.ndarray) -> WholeKernel:
    """K along a graph, from rho L^p K, which is lost."""
    return WholeKernel(K, factorized(smooth))
