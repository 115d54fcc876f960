"""The exact minimum along a line of a convex, differentiable, piecewise-quadratic objective, for k columns at once.

phi'(s) is increasing and linear between the breakpoints of the losses. The breakpoints are sorted, the piece that holds
the root of phi' is found by bisection among them (by one look at all of a few), and the root follows by linear
interpolation: O(m log m) for m breakpoints, whatever the number of pieces that are crossed.
"""

import numpy as np

from semisvm.objective.objective import Line

FEW = 20_000
"""Products of breakpoints, their points and columns up to which phi' is computed at all of them at once."""


def exact_step(line: Line) -> np.ndarray:
    """The s >= 0 that minimizes phi in each column; 0 where phi does not decrease."""
    knots = np.sort(line.breakpoints(), axis=0)
    m, columns = len(knots), np.arange(knots.shape[1])
    if m * knots.size <= FEW and np.isfinite(knots).any():
        # phi' at 0 and at every finite knot; it rises, so those below zero come first
        ends = np.concatenate([np.zeros((1, len(columns))), np.where(np.isfinite(knots), knots, 0.0)])
        slopes = line.slopes(ends)
        low = np.sum((slopes[1:] < 0) & np.isfinite(knots), axis=0)
        at_left = slopes[low, columns]
    else:
        low, slopes, at_left = _first_rising(line, knots), None, None
    left = np.where(low > 0, knots[np.maximum(low, 1) - 1, columns], 0.0)
    right = knots[np.minimum(low, m - 1), columns]
    inside = (low < m) & np.isfinite(right)
    # beyond the last breakpoint phi' stays linear: any second point suffices
    right = np.where(inside, right, left + np.maximum(1.0, left))
    if slopes is not None and at_left is not None and inside.all():
        at_right = slopes[low + 1, columns]
    else:
        at_left = line.slope(left) if at_left is None else at_left
        at_right = line.slope(right)
    rise = at_right - at_left
    # phi'(s) = phi'(left) + (s - left) rise / (right - left) = 0
    s = left - at_left * (right - left) / np.where(rise > 0, rise, np.inf)
    return np.where((at_left < 0) & (rise > 0), s, np.where(at_left < 0, 0.0, left))


def _first_rising(line: Line, knots: np.ndarray) -> np.ndarray:
    """The first finite knot of each column with phi' >= 0, by bisection; their number where there is none."""
    m, columns = len(knots), np.arange(knots.shape[1])
    low, high = np.zeros(len(columns), dtype=np.intp), np.sum(np.isfinite(knots), axis=0)
    while np.any(low < high):
        middle = np.minimum((low + high) // 2, m - 1)
        is_open = low < high
        rising = line.slope(np.where(is_open, knots[middle, columns], 0.0)) >= 0
        high = np.where(is_open & rising, middle, high)
        low = np.where(is_open & ~rising, middle + 1, low)
    return low
