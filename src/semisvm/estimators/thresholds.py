"""Where scores are cut into classes, so that the share of every class lies within its interval.

`thresholds`, two classes: the cut stays at zero where that gives a share within the interval, or lies in a wide gap
of the scores. Otherwise the cut moves to the nearer end of the interval, into the widest gap nearby. Several classes: a
price for every class whose count leaves its interval, all classes at once.

`mean_threshold`, two classes of a graph method: its scores show which rows are alike, and their level depends on the
labels. Where zero gives nearly all rows to one class, they are cut at their mean, or as near to it as the interval
allows, unless they have a long tail, which suggests a rare class.

`caps`: a class of one label gets no more rows than the upper end of its interval.
"""

import numpy as np

from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.joint_counts import SWEEPS, prices
from semisvm.estimators.learner import codes_of
from semisvm.estimators.probabilities import class_scores

ONE_CLASS = 0.05
"""A cut at zero gives nearly all rows to one class if the other one gets at most this share of them."""
LONG_TAIL = 1.0
"""Skewness from which scores have a long tail."""
NEARBY = 0.01
"""Share of the rows among which a gap is near, and that a wide gap may hold."""
NO_SPREAD = 1e-4
"""Scores that differ by less, relative to the largest, count as equal: minimizers are no more precise."""
TIED = 1e-6
"""A price exceeds the score of equal rows by this much, relative to the largest: rounding must not let them in."""
WIDE_GAP = 0.3
"""Half the width of a gap, in standard deviations of the scores, that is left alone."""


def thresholds(scores: np.ndarray, expected: ClassShares, *, of_graph: bool) -> np.ndarray:
    """Subtracted from each column of the (u, k) scores of unlabeled rows before they are cut at zero or compared."""
    if scores.shape[1] > 1:
        low, high = expected.counts(len(scores))
        return prices(scores, low, high)
    low, high = expected.ratio_interval[0]
    return np.array([threshold(scores[:, 0], float(low), float(high), of_graph=of_graph)])


def caps(scores: np.ndarray, expected: ClassShares, capped: np.ndarray) -> np.ndarray:
    """The same, so that the classes of this mask have no more rows than the upper end of their interval."""
    most = np.where(capped, expected.counts(len(scores))[1], len(scores))
    if len(most) == 2:
        # the share above the cut is that of the second class
        high = np.where(capped, expected.interval[:, 1], 1.0)
        cut = np.array([_moved_into(scores[:, 0], float(1.0 - high[0]), float(high[1]), 0.0)])
    else:
        cut = prices(scores, np.zeros(len(most), dtype=int), most)
    filled = np.bincount(codes_of(scores - cut), minlength=len(most))
    return cut if np.all(filled <= most) else _rising_prices(scores, most)


def _rising_prices(scores: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The same where rows equal each other, and a price between two of them lets in too many.

    Row j goes to the class of the largest z_jc - p_c. Prices p_c rise from zero, each by as much as its count demands,
    until no class has too many rows.
    """
    z = class_scores(scores)
    found = np.zeros(z.shape[1])
    for _ in range(SWEEPS):
        before = found.copy()
        for c in np.flatnonzero(most < len(z)):
            worth = z[:, c] - np.delete(z - found, c, axis=1).max(axis=1)
            found[c] = max(found[c], _price_for(worth, int(most[c])))
        if np.all(found == before):
            break
    return found if z.shape[1] > 2 else np.diff(found)


def _price_for(worth: np.ndarray, most: int) -> float:
    """The price that at most this many rows exceed: zero, or halfway to the next row."""
    # a row at zero may go either way
    if np.count_nonzero(worth >= 0) <= most:
        return 0.0
    outside = np.sort(worth)[::-1][most]
    above = worth[worth > outside]
    return float((outside + above.min()) / 2 if len(above) else outside + TIED * np.abs(worth).max())


def threshold(scores: np.ndarray, low: float, high: float, *, of_graph: bool) -> float:
    """The cut of one column, with a share of `low` to `high` above it."""
    share, size = np.mean(scores > 0), float(scores.std())
    if low <= share <= high or not np.ptp(scores) > NO_SPREAD * np.abs(scores).max():
        return 0.0
    if NEARBY < share < 1 - NEARBY and np.mean(np.abs(scores) < WIDE_GAP * size) <= NEARBY:
        return 0.0
    begin = float(scores.mean()) if of_graph and _all_alike(scores) else 0.0
    return _moved_into(scores, low, high, begin)


def mean_threshold(scores: np.ndarray, low: float, high: float) -> float:
    """The cut of one column of a graph method: its mean, or the interval, where zero gives all rows to one class."""
    if low <= np.mean(scores > 0) <= high or not _all_alike(scores):
        return 0.0
    return _moved_into(scores, low, high, float(scores.mean()))


def _all_alike(scores: np.ndarray) -> bool:
    """Whether zero gives nearly all rows to one class, though the scores differ and have no long tail."""
    share = np.mean(scores > 0)
    differ = np.ptp(scores) > NO_SPREAD * np.abs(scores).max()
    return bool(differ and min(share, 1 - share) <= ONE_CLASS and abs(skewness(scores)) < LONG_TAIL)


def _moved_into(scores: np.ndarray, low: float, high: float, begin: float) -> float:
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
