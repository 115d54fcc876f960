"""How the share of positives among the unlabeled points is held: not at all, by mean output, by count, or exactly.

Without it every S3VM has the useless solution that puts all unlabeled points on one side.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from semisvm.objective import Scores
from semisvm.spaces.centered import Centered
from semisvm.spaces.space import Space


class Balance(ABC):
    """`ratio` is the share of positives among the unlabeled points, one per column."""

    @abstractmethod
    def apply(self, space: Space, unlabeled: np.ndarray) -> tuple[Space, np.ndarray | None]:
        """The space to train in and the bias to hold (None: free)."""

    @abstractmethod
    def assign(self, scores: Scores) -> np.ndarray:
        """Labels +-1 from the scores of the unlabeled points, (u, k)."""


@dataclass(frozen=True)
class NoBalance(Balance):
    """The bias is free, labels are signs."""

    def apply(self, space: Space, unlabeled: np.ndarray) -> tuple[Space, np.ndarray | None]:
        return space, None

    def assign(self, scores: Scores) -> np.ndarray:
        return scores.signs()


@dataclass(frozen=True, eq=False)
class MeanOutput(Balance):
    """1/u sum_{j in U} z_j = 2 r - 1: center the space on the unlabeled mean and hold the bias there."""

    ratio: np.ndarray

    def apply(self, space: Space, unlabeled: np.ndarray) -> tuple[Space, np.ndarray | None]:
        return Centered(space, unlabeled), 2.0 * self.ratio - 1.0

    def assign(self, scores: Scores) -> np.ndarray:
        return scores.signs()


@dataclass(frozen=True, eq=False)
class SmoothCount(MeanOutput):
    """1/u sum_{j in U} tanh(2 z_j) = 2 r - 1, met anew between the stages of a path, which begins as `MeanOutput`.

    Outputs of a rare class may be far from zero, and then too many of its rows meet the mean output; tanh counts rows.
    """

    def shift(self, scores: Scores) -> np.ndarray:
        """What to add to the bias of each column."""
        step = max(1, len(scores) // COUNTED_ROWS)
        z = scores.some(np.arange(0, len(scores), step))
        return np.array([_shift(column, 2.0 * r - 1.0) for column, r in zip(z.T, self.ratio, strict=True)])


COUNTED_ROWS = 5000
"""Unlabeled rows that are counted."""
STEEPNESS = 2.0


def _shift(z: np.ndarray, target: float) -> float:
    """s with mean tanh(2 (z + s)) = target."""
    # at z + s = arctanh(target) / 2 every row is on target: the largest and the smallest score bracket the mean
    level = np.arctanh(np.clip(target, -1 + 1e-9, 1 - 1e-9)) / STEEPNESS
    low, high = level - z.max(), level - z.min()

    def excess(s: float) -> float:
        return float(np.mean(np.tanh(STEEPNESS * (z + s))) - target)

    # scores that differ by their rounding alone are on target at either end, up to rounding
    if excess(low) >= 0:
        return float(low)
    return float(brentq(excess, low, high)) if excess(high) > 0 else float(high)


@dataclass(frozen=True, eq=False)
class ExactCount(Balance):
    """Exactly round(r u) positives: the largest scores, whatever their sign. The bias is free."""

    ratio: np.ndarray

    def apply(self, space: Space, unlabeled: np.ndarray) -> tuple[Space, np.ndarray | None]:
        return space, None

    def assign(self, scores: Scores) -> np.ndarray:
        return scores.top(positive_counts(self.ratio, len(scores)))


def positive_counts(ratio: np.ndarray, n_unlabeled: int) -> np.ndarray:
    """round(r u), at least one on either side where there are two points or more."""
    counts = np.rint(np.asarray(ratio) * n_unlabeled).astype(int)
    return np.clip(counts, min(1, n_unlabeled), max(n_unlabeled - 1, min(1, n_unlabeled)))
