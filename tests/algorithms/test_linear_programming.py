"""The 1-norm linear S3VM: the mixed-integer program is the optimum, successive programs go down towards it."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from semisvm.algorithms import MixedIntegerLP, SuccessiveLP, run
from semisvm.algorithms.linear_programming import LinearTask, _LabelProgram
from semisvm.balance import ExactCount, MeanOutput, NoBalance
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Hinge, SymmetricHinge
from semisvm.objective import Problem
from semisvm.optim import UNLIMITED
from semisvm.spaces import Full, Linear
from tests.reference.enumeration import labelings


def task(seed, n=9, d=3, space=Linear):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, d)) + rng.uniform(0.2, 1.0) * signs[:, None]
    y = np.where(np.arange(n) < 2, signs, 0.0)[:, None]
    weights = np.where(np.arange(n) < 2, 10.0 ** rng.uniform(0, 1), 10.0 ** rng.uniform(-1, 0.5))[:, None]
    return Problem(
        space=space(X),
        y=y,
        labeled=np.arange(2),
        unlabeled=np.arange(2, n),
        labeled_loss=Hinge(),
        unlabeled_loss=SymmetricHinge(),
        weights=weights,
    )


def trained_with(problem, y):
    """The linear program with every point labeled."""
    everything = problem.replace(y=y[:, None], labeled=np.arange(len(y)), unlabeled=np.empty(0, dtype=np.intp))
    return run(SuccessiveLP(NoBalance()), everything, max_iter=10).candidate


def cost_with(problem, y):
    return trained_with(problem, y).value[0]


def test_a_linear_program_minimizes_the_objective():
    problem = task(0)
    y = np.where(np.arange(9) % 2 == 0, 1.0, -1.0)
    X, c = problem.space.X, problem.weights[:, 0]

    def cost(v):
        return np.abs(v[:-1]).sum() + c @ np.maximum(0.0, 1.0 - y * (X @ v[:-1] + v[-1]))

    solution = trained_with(problem, y)
    found = np.append(solution.point.theta, solution.point.bias)
    assert solution.value[0] == pytest.approx(cost(found), rel=1e-9)
    # the objective is convex: where no small step helps, nothing does
    for step in np.random.default_rng(0).normal(size=(2000, 4)):
        assert cost(found + 1e-3 * step) >= solution.value[0] - 1e-9


@pytest.mark.parametrize("count", [None, 3])
def test_the_mixed_integer_program_equals_enumeration(count):
    for seed in range(4):
        problem = task(seed, n=8)
        balance = NoBalance() if count is None else ExactCount(np.array([count / 6]))
        counts = None if count is None else np.array([count])
        candidate = run(MixedIntegerLP(balance, counts), problem, max_iter=1000).candidate
        best = min(cost_with(problem, y) for y in labelings(problem.y[:, 0], count))
        assert candidate.value[0] == pytest.approx(best, rel=1e-5)
        assert candidate.lower_bound[0] <= best + 1e-5 * best
        if count is not None:
            assert np.sum(candidate.labels > 0) == count


@pytest.mark.parametrize("balance", [NoBalance(), ExactCount(np.array([0.5]))])
def test_successive_programs_go_down_and_end_above_the_optimum(balance):
    counts = None if isinstance(balance, NoBalance) else np.array([10])
    for seed in range(4):
        problem = task(seed, n=22)
        seen = []
        run(SuccessiveLP(balance), problem, max_iter=1000, watch=lambda _, c, seen=seen: seen.append(c.value[0]))
        assert all(after < before for before, after in pairwise(seen))
        exact = run(MixedIntegerLP(balance, counts), problem, max_iter=1000, time_limit=20.0).candidate
        assert exact.value[0] <= seen[-1] + 1e-6
        assert exact.lower_bound[0] <= exact.value[0] + 1e-6


def test_nothing_is_certified_before_the_mixed_integer_program_is_solved():
    """So that a run which is stopped there ends with a warning."""
    *before, last = MixedIntegerLP(ExactCount(np.array([0.5])), np.array([3])).iterate(task(0), None, UNLIMITED)
    assert before
    assert all(np.all(np.isinf(one.stationarity)) for one in before)
    assert np.all(last.stationarity <= 1e-6)


def test_sparse_rows_and_columns_of_problems():
    dense, sparse = task(1), task(1, space=lambda X: Linear(sp.csr_array(X)))
    first = run(SuccessiveLP(NoBalance()), dense, max_iter=100).candidate
    np.testing.assert_allclose(run(SuccessiveLP(NoBalance()), sparse, max_iter=100).candidate.value, first.value)
    twice = dense.replace(y=np.hstack([dense.y, -dense.y]), weights=np.hstack([dense.weights, dense.weights]))
    both = run(SuccessiveLP(NoBalance()), twice, max_iter=100).candidate
    np.testing.assert_allclose(both.value, [first.value[0], first.value[0]], rtol=1e-7)


def test_the_soft_balance_holds_the_mean_output():
    problem = task(2)
    space, bias = MeanOutput(np.array([0.6])).apply(problem.space, problem.unlabeled)
    held = problem.replace(space=space, bias=bias)
    point = run(SuccessiveLP(NoBalance()), held, max_iter=100).candidate.point
    assert point.scores[problem.unlabeled].mean() == pytest.approx(0.2)


def test_kernels_are_refused():
    problem = task(0, space=lambda X: Full(RBF(1.0), Points.of(X)))
    with pytest.raises(
        TypeError, match='the space Full and needs linear functions on rows in memory: set kernel="linear"'
    ):
        run(SuccessiveLP(NoBalance()), problem, max_iter=10)


@pytest.mark.parametrize("bias", [None, -2.5])
@pytest.mark.parametrize("size", [0.01, 30.0])
def test_labels_are_open_as_far_as_any_score_may_reach(bias, size):
    """Where d says "not this label" its constraint must bind for no w with |w|_1 <= J and no bias of an optimum."""
    X = size * np.array([[1.0, -0.2], [0.3, 0.9], [-0.5, 0.1]])
    task = LinearTask(X, np.array([1.0, 0.0, 0.0]), np.ones(3), bias)
    known = 4.0
    score = known * np.abs(X).max()
    # |z| <= |x'w| + |b|, and a free bias of an optimum is at most one beyond the outputs
    farthest = score + (score + 1.0 if bias is None else abs(bias))
    assert _LabelProgram(task, np.array([1, 2]), known).reach >= 1.0 + farthest
