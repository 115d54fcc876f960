"""One hinge SVM on all points with given labels: by the compiled QP on kernel rows, or on the data itself.

    min 1/2 a'K a - y'a      0 <= y_i a_i <= c_i,    1'a = 0 where the bias is free

On the data (linear functions, landmarks) coordinate descent holds the bias b; sum a falls as b rises, and the b where
it is zero is found by halving, every solve starting from the one before. Between two neighboring solutions on either
side of zero lies a feasible one; what little it violates is left to the compiled QP.
"""

from itertools import islice
from typing import TypeAlias

import numpy as np

from semisvm._core.box_qp import certificate
from semisvm.algorithms.algorithm import Candidate
from semisvm.algorithms.box_dual import BoxDual
from semisvm.algorithms.kernel_rows import earlier, gram_fits, gram_rows, working_bytes
from semisvm.algorithms.retraining import last_of
from semisvm.losses import Fixed, HuberHinge
from semisvm.objective import Point, Problem
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.optim.lbfgs import LBFGS
from semisvm.optim.linear_box_qp import LinearRows, solve_linear_box_qp

MOST_HALVINGS = 60
ROUNDED = 0.01
"""Where features are not in one array the hinge is rounded off this close to its corner, as for the gradient S3VM."""
MOST_PASSES = 500


def train_hinge(problem: Problem, labels: np.ndarray, tol: float, budget: Budget) -> Candidate:
    """The SVM on all points, the unlabeled ones with these labels (u, k)."""
    dual = BoxDual.of_all(problem, labels)
    held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
    if problem.objective().better_on_pairs:
        result = dual.solve(
            gram_rows(problem.space, tol), problem.space.norms(), tol, budget, cache_bytes=working_bytes()
        )
        point, violation = dual.point(problem, np.arange(len(dual.y)), result), np.asarray(result.violation)
    else:
        X = problem.space.feature_matrix()
        if X is None:
            return _by_passes(held, labels, tol, budget)
        point, violation = _on_rows(LinearRows.of(X, problem.space.norms()), problem, dual, tol, budget)
    return Candidate(point, held.objective().value(point), violation)


def _by_passes(held: Problem, labels: np.ndarray, tol: float, budget: Budget) -> Candidate:
    """In the primal, one pass over the rows per iteration: the hinge rounded off at its corner."""
    rounded = HuberHinge(ROUNDED)
    smooth = held.replace(labeled_loss=rounded, unlabeled_loss=Fixed(rounded, labels)).objective()
    reached = last_of(islice(LBFGS(tol).iterate(smooth, smooth.start(), budget), MOST_PASSES), budget)
    return Candidate(reached.point, held.objective().value(reached.point), reached.stationarity)


def expect_hinge(problem: Problem, tol: float) -> None:
    """Take the Gram matrix that `train_hinge` will take, so that products before it need no kernel of their own."""
    if problem.objective().better_on_pairs and gram_fits(problem.space, tol):
        problem.space.ready()


def _on_rows(rows: LinearRows, problem: Problem, dual: BoxDual, tol: float, budget: Budget) -> tuple[Point, np.ndarray]:
    thetas, biases, violations = [], [], []
    for column in range(problem.n_columns):
        search = _BiasSearch(rows, dual.y[:, column], problem.weights[:, column], tol, budget)
        held = None if dual.bias is None else float(dual.bias[column])
        a, bias, violation = search.solve() if held is None else search.at(held)
        thetas.append(rows.weights(a))
        biases.append(bias)
        violations.append(violation)
    return problem.objective().point(np.stack(thetas, axis=1), np.array(biases)), np.array(violations)


BiasTrial: TypeAlias = tuple[np.ndarray, float, float]
"""(a, bias, violation)."""


class _BiasSearch:
    def __init__(self, rows: LinearRows, y: np.ndarray, weights: np.ndarray, tol: float, budget: Budget):
        self.rows, self.y, self.tol, self.budget = rows, y, tol, budget
        ends = y * weights
        self.lo, self.hi = np.minimum(0.0, ends), np.maximum(0.0, ends)
        self.nought = np.zeros(len(y))
        self.a = np.zeros(len(y))

    def at(self, bias: float) -> BiasTrial:
        """(a, bias, violation) with the bias held."""
        result = solve_linear_box_qp(
            self.rows,
            self.y - bias,
            self.lo,
            self.hi,
            kink=(self.nought, self.nought),
            start=self.a,
            tol=0.25 * self.tol,
            deadline=self.budget.deadline,
        )
        self.a = result.v.copy()
        return result.v, bias, result.violation

    def solve(self) -> tuple[np.ndarray, float, float]:
        """(a, bias, violation) with sum a = 0."""
        low, high = self._bracket()
        for _ in range(MOST_HALVINGS):
            if high[1] - low[1] <= 0.25 * self.tol or self.budget.spent:
                break
            middle = self.at(0.5 * (low[1] + high[1]))
            low, high = (middle, high) if middle[0].sum() > 0 else (low, middle)
        # sum a is positive at the lower bias and not at the higher one: mix to zero
        more, less = low[0].sum(), high[0].sum()
        share = more / (more - less) if more > less else 1.0
        a = np.clip((1 - share) * low[0] + share * high[0], self.lo, self.hi)
        outputs = self.rows.outputs(a, self.rows.weights(a))
        violation, upper, lower, _ = certificate(
            a, self.y - outputs, self.lo, self.hi, self.nought, self.nought, True, np.empty(len(a))
        )
        if violation < self.tol:
            return a, 0.5 * (upper + lower), float(violation)
        finished = solve_box_qp(
            self.rows.products,
            self.rows.norms,
            self.y,
            self.lo,
            self.hi,
            equality=True,
            start=earlier(a, outputs),
            tol=self.tol,
            deadline=self.budget.deadline,
        )
        return finished.a, float(finished.bias), float(finished.violation)

    def _bracket(self) -> tuple[BiasTrial, BiasTrial]:
        """Solutions with sum a > 0 and sum a <= 0, by growing steps of the bias from zero."""
        first = self.at(0.0)
        toward = 1.0 if first[0].sum() > 0 else -1.0
        step, near = 0.25, first
        for _ in range(MOST_HALVINGS):
            far = self.at(near[1] + toward * step)
            if (far[0].sum() > 0) != (toward > 0):
                break
            near, step = far, 2 * step
        return (near, far) if toward > 0 else (far, near)
