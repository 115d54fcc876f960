"""The path follower: stages in order, each from the end of the last, the final one to full precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm import ContinuationS3VM, GradientS3VM, NewtonS3VM, QuasiNewtonS3VM
from semisvm.algorithms import Continuation, run
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import kernel_from
from semisvm.losses import FlatQuadratic, Gaussian, ModifiedLogistic, SquaredHinge, SymmetricSquaredHinge
from semisvm.optim import LBFGS, LevenbergMarquardt
from semisvm.schedules import AnnealedWeight, Smoothing
from semisvm.spaces import Centered, Full, Linear, reduced_set
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import KERNEL, POINTS, UNLABELED, X, all_spaces

SPACES = all_spaces()
METHODS = {
    "gradient": GradientS3VM(),
    "gradient, hinge": GradientS3VM(loss="hinge"),
    "continuation": ContinuationS3VM(),
    "newton, flat": NewtonS3VM(),
    "newton, quadratic": NewtonS3VM(loss="quadratic"),
    "quasi-newton": QuasiNewtonS3VM(),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_gradient_of_every_objective_in_every_space(method, space, rng):
    V, U = METHODS[method]._losses()
    _, y = two_blobs(k=2)
    problem = problem_on(SPACES[space][0], y, labeled_loss=V, unlabeled_loss=U, bias=np.array([0.3, -0.2]), rng=rng)
    theta, step = 0.3 * rng.normal(size=(2, problem.space.dimension, 2))
    point = problem.objective().point(theta, problem.bias)
    direction = problem.objective().point(step, np.zeros(2))
    h = 1e-6
    value = problem.objective().value
    slope = (value(point.step(direction, h)) - value(point.step(direction, -h))) / (2 * h)
    # a kink or a jump of the curvature within h of a point adds h times its size
    assert_allclose(problem.objective().evaluate(point).gradient.inner(direction.vector), slope, rtol=1e-4, atol=1e-4)


def follow(space, schedule, minimizer, **losses):
    _, y = two_blobs()
    problem = problem_on(space, y, bias=np.zeros(1), **losses)
    return run(Continuation(schedule, minimizer), problem, max_iter=5000), problem


@pytest.mark.parametrize("loss", [FlatQuadratic(), SymmetricSquaredHinge()], ids=["flat", "quadratic"])
@pytest.mark.parametrize("space", ["full rbf, centered", "linear dense, centered", "random landmarks, centered"])
def test_every_accepted_step_of_levenberg_marquardt_descends(loss, space):
    _, y = two_blobs()
    problem = problem_on(SPACES[space][0], y, unlabeled_loss=loss, bias=np.zeros(1), C=10.0, C_star=5.0)
    values = [e.value[0] for e in LevenbergMarquardt(1e-8).iterate(problem.objective(), problem.objective().start())]
    assert len(values) > 3
    assert np.all(np.diff(values) < 0)


def test_stages_follow_one_another():
    """The first candidate of a stage is the last one of the stage before, seen at the new weight."""
    _, y = two_blobs()
    problem = problem_on(SPACES["full rbf, centered"][0], y, bias=np.zeros(1))
    seen = {}
    algorithm = Continuation(AnnealedWeight((0.1, 1.0)), LBFGS(1e-6))
    solution = run(algorithm, problem, max_iter=1000, watch=lambda i, c: seen.setdefault(c.stage, []).append(c))
    assert [record["weight"] for record in solution.path] == [0.0, 0.1, 1.0]
    assert_allclose(seen[1][0].point.theta, seen[0][-1].point.theta)
    assert_allclose(seen[2][0].point.theta, seen[1][-1].point.theta)
    assert not seen[0][0].point.theta.any()


def test_only_the_last_stage_is_solved_to_the_end():
    _, y = two_blobs()
    problem = problem_on(SPACES["full rbf, centered"][0], y, bias=np.zeros(1))
    last = {}
    algorithm = Continuation(AnnealedWeight((0.1, 0.5, 1.0)), LBFGS(1e-8), approach_tol=1e-2)
    run(algorithm, problem, max_iter=1000, watch=lambda i, c: last.update({c.stage: c.stationarity[0]}))
    assert 1e-8 < last[1] <= 1e-2
    assert last[3] <= 1e-8


def test_patience_ends_a_stage():
    _, y = two_blobs()
    problem = problem_on(SPACES["full rbf, centered"][0], y, bias=np.zeros(1))
    algorithm = Continuation(AnnealedWeight((0.5, 1.0)), LBFGS(1e-12), patience=3)
    assert run(algorithm, problem, max_iter=1000).n_iter == 9


PAIRS = {"gradient": (SquaredHinge(), Gaussian(5.0)), "quasi-newton": (ModifiedLogistic(), Gaussian(3.0))}


@pytest.mark.parametrize("losses", PAIRS)
@pytest.mark.parametrize("schedule", [AnnealedWeight((0.1, 1.0)), Smoothing(5.0, 3)], ids=["weight", "width"])
@pytest.mark.parametrize("centered", [False, True])
def test_weights_coefficients_and_kernel_give_one_objective(losses, schedule, centered):
    """w-space = features of the linear kernel = full linear kernel; with all points as landmarks = full."""
    V, U = PAIRS[losses]
    if isinstance(schedule, Smoothing) and losses != "gradient":
        pytest.skip("continuation has the squared hinge")
    linear = kernel_from("linear", 1.0, 3, 0.0)
    families = [
        [Linear(X), Full(linear, POINTS), reduced_set(linear, POINTS, POINTS)],
        [Full(KERNEL, POINTS), reduced_set(KERNEL, POINTS, POINTS)],
    ]
    for family in families:
        spaces = [Centered(space, UNLABELED) if centered else space for space in family]
        values = [
            follow(space, schedule, LBFGS(1e-9), labeled_loss=V, unlabeled_loss=U)[0].candidate.value
            for space in spaces
        ]
        assert_allclose(values[1:], values[:-1], rtol=1e-8)


def test_a_column_is_solved_as_if_it_were_alone():
    _, y = two_blobs(k=3)
    space = SPACES["full rbf, centered"][0]
    problem = problem_on(space, y, bias=np.array([0.0, 0.1, -0.1]))
    algorithm = Continuation(AnnealedWeight((0.1, 1.0)), LBFGS(1e-9))
    together = run(algorithm, problem, max_iter=1000).candidate
    for column in range(3):
        alone = run(algorithm, problem.columns(np.array([column])), max_iter=1000).candidate
        assert_allclose(together.value[column], alone.value[0], rtol=1e-8)


def test_sparse_rows_are_dense_rows():
    import scipy.sparse as sp

    rows = np.where(np.abs(X) > 0.5, X, 0.0)
    values = [
        follow(Centered(Linear(form), UNLABELED), AnnealedWeight((0.1, 1.0)), LBFGS(1e-9))[0].candidate.value
        for form in (rows, sp.csr_array(rows), Points.of(rows).X)
    ]
    assert_allclose(values[1:], values[:-1], rtol=1e-9)
