"""Newton's method on the Gram matrix for convex piecewise-quadratic losses: few, exact, finite steps.

    min 1/2 beta'K beta + sum_i l_i(z_i)    z = K beta + b,   at the optimum beta_i = -l_i'(z_i), sum(beta) = 0 (b free)

Where the loss bends (A) it is replaced by its parabola; elsewhere (N) it is linear and beta_N = -l_N' is known:

    (K_AA + diag(1/l''_A)) beta_A + b 1 = z_A - l'_A / l''_A - K_AN beta_N,      1'beta_A = -1'beta_N

One Cholesky factorization of the size of A per iteration (Chapelle 2007; Keerthi, Chapelle and DeCoste 2006). The full
step is taken where it decreases enough; else an exact line search on the segment, which needs no kernel product.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from semisvm.objective.objective import Evaluation, GramObjective
from semisvm.objective.vectors import Point
from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.line_search import step_along
from semisvm.optim.minimizer import Minimizer
from semisvm.optim.patience import Patience

NO_CURVATURE = 1e-14
"""Curvature below this share of the largest counts as none: its reciprocal would dominate the kernel."""


@dataclass(frozen=True)
class KernelNewton(Minimizer[GramObjective]):
    """tol: stop at |gradient| <= tol max(1, |f|)."""

    tol: float = 1e-9

    def iterate(self, objective: GramObjective, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        evaluation = objective.evaluate(start)
        patience = Patience(evaluation)
        while True:
            yield evaluation
            moving = np.flatnonzero((evaluation.stationarity > self.tol) & ~patience.exhausted)
            if not len(moving):
                return
            part = evaluation.columns(moving)
            few = part.objective
            factors = _Factors(few)
            duals = [_newton_point(part, j, factors) for j in range(len(moving))]
            beta, bias = np.stack([d[0] for d in duals], axis=1), np.array([d[1] for d in duals])
            target = few.point(few.represent(beta), bias)
            direction = target.step(part.point, -1.0)
            size = step_along(few.along(part, direction), tol=0.1, first=np.ones(len(moving)))
            # a full step ends on the freshly computed point, so that rounding does not accumulate
            point = part.point.step(direction, size)
            full = np.flatnonzero(size == 1.0)
            if len(full):
                point = point.put(full, target.columns(full)) if len(full) < len(moving) else target
            moved = few.evaluate(point)
            patience.update(moving, moved)
            evaluation = evaluation.put(moving, moved)


class _Factors:
    """Cholesky factors of K_AA + diag(1/l''_A); columns with the same A and l'' (least squares) share one."""

    def __init__(self, objective: GramObjective):
        self.objective = objective
        self.known: dict[bytes, tuple[np.ndarray, bool]] = {}

    def of(self, curved: np.ndarray, curvature: np.ndarray) -> tuple[np.ndarray, bool]:
        key = curved.tobytes() + curvature.tobytes()
        if key not in self.known:
            system = self.objective.scaled_triangle(curved, np.ones(len(curved)), np.zeros(len(curved)))
            system[np.diag_indices(len(curved))] += 1.0 / curvature
            # the upper triangle of the transpose, in the order that LAPACK overwrites
            self.known = {key: cho_factor(system.T, lower=False, overwrite_a=True, check_finite=False)}
        return self.known[key]


def _newton_point(evaluation: Evaluation, column: int, factors: _Factors) -> tuple[np.ndarray, float]:
    """(beta, b) that minimizes the quadratic model of one column."""
    slope, curvature = evaluation.slope[:, column], evaluation.curvature[:, column]
    scores, bias = evaluation.point.scores[:, column], float(evaluation.point.bias[column])
    beta = -slope
    curved = np.flatnonzero(curvature > NO_CURVATURE * curvature.max(initial=0.0))
    if not len(curved):
        return beta, bias
    beta[curved] = 0.0
    loaded = np.flatnonzero(beta)
    right = scores[curved] - slope[curved] / curvature[curved]
    if len(loaded):
        right -= evaluation.objective.block(curved, loaded) @ beta[loaded]
    factor = factors.of(curved, curvature[curved])
    if not evaluation.objective.free_bias:
        beta[curved] = cho_solve(factor, right - bias, check_finite=False)
        return beta, bias
    solved = cho_solve(factor, np.column_stack([right, np.ones(len(curved))]), check_finite=False)
    # 1'(M^-1 right - b M^-1 1) = -1'beta_N
    bias = float((solved[:, 0].sum() + beta[loaded].sum()) / solved[:, 1].sum())
    beta[curved] = solved[:, 0] - bias * solved[:, 1]
    return beta, bias
