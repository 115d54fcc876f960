"""Levenberg-Marquardt for objectives 1/2|f|^2 + sum_i l_i(z_i) whose losses may bend downwards (survey, Algorithm 6).

    (lambda I + Phi' D Phi) s = -gradient      Phi = E restricted to the points with D = l'' != 0,  lambda >= 1

With S = sqrt|D| and K_sv = Phi Phi' the system is solved in as many variables as there are such points,

    M = lambda sign(D) + S K_sv S,    M q = S Phi gradient,    s = -(gradient - Phi'(S q)) / lambda,

and the model is convex where M has as many negative eigenvalues as D (Haynsworth). One symmetric indefinite
factorisation (Bunch and Kaufman) gives both q and the signs of the eigenvalues. lambda grows until the model is convex
and the step decreases the objective. A free bias is one more feature, 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dsysv, dsysv_lwork

from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.minimizer import Minimizer

LARGEST_DAMPING = 1e12


@dataclass(frozen=True)
class LevenbergMarquardt(Minimizer):
    """tol: stop at |gradient| <= tol max(1, |f|). Columns are solved one after another on the shared space."""

    tol: float = 1e-6

    def iterate(self, objective: Any, start: Any, budget: Budget = UNLIMITED) -> Iterator[Any]:
        whole = objective.evaluate(start)
        yield whole
        for column in range(len(whole.value)):
            chosen = np.array([column])
            for part in self._descend(whole.columns(chosen), budget):
                whole = whole.put(chosen, part)
                yield whole

    def _descend(self, evaluation: Any, budget: Budget) -> Iterator[Any]:
        """Accepted steps of one column; every one lowers the objective."""
        damping = 1.0
        problem = evaluation.problem
        while evaluation.stationarity[0] > self.tol and not budget.spent:
            system = _System.of(evaluation)
            while damping <= LARGEST_DAMPING:
                step = system.solve(damping)
                if step is not None:
                    predicted = system.model(step)
                    trial = problem.evaluate(evaluation.point.step(step, 1.0))
                    decrease = float(trial.value[0] - evaluation.value[0])
                    gain = decrease / predicted if predicted < 0 else -1.0
                    if gain > 0.75:
                        damping = max(1.0, damping / 2)
                    if gain > 0:
                        break
                damping *= 4
            else:
                return
            if gain < 0.25:
                damping *= 4
            negligible = -decrease <= 1e-13 * abs(float(evaluation.value[0]))
            evaluation = trial
            yield evaluation
            if negligible:
                return


@dataclass(frozen=True, eq=False)
class _System:
    """The quadratic model at an evaluation, for every damping."""

    evaluation: Any
    rows: np.ndarray
    curvature: np.ndarray
    scaled: np.ndarray
    """S K_sv S."""
    right: np.ndarray
    """S Phi gradient."""

    @classmethod
    def of(cls, evaluation: Any) -> "_System":
        problem = evaluation.problem
        rows = np.flatnonzero(evaluation.curvature[:, 0])
        curvature = evaluation.curvature[rows, 0]
        scale = np.sqrt(np.abs(curvature))
        scaled = np.array(problem.space.block(rows, rows), dtype=np.float64)
        if problem.bias is None:
            scaled += 1.0
        scaled *= scale
        scaled *= scale[:, None]
        right = scale * problem.complete(evaluation.gradient).scores[rows, 0]
        return cls(evaluation, rows, curvature, scaled, right)

    def solve(self, damping: float) -> Any | None:
        """The damped step as a point, or None where the damped model is not convex."""
        problem, gradient = self.evaluation.problem, self.evaluation.gradient
        change = np.zeros((problem.space.n_points, 1))
        if len(self.rows):
            M = self.scaled.copy()
            M[np.diag_indices(len(M))] += damping * np.sign(self.curvature)
            # the transpose of a symmetric matrix is itself, in the order that LAPACK overwrites
            factors, pivots, q, info = dsysv(M.T, self.right, lwork=_workspace(len(M)), overwrite_a=True)
            if info > 0 or _n_negative(factors, pivots) != np.count_nonzero(self.curvature < 0):
                return None
            change[self.rows, 0] = -np.sqrt(np.abs(self.curvature)) * q.ravel()
        theta = -(gradient.theta + problem.space.represent(change)) / damping
        bias = -(gradient.bias + problem.bias_slope(change)) / damping
        return problem.complete(problem.vector(theta, bias))

    def model(self, step: Any) -> float:
        """<gradient, s> + 1/2 <s, (I + Phi'D Phi) s>."""
        bend = np.sum(self.curvature * step.scores[self.rows, 0] ** 2)
        return float(self.evaluation.gradient.inner(step.vector)[0] + 0.5 * (step.vector.inner(step.vector)[0] + bend))


def _workspace(size: int) -> int:
    """Numbers that a factorisation by blocks needs beside the matrix."""
    return int(dsysv_lwork(size)[0])


def _n_negative(factors: np.ndarray, pivots: np.ndarray) -> int:
    """Negative eigenvalues of a factored matrix: negative pivots, and one of every block of two."""
    alone = pivots > 0
    return int(np.count_nonzero(factors.diagonal()[alone] < 0) + np.count_nonzero(~alone) // 2)
