"""Branch and bound against enumeration, its bounds at every moment, and what it may rule out."""

import time

import numpy as np
import pytest
from scipy.optimize import minimize
from semisvm._core.label_tree import LabelTree

from semisvm.algorithms import BranchAndBound, Interrupted, Status, run
from semisvm.algorithms.label_search import LabelSearch
from semisvm.algorithms.open_nodes import BestFirst, DepthFirst
from semisvm.algorithms.partial_svm import PartialSVM
from semisvm.datasets import make_two_moons
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import SquaredHinge, SymmetricSquaredHinge
from semisvm.objective import Problem
from semisvm.optim import UNLIMITED
from semisvm.spaces import Full, Linear
from tests.reference.enumeration import enumerated_optimum, labelings, svm_minimum
from tests.reference.label_costs import label_costs


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


def solved(problem, counts, order=BestFirst, **options):
    counts = None if counts is None else np.atleast_1d(counts)
    return run(BranchAndBound(counts, order=order), problem, max_iter=10**6, **options)


def optimum_of(problem, count):
    bias = None if problem.bias is None else problem.bias[0]
    return enumerated_optimum(problem.space.gram(), problem.weights[:, 0], problem.y[:, 0], count, bias)


@pytest.mark.parametrize("group", range(10))
def test_equals_enumeration(group):
    for seed in range(20 * group, 20 * group + 20):
        problem, count = random_problem(seed, linear=seed % 5 == 0)
        best, _ = optimum_of(problem, count)
        solution = solved(problem, count, order=DepthFirst if seed % 4 == 1 else BestFirst)
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


