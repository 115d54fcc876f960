"""The hinge SVM, and that of the squared hinge, in the dual by the compiled box QP:

min 1/2 a'K a + 1/2 a'D a - y'a      0 <= y_i a_i <= c_i,   1'a = 0 where the bias is free      f = sum_i a_i k(x_i, .)

hinge: D = 0;  squared hinge: no upper bound, D_ii = 1/(2 c_i)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.box_dual import BoxDual
from semisvm.objective import Point, Problem
from semisvm.optim.box_qp import FLOAT32_TOL
from semisvm.optim.budget import Budget
from semisvm.spaces import Full, Space

SMALL = 1000
"""Points up to which the whole Gram matrix is handed over: it costs less than fetching its rows."""


@dataclass(frozen=True)
class DualHinge(Algorithm):
    """tol: the largest violation of the optimality conditions."""

    tol: float = 1e-3

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        space, rows, dual = problem.space, problem.labeled, BoxDual.of_labeled(problem)
        everyone = len(rows) == space.n_points
        result = dual.solve(self._rows(space, rows, everyone), space.norms()[rows], self.tol, budget)
        point = dual.point(problem, rows, result)
        value, violation = problem.objective().value(point), np.asarray(result.violation)
        yield Candidate(point, value, violation, facts={"rows": result.n_rows})

    def _rows(self, space: Space, rows: np.ndarray, everyone: bool) -> np.ndarray | Callable[[np.ndarray], np.ndarray]:
        if len(rows) <= SMALL:
            return np.asarray(space.gram() if everyone else space.block(rows, rows), dtype=np.float64)
        if self.tol >= FLOAT32_TOL and isinstance(space, Full):
            space = space.in_single_precision()
        return space.block if everyone else lambda chosen: space.block(rows[chosen], rows)
