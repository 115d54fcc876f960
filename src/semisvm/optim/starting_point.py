"""A feasible start of the box problem near a given point, and the way there: the rows of what moved."""

from __future__ import annotations

from typing import Final

import numpy as np

from semisvm.optim.decomposition import ColumnState, Matrix

ROUNDING: Final = 1e-12  # the share of sum |a| below which a sum counts as zero


def feasible(goal: np.ndarray, column: ColumnState) -> np.ndarray:
    """The point clipped to the box and, with the equality, moved to sum zero, within its support where possible."""
    if not np.isfinite(goal).all():
        raise ValueError("The start contains NaN or infinity; finite values are needed.")
    a: np.ndarray = np.clip(goal, column.lo, column.hi)
    excess = a.sum() if column.equality else 0.0
    if abs(excess) > ROUNDING * np.abs(a).sum():
        a = lowered(a, column.lo, excess) if excess > 0 else -lowered(-a, -column.hi, -excess)
    return a


def lowered(a: np.ndarray, lo: np.ndarray, excess: float) -> np.ndarray:
    """a >= lo with its sum lowered by excess >= 0: positive entries shrink together first, then any, in order."""
    to_zero = np.maximum(a - np.maximum(lo, 0.0), 0.0)
    share = min(excess / max(to_zero.sum(), np.finfo(float).tiny), 1.0)
    a = a - share * to_zero
    rest = excess - share * to_zero.sum()
    room = np.minimum(a - lo, rest)
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    moved: np.ndarray = np.maximum(a - np.clip(rest - before, 0.0, room), lo)
    return moved


def go_to(goals: list[np.ndarray], columns: list[ColumnState], matrix: Matrix) -> None:
    """Move every problem to its goal; the rows of the entries that change are fetched once for all of them."""
    moved = [goal != column.a for goal, column in zip(goals, columns, strict=True)]
    changed = np.flatnonzero(np.any(moved, axis=0))
    block = max(1, min(matrix.source.capacity, 256))
    for start in range(0, changed.size, block):
        index = changed[start : start + block]
        rows = matrix.source.fetch(index)
        for goal, column in zip(goals, columns, strict=True):
            column.move(index, rows, goal[index], matrix)
