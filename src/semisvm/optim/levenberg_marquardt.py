"""Levenberg-Marquardt for objectives 1/2|f|^2 + sum_i l_i(z_i) whose losses may bend downwards (survey, Algorithm 6).

    (lambda I + Phi' D Phi) s = -gradient      Phi = E restricted to the points with D = l'' != 0,  lambda >= 1

With S = sqrt|D| and K_sv = Phi Phi' the system is solved in as many variables as there are such points,

    M = lambda sign(D) + S K_sv S,    M q = S Phi gradient,    s = -(gradient - Phi'(S q)) / lambda,

and the model is convex where M has as many negative eigenvalues as D (Haynsworth). The block A of the points that bend
upwards is positive definite; so M has them where the block of the others, minus what A explains of it, is negative
definite. Two Cholesky factorizations, of which the second fails without convexity, give q:

    M = [A B; B' -E],    A = L L',    V = L^-1 B,    E + V'V = H H'

lambda grows until the model is convex and the step decreases the objective. A free bias is one more feature, 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from semisvm.objective.objective import Evaluation, GramObjective
from semisvm.objective.vectors import Point
from semisvm.optim.budget import UNLIMITED, Budget
from semisvm.optim.minimizer import Minimizer

LARGEST_DAMPING = 1e12


@dataclass(frozen=True)
class LevenbergMarquardt(Minimizer[GramObjective]):
    """tol: stop at |gradient| <= tol max(1, |f|). Columns are solved one after another on the shared space."""

    tol: float = 1e-6

    def iterate(self, objective: GramObjective, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        whole = objective.evaluate(start)
        yield whole
        for column in range(len(whole.value)):
            chosen = np.array([column])
            for part in self._descend(whole.columns(chosen), budget):
                whole = whole.put(chosen, part)
                yield whole

    def _descend(self, evaluation: Evaluation, budget: Budget) -> Iterator[Evaluation]:
        """Accepted steps of one column; every one lowers the objective."""
        damping = 1.0
        objective = evaluation.objective
        while evaluation.stationarity[0] > self.tol and not budget.spent:
            system = _System.of(evaluation)
            while damping <= LARGEST_DAMPING:
                step = system.solve(damping)
                if step is not None:
                    predicted = system.model(step)
                    trial = objective.evaluate(evaluation.point.step(step, 1.0))
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

    evaluation: Evaluation
    rows: np.ndarray
    """The points with curvature; those that bend upwards come first."""
    n_upwards: int
    curvature: np.ndarray
    scale: np.ndarray
    """S = sqrt|curvature|."""
    downwards: np.ndarray
    """The rows of S K_sv S of the points that bend downwards, mostly few; the others are gathered for every damping."""
    right: np.ndarray
    """S Phi gradient."""

    @classmethod
    def of(cls, evaluation: Evaluation) -> "_System":
        objective, every = evaluation.objective, evaluation.curvature[:, 0]
        upwards, below = np.flatnonzero(every > 0), np.flatnonzero(every < 0)
        rows = np.concatenate([upwards, below])
        scale = np.sqrt(np.abs(every[rows]))
        inner = objective.block(below, rows)
        downwards = scale[len(upwards) :, None] * (inner + 1.0 if objective.free_bias else inner) * scale
        right = scale * objective.complete(evaluation.gradient).scores[rows, 0]
        return cls(evaluation, rows, len(upwards), every[rows], scale, downwards, right)

    def solve(self, damping: float) -> Point | None:
        """The damped step as a point, or None where the damped model is not convex."""
        objective, gradient = self.evaluation.objective, self.evaluation.gradient
        q = self._dual_step(damping)
        if q is None:
            return None
        change = np.zeros((objective.n_points, 1))
        change[self.rows, 0] = -self.scale * q
        theta = -(gradient.theta + objective.represent(change)) / damping
        bias = -(gradient.bias + objective.bias_slope(change)) / damping
        return objective.point(theta, bias)

    def _dual_step(self, damping: float) -> np.ndarray | None:
        """M^-1 S Phi gradient, or None where M has too few negative eigenvalues."""
        up, down = slice(self.n_upwards), slice(self.n_upwards, None)
        # A = lambda + S K S,    E = lambda - S K S,    K + 1 with a free bias
        objective = self.evaluation.objective
        less = np.full(self.n_upwards, -0.5 if objective.free_bias else 0.0)
        L = _cholesky(objective.scaled_triangle(self.rows[up], self.scale[up], less), damping)
        if L is None:
            return None
        V = _solve(L, self.downwards[:, up].T)
        H = _cholesky(V.T @ V - self.downwards[:, down], damping)
        if H is None:
            return None
        # q_down = (E + V'V)^-1 (V'w - right_down),    q_up = L^-T (w - V q_down)
        w = _solve(L, self.right[up])
        q_down = _solve(H, _solve(H, V.T @ w - self.right[down]), trans=1)
        q_up = _solve(L, w - V @ q_down, trans=1)
        return np.concatenate([q_up, q_down])

    def model(self, step: Point) -> float:
        """<gradient, s> + 1/2 <s, (I + Phi'D Phi) s>."""
        bend = np.sum(self.curvature * step.scores[self.rows, 0] ** 2)
        return float(self.evaluation.gradient.inner(step.vector)[0] + 0.5 * (step.vector.inner(step.vector)[0] + bend))


def _cholesky(matrix: np.ndarray, damping: float) -> np.ndarray | None:
    """The lower factor of matrix + damping I in the place of its lower triangle; None where it has none."""
    matrix[np.diag_indices(len(matrix))] += damping
    # the upper triangle of the transpose, in the order that LAPACK overwrites
    factor, info = dpotrf(matrix.T, lower=False, clean=False, overwrite_a=True)
    return factor.T if info == 0 else None


def _solve(factor: np.ndarray, right: np.ndarray, trans: int = 0) -> np.ndarray:
    """L^-1 right or L^-T right; SciPy before 1.14 does not take systems without rows."""
    return solve_triangular(factor, right, trans=trans, lower=True, check_finite=False) if len(factor) else right
