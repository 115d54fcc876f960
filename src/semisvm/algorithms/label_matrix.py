"""The convex relaxation of the S3VM over label matrices (De Bie and Cristianini 2006), and how labels come out of it.

The dual of the squared-hinge SVM depends on the labels through Gamma = y y' alone:

    J(y) = max_{a >= 0} 1'a - 1/2 a'(Gamma o (K + D)) a,      D = diag(1/(2 c))

which is convex in Gamma. Dropping rank one leaves a semidefinite program over M = [1 g'; g Gamma_u] >= 0 with unit
diagonal, where the labeled points share one row: Gamma = T M T', T = [y_l 0; 0 I]. A count of positives holds as
M q = 0, q = (-(2 n_positive - u), 1, ..., 1). A free bias would make the program bilinear, so the bias is part of the
function here (K + 1 in place of K): the minimum bounds the cost of *that* problem, not of the one with a free bias.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from semisvm.algorithms.partial_svm import Bound, PartialSVM
from semisvm.optim.budget import Budget


@dataclass(frozen=True, eq=False)
class LabelMatrixProblem:
    """K with the constant for the bias in it, weights c, labels y (0 for the u open points), positives or None."""

    K: np.ndarray
    weights: np.ndarray
    y: np.ndarray
    n_positive: int | None

    @cached_property
    def open(self) -> np.ndarray:
        return np.flatnonzero(self.y == 0)

    @property
    def size(self) -> int:
        """1 + u: the side of M."""
        return 1 + len(self.open)

    @cached_property
    def spread(self) -> np.ndarray:
        """T, (n, 1 + u)."""
        T = np.zeros((len(self.y), self.size))
        T[:, 0] = self.y
        T[self.open, 1 + np.arange(len(self.open))] = 1.0
        return T

    @cached_property
    def balance_vector(self) -> np.ndarray | None:
        """q, where a count is held."""
        if self.n_positive is None:
            return None
        u = len(self.open)
        return np.concatenate([[u - 2.0 * self.n_positive], np.ones(u)])

    @cached_property
    def ridge(self) -> np.ndarray:
        """D; points without weight get a ridge so large that they have no effect."""
        ridge: np.ndarray = 0.5 / np.maximum(self.weights, 1e-12 * self.weights.max(initial=1e-300))
        return ridge

    def inner_maximum(self, M: np.ndarray, start: Bound | None = None) -> Bound:
        """max_a for one M: the SVM with the kernel Gamma o K, all labels +1 and no bias; its beta is a."""
        gamma = self.spread @ M @ self.spread.T
        svm = PartialSVM(gamma * self.K, 0.5 / self.ridge, 0.0)
        return svm.solve(np.ones(len(self.y)), start)

    def tightened_bound(self, a: np.ndarray, d: np.ndarray) -> float:
        """A bound that holds whatever a >= 0 and d, the best for some d near the one given.

        With A = T'(aa' o (K + D))T and P the projection on the complement of q, for every d

            min_M max_a' >= min_M 1'a - 1/2 <A, M> >= 1'a - 1/2 (1'd + (1 + u) lmax(P (A - diag d) P))

        where lmax is at least zero. The right side is concave in d; the ascent uses a smooth lmax.
        """
        A = self.spread.T @ (np.outer(a, a) * (self.K + np.diag(self.ridge))) @ self.spread
        P = np.eye(self.size)
        if self.balance_vector is not None:
            q = self.balance_vector / np.linalg.norm(self.balance_vector)
            P = P - np.outer(q, q)
        scale = max(float(np.abs(A).max()), 1e-300)

        def cost(d: np.ndarray) -> float:
            return float(d.sum()) + self.size * max(0.0, float(np.linalg.eigvalsh(P @ (A - np.diag(d)) @ P)[-1]))

        def smooth(d: np.ndarray, sharpness: float) -> tuple[float, np.ndarray]:
            # (1/s) log sum exp(s lambda), of gradient -diag(P U softmax U' P)
            values, vectors = np.linalg.eigh(P @ (A - np.diag(d)) @ P)
            share = softmax(sharpness * values)
            slope = 1.0 - self.size * np.square(P @ vectors) @ share
            return float(d.sum()) + self.size * float(logsumexp(sharpness * values)) / sharpness, slope

        best = cost(d)
        for sharpness in (1e2, 1e3, 1e4, 1e5):
            found = minimize(
                smooth, d, args=(sharpness / scale,), jac=True, method="L-BFGS-B", options={"maxiter": 100}
            )
            d, best = found.x, min(best, cost(found.x))
        return float(a.sum()) - 0.5 * best


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A lower bound of the relaxation's minimum, and the label matrix M found."""

    bound: float
    M: np.ndarray


class RelaxationSolver(ABC):
    @abstractmethod
    def solve(self, problem: LabelMatrixProblem, budget: Budget) -> Relaxed:
        """Minimize over label matrices."""


class Rounding(ABC):
    @abstractmethod
    def scores(self, M: np.ndarray) -> np.ndarray:
        """A score for each open point: the larger, the more positive."""


@dataclass(frozen=True)
class LabelColumn(Rounding):
    """g, the column of the labeled points: how much a point is labeled like the positives."""

    def scores(self, M: np.ndarray) -> np.ndarray:
        return M[1:, 0]


@dataclass(frozen=True)
class LeadingEigenvector(Rounding):
    """The eigenvector of the largest eigenvalue, turned so that labeled points have the right sign."""

    def scores(self, M: np.ndarray) -> np.ndarray:
        leading = np.linalg.eigh(M)[1][:, -1]
        return leading[1:] if leading[0] >= 0 else -leading[1:]
