"""The one objective of the field, over functions f of a space H and a bias b, for k binary problems at once:

J(f, b) = 1/2 |f|^2 + sum_{i in L} c_i V(y_i z_i) + sum_{j in U} c_j U(z_j) + 1/2 o'G o      o = f(x), z = o + b

V is the labeled loss, U the unlabeled loss, c the weights of the points (C and C_star underneath), G an optional graph
term. Gradient and Hessian are taken in H, where a full kernel needs no factor K and nothing is inverted:

gradient = f + E*(slope + G o)        Hessian u = u + E*(curvature * (E u + b) + G E u)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semisvm.graph import GraphTerm
from semisvm.line import Line
from semisvm.losses import Annealed
from semisvm.losses.loss import Loss
from semisvm.multipliers import frozen
from semisvm.row_losses import BentAt, BentRows, Group, GroupLosses, losses_of
from semisvm.spaces.chunked.vectors import RemoteOutputs
from semisvm.spaces.space import RowLosses, Space, span
from semisvm.vectors import Point, Vector, dots, put_columns


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The objective at a point: value of each column, slope of every score, G o, and E*(slope + G o)."""

    problem: "Problem"
    point: Point
    value: np.ndarray
    slope: np.ndarray
    tension: np.ndarray | float
    pulled: np.ndarray

    @cached_property
    def curvature(self) -> np.ndarray:
        return self.problem.curvature(self.point.scores)

    @cached_property
    def gradient(self) -> Vector:
        """f + E*(slope + G o), and the sum of the slopes for a free bias."""
        theta = self.point.theta + self.pulled
        return Vector(theta, self.problem.bias_slope(self.slope), self.problem.space.metric(theta))

    @cached_property
    def stationarity(self) -> np.ndarray:
        """|gradient| / max(1, |f|), for each column."""
        return self.gradient.norm() / np.maximum(1.0, self.point.vector.norm())

    def columns(self, chosen: np.ndarray) -> "Evaluation":
        tension = self.tension if isinstance(self.tension, float) else self.tension[:, chosen]
        part = Evaluation(
            self.problem.columns(chosen),
            self.point.columns(chosen),
            self.value[chosen],
            self.slope[:, chosen],
            tension,
            self.pulled[:, chosen],
        )
        if "gradient" in self.__dict__:
            part.__dict__["gradient"] = self.gradient.columns(chosen)
        return part

    def put(self, chosen: np.ndarray, part: "Evaluation") -> "Evaluation":
        """This evaluation with the chosen columns moved on."""
        if len(chosen) == len(self.value):
            return part
        tension = self.tension
        if isinstance(tension, np.ndarray) and isinstance(part.tension, np.ndarray):
            tension = put_columns(tension, chosen, part.tension)
        whole = Evaluation(
            self.problem,
            self.point.put(chosen, part.point),
            put_columns(self.value, chosen, part.value),
            put_columns(self.slope, chosen, part.slope),
            tension,
            put_columns(self.pulled, chosen, part.pulled),
        )
        if "gradient" in self.__dict__:
            # no product for the columns that stay
            whole.__dict__["gradient"] = self.gradient.put(chosen, part.gradient)
        return whole


