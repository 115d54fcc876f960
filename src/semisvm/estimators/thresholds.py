"""Where scores are cut into classes, so that the share of every class lies within its interval.

Two classes: zero stands where it gives a share within the interval, or lies in a wide gap of the scores. Elsewhere the
cut moves to the nearer end of the interval, into the widest gap nearby. Scores of a graph method tell which rows are
alike, and their level follows the labels: where zero gives all but all rows to one class they are cut at their mean, or
as near to it as the interval allows, unless they have a long tail, which is what a rare class looks like.

Several classes: a price for every class whose count leaves its interval, all classes at once.
"""

import numpy as np

from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.joint_counts import prices

ONE_CLASS = 0.03
"""Share of the rows up to which a cut at zero gives all but all of them to one class."""
LONG_TAIL = 1.0
"""Skewness from which scores have a long tail."""
NEARBY = 0.01
"""Share of the rows among which a gap is near, and that a wide gap may hold."""
NO_SPREAD = 1e-4
"""Scores that differ by less, relative to the largest, do not differ: minimizers promise no more."""
WIDE_GAP = 0.3
"""Half the width of a gap, in standard deviations of the scores, that is left alone."""


def thresholds(scores: np.ndarray, expected: ClassShares, *, of_graph: bool) -> np.ndarray:
    """What is taken off each column of the (u, k) scores of unlabeled rows before they are cut at zero or compared."""
    if scores.shape[1] > 1:
        low, high = expected.counts(len(scores))
        return prices(scores, low, high)
    low, high = expected.ratio_interval[0]
    return np.array([threshold(scores[:, 0], float(low), float(high), of_graph=of_graph)])


def caps(scores: np.ndarray, expected: ClassShares, single: np.ndarray) -> np.ndarray:
    """The same, where only the classes of `single` may not have more rows than the upper end of their interval."""
    k, n_rows = len(expected.shares), len(scores)
    high = np.where(single, expected.interval[:, 1], 1.0)
    if k == 2:
        # the share above the cut is that of the second class
        return np.array([_moved_into(scores[:, 0], float(1.0 - high[0]), float(high[1]))])
    return prices(scores, np.zeros(k, dtype=int), np.ceil(high * n_rows - 1e-9).astype(int))


def threshold(scores: np.ndarray, low: float, high: float, *, of_graph: bool) -> float:
    """The cut of one column, with a share of `low` to `high` above it."""
    share, size = np.mean(scores > 0), float(scores.std())
    if low <= share <= high or not np.ptp(scores) > NO_SPREAD * np.abs(scores).max():
        return 0.0
    if NEARBY < share < 1 - NEARBY and np.mean(np.abs(scores) < WIDE_GAP * size) <= NEARBY:
        return 0.0
    all_alike = of_graph and min(share, 1 - share) <= ONE_CLASS and abs(skewness(scores)) < LONG_TAIL
    return _moved_into(scores, low, high, begin=float(scores.mean()) if all_alike else 0.0)


def _moved_into(scores: np.ndarray, low: float, high: float, begin: float = 0.0) -> float:
    """The cut that is moved no farther than the share above it demands."""
    share = np.mean(scores > begin)
    if low <= share <= high:
        return begin
    return _in_a_gap(np.sort(scores)[::-1], low if share < low else high, low, high)


def skewness(scores: np.ndarray) -> float:
    """mean (z - m)^3 / s^3."""
    z = scores - scores.mean()
    return float(np.mean(z**3) / np.mean(z**2) ** 1.5)


def _in_a_gap(ordered: np.ndarray, share: float, low: float, high: float) -> float:
    """The middle of the widest gap of descending scores near this share, which is an end of the interval."""
    n = len(ordered)
    # counts that may be above the cut: within the interval, one row at least on either side
    fewest = int(np.clip(np.ceil(low * n - 1e-9), 1, n - 1))
    most = int(np.clip(np.floor(high * n + 1e-9), fewest, n - 1))
    wanted, near = int(np.clip(round(share * n), fewest, most)), int(np.ceil(NEARBY * n))
    counts = np.arange(max(fewest, wanted - near), min(most, wanted + near) + 1)
    gaps = ordered[counts - 1] - ordered[counts]
    count = counts[np.argmax(gaps)]
    return float((ordered[count - 1] + ordered[count]) / 2)
