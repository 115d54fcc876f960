"""The non-negative risk of positive and unlabeled rows (Kiryo, Niu, du Plessis and Sugiyama 2017), solved exactly.

    J(f, b) = 1/2 |f|^2 + sum_{i in P} c_i D(z_i) + max(0, N)
    N       = sum_{j in U} c_j D(-z_j) - sum_{i in P} c_i D(-z_i)

N stands for the loss of the negative rows, which cannot be negative; its estimate can, where a flexible function fits
the positive rows too closely. With D(z) - D(-z) = -z both of

    V_0 = 1/2 |f|^2 + sum_{i in P} c_i D(z_i)       and       V_1 = V_0 + N

are convex, J is the larger one, and by duality

    min J = max_{0 <= s <= 1} min_{f, b} V_s
    V_s   = 1/2 |f|^2 + sum_{i in P} c_i (D(z_i) - s D(-z_i)) + s sum_{j in U} c_j D(-z_j)

Each V_s is a convex problem. Its N is the slope in s of a concave function: s = 1, the unbiased risk, where N >= 0
there, and otherwise the s at which N = 0. J - V_s is the duality gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.minimize import candidate_at
from semisvm.losses import CorrectedDoubleHinge
from semisvm.objective import GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer

NARROW = 1e-9
"""A bracket of s that is not worth halving."""


@dataclass(frozen=True, eq=False)
class NonNegative(Algorithm):
    """For one column whose labeled loss is a `CorrectedDoubleHinge`; gap: relative to J."""

    minimizer: Minimizer[GramObjective]
    gap: float = 1e-4

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        point = start or problem.objective().start()
        ends = posed(problem, 0.0).objective(), posed(problem, 1.0).objective()
        bracket, s, training = _WeightBracket(), 1.0, 0
        while True:
            for evaluation in self.minimizer.iterate(posed(problem, s).objective(), point, budget):
                low, high = (end.value(evaluation.point) for end in ends)
                value, point = np.maximum(low, high), evaluation.point
                gap = (value - evaluation.value) / np.maximum(1.0, np.abs(value))
                found = candidate_at(evaluation, stage=training, facts={"share": s})
                yield replace(found, value=value, stationarity=np.maximum(found.stationarity, gap))
            bracket.update(s, float((high - low)[0]))
            if gap[0] <= self.gap or bracket.width <= NARROW or budget.spent:
                return
            s, training = bracket.next(), training + 1


def posed(problem: Problem, s: float) -> Problem:
    """The convex problem V_s."""
    assert isinstance(problem.labeled_loss, CorrectedDoubleHinge)
    weights = problem.weights.copy()
    weights[problem.unlabeled] *= s
    return problem.replace(weights=weights, labeled_loss=replace(problem.labeled_loss, share=s))


class _WeightBracket:
    """Where a falling function of s crosses zero: false position, halved where one end stays (the Illinois rule)."""

    def __init__(self) -> None:
        self.low, self.high = (0.0, np.nan), (1.0, np.nan)
        """(s, N there)."""
        self.stayed = 0

    @property
    def width(self) -> float:
        # s = 1 is the largest
        return 0.0 if self.low[0] == 1.0 else self.high[0] - self.low[0]

    def update(self, s: float, slope: float) -> None:
        if slope >= 0:
            self.stayed = max(0, self.stayed) + 1
            self.low = s, slope
            if self.stayed > 1:
                self.high = self.high[0], 0.5 * self.high[1]
        else:
            self.stayed = min(0, self.stayed) - 1
            self.high = s, slope
            if self.stayed < -1:
                self.low = self.low[0], 0.5 * self.low[1]

    def next(self) -> float:
        (a, at_a), (b, at_b) = self.low, self.high
        if np.isnan(at_a) or np.isnan(at_b) or at_a == at_b:
            return 0.5 * (a + b)
        s = a + (b - a) * at_a / (at_a - at_b)
        # well inside, so that the bracket shrinks whatever the function does
        return float(np.clip(s, a + 0.01 * (b - a), b - 0.01 * (b - a)))
