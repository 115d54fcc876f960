"""Exact class counts for methods with a held bias: search the offset at which the right number of points is positive.

The count is a step function of the offset and not monotone (another offset is another local minimum), so the search is
bounded: bracket, bisect while the bracket is wider than `narrow`, at most `max_trainings` trainings, keep the closest;
then the largest scores are positive.
Each training follows the whole path of the inner algorithm anew, since a warm start would stay in the old minimum.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.losses.loss import Loss
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget


@dataclass(frozen=True, eq=False)
class OffsetSearch(Algorithm):
    inner: Algorithm
    counts: np.ndarray
    """Positives wanted among the unlabeled points, one per column."""
    max_trainings: int = 12
    narrow: float = 0.01
    """Half a percent of the points: inside such a bracket another path rarely ends closer to the count than the two at
    its ends, and the labels are ranked to the exact count in any case."""

    @property
    def needs(self) -> type[Loss]:
        return self.inner.needs

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        counts, u = np.asarray(self.counts), len(problem.unlabeled)
        if problem.bias is None:
            raise TypeError("OffsetSearch was given a free bias and needs a held one: center the space first.")
        offset = np.array(problem.bias, dtype=np.float64)
        bracket = _Bracket(offset)
        best: Candidate | None = None
        misses = np.full(len(counts), u + 1)
        open_columns = np.arange(len(counts))
        for training in range(self.max_trainings):
            posed = problem.columns(open_columns).replace(bias=offset[open_columns])
            for trained in self.inner.iterate(posed, start, budget):
                if best is None:
                    # so that an interrupt of the first training leaves a candidate
                    yield self._labeled(trained, problem, training, misses)
                if budget.spent:
                    break
            labels = posed.objective().scores(trained.point, problem.unlabeled).signs()
            miss = np.sum(labels > 0, axis=0) - counts[open_columns]
            closer = np.abs(miss) < misses[open_columns]
            best = trained if best is None else best.put(open_columns[closer], trained.columns(np.flatnonzero(closer)))
            misses[open_columns] = np.minimum(misses[open_columns], np.abs(miss))
            yield self._labeled(best, problem, training, misses)
            offset = bracket.next(open_columns, miss)
            open_columns = open_columns[(miss != 0) & (bracket.width[open_columns] > self.narrow)]
            if not len(open_columns) or budget.spent:
                return

    def _labeled(self, candidate: Candidate, problem: Problem, training: int, misses: np.ndarray) -> Candidate:
        """The candidate with exactly the wanted number of positive labels."""
        labels = problem.objective().scores(candidate.point, problem.unlabeled).top(np.asarray(self.counts))
        return candidate.with_labels(labels, training, {"missed": misses.copy()})


class _Bracket:
    """Offsets with too few and with too many positives on either side of the next trial."""

    def __init__(self, offset: np.ndarray):
        self.offset = offset.copy()
        self.low, self.high = np.full_like(offset, -np.inf), np.full_like(offset, np.inf)
        self.stride = np.full_like(offset, 0.2)
        """A step of 0.1 in the ratio is 0.2 in the offset 2 r - 1; doubled until the count is bracketed."""

    @property
    def width(self) -> np.ndarray:
        width: np.ndarray = self.high - self.low
        return width

    def next(self, columns: np.ndarray, miss: np.ndarray) -> np.ndarray:
        for column, difference in zip(columns, miss, strict=True):
            if difference < 0:
                self.low[column] = self.offset[column]
            elif difference > 0:
                self.high[column] = self.offset[column]
            else:
                continue
            low, high = self.low[column], self.high[column]
            if np.isfinite(low) and np.isfinite(high):
                self.offset[column] = 0.5 * (low + high)
            else:
                self.offset[column] += self.stride[column] if difference < 0 else -self.stride[column]
                self.stride[column] *= 2
        return self.offset.copy()
