"""The exact search over breakpoints, and conjugate gradients with it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.losses import HuberHinge, Squared, SquaredHinge, Zero
from semisvm.optim import ConjugateGradient, NewtonCG, breakpoint_search, conjugate_gradient
from semisvm.optim.breakpoint_search import exact_step
from semisvm.spaces import Full, Linear
from tests.problems import problem_on, two_blobs

X, Y = two_blobs(n=80, k=3)
POINTS = Points.of(X)
GRAPH = Graph(n_neighbors=5).term(POINTS, 10.0, full_kernel=True)


class ManyPieces:
    """phi(s) = 1/2 s^2 q + s p + sum_i c_i max(0, b_i - a_i s)^2, so that phi' has a breakpoint at every b_i / a_i."""

    def __init__(self, rng, m=300, k=4):
        self.a, self.b = rng.normal(size=(m, k)), rng.normal(size=(m, k)) + 0.5
        self.c = rng.uniform(0.1, 2, size=(m, k))
        self.q, self.p = rng.uniform(1e-3, 1, size=k), -rng.uniform(0.1, 400, size=k)

    def value(self, s, j):
        gap = np.maximum(0, self.b[:, j] - self.a[:, j] * s)
        return 0.5 * self.q[j] * s**2 + self.p[j] * s + np.sum(self.c[:, j] * gap**2)

    def slope(self, s):
        gap = np.maximum(0, self.b - self.a * s)
        return self.q * s + self.p - 2 * np.sum(self.c * self.a * gap, axis=0)

    def slopes(self, steps):
        return np.array([self.slope(s) for s in steps])

    def breakpoints(self):
        s = self.b / self.a
        return np.where(s > 0, s, np.inf)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_exact_step_is_the_brute_force_minimum_across_many_breakpoints(seed, at_once, monkeypatch):
    monkeypatch.setattr(breakpoint_search, "FEW", np.inf if at_once else 0)
    line = ManyPieces(np.random.default_rng(seed))
    steps = exact_step(line)
    crossed = np.sum(line.breakpoints() < steps, axis=0)
    assert crossed.max() > 20
    for j, s in enumerate(steps):
        if line.slope(np.zeros(4))[j] >= 0:
            assert s == 0
            continue
        brute = minimize_scalar(lambda t, j=j: line.value(t, j), bounds=(0, 10 * s + 1), options={"xatol": 1e-12})
        assert line.value(s, j) <= line.value(brute.x, j) + 1e-9 * abs(line.value(brute.x, j))
        assert abs(line.slope(steps)[j]) < 1e-9 * abs(line.slope(np.zeros(4))[j])


@pytest.mark.parametrize("few", [0, 1000])
def test_exact_step_beyond_the_last_breakpoint_and_without_descent(few, monkeypatch):
    monkeypatch.setattr(breakpoint_search, "FEW", few)

    class Parabola:
        def slope(self, s):
            return np.array([2.0, 2.0]) * s - np.array([6.0, -1.0])

        slopes = slope

        def breakpoints(self):
            return np.array([[0.5, np.inf], [np.inf, 0.1]])

    assert_allclose(exact_step(Parabola()), [3.0, 0.0])


@pytest.mark.parametrize("loss", [SquaredHinge(), HuberHinge(0.3)], ids=str)
def test_slopes_of_a_line_at_many_steps_are_its_slopes(loss):
    problem = problem_on(Linear(X), Y, labeled_loss=loss, unlabeled_loss=Zero(), C=20.0, bias=np.zeros(3))
    evaluation = problem.objective().evaluate(problem.objective().start())
    line = problem.objective().along(evaluation, problem.objective().complete(evaluation.gradient.scaled(-1.0)))
    steps = np.abs(np.random.default_rng(0).normal(size=(7, 3)))
    assert_allclose(line.slopes(steps), [line.slope(s) for s in steps], rtol=1e-12)


@pytest.mark.parametrize(
    ("loss", "bias"),
    [(SquaredHinge(), None), (SquaredHinge(), np.zeros(3)), (Squared(), None), (HuberHinge(0.3), np.zeros(3))],
    ids=["squared hinge, free", "squared hinge, held", "squared, free", "huber, held"],
)
@pytest.mark.parametrize("graph", [None, GRAPH], ids=["plain", "graph"])
@pytest.mark.parametrize("space", [Full(RBF(0.3), POINTS), Linear(X)], ids=["full", "linear"])
def test_conjugate_gradients_reach_the_minimum_of_newton(space, graph, bias, loss):
    problem = problem_on(space, Y, labeled_loss=loss, unlabeled_loss=Zero(), C=20.0, graph=graph, bias=bias)
    *_, expected = NewtonCG(1e-11).iterate(problem.objective(), problem.objective().start())
    path = list(ConjugateGradient(1e-10).iterate(problem.objective(), problem.objective().start()))
    assert np.all(path[-1].stationarity <= 1e-10)
    assert_allclose(path[-1].point.scores, expected.point.scores, atol=1e-7)
    values = np.array([e.value for e in path])
    assert np.all(np.diff(values, axis=0) <= 1e-12 * np.abs(values[:-1]))


def test_a_full_kernel_costs_one_product_per_iteration(monkeypatch):
    space = Full(RBF(0.3), POINTS)
    problem = problem_on(space, Y, unlabeled_loss=Zero(), C=20.0, graph=GRAPH, bias=np.zeros(3))
    products = []
    outputs = Full.outputs
    monkeypatch.setattr(Full, "outputs", lambda self, theta: products.append(1) or outputs(self, theta))
    steps = 0
    for steps, _ in enumerate(ConjugateGradient(1e-12).iterate(problem.objective(), problem.objective().start())):
        if steps == 30:
            break
    assert steps == 30
    assert len(products) <= steps + 1


def test_columns_go_their_own_way():
    problem = problem_on(Full(RBF(0.3), POINTS), Y, unlabeled_loss=Zero(), C=20.0, graph=GRAPH, bias=np.zeros(3))
    together = list(ConjugateGradient(1e-9).iterate(problem.objective(), problem.objective().start()))[-1]
    for j in range(3):
        alone = problem.columns(np.array([j]))
        last = list(ConjugateGradient(1e-9).iterate(alone.objective(), alone.objective().start()))[-1]
        assert_allclose(last.point.scores[:, 0], together.point.scores[:, j], atol=1e-7)


def test_steps_without_progress_are_counted_one_by_one(monkeypatch):
    monkeypatch.setattr(conjugate_gradient, "PATIENCE", 7)
    problem = problem_on(Full(RBF(0.3), POINTS), Y[:, :1], unlabeled_loss=Zero(), C=20.0, bias=np.zeros(1))
    path = list(ConjugateGradient(0.0).iterate(problem.objective(), problem.objective().start()))
    values = np.array([e.value[0] for e in path])
    least = np.minimum.accumulate([e.stationarity[0] for e in path])
    better = (np.diff(values) < -1e-15 * np.abs(values[:-1])) | (np.diff(least) < 0)
    assert len(better) - 1 - np.flatnonzero(better)[-1] == 7
