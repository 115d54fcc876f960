"""The non-negative risk: the weight of its correction is found, and the duality gap closes."""

import numpy as np
import pytest

from semisvm.algorithms import NonNegative, Status, run
from semisvm.algorithms.non_negative import _WeightBracket, posed
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import CorrectedDoubleHinge, DoubleHinge, Fixed
from semisvm.objective import Problem
from semisvm.optim import KernelNewton
from semisvm.spaces import Full
from tests.problems import two_blobs


def risk(C):
    """Eight positive rows of forty; all weights add up as those of the estimator do."""
    X, y = two_blobs(40)
    positives = np.flatnonzero(y[:, 0] > 0)[:8]
    unlabeled = np.setdiff1d(np.arange(40), positives)
    signs, weights = np.zeros((40, 1)), np.full((40, 1), 8 * C / 32)
    signs[positives], weights[positives] = 1.0, 0.5 * C
    return Problem(
        Full(RBF(0.3), Points.of(X)), signs, positives, unlabeled,
        CorrectedDoubleHinge(), Fixed(DoubleHinge(), -1.0), weights,
    )  # fmt: skip


@pytest.mark.parametrize(("C", "corrected"), [(0.01, False), (30.0, True)])
def test_the_larger_of_two_convex_functions_is_minimized_to_its_duality_gap(C, corrected):
    problem = risk(C)
    found = run(NonNegative(KernelNewton(1e-9), gap=1e-6), problem, max_iter=1000)
    assert found.status is Status.CONVERGED
    candidate = found.candidate
    share = candidate.facts["share"]
    assert (share < 1) == corrected
    low, high, convex = (posed(problem, s).objective().value(candidate.point)[0] for s in (0.0, 1.0, share))
    assert candidate.value[0] == max(low, high)
    assert candidate.value[0] - convex <= 1e-6 * max(1.0, candidate.value[0])
    if corrected:
        # N = V_1 - V_0 = 0 at the solution
        assert abs(high - low) < 1e-4 * candidate.value[0]
    assert candidate.stage == (len({one["share"] for one in found.path}) - 1)


@pytest.mark.parametrize("root", [0.2, 0.7])
def test_the_zero_of_a_straight_line_is_found_at_once(root):
    bracket = _WeightBracket()
    for s in (1.0, 0.0):
        bracket.update(s, 3.0 * (root - s))
    assert bracket.next() == pytest.approx(root)


def test_only_an_end_that_stays_twice_counts_half():
    bracket = _WeightBracket()
    for s, slope in ((1.0, -1.0), (0.5, 1.0), (0.8, -0.5)):
        bracket.update(s, slope)
    # the chord from (0.5, 1) to (0.8, -0.5)
    assert bracket.next() == pytest.approx(0.7)
    bracket.update(0.7, -0.25)
    # 0.5 stayed: the chord from (0.5, 0.5) to (0.7, -0.25)
    assert bracket.next() == pytest.approx(0.5 + 0.2 * 0.5 / 0.75)
