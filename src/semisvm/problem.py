"""The one objective of the field, over functions f of a space H and a bias b, for k binary problems at once:

J(f, b) = 1/2 |f|^2 + sum_{i in L} c_i V(y_i z_i) + sum_{j in U} c_j U(z_j) + 1/2 o'G o      o = f(x), z = o + b

V is the labeled loss, U the unlabeled loss, c the weights of the points (C and C_star underneath), G an optional graph
term. Gradient and Hessian are taken in H, where a full kernel needs no factor K and nothing is inverted:

gradient = f + E*(slope + G o)        Hessian u = u + E*(curvature * (E u + b) + G E u)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semisvm.graph import GraphTerm
from semisvm.losses.loss import Loss
from semisvm.spaces.space import Space


@dataclass(frozen=True, eq=False)
class Vector:
    """An element (f, b) of H x R by its coefficients, with R theta beside them so that inner products are free."""

    theta: np.ndarray
    bias: np.ndarray
    metric: np.ndarray

    def inner(self, other: "Vector") -> np.ndarray:
        """<f, g> + b_f b_g, for each column."""
        return np.einsum("ij,ij->j", self.theta, other.metric) + self.bias * other.bias

    def norm(self) -> np.ndarray:
        return np.sqrt(np.maximum(self.inner(self), 0.0))

    def plus(self, other: "Vector", size: np.ndarray | float) -> "Vector":
        """self + size other."""
        theta = self.theta + size * other.theta
        euclidean = self.metric is self.theta and other.metric is other.theta
        return Vector(theta, self.bias + size * other.bias, theta if euclidean else self.metric + size * other.metric)

    def scaled(self, size: np.ndarray | float) -> "Vector":
        theta = size * self.theta
        return Vector(theta, size * self.bias, theta if self.metric is self.theta else size * self.metric)

    def columns(self, chosen: np.ndarray) -> "Vector":
        theta = self.theta[:, chosen]
        return Vector(theta, self.bias[chosen], theta if self.metric is self.theta else self.metric[:, chosen])

    def put(self, chosen: np.ndarray, part: "Vector") -> "Vector":
        """This vector with the chosen columns replaced."""
        theta = _put(self.theta, chosen, part.theta)
        metric = theta if self.metric is self.theta else _put(self.metric, chosen, part.metric)
        return Vector(theta, _put(self.bias, chosen, part.bias), metric)


@dataclass(frozen=True, eq=False)
class Point:
    """A vector and its outputs at the training points."""

    vector: Vector
    outputs: np.ndarray

    @property
    def theta(self) -> np.ndarray:
        return self.vector.theta

    @property
    def bias(self) -> np.ndarray:
        return self.vector.bias

    @property
    def scores(self) -> np.ndarray:
        return self.outputs + self.vector.bias

    def step(self, direction: "Point", size: np.ndarray | float) -> "Point":
        """self + size direction; no product is needed, because everything is linear."""
        vector = self.vector.plus(direction.vector, size)
        if self.outputs is self.vector.metric and direction.outputs is direction.vector.metric:
            return Point(vector, vector.metric)
        return Point(vector, self.outputs + size * direction.outputs)

    def columns(self, chosen: np.ndarray) -> "Point":
        vector = self.vector.columns(chosen)
        return Point(vector, vector.metric if self.outputs is self.vector.metric else self.outputs[:, chosen])

    def put(self, chosen: np.ndarray, part: "Point") -> "Point":
        vector = self.vector.put(chosen, part.vector)
        shared = self.outputs is self.vector.metric
        return Point(vector, vector.metric if shared else _put(self.outputs, chosen, part.outputs))


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
        tension = self.tension if np.isscalar(self.tension) else self.tension[:, chosen]
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
        return Evaluation(
            self.problem,
            self.point.put(chosen, part.point),
            _put(self.value, chosen, part.value),
            _put(self.slope, chosen, part.slope),
            self.tension if np.isscalar(self.tension) else _put(self.tension, chosen, part.tension),
            _put(self.pulled, chosen, part.pulled),
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
        value, slope = np.zeros(scores.shape[1]), np.zeros_like(scores)
        for group in self._groups(scores, rows):
            v, s = group.loss.value_and_slope(group.sign * scores[group.rows])
            value += np.einsum("ij,ij->j", group.weights, v)
            slope[group.rows] = group.weights * group.sign * s
        return value, slope

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        """c_i V''(y_i z_i) and c_j U''(z_j); zero where there is no loss."""
        curvature = np.zeros_like(scores)
        for group in self._groups(scores, slice(None)):
            curvature[group.rows] = group.weights * group.loss.curvature(group.sign * scores[group.rows])
        return curvature

    @cached_property
    def _members(self) -> list[tuple[np.ndarray, Loss, np.ndarray, np.ndarray]]:
        labeled, unlabeled = _span(self.labeled), _span(self.unlabeled)
        return [
            (self.labeled, self.labeled_loss, self.y[labeled], self.weights[labeled]),
            (self.unlabeled, self.unlabeled_loss, np.ones((len(self.unlabeled), 1)), self.weights[unlabeled]),
        ]

    def _groups(self, scores: np.ndarray, rows: slice) -> Iterator["_Group"]:
        """The labeled and the unlabeled points among these rows, with what belongs to each."""
        start, stop, _ = rows.indices(self.space.n_points)
        for members, loss, sign, weights in self._members:
            lo, hi = np.searchsorted(members, (start, stop))
            if lo == hi:
                continue
            local = _span(members[lo:hi] - start)
            if not loss.pointwise:
                loss = loss.bind(scores[local], self.space.norms()[members])
            elif hi - lo < len(members):
                loss = loss.take(slice(lo, hi))
            yield _Group(local, loss, sign[lo:hi], weights[lo:hi])

    @cached_property
    def pointwise(self) -> bool:
        """Whether every row's loss depends on that row alone, so that one pass over the rows evaluates it."""
        return self.graph is None and self.labeled_loss.pointwise and self.unlabeled_loss.pointwise

    # ---------------------------------------------------------------- values and derivatives

    def vector(self, theta: np.ndarray, bias: np.ndarray) -> Vector:
        return Vector(theta, bias, self.space.metric(theta))

    def complete(self, vector: Vector) -> Point:
        """The point of a vector: no product in kernel spaces, one in spaces made of rows."""
        return Point(vector, self.space.complete(vector.theta, vector.metric))

    def start(self) -> Point:
        """f = 0 with the fixed bias, or with none."""
        k = self.n_columns
        theta, outputs = np.zeros((self.space.dimension, k)), np.zeros((self.space.n_points, k))
        bias = np.zeros(k) if self.bias is None else np.asarray(self.bias, dtype=np.float64)
        return Point(Vector(theta, bias, theta if self.space.by_rows else np.zeros_like(theta)), outputs)

    def bias_slope(self, slope: np.ndarray) -> np.ndarray:
        """Derivative in the bias: sum of the slopes, or 0 where the bias is fixed."""
        return slope.sum(axis=0) if self.bias is None else np.zeros(slope.shape[1])

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        """Value and slopes in one pass over the data."""
        if not (self.pointwise and self.space.by_rows):
            return self.evaluate(self.complete(self.vector(theta, bias)))
        value, outputs, slope, pulled = self.space.sweep(theta, lambda rows, o: self.losses(o + bias, rows))
        point = Point(Vector(theta, bias, self.space.metric(theta)), outputs)
        return Evaluation(self, point, value + self._penalty(point, 0.0), slope, 0.0, pulled)

    def evaluate(self, point: Point, tension: np.ndarray | float | None = None) -> Evaluation:
        """Value and slopes where the outputs, and perhaps G o, are known already."""
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
        penalty = np.einsum("ij,ij->j", point.theta, point.vector.metric)
        return 0.5 * (penalty if self.graph is None else penalty + np.sum(point.outputs * tension, axis=0))

    def hessian(self, evaluation: Evaluation) -> Callable[[Point], tuple[np.ndarray, np.ndarray]]:
        """u -> (u + E*(curvature * (E u + b) + G E u), its bias part)."""
        curvature = evaluation.curvature

        def product(u: Point) -> tuple[np.ndarray, np.ndarray]:
            change = curvature * u.scores
            return u.theta + self.space.represent(change + self._tension(u.outputs)), self.bias_slope(change)

        return product

    def along(self, evaluation: Evaluation, direction: Point) -> "Line":
        """The objective restricted to point + s direction: O(n) per trial, no product."""
        point = evaluation.point
        # 1/2 |f + s d|^2 + 1/2 (o + s e)'G(o + s e): constant, linear and quadratic coefficient in s
        linear = np.einsum("ij,ij->j", direction.theta, point.vector.metric)
        square = np.einsum("ij,ij->j", direction.theta, direction.vector.metric)
        tension = self._tension(direction.outputs)
        if self.graph is not None:
            linear = linear + np.sum(direction.outputs * evaluation.tension, axis=0)
            square = square + np.sum(direction.outputs * tension, axis=0)
        constant = self._penalty(point, evaluation.tension)
        return Line(self, point.scores, direction.scores, (constant, linear, square), tension)


