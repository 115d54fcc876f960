"""Limited-memory BFGS in the inner product of the space (Nocedal and Wright, algorithm 7.4), k columns at once.

Inner products use the stored metric of each vector, so that with a full kernel an iteration costs one product (that of
the new gradient) however many trial steps it takes, and coefficients need no preconditioning by K.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.line_search import step_along
from semisvm.optim.minimizer import Minimizer, resting


@dataclass(frozen=True)
class LBFGS(Minimizer):
    """tol: stop at |gradient| <= tol max(1, |f|); memory: pairs of differences kept."""

    tol: float = 1e-5
    memory: int = 20

    def iterate(self, objective: Any, start: Any, budget: Budget = UNLIMITED) -> Iterator[Any]:
        evaluation = objective.evaluate(start)
        history: deque[tuple[Any, Any, np.ndarray]] = deque(maxlen=self.memory)
        stuck = np.zeros(len(evaluation.value), dtype=bool)
        while True:
            yield evaluation
            moving = (evaluation.stationarity > self.tol) & ~stuck
            if not moving.any():
                return
            gradient = evaluation.gradient
            vector = _two_loops(gradient, history)
            # first iteration: a step of length at most one
            scale = 1.0 if history else 1.0 / np.maximum(1.0, gradient.norm())
            direction = objective.complete(vector.scaled(np.where(moving, -scale, 0.0)))
            first = np.ones(len(evaluation.value))
            size = step_along(objective.along(evaluation, direction), tol=0.9, first=first)
            after = objective.evaluate(evaluation.point.step(direction, size))
            stuck |= moving & resting(evaluation, after)
            step, change = direction.vector.scaled(size), after.gradient.plus(gradient, -1.0)
            curvature = step.inner(change)
            # a pair with no positive curvature (or of a resting column) is left out by a zero weight
            useful = curvature > 1e-10 * step.norm() * change.norm()
            history.append((step, change, np.where(useful, 1.0 / np.where(useful, curvature, 1.0), 0.0)))
            evaluation = after


def _two_loops(gradient: Any, history: deque) -> Any:
    """The inverse Hessian estimate times the gradient."""
    q, weights = gradient, []
    for step, change, rho in reversed(history):
        weight = rho * q.inner(step)
        q = q.plus(change, -weight)
        weights.append(weight)
    if history:
        step, change, rho = history[-1]
        square = change.inner(change)
        used = (rho > 0) & (square > 0)
        q = q.scaled(np.where(used, 1.0 / np.where(used, rho * square, 1.0), 1.0))
    for (step, change, rho), weight in zip(history, reversed(weights), strict=True):
        q = q.plus(step, weight - rho * change.inner(q))
    return q
