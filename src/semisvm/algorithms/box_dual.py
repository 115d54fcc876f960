"""The dual of a hinge problem with labels given, and the way back to its function:

    min 1/2 a'K a + 1/2 a'D a - (y - b)'a      1'a = 0 where the bias b is free      f = sum_i a_i k(x_i, .)

hinge: 0 <= y_i a_i <= c_i, D = 0;    squared hinge: 0 <= y_i a_i, D_ii = 1/(2 c_i), a_i = 0 where c_i = 0
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.losses import Loss, SquaredHinge
from semisvm.objective import Point, Problem
from semisvm.optim.box_qp import BoxQPResult, Rows, solve_box_qp
from semisvm.optim.budget import Budget


@dataclass(frozen=True, eq=False)
class BoxDual:
    """One variable per point: labels, bounds and ridge, (m, k); a bias that is held, None where it is free."""

    y: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    bias: np.ndarray | None
    ridge: np.ndarray | None = None

    @classmethod
    def of(cls, loss: Loss, y: np.ndarray, weights: np.ndarray, bias: np.ndarray | None) -> "BoxDual":
        """The dual of points with these labels +-1 and weights under the hinge, or the squared hinge."""
        ends, ridge = y * weights, None
        if isinstance(loss, SquaredHinge):
            ridge = np.divide(0.5, weights, out=np.zeros_like(weights), where=weights > 0)
            ends = np.where((weights > 0) & (y != 0), np.copysign(np.inf, y), 0.0)
        return cls(y, np.minimum(0.0, ends), np.maximum(0.0, ends), bias, ridge)

    @classmethod
    def of_labeled(cls, problem: Problem) -> "BoxDual":
        rows = problem.labeled
        return cls.of(problem.labeled_loss, problem.y[rows], problem.weights[rows], problem.bias)

    @classmethod
    def of_all(cls, problem: Problem, labels: np.ndarray) -> "BoxDual":
        """All points, the unlabeled ones with these labels (u, k)."""
        y = problem.y.copy()
        y[problem.unlabeled] = labels
        return cls.of(problem.labeled_loss, y, problem.weights, problem.bias)

    def solve(self, rows: Rows, diagonal: np.ndarray, tol: float, budget: Budget, **more: Any) -> BoxQPResult:
        """By the compiled QP; `more` is what `solve_box_qp` takes besides."""
        return solve_box_qp(
            rows,
            diagonal,
            # a held bias moves into the linear term: y_i - b
            self.y if self.bias is None else self.y - self.bias,
            self.lo,
            self.hi,
            equality=self.bias is None,
            ridge=self.ridge,
            tol=tol,
            deadline=budget.deadline,
            **more,
        )

    def bias_at(self, result: BoxQPResult) -> np.ndarray:
        return np.asarray(result.bias if self.bias is None else self.bias)

    def point(self, problem: Problem, rows: np.ndarray, result: BoxQPResult) -> Point:
        """f = sum_i a_i k(x_i, .) over these points of a problem."""
        objective, bias = problem.objective(), self.bias_at(result)
        if len(rows) == objective.n_points:
            return objective.dual_solution(result.a, bias, result.outputs)
        a = np.zeros((objective.n_points, objective.n_columns))
        a[rows] = result.a
        return objective.point(objective.represent(a), bias)
