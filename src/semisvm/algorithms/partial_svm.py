"""The node problem of branch and bound: a squared-hinge SVM on the points that carry a label so far.

    min 1/2 |f|^2 + sum_{i: y_i != 0} c_i max(0, 1 - y_i z_i)^2        z = K beta + b

Its minimum bounds from below the cost of every completion of the labels, since further points only add losses. With
the support vectors S = {i: y_i z_i < 1} known, the minimum is one linear system:

    M = K_SS + diag(1/(2 c_S)),   M beta_S + b 1 = y_S,   1'beta_S = 0 where the bias is free,  v = 1/2 beta_S'(y_S - b)

so the solution of a neighboring node, whose S is nearly right, leads there in a few steps.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

MAX_STEPS = 200
NO_GAIN = 1e-13


@dataclass(frozen=True, eq=False)
class Bound:
    """A solved node: its minimum v, where it lies, and the factor of its system."""

    value: float
    scores: np.ndarray
    bias: float
    support: np.ndarray
    beta: np.ndarray
    """Of the support vectors."""
    factor: np.ndarray
    """Cholesky factor of M."""
    ones: np.ndarray
    """M^-1 1."""

    def coefficients(self) -> np.ndarray:
        """beta of all points."""
        beta = np.zeros(len(self.scores))
        beta[self.support] = self.beta
        return beta


@dataclass(frozen=True, eq=False)
class PartialSVM:
    """K is (n, n), weights c (n,); a held bias is a number, None leaves it free."""

    K: np.ndarray
    weights: np.ndarray
    bias: float | None = None

    @cached_property
    def ridge(self) -> np.ndarray:
        """1/(2 c); points without weight never become support vectors."""
        ridge: np.ndarray = np.divide(0.5, self.weights, out=np.full(len(self.weights), np.inf), where=self.weights > 0)
        return ridge

    def check(self) -> None:
        """Refuse a kernel matrix for which some node would have no minimum."""
        counted = np.flatnonzero(self.weights > 0)
        self._factor(counted, self.K[np.ix_(counted, counted)])

    def _factor(self, support: np.ndarray, system: np.ndarray) -> np.ndarray:
        """Cholesky factor of M, in the place of K_SS."""
        system.flat[:: len(support) + 1] += self.ridge[support]
        factor: np.ndarray
        factor, failed = dpotrf(system, lower=1, clean=1, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError(
                "The kernel matrix is not positive semidefinite and branch and bound needs one that is: use a kernel "
                'such as "rbf", or a smaller C.'
            )
        return factor

    def solve(self, y: np.ndarray, start: Bound | None = None) -> Bound:
        """The minimum over the labels y (0 where there is none), from a neighbor's solution."""
        counted = (y != 0) & (self.weights > 0)
        at = _Segment.begin(self, y, counted, start)
        support = at.support()
        for _ in range(MAX_STEPS):
            bound = self._on_support(y, support) if len(support) else self._without_support(y, at.bias)
            reached = np.flatnonzero(counted & (y * bound.scores < 1.0))
            if np.array_equal(reached, support) or not at.advance(bound):
                break
            support = at.support()
        return bound

    def _on_support(self, y: np.ndarray, support: np.ndarray) -> Bound:
        """The minimizer of the quadratic piece on which exactly these points have a loss."""
        rows = self.K[support]
        factor = self._factor(support, rows[:, support])
        target = y[support]
        solved, _ = dpotrs(factor, np.column_stack([target, np.ones(len(support))]), lower=1)
        ones = solved[:, 1]
        # 1'(M^-1 y - b M^-1 1) = 0
        bias = solved[:, 0].sum() / ones.sum() if self.bias is None else self.bias
        beta = solved[:, 0] - bias * ones
        scores = beta @ rows + bias
        # v = 1/2 beta'(y - b)
        return Bound(0.5 * float(beta @ (target - bias)), scores, float(bias), support, beta, factor, ones)

    def _without_support(self, y: np.ndarray, bias: float) -> Bound:
        """f = 0 with a bias that costs nothing: labels of one class, or none that counts."""
        none = np.empty(0)
        return Bound(0.0, np.full(len(y), bias), bias, none.astype(np.intp), none, np.empty((0, 0)), none)


class _Segment:
    """The iterate, and the exact minimum on the way from it to the minimizer of the present quadratic piece."""

    def __init__(
        self, svm: PartialSVM, y: np.ndarray, counted: np.ndarray, scores: np.ndarray, beta: np.ndarray, bias: float
    ):
        self.svm, self.y, self.counted = svm, y, counted
        self.scores, self.beta, self.bias = scores, beta, bias
        self.value = self._cost(scores, beta, bias)

    @classmethod
    def begin(cls, svm: PartialSVM, y: np.ndarray, counted: np.ndarray, start: Bound | None) -> "_Segment":
        if start is None:
            bias = svm.bias or 0.0
            return cls(svm, y, counted, np.full(len(y), bias), np.zeros(len(y)), bias)
        return cls(svm, y, counted, start.scores, start.coefficients(), start.bias)

    def support(self) -> np.ndarray:
        return np.flatnonzero(self.counted & (self.y * self.scores < 1.0))

    def _cost(self, scores: np.ndarray, beta: np.ndarray, bias: float) -> float:
        miss = self._misses(scores)
        return 0.5 * float(beta @ (scores - bias)) + float(self.svm.weights @ (miss * miss))

    def _misses(self, scores: np.ndarray) -> np.ndarray:
        return np.where(self.counted, np.maximum(0.0, 1.0 - self.y * scores), 0.0)

    def advance(self, target: Bound) -> bool:
        """Go to the target, or to the best point on the way; False where there is nothing left to gain."""
        beta = target.coefficients()
        value = self._cost(target.scores, beta, target.bias)
        if value < self.value - NO_GAIN * abs(self.value):
            self.scores, self.beta, self.bias, self.value = target.scores, beta, target.bias, value
            return True
        moves = target.scores - self.scores, beta - self.beta, target.bias - self.bias
        step = self._best_step(*moves)
        scores, beta = self.scores + step * moves[0], self.beta + step * moves[1]
        bias, before = self.bias + step * moves[2], self.value
        self.scores, self.beta, self.bias, self.value = scores, beta, bias, self._cost(scores, beta, bias)
        return self.value < before - NO_GAIN * abs(before)

    def _best_step(self, scores: np.ndarray, beta: np.ndarray, bias: float) -> float:
        """The root of the increasing slope along the segment, by bisection."""
        low, high = 0.0, 1.0
        for _ in range(50):
            step = 0.5 * (low + high)
            z = self.scores + step * scores
            # d/ds: dbeta'K(beta + s dbeta) - 2 sum c y dz max(0, 1 - y z)
            slope = beta @ (z - self.bias - step * bias) - 2.0 * self.svm.weights @ (self._misses(z) * self.y * scores)
            low, high = (low, step) if slope > 0 else (step, high)
        return 0.5 * (low + high)
