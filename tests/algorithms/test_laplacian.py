"""Laplacian SVM and RLS: every way to the minimum ends at the same place, which is an SVM on the deformed kernel."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from semisvm.algorithms import DualHinge, run
from semisvm.algorithms.laplacian import DualSquaredHinge, NewtonSteps, OnSections, PreconditionedGradient
from semisvm.algorithms.laplacian_sections import FactoredSections, IterativeSections, QuickestSections, Sections
from semisvm.algorithms.laplacian_stopping import Agreed, ErrorRecord, Stability, Validation, interval
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.losses import Hinge, Squared, SquaredError, SquaredHinge, Zero
from semisvm.objective import Problem
from semisvm.optim import UNLIMITED, ConjugateGradient, KernelNewton
from semisvm.spaces import Full, Linear, deform, random_landmarks, reduced_set
from semisvm.spaces.full import of_gram
from tests.problems import N_LABELED, two_blobs

X, Y = two_blobs(n=90, k=2)
POINTS = Points.of(X)
FULL = Full(RBF(0.3), POINTS)
CASES = [(normalized, power, free) for normalized in (True, False) for power in (1, 2, 3) for free in (True, False)]


def laplacian_problem(space=FULL, *, normalized=True, power=1, free=False, loss=None, gamma_A=1e-2, gamma_I=1e-1, k=2):
    """The problem of a Laplacian SVM in the one convention: C = 1/(2 gamma_A), G = (gamma_I/gamma_A) L^p."""
    term = Graph(n_neighbors=6, power=power, normalized=normalized).term(POINTS, gamma_I / gamma_A, full_kernel=True)
    y = Y[:, :k].copy()
    y[N_LABELED:] = 0
    return Problem(
        space=space,
        y=y,
        labeled=np.arange(N_LABELED),
        unlabeled=np.empty(0, dtype=np.intp),
        labeled_loss=loss or SquaredHinge(),
        unlabeled_loss=Zero(),
        weights=np.full(y.shape, 1 / (2 * gamma_A)),
        bias=None if free else np.zeros(k),
        graph=term,
    )


def solved(algorithm, problem):
    return run(algorithm, problem, max_iter=20_000).candidate


PCG = PreconditionedGradient(ConjugateGradient(1e-11))
NEWTON = OnSections(NewtonSteps(KernelNewton(1e-12)), FactoredSections())
DUAL = OnSections(DualSquaredHinge(1e-12), FactoredSections())


@pytest.mark.parametrize(("normalized", "power", "free"), CASES)
def test_gradient_is_that_of_finite_differences(normalized, power, free, rng):
    problem = laplacian_problem(normalized=normalized, power=power, free=free, k=1)
    K = FULL.gram()
    theta, bias = 0.3 * rng.normal(size=(len(X), 1)), np.array([0.2 if free else 0.0])
    at = problem.objective().at
    gradient = at(theta, bias).gradient
    # the derivative in alpha is K (theta + slope + G o), the preconditioned one without the K
    for _ in range(5):
        d, db, h = rng.normal(size=theta.shape), rng.normal() * free, 1e-6
        up = at(theta + h * d, bias + h * db).value - at(theta - h * d, bias - h * db).value
        expected = d[:, 0] @ (K @ gradient.theta[:, 0]) + db * gradient.bias[0]
        assert_allclose(up[0] / (2 * h), expected, rtol=1e-6)


@pytest.mark.parametrize(("normalized", "power", "free"), CASES)
def test_newton_and_pcg_and_dual_agree(normalized, power, free):
    problem = laplacian_problem(normalized=normalized, power=power, free=free)
    newton, pcg, dual = (solved(algorithm, problem) for algorithm in (NEWTON, PCG, DUAL))
    assert np.all(newton.stationarity < 1e-7)
    assert np.all(pcg.stationarity < 1e-7)
    assert_allclose(pcg.point.scores, newton.point.scores, atol=1e-8)
    assert_allclose(dual.point.scores, newton.point.scores, atol=1e-8)
    assert_allclose(dual.value, newton.value, rtol=1e-10)


@pytest.mark.parametrize(("normalized", "power", "free"), CASES[:4])
def test_hinge_by_sections_is_the_svm_on_the_deformed_kernel(normalized, power, free):
    problem = laplacian_problem(normalized=normalized, power=power, free=free, loss=Hinge())
    deformed = problem.replace(space=deform(FULL, problem.graph), graph=None)
    expected = solved(DualHinge(1e-12), deformed)
    for sections in (FactoredSections(), IterativeSections(1e-13), QuickestSections()):
        found = solved(OnSections(DualHinge(1e-12), sections), problem)
        assert_allclose(found.point.outputs, expected.point.outputs, atol=1e-9)
        assert_allclose(found.value, expected.value, rtol=1e-9)


@pytest.mark.parametrize("loss", [SquaredHinge(), Squared()], ids=str)
def test_squared_losses_are_the_svm_on_the_deformed_kernel(loss):
    problem = laplacian_problem(loss=loss, power=2, free=True)
    deformed = problem.replace(space=deform(FULL, problem.graph), graph=None)
    expected = solved(NewtonSteps(KernelNewton(1e-12)), deformed)
    found = solved(NEWTON, problem)
    assert_allclose(found.point.scores, expected.point.scores, atol=1e-9)


def test_the_minimum_is_that_of_the_formula_as_printed_in_the_paper():
    """1/2 (sum max(0, 1 - y f)^2 + gamma_A a'K a + gamma_I f'L^p f), minimized over a by another program."""
    gamma_A, gamma_I = 1e-1, 1e-1
    problem = laplacian_problem(gamma_A=gamma_A, gamma_I=gamma_I, k=1)
    K, L = FULL.gram(), problem.graph.laplacian.dense()
    y = Y[:N_LABELED, 0]

    def objective(a):
        f = K @ a
        gap = np.maximum(0, 1 - y * f[:N_LABELED])
        gradient = gamma_A * f + gamma_I * K @ (L @ f)
        gradient -= K[:, :N_LABELED] @ (y * gap)
        return 0.5 * (gap @ gap + gamma_A * a @ f + gamma_I * f @ L @ f), gradient

    best = minimize(
        objective, np.zeros(len(X)), jac=True, method="L-BFGS-B", options={"maxiter": 20_000, "ftol": 1e-15}
    )
    found = solved(NEWTON, problem)
    assert_allclose(gamma_A * found.value[0], best.fun, rtol=1e-5)
    assert gamma_A * found.value[0] <= best.fun * (1 + 1e-12)


def test_least_squares_is_one_newton_step_and_its_normal_equations():
    problem = laplacian_problem(loss=Squared(), k=1)
    solution = run(NEWTON, problem, max_iter=10)
    assert solution.n_iter == 1
    # (J K + gamma_A I + gamma_I L K) a = J y
    K, G, J = FULL.gram(), problem.graph.dense(), np.zeros(len(X))
    J[:N_LABELED] = 1 / 1e-2
    y = np.where(J > 0, Y[:, 0], 0)
    a = np.linalg.solve(np.diag(J) @ K + np.eye(len(X)) + G @ K, J * y)
    assert_allclose(solution.candidate.point.outputs[:, 0], K @ a, atol=1e-8)
    assert_allclose(solved(PCG, problem).point.outputs[:, 0], K @ a, atol=1e-8)


def test_real_targets_are_met_by_squared_errors(rng):
    problem = laplacian_problem(k=1, free=True)
    targets = rng.normal(size=N_LABELED) + 3
    problem = problem.replace(
        labeled=np.empty(0, dtype=np.intp), unlabeled=problem.labeled, unlabeled_loss=SquaredError(targets)
    )
    direct, pcg = solved(NEWTON, problem), solved(PCG, problem)
    assert_allclose(pcg.point.scores, direct.point.scores, atol=1e-8)
    assert abs(np.sum(direct.point.scores[:N_LABELED, 0] - targets)) < 1e-8  # a free bias: the residuals sum to zero


def test_sections_solve_their_system(rng):
    problem = laplacian_problem()
    rows = np.array([2, 5, 40])
    system = np.eye(len(X)) + problem.graph.dense() @ FULL.gram()
    for sections in (FactoredSections(), IterativeSections(1e-13), IterativeSections(), QuickestSections()):
        P = sections.coefficients(problem, rows, UNLIMITED)
        assert_allclose(FULL.gram() @ (system @ P), FULL.gram()[:, rows], atol=1e-8)


@dataclass(frozen=True)
class CountedSections(Sections):
    """What a factorization gives, and how often it was asked."""

    asked: list[int] = field(default_factory=list)

    def coefficients(self, problem, rows, budget):
        self.asked.append(len(rows))
        return FactoredSections().coefficients(problem, rows, budget)


def many_points(scale, shift=0.0):
    """400 points, a graph of weight `scale`, and the Gram matrix K + shift."""
    points = Points.of(np.random.default_rng(5).normal(size=(400, 3)))
    space = of_gram(RBF(0.3).gram(points) + shift)
    term = Graph(n_neighbors=8).term(points, scale, full_kernel=True)
    return laplacian_problem(FULL).replace(space=space, graph=term)


@pytest.mark.parametrize(("scale", "factored"), [(1e-2, []), (1e6, [3])])
def test_sections_are_factored_only_where_conjugate_gradients_are_slow(scale, factored):
    problem, rows = many_points(scale), np.array([2, 5, 40])
    sections = QuickestSections(factored=CountedSections())
    P = sections.coefficients(problem, rows, UNLIMITED)
    K = problem.space.gram()
    assert_allclose(K @ (P + problem.graph.apply(K @ P)), K[:, rows], atol=1e-9)
    assert sections.factored.asked == factored


def test_sections_of_a_kernel_that_is_not_positive_are_factored():
    problem, rows = many_points(1e-2, shift=-2.0), np.array([2, 5, 40])
    assert np.linalg.eigvalsh(problem.space.gram())[0] < -1.0
    sections = QuickestSections(factored=CountedSections())
    P = sections.coefficients(problem, rows, UNLIMITED)
    K = problem.space.gram()
    assert_allclose(P + problem.graph.apply(K @ P), np.eye(400)[:, rows], atol=1e-6)
    assert sections.factored.asked == [3]


def test_factored_sections_refuse_what_has_no_gram_matrix():
    with pytest.raises(
        TypeError, match=r'given Linear functions and needs a full kernel and a graph: set solver="pcg"'
    ):
        FactoredSections().coefficients(laplacian_problem(Linear(X)), np.arange(3), UNLIMITED)


def test_all_points_as_landmarks_are_the_full_kernel():
    full = solved(NEWTON, laplacian_problem())
    problem = laplacian_problem(reduced_set(RBF(0.3), POINTS, random_landmarks(POINTS, len(X), 0)))
    for algorithm in (PCG, NewtonSteps(KernelNewton(1e-12))):
        space = deform(problem.space, problem.graph)
        found = solved(algorithm, problem.replace(space=space, graph=None))
        assert_allclose(found.point.outputs, full.point.outputs, atol=1e-7)


def test_float32_kernels_come_close():
    points = Points.of(X.astype(np.float32))
    problem = laplacian_problem(Full(RBF(0.3), points))
    exact = solved(NEWTON, laplacian_problem())
    found = run(PreconditionedGradient(ConjugateGradient(1e-4)), problem, max_iter=3000).candidate
    assert_allclose(found.point.outputs, exact.point.outputs, atol=1e-3)


def test_every_iteration_is_on_record():
    solution = run(PCG, laplacian_problem(), max_iter=25)
    assert len(solution.path) == solution.n_iter == 25
    objective = np.array([record["objective"] for record in solution.path])
    assert np.all(np.diff(objective, axis=0) <= 0)
    last, gradient = solution.path[-1], solution.candidate
    evaluation = laplacian_problem().objective().at(gradient.point.theta, gradient.point.bias)
    g, K = evaluation.gradient.theta, FULL.gram()
    assert_allclose(last["preconditioned"], np.linalg.norm(g, axis=0), rtol=1e-6)
    assert_allclose(last["gradient"], np.linalg.norm(K @ g, axis=0), rtol=1e-6)
    assert_allclose(last["mixed"], np.sqrt(np.sum(g * (K @ g), axis=0)), rtol=1e-6)


# -------------------------------------------------------------------- early stopping


class Looks:
    """Scores given in advance, one look after the other."""

    def __init__(self, *scores):
        self.scores = [np.asarray(s, dtype=float) for s in scores]
        self.place = -1

    def __call__(self, candidate):
        self.place += 1
        return self.scores[self.place]


def stops(watcher, n_looks, every):
    """The iterations at which the watcher says stop."""
    return [i for i in range(1, n_looks * every + 1) if watcher(i, None)]


def test_interval_is_half_the_root():
    assert [interval(n) for n in (364, 1408, 1459, 1040, 11902, 2)] == [10, 19, 19, 16, 55, 1]


def test_stability_counts_one_for_every_flip():
    base = np.ones((1000, 1))
    one, two = base.copy(), base.copy()
    one[:15] = -1  # 15 of 1000 have changed: not below 1.5 %
    two[:29] = -1  # 14 more
    assert stops(Stability(10, Looks(base, one, two)), 3, 10) == [30]


def test_stability_of_several_classes_is_that_of_the_largest_score():
    first = np.eye(3)[np.arange(300) % 3]
    louder = 5 * first - 10  # every sign differs, no decision does
    assert stops(Stability(4, Looks(first, louder)), 2, 4) == [8]


def test_validation_goes_on_while_one_more_comes_out_right():
    truth = np.array([1, 1, 1, 0])
    looks = Looks([[-1], [-1], [-1], [-1]], [[1], [-1], [-1], [-1]], [[1], [1], [-1], [-1]], [[1], [1], [-1], [-1]])
    assert stops(Validation(5, looks, truth), 4, 5) == [20]


def test_agreed_waits_for_both():
    always, late = (lambda i, c: True), (lambda i, c: i >= 7)
    assert stops(Agreed([always, late]), 8, 1) == [7, 8]


def test_error_record_keeps_the_errors_of_every_set():
    problem = laplacian_problem(k=1)
    truth = (Y[:, 0] > 0).astype(int)
    unlabeled = np.arange(N_LABELED, len(X))
    record = ErrorRecord(
        {
            "L": (lambda c: c.point.scores[:N_LABELED], truth[:N_LABELED]),
            "U": (lambda c: c.point.scores[unlabeled], truth[unlabeled]),
        }
    )
    solution = run(PCG, problem, max_iter=12, watch=record)
    assert {name: len(errors) for name, errors in record.errors.items()} == {"L": 12, "U": 12}
    wrong = np.mean((solution.candidate.point.scores[unlabeled, 0] > 0) != truth[unlabeled])
    assert record.errors["U"][-1] == wrong
