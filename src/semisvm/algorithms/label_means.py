"""The SVM that knows of the unlabeled points only the means of their two classes, in the dual.

    min 1/2 |w|^2 + C1 sum_L xi_i - C2 rho      y_i (w'phi_i + b) >= 1 - xi_i,    w'm+ + b >= rho,    w'm- + b <= -rho

The multipliers of the two means add up to C2. Written as (C2 + r)/2 and (C2 - r)/2 they leave one variable r, that of a
virtual point halfway between the means, and the ordinary dual of l + 1 signed variables (a, r) under one equality:

    max  y'a - 1/2 |w|^2      w = sum_L a_i phi_i + r (m+ + m-)/2 + C2 (m+ - m-)/2
    0 <= y_i a_i <= C1,    |r| <= C2,    sum a + r = 0 where the bias is free
"""

from dataclasses import dataclass

import numpy as np

from semisvm.optim.box_qp import solve_box_qp
from semisvm.spaces import Space

BLOCK_ENTRIES = 5 * 10**7
"""Kernel values between all points and the labeled ones that are kept."""


@dataclass(frozen=True, eq=False)
class LabelMeans:
    """The two means of an assignment d, by what the dual needs of them; T of them mix with weights mu."""

    d: np.ndarray
    """(u,) whether the unlabeled point counts as positive."""
    plus: np.ndarray
    """m+'phi at all n points."""
    minus: np.ndarray
    squares: np.ndarray
    """(|m+|^2, m+'m-, |m-|^2)."""


@dataclass(frozen=True, eq=False)
class MeansSolution:
    """The solution of the dual: w = sum_L a_i phi_i + shares[0] m+ + shares[1] m-."""

    a: np.ndarray
    r: float
    bias: float
    shares: tuple[float, float]
    """((C2 + r)/2, (r - C2)/2): the signed multipliers of the means."""
    square: float
    """|w|^2."""
    value: float
    """The dual objective."""
    violation: float


class MeanProducts:
    """Products of the Gram matrix with assignments and with labeled coefficients; they need no n x n matrix."""

    def __init__(self, space: Space, labeled: np.ndarray, unlabeled: np.ndarray):
        self.space, self.labeled, self.unlabeled = space, labeled, unlabeled
        small = space.n_points * len(labeled) <= BLOCK_ENTRIES
        self.block = np.asarray(space.block(slice(None), labeled), dtype=np.float64) if small else None
        self.inner = np.asarray(space.block(labeled, labeled), dtype=np.float64)
        self.total = self._of_unlabeled(np.ones(len(unlabeled)))
        """K 1_U."""
        self.last_d, self.last = np.zeros(len(unlabeled)), np.zeros(space.n_points)

    def _of_unlabeled(self, values: np.ndarray) -> np.ndarray:
        v = np.zeros(self.space.n_points)
        v[self.unlabeled] = values
        return self.space.once(self.space.represent(v))

    def of_labeled(self, a: np.ndarray) -> np.ndarray:
        """sum_L a_i k(x_i, .) at all points."""
        if self.block is not None:
            outputs: np.ndarray = self.block @ a
            return outputs
        v = np.zeros(self.space.n_points)
        v[self.labeled] = a
        return self.space.once(self.space.represent(v))

    def means(self, d: np.ndarray) -> LabelMeans:
        """Only the rows of points that changed sides since the last assignment enter the product."""
        self.last = self.last + self._of_unlabeled(d - self.last_d)
        self.last_d = d.astype(np.float64)
        n_plus, n_minus = int(d.sum()), int(len(d) - d.sum())
        plus, minus = self.last / n_plus, (self.total - self.last) / max(1, n_minus)
        at_plus, at_minus = plus[self.unlabeled], minus[self.unlabeled]
        # |m+|^2 = mean of m+'phi over the positives, and so on
        share, rest = d / n_plus, (1 - d) / max(1, n_minus)
        squares = np.array([share @ at_plus, rest @ at_plus, rest @ at_minus])
        return LabelMeans(d, plus, minus, squares)


@dataclass(frozen=True, eq=False)
class MeansDual:
    """The dual for one column: the labeled points are given, the means come with every solve."""

    K: np.ndarray
    """(l, l), of the labeled points."""
    labeled: np.ndarray
    y: np.ndarray
    C1: np.ndarray
    C2: float
    bias: float | None
    tol: float

    def solve(
        self, plus: np.ndarray, minus: np.ndarray, squares: np.ndarray, start: np.ndarray | None = None
    ) -> MeansSolution:
        """plus, minus: m+'phi and m-'phi at the labeled points."""
        size, C2 = len(self.y), self.C2
        pp, pm, mm = squares
        # the virtual point (m+ + m-)/2
        Q = np.empty((size + 1, size + 1))
        Q[:size, :size] = self.K
        Q[size, :size] = Q[:size, size] = (plus + minus) / 2
        Q[size, size] = (pp + 2 * pm + mm) / 4
        # c_i = y_i - C2/2 (m+ - m-)'phi_i,   c_v = -C2/4 (|m+|^2 - |m-|^2)
        c = np.append(self.y - C2 / 2 * (plus - minus), -C2 / 4 * (pp - mm))
        held = 0.0 if self.bias is None else self.bias
        ends = np.append(self.y * self.C1, 0.0)
        lo, hi = np.minimum(0.0, ends), np.maximum(0.0, ends)
        lo[size], hi[size] = -C2, C2
        result = solve_box_qp(
            Q, np.diag(Q).copy(), c - held, lo, hi, equality=self.bias is None, start=start, tol=self.tol
        )
        a, r = result.a[:size], float(result.a[size])
        # |w|^2 = (a, r)'Q(a, r) + C2 (m+ - m-)'(sum_L a_i phi_i + r (m+ + m-)/2) + C2^2/4 |m+ - m-|^2
        square = result.a @ Q @ result.a + C2 * (a @ (plus - minus) + r * (pp - mm) / 2)
        square += C2**2 / 4 * (pp - 2 * pm + mm)
        value = float(self.y @ a - square / 2 - held * result.a.sum())
        bias = float(result.bias) if self.bias is None else held
        return MeansSolution(a, r, bias, ((C2 + r) / 2, (r - C2) / 2), square, value, float(result.violation))

    def primal(self, outputs: np.ndarray, at_means: tuple[float, float], solution: MeansSolution) -> float:
        """1/2 |w|^2 + C1 sum xi - C2 rho for outputs w'phi at the labeled points and (w'm+, w'm-)."""
        slack = np.maximum(0.0, 1 - self.y * (outputs + solution.bias))
        rho = min(at_means[0] + solution.bias, -(at_means[1] + solution.bias))
        return float(solution.square / 2 + self.C1 @ slack - self.C2 * rho)
