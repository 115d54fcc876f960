"""The objective's derivatives in every space, and what is kept so that they are cheap."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.losses import Annealed, Gaussian, ModifiedLogistic, SmoothedGaussian, SquaredHinge
from semisvm.spaces import Full
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import POINTS, every_space

SPACES = every_space()
LOSSES = {
    "squared hinge, gaussian": (SquaredHinge(), Gaussian(3.0)),
    "logistic, gaussian": (ModifiedLogistic(4.0), Gaussian(1.0)),
    "squared hinge, smoothed": (SquaredHinge(), SmoothedGaussian(5.0, 0.3)),
    "squared hinge, annealed": (SquaredHinge(), Annealed(SquaredHinge(), 0.7, 22)),
}
GRAPH = Graph(n_neighbors=4).term(POINTS, 0.3, full_kernel=True)


def point_of(problem, rng):
    theta = 0.3 * rng.normal(size=(problem.space.dimension, problem.n_columns))
    bias = 0.1 * rng.normal(size=problem.n_columns) if problem.bias is None else problem.bias
    return problem.objective().point(theta, bias)


@pytest.mark.parametrize("losses", LOSSES, ids=str)
@pytest.mark.parametrize("space", SPACES, ids=str)
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("graph", [None, GRAPH], ids=["plain", "graph"])
def test_gradient_and_hessian_by_differences(space, losses, held, graph, rng):
    if graph is not None and (losses != "squared hinge, gaussian" or "polynomial" in space):
        pytest.skip("one loss is enough for the graph term")
    V, U = LOSSES[losses]
    _, y = two_blobs(k=2)
    bias = np.array([0.3, -0.2]) if held else None
    problem = problem_on(SPACES[space][0], y, labeled_loss=V, unlabeled_loss=U, bias=bias, graph=graph, rng=rng)
    if isinstance(U, Annealed):
        # one temperature for all points, over each point's own weight
        problem = problem.replace(unlabeled_loss=Annealed(U.loss, U.temperature / problem.weights[10:], U.n_positive))
    point, direction = point_of(problem, rng), point_of(problem.replace(bias=None), rng)
    if held:
        direction = problem.objective().point(direction.theta, np.zeros(2))
    at = problem.objective().evaluate(point)
    h = 1e-5
    ahead, behind = point.step(direction, h), point.step(direction, -h)
    slope = (problem.objective().value(ahead) - problem.objective().value(behind)) / (2 * h)
    assert_allclose(at.gradient.inner(direction.vector), slope, rtol=2e-6, atol=1e-6)
    if U.pointwise or isinstance(U, SmoothedGaussian):
        theta, b = problem.objective().hessian(at)(direction)
        forward, back = problem.objective().evaluate(ahead).gradient, problem.objective().evaluate(behind).gradient
        assert_allclose(theta, (forward.theta - back.theta) / (2 * h), rtol=1e-4, atol=1e-4 * np.abs(theta).max())
        assert_allclose(b, (forward.bias - back.bias) / (2 * h), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_one_pass_equals_two(space, rng):
    _, y = two_blobs(k=2)
    problem = problem_on(SPACES[space][0], y, rng=rng)
    point = point_of(problem, rng)
    once, twice = problem.objective().at(point.theta, point.bias), problem.objective().evaluate(point)
    for name in ("value", "slope", "represented"):
        assert_allclose(getattr(once, name), getattr(twice, name), rtol=1e-9, atol=1e-9)
    assert_allclose(once.point.outputs, point.outputs, atol=1e-10)


def test_value_is_the_formula(rng):
    _, y = two_blobs(k=1)
    space, _ = SPACES["full rbf"]
    problem = problem_on(space, y, rng=rng, graph=GRAPH)
    point = point_of(problem, rng)
    K, alpha = space.gram(), point.theta[:, 0]
    o = K @ alpha
    z, c = o + point.bias[0], problem.weights[:, 0]
    expected = (
        0.5 * alpha @ K @ alpha
        + c[:10] @ np.maximum(0, 1 - y[:10, 0] * z[:10]) ** 2
        + c[10:] @ np.exp(-3 * z[10:] ** 2)
        + 0.5 * o @ GRAPH.apply(o)
    )
    assert_allclose(problem.objective().value(point), [expected], rtol=1e-12)


@pytest.mark.parametrize("graph", [None, GRAPH], ids=["plain", "graph"])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_line_is_the_objective_along_it(space, graph, rng):
    """Whether the outputs of the direction are known already, or its full step is tried first."""
    _, y = two_blobs(k=3)
    problem = problem_on(SPACES[space][0], y, rng=rng, graph=graph)
    objective, point, direction = problem.objective(), point_of(problem, rng), point_of(problem, rng)
    start = objective.evaluate(point)
    for line in (objective.along(start, direction), objective.toward(start, direction.vector)):
        assert_allclose(line.origin[0], start.value)
        assert_allclose(line.origin[1], start.gradient.inner(direction.vector), rtol=1e-7, atol=1e-7)
        for s in (np.array([0.7, -0.4, 1.9]), np.ones(3)):
            value, slope = line.value_and_slope(s)
            end = point.step(direction, s)
            assert_allclose(value, objective.value(end), rtol=1e-9)
            arrived = line.arrive(s)
            assert_allclose(arrived.value, value, rtol=1e-9)
            assert_allclose(arrived.gradient.theta, objective.evaluate(end).gradient.theta, rtol=1e-6, atol=1e-7)
            assert_allclose(slope, arrived.gradient.inner(direction.vector), rtol=1e-6, atol=1e-6)
            assert_allclose(line.slope(s), slope, rtol=1e-6, atol=1e-6)
            assert_allclose(line.slopes(s[None])[0], slope, rtol=1e-6, atol=1e-6)
        h, s = 1e-6, np.array([0.7, -0.4, 1.9])
        bend = (line.value_and_slope(s + h)[1] - line.value_and_slope(s - h)[1]) / (2 * h)
        assert_allclose(line.curvature(s), bend, rtol=1e-3, atol=1e-3)


def test_columns_are_independent_problems(rng):
    _, y = two_blobs(k=3)
    problem = problem_on(SPACES["full rbf"][0], y, rng=rng)
    point = point_of(problem, rng)
    whole = problem.objective().evaluate(point)
    chosen = np.array([2, 0])
    part = problem.columns(chosen).objective().evaluate(point.columns(chosen))
    assert_allclose(part.value, whole.value[chosen])
    middle = problem.columns(np.array([1]))
    moved = whole.put(np.array([1]), middle.objective().evaluate(middle.objective().start()))
    assert_allclose(moved.value[[0, 2]], whole.value[[0, 2]])
    assert_allclose(moved.value, problem.objective().value(moved.point))


def test_a_gradient_that_is_known_is_handed_on(rng):
    _, y = two_blobs(k=3)
    problem = problem_on(SPACES["full rbf"][0], y, rng=rng)
    whole = problem.objective().evaluate(point_of(problem, rng))
    fresh = problem.objective().evaluate(whole.point).gradient
    chosen, one = np.array([2, 0]), np.array([1])
    assert "gradient" not in whole.columns(chosen).__dict__
    assert_allclose(whole.gradient.theta, fresh.theta)
    part = whole.columns(chosen)
    assert_allclose(part.__dict__["gradient"].metric, fresh.metric[:, chosen])
    moved = whole.put(one, problem.columns(one).objective().evaluate(problem.columns(one).objective().start()))
    known, again = moved.__dict__["gradient"], problem.objective().evaluate(moved.point).gradient
    assert_allclose(known.theta, again.theta)
    assert_allclose(known.metric, again.metric, atol=1e-12)
    assert_allclose(known.bias, again.bias)


def test_rows_in_any_order_and_points_without_loss(rng):
    _, y = two_blobs(k=1)
    space, _ = SPACES["linear dense"]
    labeled, unlabeled = np.array([3, 17, 40]), np.array([0, 5, 6, 59])
    problem = problem_on(space, y).replace(labeled=labeled, unlabeled=unlabeled, y=y)
    point = point_of(problem, rng)
    z, c = point.scores[:, 0], problem.weights[:, 0]
    expected = c[labeled] @ np.maximum(0, 1 - y[labeled, 0] * z[labeled]) ** 2
    expected += c[unlabeled] @ np.exp(-3 * z[unlabeled] ** 2) + 0.5 * point.theta[:, 0] @ point.theta[:, 0]
    assert_allclose(problem.objective().at(point.theta, point.bias).value, [expected], rtol=1e-12)
    silent = np.setdiff1d(np.arange(60), np.concatenate([labeled, unlabeled]))
    assert not problem.objective().evaluate(point).slope[silent].any()


def test_a_function_of_norm_zero_without_losses_costs_nothing():
    X, y = two_blobs(20)
    problem = problem_on(Full(RBF(0.2), Points.of(X)), y)
    objective = problem.objective()
    evaluation = objective.evaluate(objective.zero())
    line, nothing = objective.along(evaluation, objective.zero()), np.zeros(1)
    value, slope = line.with_penalty(nothing, nothing, nothing)
    assert_allclose([value, slope], 0.0)
