"""An SVM on all rows with the labels of the unlabeled ones held, trained again and again as a few of them change."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from semisvm.algorithms.box_dual import BoxDual
from semisvm.algorithms.kernel_rows import KernelRows, earlier
from semisvm.losses import Fixed
from semisvm.objective import Evaluation, GramObjective, Point, Problem, Vector
from semisvm.optim.box_qp import BoxQPResult
from semisvm.optim.budget import Budget
from semisvm.optim.linear_box_qp import LinearRows
from semisvm.optim.linear_hinge import solve_linear_hinge
from semisvm.optim.minimizer import Minimizer

MAX_STEPS = 200
"""Newton steps of one training."""
CORNER = 2.0
"""Within this many tolerances of the margin 1 a score does not determine the bound of its variable."""


@dataclass(frozen=True, eq=False)
class Training:
    """Where a training ended, and what the next one starts from."""

    point: Point
    value: np.ndarray
    stationarity: np.ndarray
    dual: BoxQPResult | None = None

    def columns(self, chosen: np.ndarray) -> "Training":
        dual = self.dual
        if dual is not None:
            dual = replace(dual, a=dual.a[:, chosen], outputs=dual.outputs[:, chosen])
        return Training(self.point.columns(chosen), self.value[chosen], self.stationarity[chosen], dual)

    def put(self, chosen: np.ndarray, part: "Training") -> "Training":
        if len(chosen) == len(self.value):
            return part
        value, stationarity, dual = self.value.copy(), self.stationarity.copy(), self.dual
        value[chosen], stationarity[chosen] = part.value, part.stationarity
        if dual is not None and part.dual is not None:
            a, outputs = dual.a.copy(), dual.outputs.copy()
            a[:, chosen], outputs[:, chosen] = part.dual.a, part.dual.outputs
            dual = replace(dual, a=a, outputs=outputs)
        return Training(self.point.put(chosen, part.point), value, stationarity, dual)


def last_of(evaluations: Iterable[Evaluation], budget: Budget) -> Evaluation:
    """The evaluation a minimizer ends with, or has reached when the time is over."""
    reached = None
    for evaluation in evaluations:
        reached = evaluation
        if budget.spent:
            break
    assert reached is not None, "a minimizer yields at least its start"
    return reached


class Retraining(ABC):
    @abstractmethod
    def train(self, problem: Problem, labels: np.ndarray, last: Training, budget: Budget) -> Training:
        """Minimize with the labels (u, k) of the unlabeled rows held, from where the last training ended."""

    def begin(self, problem: Problem, start: Point | None) -> Training:
        point = start or problem.objective().start()
        unknown = np.full(problem.n_columns, np.inf)
        return Training(point, unknown, unknown)


@dataclass(frozen=True)
class PrimalRetraining(Retraining):
    """By a minimizer of the primal objective, which never rises."""

    minimizer: Minimizer[GramObjective]

    def train(self, problem: Problem, labels: np.ndarray, last: Training, budget: Budget) -> Training:
        held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
        evaluation = last_of(islice(self.minimizer.iterate(held.objective(), last.point, budget), MAX_STEPS), budget)
        return Training(evaluation.point, evaluation.value, evaluation.stationarity)


@dataclass(frozen=True, eq=False)
class DualRetraining(Retraining):
    """In the dual, by the compiled QP; with the hinge, begun where labels, weights and the last scores say it ends."""

    tol: float
    rows: KernelRows = field(default_factory=lambda: KernelRows(0.0))

    def train(self, problem: Problem, labels: np.ndarray, last: Training, budget: Budget) -> Training:
        objective, dual = problem.objective(), BoxDual.of_all(problem, labels)
        start, goal = last.dual, None
        if start is not None and dual.ridge is None:
            goal = expected(dual.y, problem.weights, last, self.tol, free_bias=dual.bias is None)
            outputs = objective.gram_product(goal)
            if outputs is not None:
                start, goal = replace(start, a=goal, outputs=outputs), None
        rows = self.rows.of(problem.space)
        result = dual.solve(rows, problem.space.norms(), self.tol, budget, start=start, goal=goal)
        point = dual.point(problem, np.arange(objective.n_points), result)
        held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
        return Training(point, held.objective().value(point), np.asarray(result.violation), result)


@dataclass(frozen=True, eq=False)
class RowRetraining(Retraining):
    """The hinge and linear functions, by passes over the rows, begun where labels, weights and the last scores say."""

    tol: float
    rows: LinearRows

    def train(self, problem: Problem, labels: np.ndarray, last: Training, budget: Budget) -> Training:
        dual, start = BoxDual.of_all(problem, labels), None
        if last.dual is not None:
            start = expected(dual.y, problem.weights, last, self.tol, free_bias=False)
        results = [
            solve_linear_hinge(
                self.rows,
                dual.y[:, j],
                problem.weights[:, j],
                bias=None if dual.bias is None else float(dual.bias[j]),
                start=None if start is None else start[:, j],
                near_bias=float(last.point.bias[j]),
                tol=self.tol,
                deadline=budget.deadline,
            )
            for j in range(problem.n_columns)
        ]
        a = np.stack([result.v for result in results], axis=1)
        theta = np.stack([result.w for result in results], axis=1)
        outputs = np.stack([result.outputs for result in results], axis=1)
        point = Point(Vector(theta, np.array([result.bias for result in results]), theta), outputs)
        held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
        violation = np.array([result.violation for result in results])
        return Training(point, held.objective().value(point), violation, earlier(a, outputs))


def expected(y: np.ndarray, weights: np.ndarray, last: Training, tol: float, free_bias: bool) -> np.ndarray:
    """The dual variables of the hinge that the last scores call for: y_i a_i = c_i where y_i z_i < 1, and else 0.

    Those at the corner y_i z_i = 1 stay as they are. Where the bias is free all are brought to sum zero, by those
    nearest to the corner.
    """
    assert last.dual is not None
    gaps = 1.0 - y * last.point.scores
    ends = y * weights
    low, high = np.minimum(0.0, ends), np.maximum(0.0, ends)
    at_corner = np.abs(gaps) <= CORNER * tol
    a = np.where(at_corner, np.clip(last.dual.a, low, high), np.where(gaps > 0, ends, 0.0))
    if free_bias:
        for j in range(a.shape[1]):
            nearest = np.argsort(np.abs(gaps[:, j]), kind="stable")
            excess = float(a[:, j].sum())
            room = (a[:, j] - low[:, j] if excess > 0 else high[:, j] - a[:, j])[nearest]
            before = np.cumsum(room) - room
            a[nearest, j] -= np.sign(excess) * np.clip(abs(excess) - before, 0.0, room)
    return a
