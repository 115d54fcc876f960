"""When to stop the conjugate gradients of a Laplacian SVM, by its decisions instead of its gradient.

Melacci and Belkin (2011), algorithms 2 and 3: the decisions are compared every sqrt(n)/2 iterations; the run stops when
hardly any has changed, or when no more validation points are right than before. Several classes stop together, on
the class of the largest score. These are watchers of `run`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from semisvm.algorithms.algorithm import Candidate, Watcher

CHANGED = 0.015
"""Share of the decisions that may change between two comparisons and count as none."""

Scores = Callable[[Candidate], np.ndarray]
"""(m, k) scores of some points."""


def interval(n_points: int) -> int:
    """round(sqrt(n) / 2) iterations between two comparisons."""
    return int(max(1, round(np.sqrt(n_points) / 2)))


def decisions(scores: np.ndarray) -> np.ndarray:
    """The class of each point: the sign of one score, or the place of the largest."""
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else np.argmax(scores, axis=1)


@dataclass(eq=False)
class Stability:
    """Stop when fewer than `changed` of the decisions on these points have changed since the last comparison."""

    every: int
    scores: Scores
    changed: float = CHANGED
    seen: np.ndarray | None = field(default=None, init=False)

    def __call__(self, iteration: int, candidate: Candidate) -> bool:
        if iteration % self.every:
            return False
        now, before = decisions(self.scores(candidate)), self.seen
        self.seen = now
        return before is not None and float(np.mean(now != before)) < self.changed


@dataclass(eq=False)
class Validation:
    """Stop when no more validation points are classified correctly than at the last comparison."""

    every: int
    scores: Scores
    truth: np.ndarray
    right: int = field(default=-1, init=False)

    def __call__(self, iteration: int, candidate: Candidate) -> bool:
        if iteration % self.every:
            return False
        now, before = int(np.sum(decisions(self.scores(candidate)) == self.truth)), self.right
        self.right = now
        return now <= before


@dataclass(eq=False)
class Agreed:
    """Stop when all of these say so at the same comparison."""

    watchers: list[Watcher]

    def __call__(self, iteration: int, candidate: Candidate) -> bool:
        # every watcher is called each time, whatever the others return
        verdicts = [bool(watcher(iteration, candidate)) for watcher in self.watchers]
        return all(verdicts)


@dataclass(eq=False)
class ErrorRecord:
    """The share of wrong decisions at every iteration on named sets of points, as the paper's figures show them."""

    sets: dict[str, tuple[Scores, np.ndarray]]
    errors: dict[str, list[float]] = field(default_factory=dict, init=False)

    def __call__(self, iteration: int, candidate: Candidate) -> None:
        for name, (scores, truth) in self.sets.items():
            self.errors.setdefault(name, []).append(float(np.mean(decisions(scores(candidate)) != truth)))
