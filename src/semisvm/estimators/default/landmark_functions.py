"""Kernels of many rows, on functions of some of them: features of all rows, their covariance, and a metric.

    K~ = F M^-1 F',   M = R R',   with the leading eigen-directions of  R^-1 (F_c'F_c) R^-T

Matrices have the size of the landmarks alone.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from semisvm.estimators.default.kernel_rows import NumbersOfRows
from semisvm.estimators.default.leading_directions import above_rounding, leading_directions
from semisvm.estimators.default.row_sums import all_are_summed, summed_rows

SAMPLE = 256
"""Rows whose mean stands for that of all where each costs a solve."""
NO_SPREAD = 1e-18
"""Features vary by rounding alone where their variance is below this share of their squared mean."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Features F = rows turn of all training rows: what is needed of them, and their covariance."""

    rows: NumbersOfRows
    turn: np.ndarray | None
    """None: the identity."""
    middle: np.ndarray
    """Mean of F, of the rows that are summed."""
    before: np.ndarray | None
    """What was subtracted from phi(x) to get F, if anything."""
    covariance: np.ndarray
    """n times that of F, of the rows that are summed."""
    diagonal: float
    """Mean diagonal of the centered kernel."""

    @classmethod
    def of(
        cls,
        rows: NumbersOfRows,
        turn: np.ndarray | None = None,
        *,
        F: np.ndarray | None = None,
        before: np.ndarray | None = None,
        diagonal: float | None = None,
    ) -> "Basis":
        """F: of all rows, where they are known already."""
        n = rows.n_rows
        some: np.ndarray | slice = slice(None) if all_are_summed(n) else summed_rows(n)
        if F is None:
            F = rows.at(some) if turn is None else rows.at(some) @ turn
        else:
            F = F[some]
        middle = F.mean(axis=0, dtype=np.float64)
        F = F - middle.astype(F.dtype)
        covariance = F.T @ F
        covariance *= covariance.dtype.type(n / len(F))
        found = float(np.trace(covariance)) / n if diagonal is None else diagonal
        if found <= NO_SPREAD * float(middle @ middle):
            # equal rows: what rounding has left must not be scaled up to the size of a kernel
            covariance, found = np.zeros_like(covariance), 0.0
        return cls(rows, turn, middle, before, covariance, found)

    def at(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Centered features of these rows."""
        F = self.rows.at(chosen)
        return (F if self.turn is None else F @ self.turn) - self.middle.astype(F.dtype)

    def times(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F V of all rows, centered, and the mean of phi(x) V."""
        Z = self.rows.times(V if self.turn is None else self.turn @ V)
        middle = Z.mean(axis=0, dtype=np.float64)
        Z -= middle.astype(Z.dtype)
        return Z, middle if self.before is None else middle + self.before @ V


@dataclass(frozen=True, eq=False)
class OnBasis:
    """A centered kernel on functions of a basis, whose metric is R R' (root R; None: the identity)."""

    basis: Basis
    root: np.ndarray | None = None

    @cached_property
    def mean_diagonal(self) -> float:
        """From some of the rows where each costs a solve."""
        if self.root is None:
            return self.basis.diagonal
        step = -(-self.basis.rows.n_rows // SAMPLE)
        return float(np.mean(np.sum(self._turned(self.basis.at(slice(None, None, step)).T) ** 2, axis=0)))

    def _turned(self, columns: np.ndarray) -> np.ndarray:
        """R^-1 columns."""
        return columns if self.root is None else solve_triangular(self.root, columns, lower=True, check_finite=False)

    def _turned_back(self, columns: np.ndarray) -> np.ndarray:
        """R^-T columns."""
        if self.root is None:
            return columns
        return solve_triangular(self.root, columns, lower=True, trans="T", check_finite=False)

    def gram(self, rows: np.ndarray) -> np.ndarray:
        turned = self._turned(self.basis.at(rows).T).astype(np.float64, copy=False)
        return turned.T @ turned

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leading eigen-directions V of R^-1 covariance R^-T, and the features F R^-T V."""
        C = self.basis.covariance

        def product(columns: np.ndarray) -> np.ndarray:
            return self._turned(C @ self._turned_back(columns))

        w, V, _ = leading_directions(product, len(C), rank, C.dtype)
        kept = above_rounding(w)
        V = V[:, kept] if len(kept) else np.zeros((len(V), 1), dtype=C.dtype)
        V = self._turned_back(V)
        Z, offset = self.basis.times(V)
        return Z, V, offset