@dataclass(frozen=True, eq=False)
class Problem:
    """k binary problems on one space. A point that is neither labeled nor unlabeled carries no loss.

    y and weights are (n, k); a fixed bias is (k,), and None leaves it free.
    """

    space: Space
    y: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    labeled_loss: Loss
    unlabeled_loss: Loss
    weights: np.ndarray
    bias: np.ndarray | None = None
    graph: GraphTerm | None = None

    @property
    def n_columns(self) -> int:
        return self.y.shape[1]

    def replace(self, **changes) -> "Problem":
        return replace(self, **changes)

    @property
    def divisible(self) -> bool:
        """Whether some columns cost less than all of them: a pass over rows that live elsewhere costs the same."""
        return not self.space.remote

    def columns(self, chosen: np.ndarray | slice) -> "Problem":
        """These columns only: finished ones are left out of every product."""
        return replace(
            self,
            space=self.space.columns(chosen),
            y=self.y[:, chosen],
            weights=self.weights[:, chosen],
            bias=None if self.bias is None else self.bias[chosen],
            labeled_loss=self.labeled_loss.columns(chosen),
            unlabeled_loss=self.unlabeled_loss.columns(chosen),
        )

    # ---------------------------------------------------------------- losses of scores

    def losses(self, scores: np.ndarray, rows: slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """(sum of the weighted losses, their slope) for the scores of these rows."""
        return losses_of(self._groups(scores, rows), scores)

    def at_hand(self, scores: np.ndarray) -> np.ndarray:
        """Scores of all rows with a loss, in memory or left with their rows; those of other rows may be anything."""
        if not self.space.remote:
            return scores
        return self.space.at_hand(scores, self.row_losses(np.zeros(self.n_columns)))

    def row_losses(self, bias: np.ndarray) -> GroupLosses:
        """The losses as a function of outputs."""
        return GroupLosses(self._members, self.losses, bias)

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        """c_i V''(y_i z_i) and c_j U''(z_j); zero where there is no loss."""
        scores = np.asarray(self.at_hand(scores))
        curvature = np.zeros_like(scores)
        for group in self._groups(scores, slice(None)):
            curvature[group.rows] = group.weights * group.loss.curvature(group.arguments(scores))
        return curvature

    @cached_property
    def _members(self) -> tuple[Group, ...]:
        """The labeled and the unlabeled points, where there are any that count."""
        labeled, unlabeled = span(self.labeled), span(self.unlabeled)
        groups = (
            Group(self.labeled, labeled, self.labeled_loss, self.y[labeled], self.weights[labeled]),
            Group(self.unlabeled, unlabeled, self.unlabeled_loss, None, self.weights[unlabeled]),
        )
        return tuple(group for group in groups if len(group.members) and group.weights.any())

    @cached_property
    def _members_within(self) -> dict[tuple[int, int], tuple[Group, ...]]:
        """The groups of blocks of rows that were asked for."""
        return {}

    def _groups(self, scores: np.ndarray, rows: slice) -> tuple[Group, ...]:
        """The labeled and the unlabeled points among these rows, with what belongs to each."""
        if not self.pointwise:
            self.space.ready()
            norms = self.space.norms()
            return tuple(group.bound(scores, norms) for group in self._members)
        start, stop, _ = rows.indices(self.space.n_points)
        if stop - start == self.space.n_points:
            return self._members
        if (start, stop) not in self._members_within:
            parts = (group.within(start, stop) for group in self._members)
            self._members_within[start, stop] = tuple(part for part in parts if len(part.members))
        return self._members_within[start, stop]

    @cached_property
    def pointwise(self) -> bool:
        """Whether every row's loss depends on that row alone."""
        return self.labeled_loss.pointwise and self.unlabeled_loss.pointwise

    @cached_property
    def by_rows(self) -> bool:
        """Whether one pass over the rows evaluates the objective."""
        return self.space.by_rows and self.graph is None and self.pointwise

    @cached_property
    def binds_away(self) -> bool:
        """Whether what ties the points together is found by sums over blocks, where their rows are."""
        by_sums = isinstance(self.unlabeled_loss, Annealed) and self.unlabeled_loss.loss.pointwise
        free = self.space.by_rows and self.space.keeps_vectors and self.graph is None
        return free and by_sums and self.labeled_loss.pointwise

    def bound(self, scores: np.ndarray) -> "Problem":
        """The problem whose losses depend on one row each, valid around these scores; itself where they do already."""
        if not self.binds_away:
            return self
        assert isinstance(self.unlabeled_loss, Annealed)
        assert isinstance(scores, RemoteOutputs)
        return self.replace(unlabeled_loss=frozen(self.unlabeled_loss, scores, self.unlabeled))

    @cached_property
    def one_pass(self) -> bool:
        """Whether the objective at a step is one pass over rows that live elsewhere, or in this process."""
        return self.by_rows or self.binds_away

    # ---------------------------------------------------------------- values and derivatives

    def vector(self, theta: np.ndarray, bias: np.ndarray) -> Vector:
        return Vector(theta, bias, self.space.metric(theta))

    def complete(self, vector: Vector) -> Point:
        """The point of a vector: no product in kernel spaces, one in spaces made of rows."""
        return Point(vector, self.space.complete(vector.theta, vector.metric))

    def start(self) -> Point:
        """f = 0 with the fixed bias, or with none."""
        nowhere = self.nowhere()
        if self.bias is None:
            return nowhere
        vector = nowhere.vector
        return Point(Vector(vector.theta, np.asarray(self.bias, dtype=np.float64), vector.metric), nowhere.outputs)

    def nowhere(self) -> Point:
        """f = 0 and no bias, without a product."""
        k = self.n_columns
        theta = np.zeros((self.space.dimension, k))
        if self.space.by_rows and not self.space.remote:
            return Point(Vector(theta, np.zeros(k), theta), np.zeros((self.space.n_points, k)))
        return self.complete(Vector(theta, np.zeros(k), np.zeros_like(theta)))

    def bias_slope(self, slope: np.ndarray) -> np.ndarray:
        """Derivative in the bias: sum of the slopes, or 0 where the bias is fixed."""
        return slope.sum(axis=0) if self.bias is None else np.zeros(slope.shape[1])

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        """Value and slopes in one pass over the data."""
        if self.binds_away:
            there = self.complete(self.vector(theta, bias))
            return replace(self.bound(there.scores).at(theta, bias), problem=self)
        if not self.by_rows:
            return self.evaluate(self.complete(self.vector(theta, bias)))
        value, outputs, slope, pulled = self.space.sweep(theta, self.row_losses(bias))
        point = Point(Vector(theta, bias, self.space.metric(theta)), outputs)
        return self.evaluation(point, value, slope, 0.0, pulled)

    def evaluate(self, point: Point, tension: np.ndarray | float | None = None) -> Evaluation:
        """Value and slopes where the outputs, and perhaps G o, are known already."""
        if self.one_pass and self.space.remote:
            return self.at(point.theta, point.bias)
        value, slope = self.losses(point.scores)
        tension = self._tension(point.outputs) if tension is None else tension
        return self.evaluation(point, value, slope, tension, self.space.represent(slope + tension))

    def evaluation(
        self, point: Point, losses: np.ndarray, slope: np.ndarray, tension: np.ndarray | float, pulled: np.ndarray
    ) -> Evaluation:
        """The objective where the losses and their slopes are known already."""
        return Evaluation(self, point, losses + self._penalty(point, tension), slope, tension, pulled)

    def value(self, point: Point) -> np.ndarray:
        if self.one_pass and self.space.keeps_vectors:
            return self.at(point.theta, point.bias).value
        return self.losses(point.scores)[0] + self._penalty(point, self._tension(point.outputs))

    def _tension(self, outputs: np.ndarray) -> np.ndarray | float:
        """G o."""
        return 0.0 if self.graph is None else self.graph.apply(outputs)

    def _penalty(self, point: Point, tension: np.ndarray | float) -> np.ndarray:
        # 1/2 |f|^2 + 1/2 o'G o
        penalty = dots(point.theta, point.vector.metric)
        return 0.5 * (penalty if self.graph is None else penalty + np.sum(point.outputs * tension, axis=0))

    def hessian(self, evaluation: Evaluation) -> Callable[[Point], tuple[np.ndarray, np.ndarray]]:
        """u -> (u + E*(curvature * (E u + b) + G E u), its bias part)."""
        if self.by_rows and self.space.remote:
            return self._hessian_by_rows(evaluation)
        curvature = evaluation.curvature

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            change = curvature * u.scores
            return u.theta + self.space.represent(change + self._tension(u.outputs)), self.bias_slope(change)

        return product

    def _hessian_by_rows(self, evaluation: Evaluation) -> Callable[[Point], tuple[np.ndarray, np.ndarray]]:
        """One pass over the rows per product, which computes E u anew rather than fetching it."""
        scores, none = self.at_hand(evaluation.point.scores), np.zeros(self.n_columns)
        if isinstance(scores, RemoteOutputs):
            bent: RowLosses = BentAt(self.row_losses(none), scores, none)
        else:
            bent = BentRows(np.ascontiguousarray(evaluation.curvature), none)

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            _, _, change, pulled = self.space.sweep(u.theta, bent.moved(u.bias))
            return u.theta + pulled, self.bias_slope(change)

        return product

    def along(self, evaluation: Evaluation, direction: Point) -> Line:
        """The objective restricted to point + s direction: O(n) per trial, no product."""
        point = evaluation.point
        # 1/2 |f + s d|^2 + 1/2 (o + s e)'G(o + s e): constant, linear and quadratic coefficient in s
        linear = dots(direction.theta, point.vector.metric)
        square = dots(direction.theta, direction.vector.metric)
        tension = self._tension(direction.outputs)
        if self.graph is not None:
            linear = linear + np.sum(direction.outputs * evaluation.tension, axis=0)
            square = square + np.sum(direction.outputs * tension, axis=0)
        constant = self._penalty(point, evaluation.tension)
        return Line(self, evaluation, direction.vector, (constant, linear, square), direction, tension)

    def toward(self, evaluation: Evaluation, vector: Vector) -> Line:
        """The line along a vector whose outputs are not known yet, to be tried at s = 1 first.

        In spaces made of rows that trial is one pass over them, and only another one needs the outputs of the vector.
        """
        point = evaluation.point
        if not self.one_pass:
            return self.along(evaluation, self.complete(vector))
        linear, square = dots(vector.theta, point.vector.metric), dots(vector.theta, vector.metric)
        full = self.at(point.theta + vector.theta, point.bias + vector.bias)
        return Line(self, evaluation, vector, (self._penalty(point, 0.0), linear, square), full=full)
