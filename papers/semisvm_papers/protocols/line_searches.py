"""How many pieces of a piecewise-quadratic objective the line searches of conjugate gradients look at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from semisvm.algorithms import Candidate
from semisvm.objective import Problem


@dataclass(eq=False)
class LineSearches:
    """A watcher that counts how many pieces of the piecewise-linear slope an exact line search looks at.

    The pieces end where a labeled row becomes an error vector, y z < 1, or ceases to be one. A row does so once on a
    line, so there is one piece more than rows that have changed over the step. Columns that stand still do not count.
    """

    pieces: list[int] = field(default_factory=list, init=False)
    _problem: Problem | None = field(default=None, init=False)
    _margins: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), init=False)

    def of(self, problem: Problem) -> LineSearches:
        """The same, for a run on this problem; it starts at f = 0."""
        self._problem, self._margins = problem, np.zeros(np.shape(_signs(problem)))
        return self

    def __call__(self, iteration: int, candidate: Candidate) -> None:
        assert self._problem is not None
        signs = _signs(self._problem)
        margins = signs * np.asarray(candidate.point.scores)[self._problem.labeled].reshape(signs.shape)
        changed = np.sum((margins < 1) != (self._margins < 1), axis=0)
        moving = np.any(margins != self._margins, axis=0)
        self.pieces += (1 + changed[moving]).tolist()
        self._margins = margins

    @property
    def measures(self) -> dict[str, float]:
        return {"line_search_iterations": float(np.mean(self.pieces))} if self.pieces else {}


def _signs(problem: Problem) -> np.ndarray:
    """The labels +1 and -1 of the labeled rows, a column per problem."""
    return np.asarray(problem.y)[problem.labeled].reshape(len(problem.labeled), -1)
