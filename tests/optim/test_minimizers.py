"""Every minimizer ends at a stationary point, in every space it serves, for one column or several."""

import warnings
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from semisvm.losses import Fixed, FlatQuadratic, Gaussian, Squared, SquaredHinge, SymmetricSquaredHinge, Tangent
from semisvm.objective.products import KernelProducts
from semisvm.optim import LBFGS, KernelNewton, LevenbergMarquardt, NewtonCG
from semisvm.optim.budget import UNLIMITED
from semisvm.optim.levenberg_marquardt import _System
from semisvm.optim.line_search import step_along
from semisvm.spaces import Linear
from semisvm.spaces.full import of_gram
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import all_spaces

SPACES = all_spaces()
CONVEX = {
    "kernel newton": KernelNewton(1e-10),
    "newton cg": NewtonCG(1e-9),
    "lbfgs": LBFGS(1e-8),
    "lbfgs, small unit": LBFGS(1e-8, bias_unit=0.05),
    "lm": LevenbergMarquardt(1e-9),
}
ROUGH = {"newton cg": NewtonCG(1e-7), "lbfgs": LBFGS(1e-7), "lm": LevenbergMarquardt(1e-7)}


def convex_problem(space, k=2, held=False, tilted=False, C=2.0):
    _, y = two_blobs(k=k)
    loss = Fixed(SquaredHinge(), y[10:])
    if tilted:
        loss = Tangent(SymmetricSquaredHinge(), np.where(y[10:] > 0, 1.4, -0.3))
    return problem_on(space, y, unlabeled_loss=loss, bias=np.array([0.2, -0.1])[:k] if held else None, C=C)


def solve(minimizer, problem, cap=2000):
    return descent(minimizer, problem, cap)[-1]


def descent(minimizer, problem, cap):
    objective = problem.objective()
    return list(islice(minimizer.iterate(objective, objective.start()), cap))


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("tilted", [False, True])
def test_convex_problems_are_solved(name, space, held, tilted):
    problem = convex_problem(SPACES[space][0], held=held, tilted=tilted)
    last = solve(CONVEX[name], problem)
    best = solve(KernelNewton(1e-11), problem)
    assert np.all(last.stationarity <= 1e-5)
    assert_allclose(last.value, best.value, rtol=1e-8)
    assert_allclose(last.point.scores, best.point.scores, atol=2e-4)


@pytest.mark.parametrize("name", ROUGH)
@pytest.mark.parametrize(
    "space", ["full rbf", "linear sparse", "eigen map, centered", "full rbf, centered", "deformed full"]
)
def test_nonconvex_descent_ends_stationary(name, space):
    _, y = two_blobs(k=2)
    problem = problem_on(SPACES[space][0], y, bias=np.zeros(2), unlabeled_loss=Gaussian(3.0))
    values = descent(ROUGH[name], problem, 3000)
    assert np.all(values[-1].stationarity <= 1e-5)
    assert np.all(np.diff([e.value.sum() for e in values]) <= 1e-9)


@pytest.mark.parametrize("some", [True, False], ids=["some columns", "all columns"])
def test_lbfgs_leaves_out_columns_at_rest(some):
    """Columns that need few iterations and many: each ends where it would end alone, and idle ones are not computed,
    unless that would bring rows here that live elsewhere."""
    space = SPACES["full rbf"][0]
    problem = convex_problem(space, k=3)
    problem = problem.replace(weights=problem.weights * np.array([0.01, 1.0, 100.0]))
    widths, metric = [], type(space).metric
    with pytest.MonkeyPatch.context() as patch:
        if not some:
            patch.setattr(KernelProducts, "worth_computing", lambda self, moving: np.arange(len(moving)))
        patch.setattr(type(space), "metric", lambda self, theta: widths.append(theta.shape[1]) or metric(self, theta))
        together = solve(LBFGS(1e-8), problem)
    assert sorted(set(widths)) == ([1, 2, 3] if some else [3])
    assert widths == sorted(widths, reverse=True)
    for column in range(3):
        alone = solve(LBFGS(1e-8), problem.columns(np.array([column])))
        assert_allclose(together.value[column], alone.value[0], rtol=1e-10)


