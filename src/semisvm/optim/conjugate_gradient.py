"""Nonlinear conjugate gradients in the inner product of the space, with an exact line search.

For convex piecewise-quadratic objectives. With a full kernel the gradient of H is the gradient of the coefficients
preconditioned by K^-1, so this is the preconditioned conjugate gradient of Melacci and Belkin (2011): Polak-Ribiere
with restart, and one kernel product per iteration (that of the new gradient), because the outputs of point and
direction follow by recursion. The k columns share each product; each has its own direction, step and restart.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.objective.objective import Evaluation, Objective
from semisvm.objective.vectors import Point, Vector
from semisvm.optim.breakpoint_search import exact_step
from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.minimizer import Minimizer

PATIENCE = 100
"""Iterations without a lower value or a gradient below the smallest so far, after which precision is spent."""


@dataclass(frozen=True)
class ConjugateGradient(Minimizer[Objective]):
    """tol: stop at |gradient| <= tol max(1, |f|), certified with freshly computed outputs."""

    tol: float = 1e-6

    def iterate(self, objective: Objective, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        evaluation = objective.evaluate(start)
        idle, least = np.zeros(len(evaluation.value), dtype=np.intp), evaluation.stationarity
        moving, last = np.arange(len(evaluation.value)), None
        while True:
            yield evaluation
            going = (evaluation.stationarity > self.tol) & (idle < PATIENCE)
            still = going[moving]
            moving = moving[still]
            if not len(moving):
                return
            part = evaluation if len(moving) == len(going) else evaluation.columns(moving)
            last = None if last is None else last.columns(still)
            direction = _direction(part, last)
            line = part.objective.along(part, direction)
            size = exact_step(line)
            # G(o + s e) = G o + s G e
            graph_product = None if np.isscalar(line.graph_product) else part.graph_product + size * line.graph_product
            moved = part.objective.evaluate(part.point.step(direction, size), graph_product)
            moved, recomputed = self._certified(moved)
            last = _Last(part.gradient, direction, recomputed | (size == 0))
            better = moved.value < part.value - 1e-15 * np.abs(part.value)
            better |= moved.stationarity < least[moving]
            idle[moving] = np.where(better, 0, idle[moving] + 1)
            evaluation = evaluation.put(moving, moved)
            least = np.minimum(least, evaluation.stationarity)

    def _certified(self, evaluation: Evaluation) -> tuple[Evaluation, np.ndarray]:
        """Columns that look stationary evaluated anew, since the recursion of their outputs has gathered rounding."""
        settled = evaluation.stationarity <= self.tol
        chosen = np.flatnonzero(settled)
        if len(chosen):
            part = evaluation.columns(chosen)
            afresh = part.objective.point(part.point.theta, part.point.bias)
            evaluation = evaluation.put(chosen, part.objective.evaluate(afresh))
        return evaluation, settled


@dataclass(frozen=True, eq=False)
class _Last:
    """Gradient and direction of the last iteration; columns that start over."""

    gradient: Vector
    direction: Point
    restart: np.ndarray

    def columns(self, chosen: np.ndarray) -> "_Last":
        if chosen.all():
            return self
        rows = np.flatnonzero(chosen)
        return _Last(self.gradient.columns(rows), self.direction.columns(rows), self.restart[rows])


def _direction(evaluation: Evaluation, last: _Last | None) -> Point:
    """-g + beta direction, beta = max(0, <g, g - g_old> / <g_old, g_old>); restarted where it does not descend."""
    gradient = evaluation.gradient
    steepest = evaluation.objective.complete(gradient.scaled(-1.0))
    if last is None:
        return steepest
    before = last.gradient.inner(last.gradient)
    beta = (gradient.inner(gradient) - gradient.inner(last.gradient)) / np.where(before > 0, before, np.inf)
    descends = gradient.inner(steepest.vector) + beta * gradient.inner(last.direction.vector) < 0
    beta = np.where(last.restart | ~descends, 0.0, np.maximum(beta, 0.0))
    return steepest.step(last.direction, beta)
