"""The box QP against an interior-point solver, a naive twin, scikit-learn's SVC and its own certificate."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import SVC

from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.row_cache import RowCache
from semisvm.optim.starting_point import lowered
from tests._core.box_qp_cases import BoxQPCase, random_case, svm
from tests.reference import box_qp as reference


def interior_point_objective(case):
    F = case.F if case.phi is None else case.F - case.phi
    a = cp.Variable(len(F))
    objective = 0.5 * cp.sum_squares(F.T @ a) - case.c @ a
    if case.ridge is not None:
        objective += 0.5 * cp.sum_squares(cp.multiply(np.sqrt(case.ridge), a))
    if case.kink is not None:
        objective += case.kink[0] @ cp.abs(a - case.kink[1])
    constraints = [a >= case.lo, a <= case.hi] + ([cp.sum(a) == 0] if case.equality else [])
    problem = cp.Problem(cp.Minimize(objective), constraints)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value


def assert_feasible(case, a, j=None):
    column = case.column(j)
    assert np.all(a >= column.lo)
    assert np.all(a <= column.hi)
    if case.equality:
        assert abs(a.sum()) < 1e-10 * (1 + np.abs(a).sum())


@pytest.mark.parametrize("first_seed", range(0, 200, 20))
def test_objective_equals_an_interior_point_solver(first_seed):
    for seed in range(first_seed, first_seed + 20):
        case = random_case(seed)
        arguments, settings = case.arguments()
        result = solve_box_qp(*arguments, **settings, tol=1e-8)
        assert result.converged, seed
        assert_feasible(case, result.a)
        expected = interior_point_objective(case)
        assert result.objective == pytest.approx(expected, rel=1e-7, abs=1e-7), seed
        assert result.objective == pytest.approx(case.column().objective(result.a), rel=1e-9, abs=1e-9), seed


@pytest.mark.parametrize("seed", range(300, 330))
def test_naive_twin_reaches_the_same_objective(seed):
    case = random_case(seed)
    twin = case.column()
    start = np.clip(np.zeros(len(case.F)), case.lo, case.hi)
    a = reference.solve(twin, start, tol=1e-6, max_iter=3000)
    arguments, settings = case.arguments()
    result = solve_box_qp(*arguments, **settings, tol=1e-6)
    assert result.objective <= twin.objective(a) + 1e-6 * (1 + abs(result.objective))
    if twin.violation(a) < 1e-6:
        assert result.objective == pytest.approx(twin.objective(a), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("seed", range(400, 440))
def test_certificate_and_gradient_recomputed_from_scratch(seed):
    case = random_case(seed, n_problems=3)
    arguments, settings = case.arguments(rows=lambda index: case.K[index])
    result = solve_box_qp(*arguments, **settings, tol=1e-2)
    for j in range(3):
        column = case.column(j)
        a = result.a[:, j]
        assert_feasible(case, a, j)
        np.testing.assert_allclose(result.gradient[:, j], column.gradient(a), atol=1e-9)
        np.testing.assert_allclose(result.outputs[:, j], column.K @ a, atol=1e-9)
        assert result.violation[j] == pytest.approx(column.violation(a), abs=1e-9)
        assert result.objective[j] == pytest.approx(column.objective(a), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(500, 520))
def test_columns_equal_single_problems(seed):
    case = random_case(seed, n_problems=4)
    arguments, settings = case.arguments()
    together = solve_box_qp(*arguments, **settings, tol=1e-7)
    for j in range(4):
        ridge = None if case.ridge is None else case.ridge[:, j]
        kink = None if case.kink is None else (case.kink[0][:, j], case.kink[1][:, j])
        one = BoxQPCase(case.F, case.phi, case.c[:, j], case.lo[:, j], case.hi[:, j], ridge, kink, case.equality)
        arguments, settings = one.arguments()
        alone = solve_box_qp(*arguments, **settings, tol=1e-7)
        assert together.objective[j] == pytest.approx(alone.objective, rel=1e-7, abs=1e-8)
        assert np.isscalar(alone.bias)
        assert together.bias.shape == (4,)


@pytest.mark.parametrize("seed", range(600, 630))
@pytest.mark.parametrize("cache_rows", [7, 10**6])
def test_callable_rows_and_small_caches_equal_the_dense_matrix(seed, cache_rows):
    case = random_case(seed, n_problems=2)
    arguments, settings = case.arguments()
    dense = solve_box_qp(*arguments, **settings, tol=1e-7)
    K, n = case.K, len(case.F)
    arguments, settings = case.arguments(rows=lambda index: K[index])
    called = solve_box_qp(*arguments, **settings, tol=1e-7, cache_bytes=8 * n * cache_rows)
    np.testing.assert_allclose(called.objective, dense.objective, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(called.outputs, dense.outputs, atol=1e-4)


@pytest.mark.parametrize("equality", [True, False])
@pytest.mark.parametrize("n_problems", [1, 3])
def test_working_sets_that_must_be_renewed_and_rows_that_must_be_evicted(equality, n_problems):
    (K, diagonal, y, _, _), _ = svm(600, noise=1.0)
    Y = np.stack([y, -y, np.roll(y, 1)], axis=1)[:, :n_problems]
    lo, hi = np.minimum(0.0, 10 * Y), np.maximum(0.0, 10 * Y)
    calls = []

    def rows(index):
        calls.append(len(index))
        return K[index]

    tight = solve_box_qp(rows, diagonal, Y, lo, hi, equality=equality, tol=1e-5, cache_bytes=1)
    assert tight.converged
    assert max(calls) <= 64  # as many rows as the smallest cache holds
    assert tight.n_rows == sum(calls) > 600  # rows were forgotten and computed again
    dense = solve_box_qp(K, diagonal, Y, lo, hi, equality=equality, tol=1e-5)
    np.testing.assert_allclose(tight.objective, dense.objective, rtol=1e-7)


def test_only_rows_of_candidates_are_computed():
    (K, diagonal, y, lo, hi), _ = svm(1500, C=1.0, noise=0.05, gamma=0.2)
    result = solve_box_qp(lambda index: K[index], diagonal, y, lo, hi, equality=True)
    support = np.count_nonzero(result.a)
    assert support < 700
    assert support <= result.n_rows < 1.6 * support


def test_problems_share_the_rows_of_one_call():
    (K, diagonal, y, _, _), _ = svm(800)
    Y = np.stack([y, -y], axis=1)  # mirror images: the second needs no row of its own
    lo, hi = np.minimum(0.0, 10 * Y), np.maximum(0.0, 10 * Y)
    both = solve_box_qp(lambda index: K[index], diagonal, Y, lo, hi, equality=True)
    one = solve_box_qp(lambda index: K[index], diagonal, y, lo[:, 0], hi[:, 0], equality=True)
    assert both.n_rows < 1.25 * one.n_rows
    np.testing.assert_allclose(both.objective, one.objective, rtol=1e-4)


@pytest.mark.parametrize(("C", "atol"), [(0.1, 1e-5), (1.0, 1e-5), (100.0, 1e-4)])
def test_decision_values_of_the_hinge_svm_are_those_of_svc(C, atol):
    (K, diagonal, y, lo, hi), labels = svm(300, C=C)
    result = solve_box_qp(K, diagonal, y, lo, hi, equality=True, tol=1e-6)
    svc = SVC(C=C, kernel="precomputed", tol=1e-6).fit(K, labels)
    np.testing.assert_allclose(
        result.outputs + result.bias, svc.decision_function(K), atol=atol
    )  # its rows are float32


@pytest.mark.parametrize("seed", range(700, 715))
def test_any_start_reaches_the_same_objective(seed):
    case = random_case(seed)
    arguments, settings = case.arguments()
    cold = solve_box_qp(*arguments, **settings, tol=1e-7)
    start = 5 * np.random.default_rng(seed).standard_normal(len(case.F))
    warm = solve_box_qp(*arguments, **settings, tol=1e-7, start=start)
    assert_feasible(case, warm.a)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-7, abs=1e-8)
    again = solve_box_qp(*arguments, **settings, tol=1e-7, start=cold)
    assert again.n_steps == 0
    np.testing.assert_array_equal(again.a, cold.a)


def test_start_is_repaired_within_its_support():
    (K, diagonal, y, lo, hi), _ = svm(50)
    start = np.zeros(50)
    positive = np.flatnonzero(y > 0)[:3]
    start[positive], start[np.flatnonzero(y < 0)[0]] = 4.0, -6.0
    result = solve_box_qp(K, diagonal, y, lo, hi, equality=True, start=start, max_iter=0)
    assert not result.converged
    np.testing.assert_allclose(result.a[positive], 2.0)
    assert np.count_nonzero(result.a) == 4


def test_result_as_start_and_kept_cache_save_the_rows():
    (K, diagonal, y, lo, hi), _ = svm(1500, C=1.0, noise=0.05)
    cache = RowCache(lambda index: K[index], 1500)
    first = solve_box_qp(cache, diagonal, y, lo, hi, equality=True)
    again = solve_box_qp(cache, diagonal, y, lo, hi, equality=True, start=first)
    assert again.n_rows == again.n_steps == 0
    wider = solve_box_qp(cache, diagonal, y, 2 * lo, 2 * hi, equality=True, start=first)
    assert wider.n_rows < first.n_rows / 4
    cold = solve_box_qp(K, diagonal, y, 2 * lo, 2 * hi, equality=True)
    assert wider.objective == pytest.approx(cold.objective, rel=1e-5)


def test_a_goal_is_reached_from_an_earlier_result_with_the_rows_of_what_differs():
    (K, diagonal, y, lo, hi), _ = svm(200)
    cache = RowCache(lambda index: K[index], 200)
    first = solve_box_qp(cache, diagonal, y, lo, hi, equality=True)
    goal = np.where(first.a == hi, 2 * hi, np.where(first.a == lo, 2 * lo, first.a))
    there = solve_box_qp(cache, diagonal, y, 2 * lo, 2 * hi, start=first, goal=goal, max_iter=0)
    np.testing.assert_array_equal(there.a, goal)
    np.testing.assert_allclose(there.outputs, K @ goal, atol=1e-9)
    wider = solve_box_qp(cache, diagonal, y, 2 * lo, 2 * hi, equality=True, start=first, goal=goal, tol=1e-6)
    assert wider.objective == pytest.approx(
        solve_box_qp(K, diagonal, y, 2 * lo, 2 * hi, equality=True, tol=1e-6).objective, rel=1e-6
    )


@pytest.mark.parametrize("dense", [True, False])
def test_float32_rows(dense):
    (K, diagonal, y, lo, hi), _ = svm(700)
    K32 = K.astype(np.float32)
    exact = solve_box_qp(K, diagonal, y, lo, hi, equality=True)
    result = solve_box_qp(K32 if dense else lambda index: K32[index], diagonal, y, lo, hi, equality=True)
    assert result.converged
    assert result.gradient.dtype == np.float64
    np.testing.assert_allclose(result.gradient, y - K32.astype(float) @ result.a, atol=1e-5)
    assert result.objective == pytest.approx(exact.objective, rel=1e-4)


def test_bias_and_its_interval():
    # One free variable on each side would be needed for a mean; both are at their bound here, so b is in an interval.
    result = solve_box_qp(np.eye(2), np.ones(2), [1.0, -1.0], [0.0, -0.1], [0.1, 0.0], equality=True)
    np.testing.assert_allclose(result.a, [0.1, -0.1])
    np.testing.assert_allclose(result.bias_interval, (-0.9, 0.9))
    assert result.bias == pytest.approx(0.0)
    (K, diagonal, y, lo, hi), _ = svm(200, C=1.0)
    result = solve_box_qp(K, diagonal, y, lo, hi, equality=True, tol=1e-8)
    free = (result.a > lo) & (result.a < hi)
    assert result.bias == pytest.approx(result.gradient[free].mean(), abs=1e-12)
    without = solve_box_qp(K, diagonal, y, lo, hi)
    assert without.bias == 0.0
    assert without.bias_interval == (0.0, 0.0)


def test_everything_fixed():
    fixed = np.array([0.5, -0.5])
    result = solve_box_qp(np.eye(2), np.ones(2), [1.0, -1.0], fixed, fixed, equality=True)
    assert result.converged
    np.testing.assert_array_equal(result.a, fixed)
    assert result.objective == pytest.approx(-0.75)


REFUSALS = {
    "Kinks were given together with the equality; drop one: only pure box problems have kinks.": {
        "equality": True,
        "kink": (np.ones(4), np.zeros(4)),
    },
    "Some lower bound exceeds its upper bound or is NaN; lo <= hi is needed everywhere.": {"lo": np.full(4, 2.0)},
    "No point of the box sums to zero; sum(lo) <= 0 <= sum(hi) is needed with the equality.": {
        "equality": True,
        "lo": np.full(4, 0.5),
    },
    "The ridge or a kink weight is negative or NaN; both must be zero or more.": {"ridge": np.full(4, -1.0)},
    "c has the shape (3,); (4,) is needed.": {"c": np.ones(3)},
    "c has the shape (4, 2); (4,) or (4, 3) is needed.": {"c": np.ones((4, 2)), "hi": np.ones((4, 3))},
    "c, the diagonal or a kink place is NaN or infinite; finite values are needed.": {"c": np.full(4, np.nan)},
    "rows is an array of shape (3, 3) and the diagonal has 4 entries; (4, 4) is needed.": {"rows": np.eye(3)},
    "rows(index) returned an array of shape (3, 3) for 4 indices; the shape (4, 4) is needed.": {
        "rows": lambda index: np.eye(3)
    },
    "The objective falls without end, because the kernel matrix has large negative eigenvalues or values that are not "
    "finite: use another kernel, or columns of X that are near zero and of a similar size.": {
        "rows": np.full((4, 4), np.nan)
    },
    "centering has a k0 of shape (3,); (4,) is needed.": {"centering": (np.ones(3), 1.0)},
    "The start contains NaN or infinity; finite values are needed.": {"start": np.full(4, np.inf)},
    "tol=0.0 was given; a positive tolerance is needed.": {"tol": 0.0},
}


@pytest.mark.parametrize("message", REFUSALS)
def test_refusals_say_what_is_needed(message):
    given = {"rows": np.eye(4), "diagonal": np.ones(4), "c": np.ones(4), "lo": np.full(4, -1.0), "hi": np.ones(4)}
    with pytest.raises(ValueError) as refusal:
        solve_box_qp(**(given | REFUSALS[message]))
    assert str(refusal.value) == message


@pytest.mark.parametrize(("name", "value"), [("lo", np.nan), ("hi", np.nan), ("lo", 2.0), ("hi", -2.0)])
def test_one_bound_that_is_wrong_is_refused(name, value):
    given = {"c": np.ones(4), "lo": np.full(4, -1.0), "hi": np.ones(4)}
    given[name][2] = value
    with pytest.raises(ValueError, match="Some lower bound exceeds its upper bound or is NaN"):
        solve_box_qp(np.eye(4), np.ones(4), **given)


def test_a_variable_without_bounds():
    # min 1/2 x^2 - 3 x + 1/2 y^2 + y  over all x and over -2 <= y <= 0, with x + y = 0:  x = 2, y = -2
    result = solve_box_qp(np.eye(2), np.ones(2), [3.0, -1.0], [-np.inf, -2.0], [np.inf, 0.0], equality=True)
    np.testing.assert_allclose(result.a, [2.0, -2.0])
    (K, diagonal, y, _, _), _ = svm(80)
    free = solve_box_qp(K, diagonal, y, np.full(80, -np.inf), np.full(80, np.inf), ridge=np.full(80, 0.1), tol=1e-9)
    np.testing.assert_allclose(free.a, np.linalg.solve(K + 0.1 * np.eye(80), y), atol=1e-7)


def test_float32_cache_is_refused_below_its_tolerance():
    (K, diagonal, y, lo, hi), _ = svm(100)
    cache = RowCache(lambda index: K[index].astype(np.float32), 100)
    solve_box_qp(cache, diagonal, y, lo, hi, equality=True)
    with pytest.raises(ValueError, match="tol=1e-06 was asked of a cache of float32 rows; they carry a tolerance of"):
        solve_box_qp(cache, diagonal, y, lo, hi, equality=True, tol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_bias_that_is_not_unique_is_the_middle_of_its_interval(seed):
    """Bounds of either side that sum to the same but for rounding: one variable stops short of its own by a bit."""
    rng = np.random.default_rng(seed)
    n, few = 19, int(rng.integers(2, 9))
    X = rng.normal(size=(n, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    y = np.where(np.arange(n) < few, -1.0, 1.0)
    weights = 1e-3 * n / (2 * np.where(y < 0, few, n - few))
    result = solve_box_qp(K, np.ones(n), y, np.minimum(0, y * weights), np.maximum(0, y * weights), equality=True)
    low, high = result.bias_interval
    assert high - low > 1.5
    assert result.bias == pytest.approx((low + high) / 2)


def test_what_positive_variables_cannot_give_is_taken_from_the_others_in_order():
    a, lo = np.array([0.5, 0.0, 0.0]), np.full(3, -1.0)
    np.testing.assert_allclose(lowered(a, lo, 0.2), [0.3, 0.0, 0.0])
    np.testing.assert_allclose(lowered(a, lo, 2.0), [-1.0, -0.5, 0.0])
