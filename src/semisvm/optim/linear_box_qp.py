"""Box quadratic programs on the rows of a matrix, dense or sparse, without their Gram matrix.

    min_v  1/2 |w|^2 + 1/2 sum_i d_i v_i^2 - c'v + sum_i p_i |v_i - t_i|     lo <= v <= hi,     w = sum_i v_i (x_i - m)

The same problem as `box_qp` with K = X X' and without the equality; m is the mean the rows are centered on, or nothing.
Passes of coordinate descent soon find which variables end at a bound. Where the rest, hardly more than there are
columns, is ill-conditioned and the passes crawl, those few variables are left to `box_qp` and its Newton steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from semisvm._core.box_qp import certificate
from semisvm._core.linear_descent import descend_rows
from semisvm.optim.box_qp import BoxQPResult, solve_box_qp

PATIENCE: Final = 200
"""Passes before the variables that still move are solved for together."""


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows as the compiled descent reads them, with what all solves on them share."""

    X: Any
    mean: np.ndarray
    """m, zero where the rows are not centered."""
    norms: np.ndarray
    k0: np.ndarray
    """x_i'm."""
    k00: float
    """m'm."""

    @classmethod
    def of(cls, X: Any, norms: np.ndarray, mean: np.ndarray | None = None) -> LinearRows:
        if mean is None:
            nought = np.zeros(X.shape[0])
            return cls(X if sp.issparse(X) else np.ascontiguousarray(X), np.zeros(X.shape[1]), norms, nought, 0.0)
        m = np.asarray(mean, dtype=np.float64)
        k0 = np.asarray(X @ m.astype(X.dtype, copy=False), dtype=np.float64)
        return cls(X if sp.issparse(X) else np.ascontiguousarray(X), m, norms, k0, float(m @ m))

    def with_ones(self, weight: float = 1.0) -> LinearRows:
        """Rows that are not centered, with a column sqrt(weight) beside them: o_i = x_i'W + S weight, as if m'm."""
        return replace(self, k00=weight)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(data, indices, indptr); the last two empty for dense rows."""
        if sp.issparse(self.X):
            return self.X.data, self.X.indices.astype(np.int32, copy=False), self.X.indptr.astype(np.int64, copy=False)
        return self.X.ravel(), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)

    def products(self, chosen: np.ndarray) -> np.ndarray:
        """Rows of X X'."""
        block = self.X[chosen] @ self.X.T
        return np.asarray(block.toarray() if sp.issparse(block) else block, dtype=np.float64)

    def weights(self, v: np.ndarray) -> np.ndarray:
        """sum_i v_i x_i, without the mean."""
        return np.asarray(self.X.T @ v.astype(self.X.dtype, copy=False), dtype=np.float64)

    def outputs(self, v: np.ndarray, W: np.ndarray) -> np.ndarray:
        # o_i = x_i'W - S k0_i - M + S k00
        plain = np.asarray(self.X @ W.astype(self.X.dtype, copy=False), dtype=np.float64)
        outputs: np.ndarray = plain - v.sum() * (self.k0 - self.k00) - v @ self.k0
        return outputs


@dataclass(frozen=True, eq=False)
class LinearQPResult:
    v: np.ndarray
    w: np.ndarray
    """sum_i v_i (x_i - m)."""
    outputs: np.ndarray
    """w'(x_i - m)."""
    violation: float


def descend_linear(
    rows: LinearRows,
    c: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    *,
    kink: tuple[np.ndarray, np.ndarray] | None = None,
    ridge: np.ndarray | None = None,
    start: np.ndarray | None = None,
    tol: float = 1e-3,
    patience: int = PATIENCE,
    deadline: float | None = None,
    seed: int = 1,
    free_bias: bool = False,
) -> tuple[np.ndarray, np.ndarray, float]:
    """(v, sum_i v_i x_i, b) after passes of coordinate descent: at most `patience`, fewer where tol is met before.

    c, lo, hi, both parts of the kink (p, t) and the ridge d have one entry per row; `start` is clipped to the box. b is
    a free bias, zero where there is none: it takes a proximal step after every pass, of the weight that `with_ones`
    gives it, until sum_i v_i = 0.
    """
    nought = np.zeros(len(c))
    v = nought.copy() if start is None else np.clip(start, lo, hi)
    p, t = (nought, nought) if kink is None else kink
    d = nought if ridge is None else ridge
    # (X - 1 m')(X - 1 m')' has the diagonal |x_i|^2 - 2 k0_i + k00
    h = np.maximum(rows.norms - 2 * rows.k0 + rows.k00, 0.0) + d
    W = np.zeros(rows.X.shape[1]) if start is None else rows.weights(v)
    _, _, b = descend_rows(
        *rows.arrays(), rows.X.shape[1], rows.k0, rows.k00, h, d, c, lo, hi, p, t, v, W,
        np.arange(len(c), dtype=np.int32), tol, patience, inf if deadline is None else deadline, seed, free_bias,
    )  # fmt: skip
    return v, W, b


def solve_linear_box_qp(
    rows: LinearRows,
    c: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    *,
    kink: tuple[np.ndarray, np.ndarray],
    start: np.ndarray | None = None,
    tol: float = 1e-3,
    patience: int = PATIENCE,
    deadline: float | None = None,
    seed: int = 1,
) -> LinearQPResult:
    """Solve one box problem until the largest one-sided slope that points downhill is below tol.

    c, lo, hi and both parts of the kink (p, t) have one entry per row. `start` is clipped to the box. The violation
    returned is measured afterwards, on fresh outputs.
    """
    p, t = (np.ascontiguousarray(part, dtype=np.float64) for part in kink)
    v, W, _ = descend_linear(
        rows, c, lo, hi, kink=(p, t), start=start, tol=0.9 * tol, patience=patience, deadline=deadline, seed=seed
    )
    outputs = rows.outputs(v, W)
    # a pass changes v while it measures: the certificate is computed afterwards
    violation = certificate(v, c - outputs, lo, hi, p, t, False, np.empty(len(c)))[0]
    if violation >= tol:
        nought = np.zeros(1)
        reached = BoxQPResult(v, outputs, outputs, nought, nought, (nought, nought), nought, 0, 0, False)
        finished = solve_box_qp(
            rows.products,
            rows.norms,
            c,
            lo,
            hi,
            kink=(p, t),
            centering=(rows.k0, rows.k00),
            start=reached,
            tol=tol,
            deadline=deadline,
        )
        v, outputs, violation = finished.a, finished.outputs, finished.violation
        W = rows.weights(v)
    return LinearQPResult(v, W - v.sum() * rows.mean, outputs, float(violation))
