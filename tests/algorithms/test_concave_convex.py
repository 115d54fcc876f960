"""The concave-convex procedure: the dual forms agree, the path is the paper's, J falls, the balance holds."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from semisvm.algorithms import ConcaveConvex, HingeDual, Primal, kernel_rows, run
from semisvm.algorithms import concave_convex_dual as dual
from semisvm.balance import MeanOutput
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF, LinearKernel
from semisvm.losses import Gaussian, Hinge, SquaredHinge, SymmetricRamp, SymmetricSquaredHinge, Tangent
from semisvm.memory import LIMIT_VARIABLE
from semisvm.objective import Problem
from semisvm.optim import KernelNewton, NewtonCG
from semisvm.optim.budget import UNLIMITED
from semisvm.optim.linear_box_qp import LinearRows, solve_linear_box_qp
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import Centered, Full, Linear, eigen_map, random_landmarks, reduced_set
from tests.problems import two_blobs
from tests.reference import cccp_literal
from tests.reference.linear_descent import naive_descent
from tests.spaces.examples import plain_spaces

ONE_STAGE = AnnealedWeight((1.0,), start=False)
TIGHT = ConcaveConvex(ONE_STAGE, HingeDual(1e-9))
C, C_STAR, L = 3.0, 0.6, 10
SPACES = plain_spaces()


def ramp_problem(base, y, *, s=-0.3, centered=True, C_star=C_STAR, ratio=None):
    n, k = y.shape
    weights = np.full((n, k), C_star)
    weights[:L] = C
    signs = y.copy()
    signs[L:] = 0.0
    unlabeled = np.arange(L, n)
    ratio = (1 + y[:L].mean(axis=0)) / 2 if ratio is None else ratio
    space, bias = MeanOutput(ratio).apply(base, unlabeled) if centered else (base, None)
    return Problem(space, signs, np.arange(L), unlabeled, Hinge(), SymmetricRamp(s), weights, bias)


def kernel_space(X):
    return Full(RBF(0.2), Points.of(X))


def iterates(algorithm, problem, start=None):
    return list(algorithm.iterate(problem, start, UNLIMITED))


def unbalanced(n=60, k=1, seed=1):
    X, y = two_blobs(n, k=k, seed=seed)
    y[4, 0] = -1.0  # six of ten negative: the balance is not zero
    return X, y


# ---------------------------------------------------------------- one convex problem


@pytest.mark.parametrize("s", [0.0, -0.3])
@pytest.mark.parametrize("C_star", [0.05, 0.6, 5.0])
def test_one_convex_problem_in_all_forms(s, C_star):
    X, y = unbalanced()
    problem = ramp_problem(kernel_space(X), y, s=s, C_star=C_star)
    K, zeta0 = problem.space.base.gram(), float(problem.bias[0])
    f = cccp_literal.supervised(K, y[:L, 0], C)
    plus, minus = cccp_literal.slopes(f[L:], C_star, s)
    t = minus - plus
    expected = cccp_literal.pairs(K, y[:L, 0], C, C_star, plus, minus, zeta0)
    assert_allclose(cccp_literal.merged(K, y[:L, 0], C, C_star, t, zeta0), expected, atol=2e-6)
    assert_allclose(cccp_literal.centered(K, y[:L, 0], C, C_star, t, zeta0)[0], expected, atol=2e-6)
    convex = problem.replace(unlabeled_loss=Tangent(SymmetricRamp(s), f[L:, None]))
    point, violation = HingeDual(1e-9).prepare(problem)(convex, np.arange(1), problem.objective().start(), UNLIMITED)
    assert_allclose(point.scores[:, 0], expected, atol=2e-6)
    assert violation < 1e-9
    # no point nearby is better: the dual solution minimizes the primal
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        nearby = problem.objective().vector(point.theta + size * rng.normal(size=point.theta.shape), point.bias)
        assert convex.objective().value(problem.objective().complete(nearby)) >= convex.objective().value(point) - 1e-9


def test_tilts_are_the_paper_s_slopes():
    X, y = unbalanced()
    f = np.linspace(-2, 2, 50)[:, None]
    problem = ramp_problem(kernel_space(X), y, s=-0.4).replace(unlabeled_loss=Tangent(SymmetricRamp(-0.4), f))
    plus, minus = cccp_literal.slopes(f, C_STAR, -0.4)
    assert_allclose(dual.tilts(problem), minus - plus)


# ---------------------------------------------------------------- the whole path


@pytest.mark.parametrize("s", [0.0, -0.3, -0.9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_path_is_that_of_the_paper_s_form(s, seed):
    X, y = unbalanced(40, seed=seed)
    problem = ramp_problem(kernel_space(X), y, s=s)
    expected = cccp_literal.path(problem.space.base.gram(), y[:L, 0], C, C_STAR, s)
    found = iterates(TIGHT, problem)
    assert len(found) == len(expected) - 1
    for candidate, f in zip(found, expected[1:], strict=True):
        assert_allclose(candidate.point.scores[:, 0], f, atol=5e-6)


def test_the_start_is_the_supervised_machine_with_its_own_bias():
    X, y = unbalanced()
    problem = ramp_problem(kernel_space(X), y)
    start = HingeDual(1e-9).start(problem, UNLIMITED)
    assert_allclose(start.scores[:, 0], cccp_literal.supervised(problem.space.base.gram(), y[:L, 0], C), atol=1e-6)


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("s", [0.0, -0.3])
def test_the_objective_never_rises_and_the_balance_holds(s, tol):
    X, y = unbalanced(120, k=3)
    problem = ramp_problem(kernel_space(X), y, s=s)
    found = iterates(ConcaveConvex(ONE_STAGE, HingeDual(tol)), problem)
    values = np.array([candidate.value for candidate in found])
    assert len(found) > 2
    assert [candidate.stage for candidate in found] == list(range(len(found)))
    assert np.all(np.diff(values, axis=0) <= 10 * tol)
    assert values[-1].sum() < values[0].sum()
    for candidate in found:
        assert_allclose(candidate.point.scores[L:].mean(axis=0), problem.bias, atol=1e-10)


def test_it_ends_where_no_tangent_changes():
    X, y = unbalanced(120)
    problem = ramp_problem(kernel_space(X), y)
    *_, before, last = iterates(TIGHT, problem)
    slope = problem.unlabeled_loss.concave_slope
    assert np.array_equal(slope(last.point.scores[L:]), slope(before.point.scores[L:]))
    again = iterates(TIGHT, problem, start=last.point)
    assert len(again) == 1
    assert_allclose(again[0].point.scores, last.point.scores, atol=1e-6)


def test_a_repeated_sign_alone_does_not_end_it():
    """With s < 0 a point may enter or leave the flat part without changing sign."""
    X, y = unbalanced(120)
    facts = iterates(TIGHT, ramp_problem(kernel_space(X), y, s=-0.6))
    signs = [candidate.point.scores[L:] > 0 for candidate in facts]
    assert any(np.array_equal(a, b) for a, b in pairwise(signs[:-1]))


def test_columns_are_the_single_problems():
    X, y = unbalanced(80, k=3)
    space = kernel_space(X)
    together = iterates(TIGHT, ramp_problem(space, y))[-1]
    for column in range(3):
        alone = iterates(TIGHT, ramp_problem(space, y[:, [column]]))[-1]
        assert_allclose(together.point.scores[:, [column]], alone.point.scores, atol=1e-6)
        assert_allclose(together.value[column], alone.value[0], rtol=1e-7)


@pytest.mark.parametrize("name", SPACES)
def test_outputs_and_coefficients_agree_in_every_space(name):
    space, rows = SPACES[name]
    _, y = unbalanced(k=2)
    problem = ramp_problem(space, y)
    last = iterates(TIGHT, problem)[-1].point
    fresh = problem.objective().point(last.theta, last.bias)
    assert_allclose(last.outputs, fresh.outputs, atol=1e-7)
    assert_allclose(last.vector.metric, fresh.vector.metric, atol=1e-7)
    assert_allclose(problem.space.predictor(last.theta, last.bias).scores(rows), last.scores, atol=1e-7)


# ---------------------------------------------------------------- rows instead of a Gram matrix


@pytest.mark.parametrize("sparse", [False, True])
def test_linear_functions_equal_the_linear_kernel(sparse):
    X, y = unbalanced(100, k=2)
    rows = sp.csr_array(np.where(np.abs(X) > 0.6, X, 0.0)) if sparse else X
    by_rows = iterates(TIGHT, ramp_problem(Linear(rows), y))
    by_kernel = iterates(TIGHT, ramp_problem(Full(LinearKernel(), Points.of(rows)), y))
    assert len(by_rows) == len(by_kernel)
    for a, b in zip(by_rows, by_kernel, strict=True):
        assert_allclose(a.point.scores, b.point.scores, atol=1e-6)
        assert_allclose(a.value, b.value, rtol=1e-8)


def test_all_points_as_landmarks_are_the_kernel():
    X, y = unbalanced(50)
    full = kernel_space(X)
    for features in (eigen_map(full), reduced_set(RBF(0.2), full.points, random_landmarks(full.points, 50, 0))):
        a, b = iterates(TIGHT, ramp_problem(features, y))[-1], iterates(TIGHT, ramp_problem(full, y))[-1]
        assert_allclose(a.point.scores, b.point.scores, atol=1e-5)


def test_cached_rows_give_the_same_as_the_gram_matrix(monkeypatch):
    X, y = unbalanced(300, k=2)
    expected = iterates(TIGHT, ramp_problem(kernel_space(X), y))[-1]
    monkeypatch.setattr(kernel_rows, "GRAM_SHARE", 1e-9)
    problem = ramp_problem(kernel_space(X), y)
    assert isinstance(kernel_rows.gram_rows(problem.space.base, 1e-3), kernel_rows.RowCache)
    found = iterates(TIGHT, problem)[-1]
    assert_allclose(found.point.scores, expected.point.scores, atol=1e-6)


def test_no_gram_matrix_is_taken_where_memory_is_short(monkeypatch):
    X, y = unbalanced(5000)
    space = kernel_space(X.astype(np.float32))
    monkeypatch.setenv(LIMIT_VARIABLE, str(50 * 2**20))
    last = iterates(ConcaveConvex(ONE_STAGE, HingeDual(1e-2)), ramp_problem(space, y, C_star=0.01))[-1]
    assert "matrix" not in space.__dict__
    assert last.stationarity < 1e-2
    assert_allclose(last.point.scores[L:].mean(), 2 * 0.4 - 1, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("centered", [False, True])
def test_linear_descent_is_the_naive_descent(dtype, sparse, centered, rng):
    n, d = 40, 6
    X = np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0).astype(dtype)
    mean = X[10:].mean(axis=0).astype(np.float64) if centered else None
    c, t = rng.normal(size=n), np.where(rng.random(n) < 0.5, 0.4, 0.0)
    lo, hi, p = t - 0.5, t + rng.uniform(0.1, 1.0, n), np.where(np.arange(n) < 10, 0.0, 1.0)
    rows = LinearRows.of(sp.csr_array(X) if sparse else X, np.einsum("ij,ij->i", X, X, dtype=np.float64), mean)
    result = solve_linear_box_qp(rows, c, lo, hi, kink=(p, t), tol=1e-5 if dtype == np.float32 else 1e-9)
    Z = X.astype(np.float64) - (0 if mean is None else mean)
    expected = naive_descent(Z, c, lo, hi, p, t)
    tol = 1e-3 if dtype == np.float32 else 1e-7
    assert_allclose(result.w, expected, atol=tol)
    assert_allclose(result.outputs, Z @ expected, atol=tol)
    assert np.all((result.v >= lo) & (result.v <= hi))
    assert result.violation < 1e-4


# ---------------------------------------------------------------- a free bias, annealing, the squared hinge


@pytest.mark.parametrize("rows", ["kernel", "linear"])
def test_a_free_bias_minimizes_over_it_as_well(rows):
    X, y = unbalanced(80, k=2)
    space = kernel_space(X) if rows == "kernel" else Linear(X)
    problem = ramp_problem(space, y, centered=False)
    found = iterates(TIGHT, problem)
    assert np.all(np.diff([c.value.sum() for c in found]) <= 1e-7)
    last = found[-1]
    convex = problem.replace(unlabeled_loss=Tangent(SymmetricRamp(-0.3), last.point.scores[L:]))
    for shift in (-1e-3, 1e-3):
        moved = problem.objective().point(last.point.theta, last.point.bias + shift)
        assert np.all(convex.objective().value(moved) >= convex.objective().value(last.point) - 1e-9)
    # held at the bias that was found, the box form has the same solution
    held = ConcaveConvex(ONE_STAGE, HingeDual(1e-9)).subproblem.prepare(convex.replace(bias=last.point.bias))
    point, _ = held(convex.replace(bias=last.point.bias), np.arange(2), last.point, UNLIMITED)
    assert_allclose(point.scores, last.point.scores, atol=1e-5)


def test_annealed_stages_end_at_the_full_weight():
    X, y = unbalanced(100)
    problem = ramp_problem(kernel_space(X), y)
    schedule = AnnealedWeight(AnnealedWeight.geometric(4).factors, start=False)
    solution = run(ConcaveConvex(schedule, HingeDual(1e-6)), problem, max_iter=1000)
    weights = [record["weight"] for record in solution.path]
    assert len(set(weights)) == 4
    assert weights[-1] == 1.0
    # a stage begins with its own tangents: none has changed yet
    assert next(record["switched"] for record in solution.path if record["weight"] == weights[0]) == 0
    assert_allclose(solution.candidate.value, problem.objective().value(solution.candidate.point), rtol=1e-12)


def squared_problem(base, y, **more):
    problem = ramp_problem(base, y, **more)
    return problem.replace(labeled_loss=SquaredHinge(), unlabeled_loss=SymmetricSquaredHinge())


@pytest.mark.parametrize("minimizer", [KernelNewton(1e-10), NewtonCG(1e-8)], ids=["kernel newton", "newton cg"])
def test_squared_hinge_falls_to_a_stationary_labeling(minimizer):
    X, y = unbalanced(100, k=2)
    problem = squared_problem(kernel_space(X), y)
    found = iterates(ConcaveConvex(AnnealedWeight.geometric(1), Primal(minimizer)), problem)
    full = [c for c in found if c.facts["weight"] == 1.0]
    assert len(full) >= 2
    assert np.all(np.diff([c.value for c in full], axis=0) <= 1e-9)
    last = full[-1].point
    # the minimizer for the labels it ends with is the point itself: those tangents touch J there
    assert_allclose(problem.objective().evaluate(last).stationarity, 0.0, atol=1e-6)
    assert_allclose(last.scores[L:].mean(axis=0), problem.bias, atol=1e-10)


def test_squared_hinge_tangent_is_the_survey_s_majoriser():
    """t = y z: 0 for t >= 1, (1 - t)^2 for |t| < 1, -4 t for t <= -1."""
    z = np.linspace(-3, 3, 61)[:, None]
    for y in (1.0, -1.0):
        t = y * z
        expected = np.where(t >= 1, 0.0, np.where(t > -1, (1 - t) ** 2, -4 * t))
        assert_allclose(Tangent(SymmetricSquaredHinge(), np.full(61, 0.5 * y)).value(z), expected, atol=1e-12)


def test_a_loss_that_cannot_be_split_is_refused():
    X, y = unbalanced()
    problem = ramp_problem(kernel_space(X), y).replace(unlabeled_loss=Gaussian(3.0))
    with pytest.raises(TypeError, match="ConcaveConvex was given Gaussian as unlabeled loss and needs a SplitLoss"):
        run(TIGHT, problem, max_iter=5)


def test_centring_is_on_the_unlabeled_mean():
    X, y = unbalanced()
    assert isinstance(ramp_problem(kernel_space(X), y).space, Centered)
