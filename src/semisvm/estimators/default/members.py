"""The models that are averaged: on every kernel a gradient S3VM and an SVM on the labeled rows.

S3VM:  1/2 |w|^2 + C sum_L max(0, 1 - y z)^2 + a C sum_U exp(-z^2),   mean_U z = 2 r - 1,   a = 0, 1/64, 1/16, 1/4, 1
SVM:   1/2 |w|^2 + C sum_L max(0, 1 - y z)^2,                          free bias

All classes are columns of one problem.
"""

from dataclasses import dataclass, replace

import numpy as np

from semisvm.algorithms import Continuation, Minimize, run
from semisvm.estimators.default.views import View
from semisvm.estimators.probabilities import left_out_scores
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Gaussian, SquaredHinge, Zero
from semisvm.optim import LBFGS
from semisvm.problem import Point, Problem
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import Linear

SOFTNESS = 1.0
"""s of exp(-s z^2): soft enough to let points cross."""
WEIGHTS = (2.0**-6, 2.0**-4, 2.0**-2, 1.0)
APPROACH_TOL = 3e-2
STEPS = 10_000
"""No bound: each stage has its own."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learnt, whatever the kernel."""

    y: np.ndarray
    """(n, k) signs, 0 where unlabeled."""
    codes: np.ndarray
    """Class of each labeled row."""
    labeled: np.ndarray
    unlabeled: np.ndarray
    weights: np.ndarray
    """C times the weight of each row."""
    ratio: np.ndarray

    def loss_weights(self) -> np.ndarray:
        return np.repeat(self.weights[:, None], self.y.shape[1], axis=1)


@dataclass(frozen=True, eq=False)
class Model:
    """Scores Z theta + intercept, and how they were found."""

    theta: np.ndarray
    intercept: np.ndarray
    left_out: np.ndarray
    """(l, k) scores of the labeled rows by a model that has not seen the row's label."""
    n_iter: int
    objective: np.ndarray
    stationarity: np.ndarray

    def scores(self, Z: np.ndarray) -> np.ndarray:
        return Z @ self.theta + self.intercept


@dataclass(frozen=True, eq=False)
class Member:
    view: View
    weight: float
    supervised: Model
    semi_supervised: Model | None
    """None where there are no unlabeled rows."""

    def with_weight(self, weight: float) -> "Member":
        return replace(self, weight=weight)

    def supervised_only(self) -> "Member":
        return replace(self, semi_supervised=None)


def fit_member(view: View, weight: float, task: Task, tol: float, steps_per_stage: int) -> Member:
    supervised = _supervised(view.Z, task, tol)
    semi = _semi_supervised(view.Z, task, tol, steps_per_stage) if len(task.unlabeled) else None
    return Member(view, weight, supervised, semi)


def _supervised(Z: np.ndarray, task: Task, tol: float) -> Model:
    rows = task.labeled
    problem = Problem(
        space=Linear(np.ascontiguousarray(Z[rows])),
        y=task.y[rows],
        labeled=np.arange(len(rows)),
        unlabeled=np.empty(0, dtype=np.intp),
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Zero(),
        weights=task.loss_weights()[rows],
    )
    solution = run(Minimize(convex_minimizer(problem, tol)), problem, max_iter=STEPS)
    point = solution.candidate.point
    return _model(problem, point, point.bias, task, solution)


def _semi_supervised(Z: np.ndarray, task: Task, tol: float, steps_per_stage: int) -> Model:
    mean = Z[task.unlabeled].mean(axis=0)
    space = Linear(Z - mean)
    problem = Problem(
        space=space,
        y=task.y,
        labeled=task.labeled,
        unlabeled=task.unlabeled,
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Gaussian(SOFTNESS),
        weights=task.loss_weights(),
        bias=2.0 * task.ratio - 1.0,
    )
    algorithm = Continuation(AnnealedWeight(WEIGHTS, start=False), LBFGS(tol), steps_per_stage, APPROACH_TOL)
    solution = run(algorithm, problem, _without_unlabeled(problem, space, tol), max_iter=STEPS)
    point = solution.candidate.point
    # z = (Z - mean)'theta + bias
    return _model(problem, point, point.bias - mean @ point.theta, task, solution)


def _without_unlabeled(problem: Problem, space: Linear, tol: float) -> Point:
    """Where a = 0 leads, from the labeled rows alone: a few Newton steps."""
    rows = problem.labeled
    labeled = problem.replace(
        space=Linear(np.ascontiguousarray(space.X[rows])),
        y=problem.y[rows],
        labeled=np.arange(len(rows)),
        unlabeled=np.empty(0, dtype=np.intp),
        unlabeled_loss=Zero(),
        weights=problem.weights[rows],
    )
    point = run(Minimize(convex_minimizer(labeled, tol)), labeled, max_iter=STEPS).candidate.point
    return problem.complete(problem.vector(point.theta, point.bias))


def _model(problem: Problem, point: Point, intercept: np.ndarray, task: Task, solution) -> Model:
    candidate = solution.candidate
    left_out = left_out_scores(problem, point, task.codes)
    return Model(point.theta, intercept, left_out, solution.n_iter, candidate.value, candidate.stationarity)
