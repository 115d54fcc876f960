"""The hinge SVM in the dual, by the compiled box QP:

    min 1/2 a'K a - y'a      0 <= y_i a_i <= c_i,   1'a = 0 where the bias is free      f = sum_i a_i k(x_i, .)
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.problem import Point, Problem


@dataclass(frozen=True)
class DualHinge(Algorithm):
    """tol: the largest violation of the optimality conditions."""

    tol: float = 1e-3

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        space, rows = problem.space, problem.labeled
        y, weights = problem.y[rows], problem.weights[rows]
        # a fixed bias moves into the linear term: y_i - b
        c = y if problem.bias is None else y - problem.bias
        result = solve_box_qp(
            lambda chosen: space.block(rows[chosen], rows),
            space.norms()[rows],
            c,
            np.minimum(0.0, y * weights),
            np.maximum(0.0, y * weights),
            equality=problem.bias is None,
            tol=self.tol,
            deadline=budget.deadline,
        )
        a = np.zeros((space.n_points, problem.n_columns))
        a[rows] = result.a
        bias = np.asarray(result.bias) if problem.bias is None else problem.bias
        point = problem.complete(problem.vector(space.represent(a), bias))
        yield Candidate(point, problem.value(point), np.asarray(result.violation), facts={"rows": result.n_rows})
