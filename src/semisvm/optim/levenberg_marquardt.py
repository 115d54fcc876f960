"""Levenberg-Marquardt for objectives 1/2|f|^2 + sum_i l_i(z_i) whose losses may bend downwards (survey, Algorithm 6).

    (lambda I + Phi' D Phi) s = -gradient      Phi = E restricted to the points with D = l'' != 0,  lambda >= 1

With Phi Phi' = K_sv = A'A the system is solved in as many variables as there are such points,

    B = lambda I + A D A',    B r = -A^-T (Phi gradient),    D q with q = A'r,    s = -(gradient + Phi'(D q)) / lambda,

and lambda grows until B is positive definite and the step decreases the objective. A free bias is one more feature, 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.linalg.blas import dtrmm

from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.minimizer import Minimizer

JITTER = 1e-10
"""Share of the mean diagonal added before K_sv is factored: a centered kernel is singular by construction."""
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
    """The quadratic model at an evaluation, factored once for every damping."""

    evaluation: Any
    rows: np.ndarray
    curvature: np.ndarray
    root: np.ndarray
    bent: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, evaluation: Any) -> "_System":
        problem = evaluation.problem
        curvature = evaluation.curvature[:, 0]
        rows = np.flatnonzero(curvature)
        K = np.array(problem.space.block(rows, rows), dtype=np.float64) + (1.0 if problem.bias is None else 0.0)
        K[np.diag_indices(len(rows))] += JITTER * max(1e-300, float(np.trace(K)) / max(1, len(rows)))
        root = cholesky(K, check_finite=False) if len(rows) else K
        # A D A', where A is triangular: half the products of a full one
        bent = dtrmm(1.0, root, root * curvature[rows], side=1, trans_a=1) if len(rows) else K
        slopes = problem.complete(evaluation.gradient).scores[rows, 0]
        right = solve_triangular(root, slopes, trans="T", check_finite=False) if len(rows) else slopes
        return cls(evaluation, rows, curvature[rows], root, bent, right)

    def solve(self, damping: float) -> Any | None:
        """The damped step as a point, or None where the damped model is not convex."""
        problem, gradient = self.evaluation.problem, self.evaluation.gradient
        change = np.zeros((problem.space.n_points, 1))
        if len(self.rows):
            B = self.bent.copy()
            B[np.diag_indices(len(B))] += damping
            try:
                r = -cho_solve(cho_factor(B, overwrite_a=True, check_finite=False), self.right, check_finite=False)
            except LinAlgError:
                return None
            change[self.rows, 0] = self.curvature * (self.root.T @ r)
        theta = -(gradient.theta + problem.space.represent(change)) / damping
        bias = -(gradient.bias + problem.bias_slope(change)) / damping
        return problem.complete(problem.vector(theta, bias))

    def model(self, step: Any) -> float:
        """<gradient, s> + 1/2 <s, (I + Phi'D Phi) s>."""
        bend = np.sum(self.curvature * step.scores[self.rows, 0] ** 2)
        return float(self.evaluation.gradient.inner(step.vector)[0] + 0.5 * (step.vector.inner(step.vector)[0] + bend))
