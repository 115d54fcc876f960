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
from semisvm.losses.loss import Loss
from semisvm.row_losses import BentRows, Group, GroupLosses, losses_of
from semisvm.spaces.space import Space, span
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
        return Evaluation(
            self.problem.columns(chosen),
            self.point.columns(chosen),
            self.value[chosen],
            self.slope[:, chosen],
            tension,
            self.pulled[:, chosen],
        )

    def put(self, chosen: np.ndarray, part: "Evaluation") -> "Evaluation":
        """This evaluation with the chosen columns moved on."""
        if len(chosen) == len(self.value):
            return part
        tension = self.tension
        if isinstance(tension, np.ndarray) and isinstance(part.tension, np.ndarray):
            tension = put_columns(tension, chosen, part.tension)
        return Evaluation(
            self.problem,
            self.point.put(chosen, part.point),
            put_columns(self.value, chosen, part.value),
            put_columns(self.slope, chosen, part.slope),
            tension,
            put_columns(self.pulled, chosen, part.pulled),
        )


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

    def columns(self, chosen: np.ndarray | slice) -> "Problem":
        """These columns only: finished ones are left out of every product."""
        return replace(
            self,
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
        """The scores of all rows with a loss, in memory; those of other rows may be anything."""
        if not self.space.remote:
            return scores
        return self.space.at_hand(scores, GroupLosses(self._members, self.losses, np.zeros(self.n_columns)))

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        """c_i V''(y_i z_i) and c_j U''(z_j); zero where there is no loss."""
        scores = self.at_hand(scores)
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
        if self.space.by_rows:
            return Point(Vector(theta, np.zeros(k), theta), np.zeros((self.space.n_points, k)))
        return self.complete(Vector(theta, np.zeros(k), np.zeros_like(theta)))

    def bias_slope(self, slope: np.ndarray) -> np.ndarray:
        """Derivative in the bias: sum of the slopes, or 0 where the bias is fixed."""
        return slope.sum(axis=0) if self.bias is None else np.zeros(slope.shape[1])

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        """Value and slopes in one pass over the data."""
        if not self.by_rows:
            return self.evaluate(self.complete(self.vector(theta, bias)))
        value, outputs, slope, pulled = self.space.sweep(theta, GroupLosses(self._members, self.losses, bias))
        point = Point(Vector(theta, bias, self.space.metric(theta)), outputs)
        return Evaluation(self, point, value + self._penalty(point, 0.0), slope, 0.0, pulled)

    def evaluate(self, point: Point, tension: np.ndarray | float | None = None) -> Evaluation:
        """Value and slopes where the outputs, and perhaps G o, are known already."""
        if self.by_rows and self.space.remote:
            return self.at(point.theta, point.bias)
        value, slope = self.losses(point.scores)
        tension = self._tension(point.outputs) if tension is None else tension
        pulled = self.space.represent(slope + tension)
        return Evaluation(self, point, value + self._penalty(point, tension), slope, tension, pulled)

    def value(self, point: Point) -> np.ndarray:
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
        curvature = evaluation.curvature
        if self.by_rows and self.space.remote:
            return self._hessian_by_rows(curvature)

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            change = curvature * u.scores
            return u.theta + self.space.represent(change + self._tension(u.outputs)), self.bias_slope(change)

        return product

    def _hessian_by_rows(self, curvature: np.ndarray) -> Callable[[Point], tuple[np.ndarray, np.ndarray]]:
        """One pass over the rows per product, which computes E u anew rather than fetching it."""
        bent = np.ascontiguousarray(curvature)

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            _, _, change, pulled = self.space.sweep(u.theta, BentRows(bent, u.bias))
            return u.theta + pulled, self.bias_slope(change)

        return product

    def along(self, evaluation: Evaluation, direction: Point) -> "Line":
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

    def toward(self, evaluation: Evaluation, vector: Vector) -> "Line":
        """The line along a vector whose outputs are not known yet, to be tried at s = 1 first.

        In spaces made of rows that trial is one pass over them, and only another one needs the outputs of the vector.
        """
        point = evaluation.point
        if not self.by_rows:
            return self.along(evaluation, self.complete(vector))
        linear, square = dots(vector.theta, point.vector.metric), dots(vector.theta, vector.metric)
        full = self.at(point.theta + vector.theta, point.bias + vector.bias)
        return Line(self, evaluation, vector, (self._penalty(point, 0.0), linear, square), full=full)


@dataclass(frozen=True, eq=False)
class Line:
    """s -> J(point + s direction), column by column."""

    problem: Problem
    evaluation: Evaluation
    vector: Vector
    penalty: tuple[np.ndarray, np.ndarray, np.ndarray]
    known: Point | None = None
    """The direction with its outputs, where they are known already."""
    tension: np.ndarray | float = 0.0
    """G e, the change of G o for s = 1."""
    full: Evaluation | None = None
    """The objective at s = 1, where it is known already."""

    @cached_property
    def direction(self) -> Point:
        return self.known or self.problem.complete(self.vector)

    @cached_property
    def scores(self) -> np.ndarray:
        return self.problem.at_hand(self.evaluation.point.scores)

    @cached_property
    def rates(self) -> np.ndarray:
        return self.problem.at_hand(self.direction.scores)

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        """Value and slope at s = 0, the slope by the same sum as at the first trial."""
        if self.full is not None:
            return self.evaluation.value, self.evaluation.gradient.inner(self.vector)
        return self.evaluation.value, dots(self.evaluation.slope, self.rates) + self.penalty[1]

    @cached_property
    def _trials(self) -> dict[bytes, tuple[np.ndarray, np.ndarray]]:
        """The losses of the latest trial."""
        return {}

    def _losses(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        key = s.tobytes()
        if key not in self._trials:
            self._trials.clear()
            self._trials[key] = self.problem.losses(self.scores + s * self.rates)
        return self._trials[key]

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        constant, linear, square = self.penalty
        if self.full is not None and np.all(s == 1.0):
            return self.full.value, self.full.gradient.inner(self.vector)
        value, slope = self._losses(s)
        return value + constant + s * linear + 0.5 * s**2 * square, dots(slope, self.rates) + linear + s * square

    def arrive(self, s: np.ndarray) -> Evaluation:
        """The objective at the end of the step, from what its trial has computed."""
        if self.full is not None and np.all(s == 1.0):
            return self.full
        point, problem = self.evaluation.point.step(self.direction, s), self.problem
        if problem.by_rows and problem.space.remote:
            return problem.at(point.theta, point.bias)
        tension = 0.0 if problem.graph is None else self.evaluation.tension + s * self.tension
        value, slope = self._losses(s)
        pulled = problem.space.represent(slope + tension)
        return Evaluation(problem, point, value + problem._penalty(point, tension), slope, tension, pulled)

    def curvature(self, s: np.ndarray) -> np.ndarray:
        curvature = self.problem.curvature(self.scores + s * self.rates)
        return np.einsum("ij,ij,ij->j", curvature, self.rates, self.rates) + self.penalty[2]

    @cached_property
    def _loaded(self) -> list[tuple[Loss, np.ndarray, np.ndarray, np.ndarray]]:
        """(loss, arguments t, rates r of t, weights times r) of the points that carry a pointwise loss."""
        parts = []
        for group in self.problem._members:
            rates = group.arguments(self.rates)
            parts.append((group.loss, group.arguments(self.scores), rates, group.weights * rates))
        return parts

    def slope(self, s: np.ndarray) -> np.ndarray:
        """The derivative alone, for pointwise losses: it costs the points with a loss, not all of them."""
        _, linear, square = self.penalty
        slope = linear + s * square
        for loss, t, rates, pull in self._loaded:
            slope = slope + dots(pull, loss.slope(t + s * rates))
        return slope

    def breakpoints(self) -> np.ndarray:
        """(m, k) steps s > 0 at which some loss changes its piece, t + s r = b; infinity for those behind."""
        knots = [np.full((1, len(self.penalty[0])), np.inf)]
        with np.errstate(divide="ignore", invalid="ignore"):
            knots += [(b - t) / rates for loss, t, rates, _ in self._loaded for b in loss.breakpoints]
        steps = np.concatenate(knots)
        return np.where(steps > 0, steps, np.inf)
