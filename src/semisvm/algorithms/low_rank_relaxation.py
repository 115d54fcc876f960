"""The relaxation of `label_matrix` with M = R R' and few columns (Burer and Monteiro 2003): no matrix variable.

    min_R F(R R')   with unit rows R_i, R_0 = e_1 for the labeled points, and R'q = 0 where a count is held

F(M) = max_a 1'a - 1/2 a'(Gamma o (K + D)) a has the gradient -1/2 A, A = T'(aa' o (K + D))T, at its maximizer a
(Danskin), so dF/dR = -A R. The spheres are met by normalizing rows, the count by an augmented Lagrangian. The bound
returned does not depend on the success of the descent: it is a dual bound at the point reached.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from semisvm.algorithms.label_matrix import LabelMatrixProblem, RelaxationSolver, Relaxed
from semisvm.algorithms.partial_svm import Bound
from semisvm.optim.budget import Budget


@dataclass(frozen=True)
class LowRankSolver(RelaxationSolver):
    rank: int = 6
    n_rounds: int = 40
    """Updates of the multipliers of the count."""
    n_steps: int = 600
    """L-BFGS iterations per round."""
    tol: float = 1e-5
    seed: int = 0

    def solve(self, problem: LabelMatrixProblem, budget: Budget) -> Relaxed:
        descent = _FactorDescent(problem, self.rank)
        V = np.random.default_rng(self.seed).normal(size=(problem.size - 1, self.rank))
        descent.settle_stiffness(V)
        counted = problem.balance_vector is not None
        value = np.inf
        for _ in range(self.n_rounds if counted else 3):
            # rows of length one again, so that steps keep their meaning
            V = descent.rows(self._minimized(descent, V, budget))[1:]
            miss = descent.update_multipliers(V)
            value, before = descent.value_and_gradient(V)[0], value
            if (miss < self.tol and abs(before - value) <= self.tol * abs(value)) or budget.spent:
                break
        R = descent.rows(V)
        return Relaxed(descent.bound(R), R @ R.T)

    def _minimized(self, descent: "_FactorDescent", V: np.ndarray, budget: Budget) -> np.ndarray:
        def stop(_: np.ndarray) -> None:
            if budget.spent:
                raise StopIteration

        found = minimize(
            lambda v: descent.value_and_gradient(v.reshape(V.shape)),
            V.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=stop,
            options={"maxiter": self.n_steps, "maxcor": 30, "maxfun": 10 * self.n_steps, "ftol": 1e-15, "gtol": 1e-8},
        )
        best: np.ndarray = found.x.reshape(V.shape)
        return best


class _FactorDescent:
    """F plus the augmented Lagrangian of R'q = 0, as a function of rows V that are yet to be normalized."""

    def __init__(self, problem: LabelMatrixProblem, rank: int):
        self.problem, self.rank = problem, rank
        self.multiplier, self.stiffness = np.zeros(rank), 1.0
        self.last: Bound | None = None
        self.last_miss = np.inf

    def rows(self, V: np.ndarray) -> np.ndarray:
        first = np.zeros((1, self.rank))
        first[0, 0] = 1.0
        return np.vstack([first, V / np.linalg.norm(V, axis=1, keepdims=True)])

    def value_and_gradient(self, V: np.ndarray) -> tuple[float, np.ndarray]:
        R = self.rows(V)
        self.last = self.problem.inner_maximum(R @ R.T, self.last)
        value, slope = self.last.value, -self._pull(R)
        q = self.problem.balance_vector
        if q is not None:
            # + m'R'q + s/2 |R'q|^2
            miss = R.T @ q
            value += self.multiplier @ miss + 0.5 * self.stiffness * miss @ miss
            slope = slope + np.outer(q, self.multiplier + self.stiffness * miss)
        # through the normalization: (I - r r') slope / |v|
        R, slope = R[1:], slope[1:]
        tangent = slope - np.sum(slope * R, axis=1, keepdims=True) * R
        return float(value), (tangent / np.linalg.norm(V, axis=1, keepdims=True)).ravel()

    def _pull(self, R: np.ndarray) -> np.ndarray:
        """A R = T'((aa' o (K + D)) T R)."""
        assert self.last is not None
        a = self.last.coefficients()
        spread = self.problem.spread @ R
        scaled = a[:, None] * (self.problem.K @ (a[:, None] * spread)) + (self.problem.ridge * a * a)[:, None] * spread
        products: np.ndarray = self.problem.spread.T @ scaled
        return products

    def settle_stiffness(self, V: np.ndarray) -> None:
        """An eighth of the stiffness of F, measured by the mean length of the rows of A R."""
        R = self.rows(V)
        self.last = self.problem.inner_maximum(R @ R.T)
        self.stiffness = float(np.mean(np.linalg.norm(self._pull(R), axis=1))) / (8.0 * self.problem.size)

    def update_multipliers(self, V: np.ndarray) -> float:
        q = self.problem.balance_vector
        if q is None:
            return 0.0
        miss = self.rows(V).T @ q
        size = float(np.linalg.norm(miss)) / len(q)
        self.multiplier = self.multiplier + self.stiffness * miss
        if size > 0.7 * self.last_miss:
            self.stiffness *= 2.0
        self.last_miss = size
        return size

    def bound(self, R: np.ndarray) -> float:
        """The dual bound with d from stationarity, (A - diag d) R = q m' row by row along R, and then tightened."""
        self.last = self.problem.inner_maximum(R @ R.T, self.last)
        d = np.sum(self._pull(R) * R, axis=1)
        q = self.problem.balance_vector
        if q is not None:
            d = d - q * (R @ self.multiplier)
        return self.problem.tightened_bound(np.maximum(self.last.coefficients(), 0.0), d)
