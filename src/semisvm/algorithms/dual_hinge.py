"""The hinge SVM, and that of the squared hinge, in the dual by the compiled box QP:

min 1/2 a'K a + 1/2 a'D a - y'a      0 <= y_i a_i <= c_i,   1'a = 0 where the bias is free      f = sum_i a_i k(x_i, .)

hinge: D = 0;  squared hinge: no upper bound, D_ii = 1/(2 c_i)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.losses import SquaredHinge
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.problem import Problem
from semisvm.spaces import Deformed, Full, Space
from semisvm.vectors import Point, Vector

SMALL = 1000
"""Points up to which the whole Gram matrix is handed over: it costs less than fetching its rows."""
SINGLE_TOL = 1e-4
"""Tolerance down to which kernel rows in single precision are exact enough."""


@dataclass(frozen=True)
class DualHinge(Algorithm):
    """tol: the largest violation of the optimality conditions."""

    tol: float = 1e-3

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        space, rows = problem.space, problem.labeled
        everyone = len(rows) == space.n_points
        y, weights = problem.y[rows], problem.weights[rows]
        # a fixed bias moves into the linear term: y_i - b
        c = y if problem.bias is None else y - problem.bias
        reach, ridge = weights, np.zeros_like(weights)
        if isinstance(problem.labeled_loss, SquaredHinge):
            reach, ridge = np.where(weights > 0, np.inf, 0.0), np.divide(0.5, weights, out=ridge, where=weights > 0)
        # a row of no weight stays at zero, and so does one that belongs to neither side of a column
        ends = np.multiply(y, reach, out=np.zeros_like(reach), where=(y != 0) & (reach > 0))
        result = solve_box_qp(
            self._rows(space, rows, everyone),
            space.norms()[rows],
            c,
            np.minimum(0.0, ends),
            np.maximum(0.0, ends),
            ridge=ridge,
            equality=problem.bias is None,
            tol=self.tol,
            deadline=budget.deadline,
        )
        a = np.zeros((space.n_points, problem.n_columns))
        a[rows] = result.a
        bias = np.asarray(result.bias) if problem.bias is None else problem.bias
        if everyone and isinstance(space, Full | Deformed):
            # K a is the metric and the outputs of f = sum_i a_i k(x_i, .): no Gram matrix is formed for it
            point = Point(Vector(a, bias, result.outputs), result.outputs)
        else:
            point = problem.complete(problem.vector(space.represent(a), bias))
        yield Candidate(point, problem.value(point), np.asarray(result.violation), facts={"rows": result.n_rows})

    def _rows(self, space: Space, rows: np.ndarray, everyone: bool) -> np.ndarray | Callable[[np.ndarray], np.ndarray]:
        if len(rows) <= SMALL:
            return np.asarray(space.gram() if everyone else space.block(rows, rows), dtype=np.float64)
        if self.tol >= SINGLE_TOL and isinstance(space, Full):
            space = space.in_single_precision()
        return space.block if everyone else lambda chosen: space.block(rows[chosen], rows)
