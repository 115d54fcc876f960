from types import SimpleNamespace

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Fixed, SquaredHinge
from semisvm.optim import KernelNewton, NewtonCG
from semisvm.optim.patience import Patience
from semisvm.spaces import Linear, Mapped
from semisvm.spaces.mapped import LinearMap
from semisvm.spaces.reduced import reduced_set
from tests.problems import problem_on, two_blobs


def test_single_precision_ends_though_the_tolerance_is_out_of_reach():
    """Products in float32 waver in the seventh digit; a descent to 1e-12 has to notice that and stop."""
    X, y = two_blobs(n=200, d=8, k=2)
    points = Points.of(X.astype(np.float32))
    landmarks = reduced_set(RBF(0.1), points, points.take(slice(0, 50)))
    spaces = [Linear(points.X), Mapped(points.X, LinearMap(np.eye(8))), landmarks]
    for space in spaces:
        problem = problem_on(space, y, unlabeled_loss=Fixed(SquaredHinge(), y[10:]), C=1.0, C_star=1.0)
        for minimizer in (KernelNewton(1e-13), NewtonCG(1e-13)):
            evaluations = list(minimizer.iterate(problem.objective(), problem.objective().start()))
            assert len(evaluations) < 100
            assert np.all(evaluations[-1].stationarity < 1e-2)


def test_a_value_that_falls_is_progress_however_little_and_three_steps_without_end_it():
    def at(value):
        return SimpleNamespace(value=np.array([value]), stationarity=np.ones(1))

    patience, only = Patience(at(10.0)), np.array([0])
    for value in (9.9, 9.8, 9.7, 9.6):
        patience.update(only, at(value))
    assert not patience.exhausted.any()
    for _ in range(3):
        assert not patience.exhausted.any()
        patience.update(only, at(9.6))
    assert patience.exhausted.all()
