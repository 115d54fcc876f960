"""Where the next training of the hinge begins: at the dual variables that the last scores call for."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.algorithms import retraining
from semisvm.algorithms.retraining import CORNER, DualRetraining, expected
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Hinge, SquaredHinge
from semisvm.optim import UNLIMITED
from semisvm.spaces import Full
from tests.problems import problem_on, two_blobs

TOL = 1e-3
WEIGHTS = np.array([[2.0], [2.0], [0.5], [3.0], [1.0]])
Y = np.array([[1.0], [1.0], [-1.0], [-1.0], [1.0]])


def last(gaps, a):
    """A training that ended with 1 - y z = gaps."""
    return SimpleNamespace(point=SimpleNamespace(scores=Y * (1.0 - gaps)), dual=SimpleNamespace(a=a))


def test_variables_are_at_the_ends_that_the_scores_call_for_and_stay_at_the_corner():
    within, beyond = (CORNER - 0.1) * TOL, (CORNER + 0.1) * TOL
    gaps = np.array([[beyond], [-beyond], [within], [-within], [0.7]])
    a = expected(Y, WEIGHTS, last(gaps, np.full((5, 1), -0.25)), TOL, free_bias=False)
    # y a = c inside the margin, 0 outside; at the corner the last one, within 0 <= y a <= c
    assert_allclose(a[:, 0], [2.0, 0.0, -0.25, -0.25, 1.0])
    assert CORNER == 2.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_variables_nearest_to_the_corner_bring_the_sum_to_zero(sign):
    gaps = sign * np.array([[0.9], [0.2], [-0.1], [-0.5], [0.05]])
    start = last(gaps, np.zeros((5, 1)))
    ends = expected(Y, WEIGHTS, start, TOL, free_bias=False)
    a = expected(Y, WEIGHTS, start, TOL, free_bias=True)
    assert ends.sum() != 0
    assert a.sum() == pytest.approx(0.0, abs=1e-12)
    assert np.all(Y * a >= 0)
    assert np.all(Y * a <= WEIGHTS)
    # nobody changes while somebody nearer could still give way
    by_distance = np.argsort(np.abs(gaps[:, 0]))
    low, high = np.minimum(0.0, Y * WEIGHTS), np.maximum(0.0, Y * WEIGHTS)
    goal = low if ends.sum() > 0 else high
    farthest = np.flatnonzero((a != ends)[by_distance, 0])[-1]
    assert 0 < farthest < 4
    assert_allclose(a[by_distance[:farthest]], goal[by_distance[:farthest]])


def test_columns_of_a_training_are_replaced_with_their_dual_variables():
    X, y = two_blobs(n=30, k=3)
    problem = problem_on(Full(RBF(0.2), Points.of(X)), y, labeled_loss=Hinge())
    training = DualRetraining(1e-6)

    def trained(labels):
        return training.train(problem, labels, training.begin(problem, None), UNLIMITED)

    first, other = trained(y[10:]), trained(-y[10:])
    chosen = np.array([0, 2])
    joined = first.put(chosen, other.columns(chosen))
    for found, old, new in (
        (joined.value, first.value, other.value),
        (joined.stationarity, first.stationarity, other.stationarity),
        (joined.point.scores, first.point.scores, other.point.scores),
        (joined.dual.a, first.dual.a, other.dual.a),
        (joined.dual.outputs, first.dual.outputs, other.dual.outputs),
    ):
        expected_columns = old.copy()
        expected_columns[..., chosen] = new[..., chosen]
        assert_allclose(found, expected_columns)
    assert not np.allclose(first.dual.a, joined.dual.a)


@pytest.mark.parametrize(("loss", "ahead"), [(Hinge(), True), (SquaredHinge(), False)])
def test_only_variables_of_the_hinge_are_moved_ahead(loss, ahead, monkeypatch):
    """Those of the squared hinge have no upper end to be at."""
    X, y = two_blobs(n=30)
    problem = problem_on(Full(RBF(0.2), Points.of(X)), y, labeled_loss=loss)
    training, called = DualRetraining(1e-6), []
    monkeypatch.setattr(retraining, "expected", lambda *given, **more: called.append(given) or expected(*given, **more))
    first = training.train(problem, y[10:], training.begin(problem, None), UNLIMITED)
    assert not called
    training.train(problem.replace(weights=2 * problem.weights), y[10:], first, UNLIMITED)
    assert bool(called) == ahead
