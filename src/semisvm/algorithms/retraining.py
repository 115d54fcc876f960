"""An SVM on all rows with the labels of the unlabeled ones held, trained again and again as a few of them change."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from semisvm.losses import Fixed, SquaredHinge
from semisvm.optim.box_qp import FLOAT32_TOL as SINGLE_TOL
from semisvm.optim.box_qp import SMALL, BoxQPResult, solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.optim.row_cache import RowCache
from semisvm.problem import Evaluation, Problem
from semisvm.spaces import Deformed, Full, Space
from semisvm.vectors import Point, Vector

MAX_STEPS = 200
"""Newton steps of one training."""
CORNER = 2.0
"""Tolerances around the margin 1 within which a score does not say where its variable ends."""


@dataclass(frozen=True, eq=False)
class Trained:
    """Where a training ended, and what the next one starts from."""

    point: Point
    value: np.ndarray
    stationarity: np.ndarray
    dual: BoxQPResult | None = None

    def columns(self, chosen: np.ndarray) -> "Trained":
        dual = self.dual
        if dual is not None:
            dual = replace(dual, a=dual.a[:, chosen], outputs=dual.outputs[:, chosen])
        return Trained(self.point.columns(chosen), self.value[chosen], self.stationarity[chosen], dual)

    def put(self, chosen: np.ndarray, part: "Trained") -> "Trained":
        if len(chosen) == len(self.value):
            return part
        value, stationarity, dual = self.value.copy(), self.stationarity.copy(), self.dual
        value[chosen], stationarity[chosen] = part.value, part.stationarity
        if dual is not None and part.dual is not None:
            a, outputs = dual.a.copy(), dual.outputs.copy()
            a[:, chosen], outputs[:, chosen] = part.dual.a, part.dual.outputs
            dual = replace(dual, a=a, outputs=outputs)
        return Trained(self.point.put(chosen, part.point), value, stationarity, dual)


def last_of(evaluations: Iterable[Evaluation], budget: Budget) -> Evaluation:
    """The evaluation a minimiser ends with, or has reached when the time is over."""
    reached = None
    for evaluation in evaluations:
        reached = evaluation
        if budget.spent:
            break
    assert reached is not None, "a minimiser yields at least its start"
    return reached


class Retraining(ABC):
    @abstractmethod
    def train(self, problem: Problem, labels: np.ndarray, last: Trained, budget: Budget) -> Trained:
        """Minimise with the labels (u, k) of the unlabeled rows held, from where the last training ended."""

    def begin(self, problem: Problem, start: Point | None) -> Trained:
        point = start or problem.start()
        unknown = np.full(problem.n_columns, np.inf)
        return Trained(point, unknown, unknown)


@dataclass(frozen=True)
class PrimalRetraining(Retraining):
    """By a minimiser of the primal objective, which only ever goes down."""

    minimizer: Minimizer

    def train(self, problem: Problem, labels: np.ndarray, last: Trained, budget: Budget) -> Trained:
        held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
        evaluation = last_of(islice(self.minimizer.iterate(held, last.point, budget), MAX_STEPS), budget)
        return Trained(evaluation.point, evaluation.value, evaluation.stationarity)


@dataclass(eq=False)
class KernelRows:
    """Kernel rows that serve every training, computed once; in float32 where the smallest tolerance allows it."""

    tol: float
    _kept: np.ndarray | RowCache | None = None
    """The Gram matrix, or as many of its rows as memory allows."""

    def of(self, space: Space) -> np.ndarray | RowCache:
        if self._kept is None and space.n_points <= SMALL:
            self._kept = np.asarray(space.gram(), dtype=np.float64)
        elif self._kept is None:
            single = self.tol >= SINGLE_TOL
            source = space.in_single_precision() if single and isinstance(space, Full) else space
            self._kept = RowCache(source.block, space.n_points, dtype=None if single else np.float64)
        return self._kept


@dataclass(frozen=True, eq=False)
class DualRetraining(Retraining):
    """By the compiled box QP; with the hinge, begun where labels, weights and the last scores say that it ends.

    With labels y and weights c:   min 1/2 a'K a + 1/2 a'D a - y'a,   1'a = 0 where the bias is free
    hinge: 0 <= y_i a_i <= c_i, D = 0;    squared hinge: 0 <= y_i a_i, D_ii = 1/(2 c_i)
    """

    tol: float
    rows: KernelRows = field(default_factory=lambda: KernelRows(0.0))

    def train(self, problem: Problem, labels: np.ndarray, last: Trained, budget: Budget) -> Trained:
        space, weights = problem.space, problem.weights
        y = problem.y.copy()
        y[problem.unlabeled] = labels
        squared = isinstance(problem.labeled_loss, SquaredHinge)
        ridge, reach = np.zeros_like(weights), weights
        if squared:
            ridge = np.divide(0.5, weights, out=np.zeros_like(weights), where=weights > 0)
            reach = np.where(weights > 0, np.inf, 0.0)
        with np.errstate(invalid="ignore"):
            end = np.where(reach > 0, y * reach, 0.0)
        start, goal = last.dual, None
        if start is not None and not squared:
            goal = expected(y, weights, last, self.tol, free_bias=problem.bias is None)
            if space.by_rows:
                # K a = E E* a takes two products with the features and no kernel row
                outputs = space.outputs(space.represent(goal))
                start, goal = replace(start, a=goal, outputs=outputs), None
        result = solve_box_qp(
            self.rows.of(space),
            space.norms(),
            # a held bias moves into the linear term: y_i - b
            y if problem.bias is None else y - problem.bias,
            np.minimum(0.0, end),
            np.maximum(0.0, end),
            ridge=ridge,
            equality=problem.bias is None,
            start=start,
            goal=goal,
            tol=self.tol,
            deadline=budget.deadline,
        )
        bias = np.asarray(result.bias) if problem.bias is None else np.asarray(problem.bias)
        if isinstance(space, Full | Deformed):
            # K a is the metric and the outputs of f = sum_i a_i k(x_i, .): no Gram matrix is formed for it
            point = Point(Vector(result.a, bias, result.outputs), result.outputs)
        else:
            point = problem.complete(problem.vector(space.represent(result.a), bias))
        held = problem.replace(unlabeled_loss=Fixed(problem.labeled_loss, labels))
        return Trained(point, held.value(point), np.asarray(result.violation), result)


def expected(y: np.ndarray, weights: np.ndarray, last: Trained, tol: float, free_bias: bool) -> np.ndarray:
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
