"""Newton's method with conjugate gradients in the inner product of the space.

Each iteration solves Hessian d = -gradient by conjugate gradients and steps along d. In H the Hessian is
identity + finite rank, so with a full kernel this is the preconditioned conjugate gradient of Melacci and Belkin, with
one kernel product per inner iteration; with linear functions it is the modified finite Newton method of Keerthi and
DeCoste, with one product by X and one by X' per inner iteration.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.objective.objective import Evaluation, Objective
from semisvm.objective.vectors import Point
from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.line_search import step_along
from semisvm.optim.minimizer import Minimizer
from semisvm.optim.patience import Patience

NO_CURVATURE = 1e-14
"""Curvature along a direction, over its squared length, that counts as none: the step it asks for has no bound."""


@dataclass(frozen=True)
class NewtonCG(Minimizer[Objective]):
    """tol: stop at |gradient| <= tol max(1, |f|); max_inner: conjugate gradient iterations per Newton step."""

    tol: float = 1e-6
    max_inner: int = 250

    def iterate(self, objective: Objective, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        evaluation = objective.evaluate(start)
        patience = Patience(evaluation)
        while True:
            yield evaluation
            moving = np.flatnonzero((evaluation.stationarity > self.tol) & ~patience.exhausted)
            if not len(moving):
                return
            part = evaluation if len(moving) == len(evaluation.value) else evaluation.columns(moving)
            line = part.objective.along(part, self._direction(part, budget))
            moved = line.arrive(step_along(line, tol=0.1, first=np.ones(len(moving))))
            patience.update(moving, moved)
            evaluation = evaluation.put(moving, moved)

    def _direction(self, evaluation: Evaluation, budget: Budget) -> Point:
        """Hessian d = -gradient, to a residual that shrinks with the gradient; cut where curvature is not positive."""
        objective, gradient = evaluation.objective, evaluation.gradient
        direction, columns = objective.zero(), np.arange(len(evaluation.value))
        part, inner, hessian = direction, objective, objective.hessian(evaluation)
        forcing = np.minimum(0.1, np.sqrt(evaluation.stationarity))
        residual = gradient.scaled(-1.0)
        square = residual.inner(residual)
        enough = forcing**2 * square
        search = objective.complete(residual)
        going = np.ones(len(columns), dtype=bool)
        for _ in range(self.max_inner):
            with np.errstate(over="ignore", invalid="ignore"):
                theta, bias = hessian(search)
                bend = np.einsum("ij,ij->j", search.vector.metric, theta) + search.bias * bias
                least = NO_CURVATURE * search.vector.inner(search.vector)
            if not np.isfinite(bend).all():
                break  # rows so large that rounding makes directions overflow: what was found before will do
            going = going & (bend > least)
            size = np.where(going, square / np.where(going, bend, 1.0), 0.0)
            part = part.step(search, size)
            residual = inner.vector(residual.theta - size * theta, residual.bias - size * bias)
            new = residual.inner(residual)
            going = going & (new > enough)
            if not going.any() or budget.spent:
                break
            search = inner.complete(residual).step(search, np.where(going, new / np.where(going, square, 1.0), 0.0))
            square = new
            rest = objective.worth_computing(going)
            if len(rest) < len(going):
                # columns that are done are left out of every product from here on
                direction = direction.put(columns, part)
                columns, square, enough, going = columns[rest], square[rest], enough[rest], going[rest]
                part, residual, search = part.columns(rest), residual.columns(rest), search.columns(rest)
                evaluation = evaluation.columns(rest)
                inner, hessian = evaluation.objective, evaluation.objective.hessian(evaluation)
        direction = direction.put(columns, part)
        # steepest descent where the very first direction has no positive curvature
        flat = direction.vector.norm() == 0
        return direction if not flat.any() else direction.step(objective.complete(gradient), np.where(flat, -1.0, 0.0))
