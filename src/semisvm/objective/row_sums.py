"""The objective by sums over rows that are not in one array: in chunks, or on the workers of a cluster.

Computing a number per row again is cheaper than sending it: outputs are a function of the coefficients, and an
evaluation, a product with the Hessian and a trial step are sums over rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from semisvm.losses import Annealed
from semisvm.objective.line import ScoreLine
from semisvm.objective.multipliers import frozen
from semisvm.objective.objective import Evaluation, HessianProduct, Line
from semisvm.objective.problem import Problem
from semisvm.objective.products import FeatureProducts, Products
from semisvm.objective.remote_vectors import RemoteOutputs
from semisvm.objective.row_losses import PartLosses, RemoteCurvature, RowCurvature
from semisvm.objective.row_sweeps import RowSweeps
from semisvm.objective.rows import RowLosses
from semisvm.objective.vectors import Point, Vector, dots


@dataclass(frozen=True, eq=False)
class Fetched(FeatureProducts):
    """Outputs of remote rows are fetched: an objective whose rows are coupled is no sum over rows."""

    def worth_computing(self, moving: np.ndarray) -> np.ndarray:
        # a pass over the rows costs the same for some columns as for all
        return np.arange(len(moving))

    def zero(self) -> Point:
        theta = np.zeros((self.space.dimension, self.n_columns))
        return self.complete(Vector(theta, np.zeros(self.n_columns), theta))


@dataclass(frozen=True, eq=False)
class RowSums(Fetched, RowSweeps):
    """A sum over rows that are not in memory; their outputs are computed lazily."""

    def fetch_loaded(self, scores: np.ndarray) -> np.ndarray:
        """Scores of all rows with a loss, in memory or where the rows are; entries of other rows are arbitrary."""
        return self.space.fetch_loaded(scores, self.row_losses(np.zeros(self.n_columns)))

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        return super().curvature(np.asarray(self.fetch_loaded(scores)))

    def evaluate(self, point: Point, graph_product: np.ndarray | float | None = None) -> Evaluation:
        return self.at(point.theta, point.bias)

    def value(self, point: Point) -> np.ndarray:
        scores = self.fetch_loaded(point.scores)
        if isinstance(scores, RemoteOutputs):
            return self.at(point.theta, point.bias).value
        value: np.ndarray = self.losses(scores)[0] + self.penalty(point, 0.0)
        return value

    def hessian(self, evaluation: Evaluation) -> HessianProduct:
        """One pass over the rows per product; E u is computed again, not fetched."""
        scores, none = self.fetch_loaded(evaluation.point.scores), np.zeros(self.n_columns)
        if isinstance(scores, RemoteOutputs):
            curvature: RowLosses = RemoteCurvature(self.row_losses(none), scores, none)
        else:
            curvature = RowCurvature(np.ascontiguousarray(evaluation.curvature), none)

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            _, _, change, represented = self.space.sweep(u.theta, curvature.moved(u.bias))
            return u.theta + represented, self.bias_slope(change)

        return product

    def along(self, evaluation: Evaluation, direction: Point) -> Line:
        point = evaluation.point
        linear, square = dots(direction.theta, point.vector.metric), dots(direction.theta, direction.vector.metric)
        penalty = self.penalty(point, 0.0), linear, square
        scores, rates = self.fetch_loaded(point.scores), self.fetch_loaded(direction.scores)
        if isinstance(scores, RemoteOutputs) and isinstance(rates, RemoteOutputs):
            return SummedLine(self, evaluation, direction, penalty, scores, rates)
        return PassLine(self, evaluation, direction, penalty, np.asarray(scores), np.asarray(rates))

    def sums_along(self, ends: Sequence[RemoteOutputs], s: np.ndarray) -> tuple[np.ndarray, ...]:
        """(loss, first and second derivative in s) of scores + s rates, which stay with their rows."""
        return ends[0].remote_rows.reduced(PartLosses.along, self.row_losses(np.zeros(len(s))), ends, s)


@dataclass(frozen=True, eq=False)
class TiedRowSums(RowSums):
    """An annealed loss: the multiplier that couples the rows is found by sums as well, at every evaluation."""

    def bound(self, scores: np.ndarray) -> RowSums:
        """The sum over rows that is valid around these scores."""
        loss = self.problem.unlabeled_loss
        assert isinstance(loss, Annealed)
        assert isinstance(scores, RemoteOutputs)
        return RowSums(self.problem.replace(unlabeled_loss=frozen(loss, scores, self.problem.unlabeled)))

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        there = self.point(theta, bias)
        return replace(self.bound(there.scores).at(theta, bias), objective=self)

    def value(self, point: Point) -> np.ndarray:
        return self.at(point.theta, point.bias).value

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        return self.bound(scores).curvature(scores) if isinstance(scores, RemoteOutputs) else super().curvature(scores)

    def hessian(self, evaluation: Evaluation) -> HessianProduct:
        return self.bound(evaluation.point.scores).hessian(evaluation)

    def sums_along(self, ends: Sequence[RemoteOutputs], s: np.ndarray) -> tuple[np.ndarray, ...]:
        scores, rates = ends
        return self.bound(scores + s * rates).sums_along(ends, s)


@dataclass(frozen=True, eq=False)
class PassLine(ScoreLine):
    """The scores of the rows with a loss are here; the end of a step is one more pass."""

    objective: RowSums

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        # slopes of remote rows are computed again from the scores in memory
        nothing = np.zeros(len(self.penalty[0]))
        return self.evaluation.value, dots(self.losses(nothing)[1], self.rates) + self.penalty[1]

    def arrive(self, s: np.ndarray) -> Evaluation:
        point = self.evaluation.point.step(self.direction, s)
        return self.objective.at(point.theta, point.bias)


@dataclass(frozen=True, eq=False)
class SummedLine(PassLine):
    """Scores and rates stay with their rows: a trial brings (loss, first and second derivative)."""

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        nothing = np.zeros(len(self.penalty[0]))
        return self.evaluation.value, self.losses(nothing)[1] + self.penalty[1]

    def _computed(self, s: np.ndarray) -> tuple[np.ndarray, ...]:
        ends: Any = (self.scores, self.rates)
        return self.objective.sums_along(ends, s)

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope, _ = self.losses(s)
        return self.with_penalty(s, value, slope)

    def curvature(self, s: np.ndarray) -> np.ndarray:
        curvature: np.ndarray = self.losses(s)[2] + self.penalty[2]
        return curvature


def over_chunks(problem: Problem) -> Products:
    """The objective on rows that this process visits in chunks, with vectors of a number per row in memory."""
    return RowSums(problem) if problem.is_sum else Fetched(problem)


def over_workers(problem: Problem) -> Products:
    """The objective on rows of a cluster, where vectors of a number per row stay."""
    loss = problem.unlabeled_loss
    by_sums = isinstance(loss, Annealed) and loss.loss.pointwise
    if problem.graph is None and problem.labeled_loss.pointwise and by_sums:
        return TiedRowSums(problem)
    return over_chunks(problem)