@pytest.mark.parametrize("bias", [None, -0.4, -1.5, 3.0])
def test_a_node_is_solved_exactly_from_any_start(bias, rng):
    for seed in range(60):
        problem, _ = random_problem(seed, n=10)
        svm = PartialSVM(problem.space.gram(), problem.weights[:, 0], bias)
        elsewhere = svm.solve(partial_labels(problem, rng))
        y = partial_labels(problem, rng)
        expected = svm_minimum(svm.K, svm.weights, y, bias)
        for start in (None, elsewhere):
            assert svm.solve(y, start).value == pytest.approx(expected, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(("bias", "scores"), [(None, 0.0), (0.0, 0.0), (0.3, 0.3)])
def test_a_node_without_labels_has_the_scores_of_a_function_that_is_zero(bias, scores):
    bound = PartialSVM(np.eye(4), np.ones(4), bias).solve(np.zeros(4))
    assert bound.value == 0.0
    assert np.all(bound.scores == scores)


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


def tree_of(problem, bias=None, room=(99, 99)):
    svm = PartialSVM(problem.space.gram(), problem.weights[:, 0], bias)
    return svm, LabelTree(svm.K, svm.ridge, problem.y[:, 0], bias, *room)


def packed(y, support):
    """A node as the tree keeps it: label + 1, and 4 for support vectors."""
    code = (y + 1).astype(np.uint8)
    code[support] += 4
    return code.tobytes()


def labels_in(node):
    return (np.frombuffer(node, np.uint8) & 3) - 1.0


@pytest.mark.parametrize("bias", [None, 0.2])
def test_a_compiled_node_is_that_of_the_reference(bias, rng):
    for seed in range(40):
        problem, _ = random_problem(seed, n=12)
        svm, tree = tree_of(problem, bias)
        for _ in range(4):
            y = partial_labels(problem, rng)
            bound = svm.solve(y)
            # from the support vectors of the solution, and from those of the given labels
            for support in (bound.support, labeled_support(svm, problem)):
                value, estimated, certain = tree.look(packed(y, support))
                assert value == pytest.approx(bound.value, rel=1e-9, abs=1e-11)
            if len(bound.support):
                blank = np.flatnonzero(y == 0)
                costs = label_costs(svm, bound, blank)
                np.testing.assert_allclose(estimated[:, blank], costs.estimate, rtol=1e-6, atol=1e-9)
                np.testing.assert_allclose(certain[:, blank], costs.certain, rtol=1e-5, atol=1e-8)


def labeled_support(svm, problem):
    found = svm.solve(problem.y[:, 0]).support
    return found if len(found) else problem.labeled[:1]


def test_rounding_does_not_add_up(rng):
    problem, _, _ = moons(80)
    svm, tree = tree_of(problem)
    for _ in range(150):
        y = partial_labels(problem, rng)
        bound = svm.solve(y)
        assert tree.look(packed(y, bound.support))[0] == pytest.approx(bound.value, rel=1e-10)


@pytest.mark.parametrize("bias", [None, 0.2])
def test_a_certain_gain_is_never_above_the_true_one(bias, rng):
    ratios = []
    for seed in range(40):
        problem, _ = random_problem(seed, n=10)
        svm, tree = tree_of(problem, bias)
        y = partial_labels(problem, rng)
        bound = svm.solve(y)
        if not len(bound.support):
            continue
        value, _, certain = tree.look(packed(y, bound.support))
        for side, sign in enumerate((1.0, -1.0)):
            for point in np.flatnonzero(y == 0):
                joined = y.copy()
                joined[point] = sign
                true = svm.solve(joined).value - value
                assert certain[side, point] <= true + 1e-9 * max(1.0, value)
                if true > 1e-6:
                    ratios.append(certain[side, point] / true)
    assert np.median(ratios) > 0.9  # certain and of use


def test_what_is_put_aside_is_bounded_from_below():
    for seed in range(30):
        problem, count = random_problem(seed, n=9)
        svm, tree = tree_of(problem, room=(count, len(problem.unlabeled) - count))
        best, _ = optimum_of(problem, count)
        # a target above the optimum: labels are ruled out, but none of the best
        target = 1.5 * best + 1.0
        leaf, aside, ruled_out = tree.descend(tree.root(), 0.0, target, None)
        assert ruled_out >= target
        below = [svm.solve(leaf).value] if leaf is not None else []
        for bound, node in aside:
            y = labels_in(node)
            missing = count - int(np.sum(y[problem.unlabeled] > 0))
            cheapest = min(svm_minimum(svm.K, svm.weights, full) for full in labelings(y, missing))
            assert svm.solve(y).value - 1e-9 <= bound <= max(cheapest, target) + 1e-9 * max(1.0, cheapest)
            below.append(cheapest)
        assert min(below) == pytest.approx(best, rel=1e-6, abs=1e-9)


def test_no_labeled_row_with_a_weight_is_refused():
    K = np.eye(3)
    message = "No labeled row has a weight above 0 and branch and bound needs one: give one, or a bias."
    with pytest.raises(ValueError, match=message):
        LabelTree(K, np.array([np.inf, 1.0, 1.0]), np.array([1.0, 0.0, 0.0]), None, 1, 1)


@pytest.mark.parametrize("gap", [1e-6, 0.3])
def test_nodes_within_the_gap_of_the_best_are_of_no_interest(gap):
    problem, count = random_problem(3, n=11)
    svm = PartialSVM(problem.space.gram(), problem.weights[:, 0])
    search = LabelSearch(svm, problem.y[:, 0], (count, len(problem.unlabeled) - count), gap)
    assert search.target == np.inf
    search.offer(np.zeros(11))
    best = search.upper_bound
    assert search.target == pytest.approx(best - gap * max(1.0, best))


def test_an_indefinite_kernel_is_refused():
    K = np.array([[1.0, 3.0], [3.0, 1.0]])
    search = PartialSVM(K, np.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match="not positive semidefinite and branch and bound needs one that is"):
        LabelSearch(search, np.array([1.0, 0.0]), (1, 0), 1e-6)


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


@pytest.mark.parametrize("order", [BestFirst, DepthFirst])
def test_the_bounds_hold_at_every_moment(order):
    moments = 0
    for seed in range(50, 70):
        problem, count = random_problem(seed, n=11)
        best, _ = optimum_of(problem, count)
        slack = 1e-9 * max(1.0, best)
        svm = PartialSVM(problem.space.gram(), problem.weights[:, 0])
        search = LabelSearch(svm, problem.y[:, 0], (count, len(problem.unlabeled) - count), 1e-6, order())
        search.offer(np.zeros(11))
        lower = search.lower_bound
        while not search.finished:
            search._dive(UNLIMITED)
            assert lower - slack <= search.lower_bound <= best + slack
            assert search.upper_bound >= best - slack
            lower = search.lower_bound
            moments += 1
        assert search.upper_bound == pytest.approx(best, rel=2e-6, abs=1e-9)
    assert moments > 40


def test_the_bounds_of_a_run_close_in():
    problem, count, _ = moons(60)
    seen = []

    def watch(_, candidate):
        lower, upper = candidate.lower_bound[0], candidate.value[0]
        assert candidate.stationarity[0] == (upper - lower) / max(1.0, abs(upper))
        seen.append((lower, upper))

    solved(problem, count, watch=watch)
    lower, upper = np.array(seen).T
    assert len(seen) > 3
    assert np.all(np.diff(lower) >= 0.0)
    assert np.all(np.diff(upper) <= 0.0)
    assert np.all(lower <= upper[-1])


def test_out_of_time_it_still_gives_labels_and_valid_bounds(monkeypatch):
    problem, count, _ = moons(60)
    full = solved(problem, count).candidate
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def let_an_hour_pass(iteration, _):
        nonlocal now
        now = 3600.0 * (iteration >= 2)

    hurried = solved(problem, count, time_limit=1.0, watch=let_an_hour_pass)
    assert hurried.n_iter == 2
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


def test_two_moons_are_separated_and_certified():
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
