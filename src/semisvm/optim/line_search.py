"""The step along a descent direction, for k columns at once.

phi'(s) is followed to its root by Newton steps inside a bracket. For piecewise-quadratic convex objectives phi' is
piecewise linear and increasing, so the search ends exactly at the minimum after a few trials of O(n), without sorting
the breakpoints; elsewhere it ends at a point of sufficient decrease whose slope has shrunk to `tol` of the first one.
"""

import numpy as np

from semisvm.objective.objective import Line

DECREASE = 1e-4
MAX_TRIALS = 60
LONGEST = 1e4
"""No step is longer: a direction that needs it is rounding, and its outputs would not match its coefficients."""

RISE = 1e-8
"""A step that ends higher by this share is not taken, however the search ended."""
NEAR = 1e-3
"""A wall nearer than this is not approached: the search stays where it is."""


def step_along(line: Line, tol: float, first: np.ndarray) -> np.ndarray:
    """Steps s > 0 with |phi'(s)| <= tol |phi'(0)| and phi(s) <= phi(0) + 1e-4 s phi'(0); 0 where nothing descends.

    Where phi becomes infinite (a wall), the second condition is enough: the slope does not vanish before a wall.
    """
    value_0, slope_0 = line.origin
    open_columns = slope_0 < 0
    s = np.where(open_columns, first, 0.0)
    low, high = np.zeros(len(s)), np.full(len(s), np.inf)
    best, best_value = low, value_0
    walled = np.zeros(len(s), dtype=bool)
    rounding, flat = 1e-13 * np.abs(value_0), tol * np.abs(slope_0)
    for _ in range(MAX_TRIALS):
        with np.errstate(over="ignore", invalid="ignore"):
            value, slope = line.value_and_slope(s)
        enough = value <= value_0 + DECREASE * s * slope_0 + rounding
        good = enough & (np.abs(slope) <= flat)
        if (good & open_columns).all():
            # in most cases the first trial
            return s
        walled |= np.isinf(value)
        good |= enough & walled
        lower = open_columns & (value <= best_value)
        best, best_value = np.where(lower, s, best), np.where(lower, value, best_value)
        at_wall = open_columns & walled & (s < NEAR)
        s = np.where(at_wall, best, s)
        open_columns &= ~(good | at_wall)
        open_columns &= (high - low > 1e-14 * np.maximum(1.0, s)) & (s < LONGEST)
        if not open_columns.any():
            break
        past = (slope > 0) | ~enough
        high = np.where(open_columns & past, s, high)
        low = np.where(open_columns & ~past, s, low)
        s = np.where(open_columns, _next_trial(s, slope, line.curvature(s), low, high), s)
    # a bracket that rounding closed, and with it the search, may hold no step down
    risen = ~(value <= value_0 + RISE * np.abs(value_0))
    return np.where(open_columns | (s == 0) | risen, best, s)


def _next_trial(
    s: np.ndarray, slope: np.ndarray, curvature: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Newton's step where it stays inside the bracket; else its middle, or twice as far."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        newton = s - slope / curvature
    inside = (
        (curvature > 0)
        & (newton > low)
        & (newton < np.minimum(np.minimum(high, LONGEST), 100.0 * np.maximum(s, 1e-12)))
    )
    middle = np.where(np.isinf(high), np.minimum(2.0 * s, LONGEST), 0.5 * (low + np.where(np.isinf(high), low, high)))
    return np.where(inside, newton, middle)
