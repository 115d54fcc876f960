"""The objective by products with E and E*: kernel spaces, and all that needs the outputs of every row at once.

gradient = f + E*(slope + G o)        Hessian u = u + E*(curvature * (E u + b) + G E u)

Both are taken in H, where a full kernel needs no factor K and nothing is inverted.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from semisvm.objective.line import ScoreLine
from semisvm.objective.objective import Evaluation, HessianProduct, Line
from semisvm.objective.problem import Problem
from semisvm.objective.row_losses import LossGroup, losses_of
from semisvm.objective.rows import EVERY_ROW, Rows
from semisvm.objective.scores import Scores
from semisvm.objective.vectors import Point, Vector, dots

if TYPE_CHECKING:
    from semisvm.spaces.space import Space

MANY = 4096
"""Points beyond which functions of features are trained without rows of the Gram matrix."""


@dataclass(frozen=True, eq=False)
class Products(ABC):
    """What all objectives share; outputs of remote rows are fetched."""

    problem: Problem

    @property
    def space(self) -> "Space":
        return self.problem.space

    @property
    def n_columns(self) -> int:
        return self.problem.n_columns

    @property
    def n_points(self) -> int:
        return self.problem.space.n_points

    @property
    def free_bias(self) -> bool:
        return self.problem.bias is None

    def columns(self, chosen: np.ndarray) -> "Products":
        return self.problem.columns(chosen).objective()  # type: ignore[return-value]  # every objective is one of these

    def worth_computing(self, moving: np.ndarray) -> np.ndarray:
        return np.flatnonzero(moving)

    # ---------------------------------------------------------------- points

    def vector(self, theta: np.ndarray, bias: np.ndarray) -> Vector:
        return Vector(theta, bias, self.space.metric(theta))

    def complete(self, vector: Vector) -> Point:
        return Point(vector, self.space.complete(vector.theta, vector.metric))

    def point(self, theta: np.ndarray, bias: np.ndarray) -> Point:
        return self.complete(self.vector(theta, bias))

    @abstractmethod
    def zero(self) -> Point:
        """f = 0 and no bias, without a product."""

    @abstractmethod
    def combination(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        """f = sum_i v_i k(x_i, .) where its outputs K v are known from rows of K."""

    @abstractmethod
    def dual_solution(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        """The same for outputs in which rounding has added up: features compute theirs again."""

    @abstractmethod
    def gram_product(self, v: np.ndarray) -> np.ndarray | None:
        """K v = E E* v by two products with features; None where it takes rows of K."""

    @property
    @abstractmethod
    def better_on_pairs(self) -> bool:
        """Whether the dual is better solved on pairs of points, by rows of K, than by going over the points."""

    def start(self) -> Point:
        zero, bias = self.zero(), self.problem.bias
        if bias is None:
            return zero
        vector = zero.vector
        return Point(Vector(vector.theta, np.asarray(bias, dtype=np.float64), vector.metric), zero.outputs)

    def scores(self, point: Point, rows: np.ndarray) -> Scores:
        return self.space.scores(point.scores, rows)

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self.space.represent(v)

    def block(self, rows: Rows, cols: Rows) -> np.ndarray:
        return self.space.block(rows, cols)

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        return self.space.scaled_triangle(rows, scale, less)

    # ---------------------------------------------------------------- losses of scores

    def losses(self, scores: np.ndarray, rows: slice = EVERY_ROW) -> tuple[np.ndarray, np.ndarray]:
        """(sum of the weighted losses, their slope) for the scores of these rows."""
        return losses_of(self._groups(scores, rows), scores)

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        """c_i V''(y_i z_i) and c_j U''(z_j); zero where there is no loss."""
        scores = np.asarray(scores)
        curvature = np.zeros_like(scores)
        for group in self._groups(scores, EVERY_ROW):
            curvature[group.rows] = group.weights * group.loss.curvature(group.arguments(scores))
        return curvature

    @cached_property
    def _groups_within(self) -> dict[tuple[int, int], tuple[LossGroup, ...]]:
        """The groups of blocks of rows that were asked for."""
        return {}

    def _groups(self, scores: np.ndarray, rows: slice) -> tuple[LossGroup, ...]:
        """The groups of points among these rows, with the losses that are valid around the scores."""
        groups = self.problem.groups
        if not self.problem.pointwise:
            self.space.ready()
            norms = self.space.norms()
            return tuple(group.bound(scores, norms) for group in groups)
        start, stop, _ = rows.indices(self.n_points)
        if stop - start == self.n_points:
            return groups
        if (start, stop) not in self._groups_within:
            parts = (group.within(start, stop) for group in groups)
            self._groups_within[start, stop] = tuple(part for part in parts if len(part.members))
        return self._groups_within[start, stop]

    # ---------------------------------------------------------------- values and derivatives

    def bias_slope(self, slope: np.ndarray) -> np.ndarray:
        return slope.sum(axis=0) if self.problem.bias is None else np.zeros(slope.shape[1])

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        return self.evaluate(self.point(theta, bias))

    def evaluate(self, point: Point, graph_product: np.ndarray | float | None = None) -> Evaluation:
        value, slope = self.losses(np.asarray(point.scores))
        graph_product = self._graph_product(point.outputs) if graph_product is None else graph_product
        return self.evaluation(point, value, slope, graph_product, self.represent(slope + graph_product))

    def evaluation(
        self,
        point: Point,
        losses: np.ndarray,
        slope: np.ndarray,
        graph_product: np.ndarray | float,
        represented: np.ndarray,
    ) -> Evaluation:
        """The objective where the losses and their slopes are known already."""
        return Evaluation(self, point, losses + self.penalty(point, graph_product), slope, graph_product, represented)

    def value(self, point: Point) -> np.ndarray:
        losses, _ = self.losses(np.asarray(point.scores))
        value: np.ndarray = losses + self.penalty(point, self._graph_product(point.outputs))
        return value

    def _graph_product(self, outputs: np.ndarray) -> np.ndarray | float:
        """G o."""
        graph = self.problem.graph
        return 0.0 if graph is None else graph.apply(np.asarray(outputs))

    def penalty(self, point: Point, graph_product: np.ndarray | float) -> np.ndarray:
        # 1/2 |f|^2 + 1/2 o'G o
        penalty = dots(point.theta, point.vector.metric)
        graph = self.problem.graph
        return 0.5 * (penalty if graph is None else penalty + np.sum(point.outputs * graph_product, axis=0))

    def hessian(self, evaluation: Evaluation) -> HessianProduct:
        curvature = evaluation.curvature

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            change = curvature * u.scores
            return u.theta + self.represent(change + self._graph_product(u.outputs)), self.bias_slope(change)

        return product

    def along(self, evaluation: Evaluation, direction: Point) -> Line:
        point, graph_product = evaluation.point, self._graph_product(direction.outputs)
        # 1/2 |f + s d|^2 + 1/2 (o + s e)'G(o + s e): constant, linear and quadratic coefficient in s
        linear = dots(direction.theta, point.vector.metric)
        square = dots(direction.theta, direction.vector.metric)
        if self.problem.graph is not None:
            linear = linear + np.sum(direction.outputs * evaluation.graph_product, axis=0)
            square = square + np.sum(direction.outputs * graph_product, axis=0)
        penalty = self.penalty(point, evaluation.graph_product), linear, square
        scores, rates = np.asarray(point.scores), np.asarray(direction.scores)
        return ScoreLine(self, evaluation, direction, penalty, scores, rates, graph_product)

    def toward(self, evaluation: Evaluation, vector: Vector) -> Line:
        return self.along(evaluation, self.complete(vector))


@dataclass(frozen=True, eq=False)
class KernelProducts(Products):
    """Coefficients are weights of points: their metric is their outputs."""

    def zero(self) -> Point:
        theta = np.zeros((self.space.dimension, self.n_columns))
        return self.complete(Vector(theta, np.zeros(self.n_columns), np.zeros_like(theta)))

    def combination(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        theta = self.represent(v)
        return Point(Vector(theta, bias, self.space.metric_from(v, outputs)), outputs)

    def dual_solution(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        return self.combination(v, bias, outputs)

    def gram_product(self, v: np.ndarray) -> np.ndarray | None:
        return None

    @property
    def better_on_pairs(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class FeatureProducts(Products):
    """Coefficients are weights of features: they are their own metric."""

    def zero(self) -> Point:
        theta = np.zeros((self.space.dimension, self.n_columns))
        return Point(Vector(theta, np.zeros(self.n_columns), theta), np.zeros((self.n_points, self.n_columns)))

    def combination(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        theta = self.represent(v)
        return Point(Vector(theta, bias, theta), outputs)

    def dual_solution(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        return self.point(self.represent(v), bias)

    def gram_product(self, v: np.ndarray) -> np.ndarray | None:
        return self.space.outputs(self.represent(v))

    @property
    def better_on_pairs(self) -> bool:
        return self.n_points <= MANY
