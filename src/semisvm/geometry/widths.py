"""Rules that choose the width of the RBF kernel from the rows, without labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from semisvm.geometry.distances import Array, Points, paired_squared_distances, squared_distances
from semisvm.geometry.kernels import positive_number

WIDTH_SAMPLE = 2000  # rows whose pairwise distances are taken for a width


def width(rule: str | float, points: Points, random_state: int | np.random.RandomState | None = 0) -> float:
    """gamma by a rule, or the positive number that was given.

    "scale": 1 / (d var(X)). Otherwise 1 / (2 sigma^2) with sigma the "median" or "mean_distance" of the distances
    between points (of 2,000 points drawn by `random_state` where there are more), or the diagonal of the bounding
    "box". Where all points are equal, 1.
    """
    if isinstance(rule, str) and rule in WIDTHS:
        gamma = WIDTHS[rule](points, random_state)
        return gamma if np.isfinite(gamma) else 1.0
    if isinstance(rule, str):
        known = ", ".join(f'"{name}"' for name in WIDTHS)
        raise ValueError(f"gamma={rule!r} was given: use {known}, or a positive number.")
    positive_number("gamma", rule)
    return float(rule)


def _scale(points: Points, random_state: Any) -> float:
    mean, variance = points.spread()
    equal = variance <= (8 * np.finfo(points.dtype).eps * mean) ** 2  # nothing but rounding
    return np.inf if equal else float(1 / (points.n_features * variance))


def _median(points: Points, random_state: Any) -> float:
    squares = _some_squares(points, random_state)
    sigma = _root_median(squares)
    if sigma == 0 and squares.any():  # most points are copies: the others give the scale
        sigma = _root_median(squares[squares > 0])
    return _gamma(sigma)


def _root_median(squares: Array) -> float:
    """The median of the roots, of which two at most are taken."""
    if not len(squares):
        return 0.0
    middle = len(squares) // 2
    ranks = [middle] if len(squares) % 2 else [middle - 1, middle]
    return float(np.mean(np.sqrt(np.partition(squares, ranks)[ranks])))


def _mean_distance(points: Points, random_state: Any) -> float:
    squares = _some_squares(points, random_state)
    return _gamma(np.sqrt(squares).mean() if len(squares) else 0.0)


def _box(points: Points, random_state: Any) -> float:
    bottom, top = points.box()
    return _gamma(float(np.linalg.norm(top - bottom)))


WIDTHS: dict[str, Callable[[Points, Any], float]] = {
    "scale": _scale,
    "median": _median,
    "mean_distance": _mean_distance,
    "box": _box,
}


def _gamma(sigma: float) -> float:
    """gamma = 1 / (2 sigma^2)"""
    return float(1 / (2 * sigma**2)) if sigma > 0 else np.inf


def _some_squares(points: Points, random_state: Any) -> Array:
    """Squared distances of all pairs of points, or of all pairs of WIDTH_SAMPLE points drawn without replacement."""
    drawn = np.arange(len(points))
    if len(points) > WIDTH_SAMPLE:
        drawn = np.sort(check_random_state(random_state).choice(len(points), WIDTH_SAMPLE, replace=False))
    points = points.take(drawn)
    exact = Points.of(points.X.astype(np.float64))
    n, D = len(exact), squared_distances(exact, exact)
    squares = np.concatenate([D[i, i + 1 :] for i in range(n)]) if n else np.empty(0)
    lengths = exact.squared_norms if exact.sparse else exact.squared_lengths
    # copies, or nearly so
    near = np.flatnonzero(squares <= 2e-10 * lengths.max(initial=0.0))
    if len(near):
        begins = np.cumsum(np.arange(n, 0, -1)) - n  # of the pairs (i, i + 1), (i, i + 2), ...
        i = np.searchsorted(begins, near, side="right") - 1
        j = near - begins[i] + i + 1
        sure = squares[near] <= 1e-10 * (lengths[i] + lengths[j])
        squares[near[sure]] = paired_squared_distances(exact, i[sure], j[sure])
    return squares
