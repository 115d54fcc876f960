"""Branch and bound against enumeration, its bounds at every moment, and what it may rule out."""

import numpy as np
import pytest
from scipy.optimize import minimize

from semisvm.algorithms import BranchAndBound, Interrupted, Status, run
from semisvm.algorithms.label_costs import label_costs
from semisvm.algorithms.partial_svm import PartialSVM
from semisvm.datasets import make_two_moons
from semisvm.distances import Points
from semisvm.kernels import RBF
from semisvm.losses import SquaredHinge, SymmetricSquaredHinge
from semisvm.optim import UNLIMITED
from semisvm.problem import Problem
from semisvm.spaces import Full, Linear
from tests.reference.enumeration import enumerated_optimum, labelings, svm_minimum


def random_problem(seed, n=None, linear=False, bias=None):
    """A labeled pair and some open points of two overlapping clouds, with C, C_star and the count drawn too."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 13)) if n is None else n
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + rng.uniform(0.2, 1.5) * signs[:, None]
    n_labeled = int(rng.integers(2, 4))
    y = np.zeros((n, 1))
    y[:n_labeled, 0] = signs[:n_labeled]
    weights = np.full((n, 1), 10.0 ** rng.uniform(-2, 2))
    weights[:n_labeled] = 10.0 ** rng.uniform(-1, 2)
    space = Linear(X) if linear else Full(RBF(10.0 ** rng.uniform(-1.5, 1)), Points.of(X))
    problem = Problem(
        space=space,
        y=y,
        labeled=np.arange(n_labeled),
        unlabeled=np.arange(n_labeled, n),
        labeled_loss=SquaredHinge(),
        unlabeled_loss=SymmetricSquaredHinge(),
        weights=weights,
        bias=None if bias is None else np.array([bias]),
    )
    return problem, int(rng.integers(1, n - n_labeled))


def solved(problem, counts, **options):
    counts = None if counts is None else np.atleast_1d(counts)
    return run(BranchAndBound(counts), problem, max_iter=10**6, **options)


def optimum_of(problem, count):
    bias = None if problem.bias is None else problem.bias[0]
    return enumerated_optimum(problem.space.gram(), problem.weights[:, 0], problem.y[:, 0], count, bias)


@pytest.mark.parametrize("group", range(10))
def test_equals_enumeration(group):
    for seed in range(20 * group, 20 * group + 20):
        problem, count = random_problem(seed, linear=seed % 5 == 0)
        best, _ = optimum_of(problem, count)
        solution = solved(problem, count)
        candidate = solution.candidate
        assert solution.status is Status.CONVERGED
        assert candidate.value[0] == pytest.approx(best, rel=2e-6, abs=1e-9), seed
        assert candidate.lower_bound[0] <= best + 1e-9 * max(1.0, best)
        assert np.sum(candidate.labels > 0) == count


@pytest.mark.parametrize("bias", [None, 0.0, 0.3])
def test_equals_enumeration_without_a_count_and_with_a_held_bias(bias):
    for seed in range(8):
        problem, _ = random_problem(seed, n=8, bias=bias)
        best, _ = optimum_of(problem, None)
        assert solved(problem, None).candidate.value[0] == pytest.approx(best, rel=2e-6, abs=1e-9), seed


def test_columns_are_separate_problems():
    problems = [random_problem(seed, n=9) for seed in (3, 4)]
    first, count = problems[0]
    flipped = first.replace(y=np.hstack([first.y, -first.y]), weights=np.hstack([first.weights, 2 * first.weights]))
    u = len(first.unlabeled)
    together = solved(flipped, np.array([count, u - count])).candidate
    for column, positives in enumerate((count, u - count)):
        alone = solved(flipped.columns(np.array([column])), positives).candidate
        assert together.value[column] == pytest.approx(alone.value[0], rel=1e-6)
        np.testing.assert_array_equal(together.labels[:, column], alone.labels[:, 0])


def test_points_without_weight_change_nothing():
    problem, count = random_problem(11, n=8)
    weights = problem.weights.copy()
    weights[-1] = 0.0
    problem = problem.replace(weights=weights)
    best, _ = optimum_of(problem, count)
    assert solved(problem, count).candidate.value[0] == pytest.approx(best, rel=2e-6)


# ---------------------------------------------------------------- the node


def partial_labels(problem, rng):
    y = problem.y[:, 0].copy()
    for point in problem.unlabeled:
        y[point] = rng.choice([-1.0, 0.0, 1.0])
    return y


@pytest.mark.parametrize("bias", [None, -0.4])
def test_a_node_is_solved_exactly_from_any_start(bias, rng):
    for seed in range(20):
        problem, _ = random_problem(seed, n=10)
        svm = PartialSVM(problem.space.gram(), problem.weights[:, 0], bias)
        elsewhere = svm.solve(partial_labels(problem, rng))
        y = partial_labels(problem, rng)
        expected = svm_minimum(svm.K, svm.weights, y, bias)
        for start in (None, elsewhere):
            assert svm.solve(y, start).value == pytest.approx(expected, rel=1e-8, abs=1e-10)


def test_the_reference_svm_is_a_minimum(rng):
    problem, _ = random_problem(2, n=9)
    y, c, K = partial_labels(problem, rng), problem.weights[:, 0], problem.space.gram()
    Z = np.linalg.cholesky(K + 1e-12 * np.eye(len(K)))
    counted = y != 0

    def cost(w):
        miss = np.maximum(0.0, 1.0 - y * (Z @ w[:-1] + w[-1]))[counted]
        return 0.5 * w[:-1] @ w[:-1] + c[counted] @ miss**2

    found = minimize(cost, np.zeros(len(K) + 1), method="BFGS", options={"gtol": 1e-8, "maxiter": 2000})
    assert svm_minimum(K, c, y) == pytest.approx(found.fun, rel=1e-5)


@pytest.mark.parametrize("bias", [None, 0.2])
def test_a_certain_gain_is_never_above_the_true_one(bias, rng):
    ratios = []
    for seed in range(40):
        problem, _ = random_problem(seed, n=10)
        svm = PartialSVM(problem.space.gram(), problem.weights[:, 0], bias)
        y = partial_labels(problem, rng)
        blank = np.flatnonzero(y == 0)
        bound = svm.solve(y)
        if not len(blank) or not len(bound.support):
            continue
        costs = label_costs(svm, bound, blank)
        for side, sign in enumerate((1.0, -1.0)):
            for place, point in enumerate(blank):
                joined = y.copy()
                joined[point] = sign
                true = svm.solve(joined).value - bound.value
                assert costs.certain[side, place] <= true + 1e-9 * max(1.0, bound.value)
                if true > 1e-6:
                    ratios.append(costs.certain[side, place] / true)
    assert np.median(ratios) > 0.9  # certain and of use


# ---------------------------------------------------------------- at any moment


def moons(n, seed=0, noise=0.15):
    """A harder pair of moons: noisy, few points."""
    X, y = make_two_moons(n, noise=noise, nuisance=2, random_state=seed)
    signs = np.where(y == 1, 1.0, -1.0)[:, None]
    given = signs.copy()
    given[2:] = 0.0
    problem = Problem(
        space=Full(RBF(2.0), Points.of(X)),
        y=given,
        labeled=np.arange(2),
        unlabeled=np.arange(2, n),
        labeled_loss=SquaredHinge(),
        unlabeled_loss=SymmetricSquaredHinge(),
        weights=np.full((n, 1), 10.0),
    )
    return problem, int(np.sum(signs[2:] > 0)), signs[2:]


def test_the_bounds_hold_at_every_moment():
    problem, count = random_problem(50, n=11)
    best, _ = optimum_of(problem, count)
    seen = []
    solved(problem, count, watch=lambda _, candidate: seen.append((candidate.lower_bound[0], candidate.value[0])))
    lower, upper = np.array(seen).T
    slack = 1e-9 * max(1.0, best)
    assert np.all(lower <= best + slack)
    assert np.all(upper >= best - slack)
    assert np.all(np.diff(lower) >= -slack)
    assert np.all(np.diff(upper) <= slack)


def test_out_of_time_it_still_gives_labels_and_valid_bounds():
    problem, count, _ = moons(60)
    full = solved(problem, count).candidate
    hurried = solved(problem, count, time_limit=0.02)
    assert hurried.status is Status.TIME_LIMIT
    assert hurried.candidate.lower_bound[0] < full.value[0] <= hurried.candidate.value[0] + 1e-9
    assert np.sum(hurried.candidate.labels > 0) == count


def test_interrupted_it_keeps_the_incumbent():
    problem, count, _ = moons(60)

    def interrupt(iteration, _):
        if iteration == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        solved(problem, count, watch=interrupt)
    candidate = caught.value.solution.candidate
    assert candidate.lower_bound[0] <= candidate.value[0]
    assert np.sum(candidate.labels > 0) == count


def test_the_value_is_that_of_the_point_and_the_labels():
    problem, count, _ = moons(40)
    candidate = solved(problem, count).candidate
    y = problem.y[:, 0].copy()
    y[problem.unlabeled] = candidate.labels[:, 0]
    assert candidate.value[0] == pytest.approx(svm_minimum(problem.space.gram(), problem.weights[:, 0], y), rel=1e-7)
    np.testing.assert_allclose(
        candidate.point.scores, problem.space.outputs(candidate.point.theta) + candidate.point.bias
    )


def test_two_moons_are_told_apart_and_certified():
    problem, count, truth = moons(200, noise=0.05)
    solution = solved(problem, count)
    np.testing.assert_array_equal(solution.candidate.labels, truth)
    assert solution.status is Status.CONVERGED


def test_a_warm_start_is_an_upper_bound_at_once():
    problem, count, _ = moons(60)
    best = solved(problem, count).candidate
    first = next(BranchAndBound(np.array([count])).iterate(problem, best.point, UNLIMITED))
    assert first.value[0] == pytest.approx(best.value[0], rel=1e-9)


def test_every_labeling_is_counted_once():
    y = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    assert len({tuple(full) for full in labelings(y, 2)}) == 6
    assert len({tuple(full) for full in labelings(y)}) == 16
    assert all(np.sum(full[2:] > 0) == 2 for full in labelings(y, 2))
