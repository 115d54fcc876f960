"""The box QP solved the slow and obvious way, and its optimality conditions measured from scratch.

min_a  1/2 a'K a + 1/2 sum_i d_i a_i^2 - c'a + sum_i p_i |a_i - t_i|     lo <= a <= hi,   with or without  1'a = 0
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class BoxProblem:
    """One problem, in full: K is dense and already centered."""

    K: np.ndarray
    c: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    d: np.ndarray
    p: np.ndarray
    t: np.ndarray
    equality: bool

    def objective(self, a):
        quadratic = 0.5 * a @ self.K @ a + 0.5 * np.sum(self.d * a**2)
        return quadratic - self.c @ a + np.sum(self.p * np.abs(a - self.t))

    def gradient(self, a):
        return self.c - self.K @ a - self.d * a

    def slopes(self, a):
        """The gain of moving each variable up, and the loss of moving it down; infinite where the box forbids it."""
        g = self.gradient(a)
        up = np.where(a >= self.t, g - self.p, g + self.p)
        down = np.where(a <= self.t, g + self.p, g - self.p)
        return np.where(a < self.hi, up, -np.inf), np.where(a > self.lo, down, np.inf)

    def violation(self, a):
        up, down = self.slopes(a)
        return max(up.max() - down.min(), 0.0) if self.equality else max(up.max(), -down.min(), 0.0)


def solve(problem, start, tol=1e-9, max_iter=200_000):
    """First-order pair or coordinate descent from a feasible start, everything recomputed at every step."""
    a = start.copy()
    for _ in range(max_iter):
        if problem.violation(a) < tol:
            break
        up, down = problem.slopes(a)
        if problem.equality:
            _move_pair(problem, a, int(np.argmax(up)), int(np.argmin(down)))
        else:
            _move_one(problem, a, int(np.argmax(np.maximum(up, -down))))
    return a


def _move_pair(problem, a, i, j):
    H = problem.K + np.diag(problem.d)
    g = problem.gradient(a)
    step = (g[i] - g[j]) / max(H[i, i] + H[j, j] - 2 * H[i, j], 1e-12)
    step = min(step, problem.hi[i] - a[i], a[j] - problem.lo[j])
    a[i], a[j] = min(a[i] + step, problem.hi[i]), max(a[j] - step, problem.lo[j])


def _move_one(problem, a, i):
    h = max(problem.K[i, i] + problem.d[i], 1e-12)
    aim = a[i] + problem.gradient(a)[i] / h - problem.t[i]
    a[i] = problem.t[i] + np.sign(aim) * max(abs(aim) - problem.p[i] / h, 0.0)
    a[i] = min(max(a[i], problem.lo[i]), problem.hi[i])
