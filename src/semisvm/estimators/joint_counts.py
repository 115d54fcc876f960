"""Give every class its count of rows at the largest total score: a transport problem of few prices.

    max sum_j z_{j, c_j}    subject to   low_c <= #{j : c_j = c} <= high_c

Its dual has one price per class, and any prices p give the best assignment for the counts that they produce: row
j goes to the class of the largest z_jc - p_c. Exact coordinate steps, one partition of a column each, find prices near
the best ones; the rest is moved row by row along the cheapest chain of classes from one with too many rows to one
with too few (successive shortest paths, Ahuja, Magnanti and Orlin 1993), which keeps the assignment optimal for its
counts.
"""

import heapq
from itertools import pairwise

import numpy as np

from semisvm.estimators.class_shares import ClassShares

SWEEPS = 30


def class_counts(shares: np.ndarray, n_rows: int) -> np.ndarray:
    """Whole numbers near shares * n_rows that sum to n_rows, each at least one where there are enough rows."""
    exact = np.asarray(shares, dtype=np.float64) * n_rows
    counts = np.floor(exact + 1e-9).astype(int)
    # the largest remainders get the rows that rounding down leaves over; the first class where remainders tie
    short = n_rows - int(counts.sum())
    counts[np.argsort(np.round(counts - exact, 9), kind="stable")[:short]] += 1
    while n_rows >= len(counts) and counts.min() < 1:
        counts[np.argmax(np.where(counts > 1, counts - exact, -np.inf))] -= 1
        counts[np.argmin(counts)] += 1
    return counts


def assign_shares(scores: np.ndarray, expected: ClassShares) -> np.ndarray:
    """The class of each row: counts within the intervals of the expected shares, or exactly these if they are given."""
    n_rows = len(scores)
    if expected.given:
        counts = class_counts(expected.shares, n_rows)
        return assign(scores, counts, counts)
    return assign(scores, *expected.counts(n_rows))


def assign(scores: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The class of each row: `low` to `high` rows of each class, the sum of their scores as large as can be."""
    n_rows = len(scores)
    if not low.sum() <= n_rows <= high.sum():
        raise ValueError(
            f"{n_rows} rows were given for counts that sum to between {low.sum()} and {high.sum()}: they must agree."
        )
    codes = np.argmax(scores - prices(scores, low, high), axis=1)
    counts = np.bincount(codes, minlength=len(low))
    return _Exchange(scores, codes).until(_nearest_counts(counts, low, high))


def prices(scores: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Prices at which every class gets about `low` to `high` rows; 0 for a class that does so without a price."""
    n_rows, k = scores.shape
    found = np.zeros(k)
    for _ in range(SWEEPS):
        before = found.copy()
        for c in range(k):
            others = np.delete(scores - found, c, axis=1).max(axis=1)
            # row j prefers c while p_c < z_jc - max_{d != c} (z_jd - p_d); n_c rows do between two order statistics
            worth = scores[:, c] - others
            wanted = int(np.clip(np.count_nonzero(worth > 0), low[c], high[c]))
            if wanted == np.count_nonzero(worth > 0) and low[c] < high[c]:
                found[c] = 0.0
            elif 0 < wanted < n_rows:
                edge = n_rows - wanted
                lower, upper = np.partition(worth, (edge - 1, edge))[[edge - 1, edge]]
                found[c] = (lower + upper) / 2
        if np.allclose(found, before, rtol=0, atol=1e-12 * (1 + np.abs(found).max())):
            break
    return found


def _nearest_counts(counts: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Counts within their bounds and with the same sum: the excess goes to the classes with the most room."""
    near = np.clip(counts, low, high)
    while (missing := int(counts.sum() - near.sum())) != 0:
        room = high - near if missing > 0 else near - low
        near[np.argmax(room)] += np.sign(missing)
    return near


class _Exchange:
    """An assignment that is optimal for its own counts, and how to change those one row at a time."""

    def __init__(self, scores: np.ndarray, codes: np.ndarray):
        self.scores, self.codes = scores, codes.copy()
        self.k = scores.shape[1]
        # movers[c][d]: (what the total loses if row j goes from c to d, j), cheapest first; rows gone are stale
        self.movers: list[list[list[tuple[float, int]]]] = [[[] for _ in range(self.k)] for _ in range(self.k)]
        for c in range(self.k):
            rows = np.flatnonzero(self.codes == c)
            for d in range(self.k):
                if c != d:
                    losses = scores[rows, c] - scores[rows, d]
                    self.movers[c][d] = sorted(zip(losses.tolist(), rows.tolist(), strict=True))

    def until(self, counts: np.ndarray) -> np.ndarray:
        surplus = np.bincount(self.codes, minlength=self.k) - counts
        while surplus.any():
            path = self._cheapest_path(surplus)
            for c, d in pairwise(path):
                self._move(c, d)
            surplus[path[0]] -= 1
            surplus[path[-1]] += 1
        return self.codes

    def _cheapest_path(self, surplus: np.ndarray) -> list[int]:
        """Classes from one with too many rows to one with too few; Bellman and Ford, because losses may be negative."""
        k = self.k
        loss = np.array([[self._loss(c, d) for d in range(k)] for c in range(k)])
        distance = np.where(surplus > 0, 0.0, np.inf)
        parent = np.full(k, -1)
        for _ in range(k):
            through = distance[:, None] + loss
            best = through.min(axis=0)
            better = best < distance - 1e-12 * (1 + np.abs(best, where=np.isfinite(best), out=np.zeros(k)))
            if not better.any():
                break
            parent[better] = through.argmin(axis=0)[better]
            distance[better] = best[better]
        end = int(np.argmin(np.where(surplus < 0, distance, np.inf)))
        path = [end]
        while parent[path[-1]] >= 0 and len(path) <= k:
            path.append(int(parent[path[-1]]))
        return path[::-1]

    def _loss(self, c: int, d: int) -> float:
        movers = self.movers[c][d]
        while movers and self.codes[movers[0][1]] != c:
            heapq.heappop(movers)
        return movers[0][0] if movers else np.inf

    def _move(self, c: int, d: int) -> None:
        _, row = heapq.heappop(self.movers[c][d])
        self.codes[row] = d
        for e in range(self.k):
            if e != d:
                heapq.heappush(self.movers[d][e], (float(self.scores[row, d] - self.scores[row, e]), row))