@dataclass(frozen=True, eq=False)
class Line:
    """s -> J(point + s direction), column by column."""

    problem: Problem
    scores: np.ndarray
    rates: np.ndarray
    penalty: tuple[np.ndarray, np.ndarray, np.ndarray]
    tension: np.ndarray | float = 0.0
    """G e, the change of G o for s = 1."""

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        constant, linear, square = self.penalty
        value, slope = self.problem.losses(self.scores + s * self.rates)
        slope_along = np.einsum("ij,ij->j", slope, self.rates)
        return value + constant + s * linear + 0.5 * s**2 * square, slope_along + linear + s * square

    def curvature(self, s: np.ndarray) -> np.ndarray:
        curvature = self.problem.curvature(self.scores + s * self.rates)
        return np.einsum("ij,ij,ij->j", curvature, self.rates, self.rates) + self.penalty[2]

    @cached_property
    def _loaded(self) -> list[tuple[Loss, np.ndarray, np.ndarray, np.ndarray]]:
        """(loss, weights, arguments t, rates of t) of the points that carry a pointwise loss."""
        parts = []
        for members, loss, sign, weights in self.problem._members:
            if len(members):
                rows = _span(members)
                parts.append((loss, weights, sign * self.scores[rows], sign * self.rates[rows]))
        return parts

    def slope(self, s: np.ndarray) -> np.ndarray:
        """The derivative alone, for pointwise losses: it costs the points with a loss, not all of them."""
        _, linear, square = self.penalty
        slope = linear + s * square
        for loss, weights, t, rates in self._loaded:
            slope = slope + np.einsum("ij,ij,ij->j", weights, rates, loss.slope(t + s * rates))
        return slope

    def breakpoints(self) -> np.ndarray:
        """(m, k) steps s > 0 at which some loss changes its piece, t + s r = b; infinity for those behind."""
        knots = [np.full((1, len(self.penalty[0])), np.inf)]
        with np.errstate(divide="ignore", invalid="ignore"):
            knots += [(b - t) / rates for loss, _, t, rates in self._loaded for b in loss.breakpoints]
        steps = np.concatenate(knots)
        return np.where(steps > 0, steps, np.inf)


@dataclass(frozen=True, eq=False)
class _Group:
    rows: np.ndarray | slice
    loss: Loss
    sign: np.ndarray
    weights: np.ndarray


def _put(whole: np.ndarray, chosen: np.ndarray, part: np.ndarray) -> np.ndarray:
    whole = whole.copy()
    whole[..., chosen] = part
    return whole


def _span(rows: np.ndarray) -> np.ndarray | slice:
    """A slice where the rows follow one another: a view instead of a gather."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows
