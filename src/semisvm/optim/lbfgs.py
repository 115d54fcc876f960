"""Limited-memory BFGS in the inner product of the space, k columns at once.

Inner products use the stored metric of each vector, so that with a full kernel an iteration costs one product (that of
the new gradient) however many trial steps it takes, and coefficients need no preconditioning by K. In spaces made of
rows an iteration whose full step is accepted is one pass over the rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.objective.objective import Evaluation, Objective
from semisvm.objective.vectors import Point
from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.difference_pairs import DifferencePairs
from semisvm.optim.line_search import step_along
from semisvm.optim.minimizer import Minimizer, resting


@dataclass(frozen=True)
class LBFGS(Minimizer[Objective]):
    """tol: stop at |gradient| <= tol max(1, |f|); memory: pairs of differences kept.

    bias_unit: the change of a free bias that bends J as much as a change of f by a function of length one. Curvature is
    remembered in b / bias_unit: all rows share the bias, and a direction so much steeper than the others takes as many
    iterations as they take together.
    """

    tol: float = 1e-5
    memory: int = 20
    bias_unit: float = 1.0

    def iterate(self, objective: Objective, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        whole = objective.evaluate(start)
        part, columns = whole, np.arange(len(whole.value))
        pairs = DifferencePairs(self.memory, len(columns))
        stuck = np.zeros(len(columns), dtype=bool)
        while True:
            yield whole
            moving = (part.stationarity > self.tol) & ~stuck
            if not moving.any():
                return
            going = objective.worth_computing(moving)
            if len(going) < len(moving):
                # columns at rest are left out of every product from here on
                part, columns, pairs = part.columns(going), columns[going], pairs.columns(going)
                moving, stuck = moving[going], stuck[going]
            gradient = part.gradient
            scale = -moving.astype(np.float64)
            if not (pairs.scale > 0).all():
                # without a pair the step is of length at most one
                scale = np.where(pairs.scale > 0, scale, scale / np.maximum(1.0, gradient.norm()))
            # b = unit b': a gradient in b' is unit times that in b, and a step in b unit times that in b'
            inward = gradient.with_bias_times(self.bias_unit)
            vector = pairs.inverse_hessian(inward).with_bias_times(self.bias_unit).scaled(scale)
            line = part.objective.toward(part, vector)
            size = step_along(line, tol=0.9, first=np.ones(len(columns)))
            after = line.arrive(size)
            stuck |= moving & resting(part, after)
            step = vector if (size == 1.0).all() else vector.scaled(size)
            change = after.gradient.plus(gradient, -1.0)
            pairs.add(step.with_bias_times(1 / self.bias_unit), change.with_bias_times(self.bias_unit))
            part, whole = after, whole.put(columns, after)
