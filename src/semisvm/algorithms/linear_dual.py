"""Squared-hinge SVM of linear functions: dual coordinate descent to a rough solution, Newton's method to the end.

    min_a 1/2 |sum_i a_i x_i|^2 + sum_i a_i^2 / (4 c_i) - sum_i (y_i - b) a_i      y_i a_i >= 0

Passes over the rows (Hsieh et al. 2008) come near the solution in the time of a few products. A free bias is the weight
of a column of ones, counted from where the pass before left it, so that its penalty is gone when it comes to rest.
Newton's conjugate gradients go to the end and give the certificate.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.minimize import Minimize
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.linear_box_qp import LinearRows, descend_linear
from semisvm.optim.newton_cg import NewtonCG
from semisvm.spaces.linear import Linear

PASSES = 150
ROUGHNESS = 300.0
"""How much larger slopes the passes leave than the tolerance allows: Newton's method finishes from there."""


@dataclass(frozen=True)
class LinearDual(Algorithm):
    """tol: stop at |gradient| <= tol max(1, |f|)."""

    tol: float = 1e-4

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        near = start or _no_worse_than_zero(problem, self._near(problem, budget))
        yield from Minimize(NewtonCG(self.tol)).iterate(problem, near, budget)

    def _near(self, problem: Problem, budget: Budget) -> Point:
        space, rows = problem.space, problem.labeled
        assert isinstance(space, Linear)
        every = len(rows) == space.n_points
        data = LinearRows.of(space.X if every else space.X[rows], space.norms() if every else space.norms()[rows])
        free = problem.bias is None
        data = data.with_ones() if free else data
        theta = np.empty((space.dimension, problem.n_columns))
        bias = np.zeros(problem.n_columns) if problem.bias is None else problem.bias.copy()
        for column in range(problem.n_columns):
            y, c = problem.y[rows, column], problem.weights[rows, column]
            far = np.where(c > 0, np.inf, 0.0)
            lo, hi = np.where(y < 0, -far, 0.0), np.where(y > 0, far, 0.0)
            ridge = 1.0 / (2.0 * np.where(c > 0, c, 1.0))
            # |gradient| is about 2 c sqrt(n) times the violation
            tol = ROUGHNESS * self.tol / (2.0 * float(c.max(initial=1e-12)) * np.sqrt(len(rows)))
            _, theta[:, column], found = descend_linear(
                data, y - bias[column], lo, hi,
                ridge=ridge, tol=tol, patience=PASSES, deadline=budget.deadline, free_bias=free,
            )  # fmt: skip
            bias[column] += found
        return problem.objective().point(theta, bias)


def _no_worse_than_zero(problem: Problem, near: Point) -> Point:
    """The point, or zero in columns where rounding led passes over rows of very different sizes astray."""
    objective = problem.objective()
    zero = objective.start()
    with np.errstate(over="ignore", invalid="ignore"):
        worse = np.flatnonzero(~(objective.evaluate(near).value <= objective.evaluate(zero).value))
    return near.put(worse, zero.columns(worse)) if len(worse) else near
