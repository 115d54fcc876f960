"""The dual of the hinges: its solution is the minimum of the primal, on all points or on some, whatever the bias."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm.algorithms import DualHinge, kernel_rows
from semisvm.algorithms.box_dual import BoxDual
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Fixed, Hinge, HuberHinge, SquaredHinge
from semisvm.optim import UNLIMITED, KernelNewton
from semisvm.optim.lbfgs import LBFGS
from semisvm.spaces import Centered, Full, Linear
from tests.problems import problem_on, two_blobs

LOSSES = {"hinge": (Hinge(), HuberHinge(1e-4)), "squared hinge": (SquaredHinge(), SquaredHinge())}


def posed(space, loss, held):
    X, y = two_blobs(n=40, k=2)
    bias = np.array([0.3, -0.2]) if held else None
    return problem_on(space(X), y, labeled_loss=loss, unlabeled_loss=Fixed(loss, y[10:]), bias=bias), y


SPACES = {
    "full": lambda X: Full(RBF(0.2), Points.of(X)),
    "linear": Linear,
    "centered": lambda X: Centered(Full(RBF(0.2), Points.of(X)), np.arange(10, 40)),
}


@pytest.mark.parametrize("held", [False, True], ids=["free bias", "held bias"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("space", SPACES)
def test_the_dual_of_all_points_is_the_minimum_of_the_primal(space, loss, held):
    exact, smooth = LOSSES[loss]
    problem, y = posed(SPACES[space], exact, held)
    dual = BoxDual.of_all(problem, y[10:])
    result = dual.solve(np.asarray(problem.space.gram()), problem.space.norms(), 1e-9, UNLIMITED)
    point = dual.point(problem, np.arange(40), result)
    fresh = problem.objective().point(point.theta, point.bias)
    assert_allclose(point.outputs, fresh.outputs, atol=1e-8)
    assert_allclose(point.vector.metric, fresh.vector.metric, atol=1e-8)
    if held:
        assert_allclose(point.bias, problem.bias)
    rounded = problem.replace(labeled_loss=smooth, unlabeled_loss=Fixed(smooth, y[10:])).objective()
    minimizer = KernelNewton(1e-10) if loss == "squared hinge" else LBFGS(1e-6)
    *_, best = minimizer.iterate(rounded, rounded.start())
    assert_allclose(problem.objective().value(point), best.value, rtol=1e-3 if loss == "hinge" else 1e-8)


@pytest.mark.parametrize("space", ["full", "linear"])
def test_the_dual_of_labeled_points_leaves_the_others_alone(space):
    problem, _ = posed(SPACES[space], Hinge(), held=False)
    (found,) = DualHinge(1e-9).iterate(problem, None, UNLIMITED)
    alone = problem.replace(
        space=SPACES[space](two_blobs(n=40, k=2)[0][:10]), y=problem.y[:10], weights=problem.weights[:10],
        unlabeled=np.empty(0, dtype=np.intp),
    )  # fmt: skip
    (expected,) = DualHinge(1e-9).iterate(alone, None, UNLIMITED)
    assert_allclose(found.point.scores[:10], expected.point.scores, atol=1e-7)
    assert found.point.scores.shape == (40, 2)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()], ids=["hinge", "squared hinge"])
def test_points_without_weight_or_label_have_no_multiplier(loss):
    y, weights = np.array([[1.0], [-1.0], [1.0], [0.0]]), np.array([[2.0], [3.0], [0.0], [1.0]])
    dual = BoxDual.of(loss, y, weights, None)
    assert_allclose(dual.lo[2:], 0.0)
    assert_allclose(dual.hi[2:], 0.0)
    if isinstance(loss, Hinge):
        assert_allclose(dual.lo[:2, 0], [0.0, -3.0])
        assert_allclose(dual.hi[:2, 0], [2.0, 0.0])
        assert dual.ridge is None
    else:
        assert_allclose(dual.lo[:2, 0], [0.0, -np.inf])
        assert_allclose(dual.hi[:2, 0], [np.inf, 0.0])
        assert_allclose(dual.ridge[:3, 0], [1 / 4, 1 / 6, 0.0])


@pytest.mark.parametrize(
    ("dtype", "tol", "entry"), [(np.float64, 1e-6, 8), (np.float32, 1e-3, 4), (np.float32, 1e-6, 12)]
)
def test_a_gram_matrix_fits_with_the_copy_that_the_qp_takes(dtype, tol, entry, monkeypatch):
    space = Full(RBF(0.2), Points.of(two_blobs(n=100)[0].astype(dtype)))
    for spare, fits in ((-1, False), (1, True)):
        room = int((entry * 100**2 + spare) / kernel_rows.GRAM_SHARE) + (spare > 0)
        monkeypatch.setattr(kernel_rows, "available_bytes", lambda room=room: room)
        assert kernel_rows.gram_fits(space, tol) == fits


def test_outputs_of_features_are_those_of_the_coefficients_and_not_what_the_dual_has_added_up():
    problem, y = posed(Linear, Hinge(), held=False)
    dual = BoxDual.of_all(problem, y[10:])
    result = dual.solve(np.asarray(problem.space.gram()), problem.space.norms(), 1e-3, UNLIMITED)
    point = dual.point(problem, np.arange(40), replace(result, outputs=result.outputs + 1e-6))
    assert_array_equal(point.outputs, problem.space.outputs(point.theta))