@pytest.mark.parametrize("some", [True, False], ids=["some columns", "all columns"])
def test_newton_cg_directions_of_columns_are_those_of_each_alone(some, monkeypatch):
    """Inner iterations end column by column, and those that are done are left out or stay where they are."""
    problem = convex_problem(SPACES["full rbf"][0], k=3)
    problem = problem.replace(weights=problem.weights * np.array([0.01, 1.0, 100.0]))
    if not some:
        monkeypatch.setattr(KernelProducts, "worth_computing", lambda self, moving: np.arange(len(moving)))
    start = problem.objective().evaluate(problem.objective().start())
    together = NewtonCG(1e-8)._direction(start, UNLIMITED)
    for column in range(3):
        alone = NewtonCG(1e-8)._direction(start.columns(np.array([column])), UNLIMITED)
        assert_allclose(together.theta[:, [column]], alone.theta, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("minimizer", [KernelNewton, NewtonCG, LBFGS, LevenbergMarquardt])
def test_a_gradient_as_small_as_the_tolerance_is_small_enough(minimizer):
    problem = convex_problem(SPACES["full rbf"][0], k=1)
    start = problem.objective().evaluate(problem.objective().start())
    assert len(descent(minimizer(float(start.stationarity[0])), problem, 5)) == 1
    assert len(descent(minimizer(0.99 * float(start.stationarity[0])), problem, 5)) > 1


@pytest.mark.parametrize("held", [False, True])
def test_the_damped_model_is_the_objective_where_no_loss_changes_its_piece(held):
    problem = convex_problem(SPACES["full rbf"][0], k=1, held=held).replace(labeled_loss=Squared())
    problem = problem.replace(unlabeled_loss=Fixed(Squared(), np.ones((len(problem.unlabeled), 1))))
    objective = problem.objective()
    start = objective.evaluate(objective.start())
    system = _System.of(start)
    step = system.solve(1.0)
    reached = objective.evaluate(start.point.step(step, 1.0))
    # a free bias is one more feature, which has a length in the model and none in the objective
    length = 0.0 if held else 0.5 * float(step.bias[0]) ** 2
    assert_allclose(system.model(step) - length, reached.value[0] - start.value[0], rtol=1e-9)


@pytest.mark.parametrize("held", [False, True])
def test_damped_newton_step_is_that_of_the_dense_system(held, rng):
    """(lambda I + Phi'D Phi) s = -gradient in explicit features, and None exactly where the matrix is not convex."""
    X = rng.normal(size=(30, 6))
    _, y = two_blobs(k=1)
    problem = problem_on(
        Linear(X), y[:30], unlabeled_loss=FlatQuadratic(), bias=np.array([0.1]) if held else None, C=3.0
    )
    refused = []
    for size in (0.1, 0.5, 2.0):
        theta = size * rng.normal(size=(6, 1))
        here = problem.objective().evaluate(problem.objective().point(theta, np.array([0.1])))
        Phi = X if held else np.column_stack([X, np.ones(30)])
        gradient = here.gradient.theta[:, 0] if held else np.append(here.gradient.theta[:, 0], here.gradient.bias)
        hessian = Phi.T @ (here.curvature * Phi)
        for damping in (1.0, 4.0, 64.0, 1024.0):
            step = _System.of(here).solve(damping)
            damped = hessian + damping * np.eye(len(gradient))
            refused.append(step is None)
            assert (step is None) == (np.linalg.eigvalsh(damped)[0] <= 0)
            if step is not None:
                found = step.theta[:, 0] if held else np.append(step.theta[:, 0], step.bias)
                assert_allclose(found, -np.linalg.solve(damped, gradient), rtol=1e-7)
    assert any(refused)
    assert not all(refused)


@pytest.mark.parametrize(("n_up", "n_down"), [(0, 0), (5, 0), (0, 4), (6, 4), (3, 8)])
def test_two_cholesky_factors_solve_the_indefinite_system(n_up, n_down, rng):
    """Whichever points bend: M q = right, and None exactly where M has fewer negative eigenvalues than points."""
    n = n_up + n_down
    features = rng.normal(size=(n, n + 2))
    scaled, right = features @ features.T, rng.normal(size=n)
    signs = np.repeat([1.0, -1.0], [n_up, n_down])
    here = SimpleNamespace(objective=SimpleNamespace(free_bias=False, scaled_triangle=of_gram(scaled).scaled_triangle))
    system = _System(here, np.arange(n), n_up, signs, np.ones(n), scaled[n_up:], right)
    for damping in (1.0, 10.0, 1000.0):
        M = scaled + damping * np.diag(signs)
        q = system._dual_step(damping)
        convex = np.count_nonzero(np.linalg.eigvalsh(M) < 0) == n_down
        assert (q is not None) == convex
        if convex:
            assert_allclose(M @ q, right, rtol=1e-9, atol=1e-9)
    assert convex
    assert not n_down or system._dual_step(1.0) is None


def test_kernel_newton_meets_the_optimality_conditions():
    problem = convex_problem(SPACES["full rbf"][0], k=1, C=10.0)
    last = solve(KernelNewton(1e-11), problem)
    # beta = -l'(z), sum(beta) = 0
    assert_allclose(last.point.theta, -last.slope, atol=1e-10)
    assert abs(last.point.theta.sum()) < 1e-10
    assert last.stationarity[0] <= 1e-8
    # duality gap of the squared hinge: 1'a - 1/2 a'K a - sum a^2 / 4c with a = y beta
    y = np.concatenate([problem.y[:10, 0], problem.unlabeled_loss.y[:, 0]])
    a, c, K = y * last.point.theta[:, 0], problem.weights[:, 0], problem.space.gram()
    dual = a.sum() - 0.5 * (a * y) @ K @ (a * y) - np.sum(a**2 / (4 * c))
    assert_allclose(dual, last.value[0], rtol=1e-10)


def test_kernel_newton_reads_one_triangle_of_its_systems(monkeypatch):
    problem = convex_problem(SPACES["full rbf"][0])
    triangle = KernelProducts.scaled_triangle

    def half(self, rows, scale, less):
        system = triangle(self, rows, scale, less)
        system[np.triu_indices(len(rows), 1)] = np.nan
        return system

    monkeypatch.setattr(KernelProducts, "scaled_triangle", half)
    assert np.all(solve(KernelNewton(1e-10), problem).stationarity <= 1e-8)


def test_kernel_newton_when_no_point_bends():
    """All margins beyond one from the start: beta stays zero and the bias is kept."""
    problem = convex_problem(SPACES["full rbf"][0], k=1, held=True).replace(bias=np.array([3.0]))
    problem = problem.replace(y=np.abs(problem.y), unlabeled_loss=Fixed(SquaredHinge(), np.ones((50, 1))))
    last = solve(KernelNewton(), problem)
    assert_allclose(last.value, 0.0)


def test_points_without_weight_do_not_count():
    space = SPACES["full rbf"][0]
    problem = convex_problem(space, k=1)
    weights = problem.weights.copy()
    weights[5:30] = 0.0
    last = solve(KernelNewton(1e-11), problem.replace(weights=weights))
    assert_allclose(last.point.theta[5:30], 0.0, atol=1e-12)


def test_least_squares_in_one_step():
    problem = convex_problem(SPACES["full rbf"][0], k=2).replace(labeled_loss=Squared())
    problem = problem.replace(unlabeled_loss=Fixed(Squared(), problem.unlabeled_loss.y))
    assert len(list(KernelNewton(1e-9).iterate(problem.objective(), problem.objective().start()))) == 2


def test_linear_problem_equals_scipy():
    problem = convex_problem(SPACES["linear dense"][0], k=1)

    def objective(w):
        e = problem.objective().at(w[:-1, None], w[-1:])
        return e.value[0], np.concatenate([e.gradient.theta[:, 0], e.gradient.bias])

    expected = minimize(objective, np.zeros(6), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    assert_allclose(solve(NewtonCG(1e-10), problem).value, [expected.fun], rtol=1e-9)


class Parabolas:
    """Piecewise-quadratic line: sum of squared hinges, whose slope is piecewise linear."""

    def __init__(self, rng, k=4, n=200):
        self.z, self.d = rng.normal(size=(n, k)), rng.normal(size=(n, k))
        self.z[:, 0] *= 1e-3

    @property
    def origin(self):
        return self.value_and_slope(np.zeros(self.z.shape[1]))

    def value_and_slope(self, s):
        m = np.maximum(0, 1 - self.z - s * self.d)
        return np.sum(m**2, axis=0) + 0.5 * s**2 - s, np.sum(-2 * m * self.d, axis=0) + s - 1

    def curvature(self, s):
        return np.sum(2 * self.d**2 * (1 - self.z - s * self.d > 0), axis=0) + 1


def test_exact_line_search_crosses_many_breakpoints(rng):
    line = Parabolas(rng)
    k = line.z.shape[1]
    found = step_along(line, tol=1e-12, first=np.ones(k))
    for column in range(k):
        # brute force: the slope is linear between the sorted breakpoints
        knots = np.sort((1 - line.z[:, column]) / line.d[:, column])
        knots = np.concatenate([[0.0], knots[knots > 0], [1e6]])
        slopes = np.array([line.value_and_slope(np.full(k, s))[1][column] for s in knots])
        if slopes[0] >= 0:
            assert found[column] == 0
            continue
        i = np.flatnonzero(slopes > 0)[0]
        root = knots[i - 1] - slopes[i - 1] * (knots[i] - knots[i - 1]) / (slopes[i] - slopes[i - 1])
        assert_allclose(found[column], root, rtol=1e-8)


class TwoParabolas:
    """(s - 1)^2, and s^2, which does not descend from 0."""

    origin = np.array([1.0, 0.0]), np.array([-2.0, 0.0])

    def value_and_slope(self, s):
        return (s - [1.0, 0.0]) ** 2, 2 * (s - [1.0, 0.0])

    def curvature(self, s):
        return np.full(2, 2.0)


class NoCurvature:
    """|s - 1| times 1e200, with next to no curvature: Newton's step is beyond all numbers."""

    origin = np.array([1e200]), np.array([-1e200])

    def value_and_slope(self, s):
        return 1e200 * np.abs(s - 1.0), 1e200 * np.sign(s - 1.0)

    def curvature(self, s):
        return np.full(1, 1e-200)


def test_a_newton_step_beyond_all_numbers_is_not_taken():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(step_along(NoCurvature(), tol=1e-12, first=np.array([0.3])), 1.0, atol=1e-9)


def test_nothing_is_tried_where_the_slope_is_zero():
    assert step_along(TwoParabolas(), tol=1e-12, first=np.array([0.3, 0.3])).tolist() == [1.0, 0.0]
