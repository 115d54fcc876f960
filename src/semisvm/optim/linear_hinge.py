"""The hinge SVM of linear functions on rows, dense or sparse, without a Gram matrix.

    min_{w,b}  1/2 |w|^2 + sum_i c_i max(0, 1 - y_i (x_i'w + b))

With the bias held the dual is a box problem, which coordinate descent on the rows solves. A free bias is found by
proximal steps: each adds (b - b')^2 / (2 r) to the objective, b' the bias before. That is a column sqrt(r) beside the
rows, a box problem with K + r 11', and

    b = b' + r sum_i v_i

until sum_i v_i, the slope along b, is zero up to the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from semisvm.optim.linear_box_qp import LinearRows, solve_linear_box_qp

MOST_STEPS: Final = 200
"""Of the bias; two or three are usual."""


@dataclass(frozen=True, eq=False)
class LinearHingeResult:
    v: np.ndarray
    """y_i v_i between 0 and c_i."""
    w: np.ndarray
    """sum_i v_i x_i."""
    outputs: np.ndarray
    """w'x_i."""
    bias: float
    violation: float
    """Of the optimality conditions, in units of the outputs; with a free bias also how far its next step would go."""


def solve_linear_hinge(
    rows: LinearRows,
    y: np.ndarray,
    weights: np.ndarray,
    *,
    bias: float | None = None,
    start: np.ndarray | None = None,
    near_bias: float = 0.0,
    tol: float = 1e-3,
    deadline: float | None = None,
) -> LinearHingeResult:
    """y: labels +-1, or 0 for rows that do not count. bias: held where it is given; else searched from `near_bias`."""
    ends, nought = y * weights, np.zeros(len(y))
    lo, hi = np.minimum(0.0, ends), np.maximum(0.0, ends)
    if bias is not None:
        held = solve_linear_box_qp(
            rows, y - bias, lo, hi, kink=(nought, nought), start=start, tol=tol, deadline=deadline
        )
        return LinearHingeResult(held.v, held.w, held.outputs, bias, held.violation)
    # a step moves the scores as far as one row may, or from one class to the other where all rows weigh little
    step = max(float(rows.norms.mean()), 1.0 / max(float(np.abs(ends).sum()), 1e-300))
    with_bias, v, b = rows.with_ones(step), start, near_bias
    for _ in range(MOST_STEPS):
        result = solve_linear_box_qp(
            with_bias, y - b, lo, hi, kink=(nought, nought), start=v, tol=0.5 * tol, deadline=deadline
        )
        v, moved = result.v, step * float(result.v.sum())
        b += moved
        if abs(moved) <= 0.5 * tol or result.violation > tol:
            break
    return LinearHingeResult(result.v, result.w, result.outputs - moved, b, max(result.violation, abs(moved)))
