"""One hinge SVM on all points with given labels: by the compiled QP on kernel rows, or on the data itself.

    min 1/2 a'K a - y'a      0 <= y_i a_i <= c_i,    1'a = 0 where the bias is free

On the data (linear functions, landmarks) coordinate descent goes over the rows, and the bias is found by steps of its
own.
"""

from itertools import islice

import numpy as np

from semisvm.algorithms.algorithm import Candidate
from semisvm.algorithms.box_dual import BoxDual
from semisvm.algorithms.kernel_rows import gram_fits, gram_rows, working_bytes
from semisvm.algorithms.retraining import last_of
from semisvm.losses import Fixed, HuberHinge
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.lbfgs import LBFGS
from semisvm.optim.linear_box_qp import LinearRows
from semisvm.optim.linear_hinge import solve_linear_hinge

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
        point = problem.objective().combination(result.a, dual.bias_at(result), result.outputs)
        violation = np.asarray(result.violation)
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
    results = [
        solve_linear_hinge(
            rows,
            dual.y[:, column],
            problem.weights[:, column],
            bias=None if dual.bias is None else float(dual.bias[column]),
            tol=tol,
            deadline=budget.deadline,
        )
        for column in range(problem.n_columns)
    ]
    theta = np.stack([result.w for result in results], axis=1)
    point = problem.objective().point(theta, np.array([result.bias for result in results]))
    return point, np.array([result.violation for result in results])
