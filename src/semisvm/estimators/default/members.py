"""The models that are averaged: on every kernel a gradient S3VM and an SVM on the labeled rows.

S3VM:  1/2 |w|^2 + C sum_L max(0, 1 - y z)^2 + a C sum_U exp(-z^2),   mean_U z = 2 r - 1,   a = 0, 1/64, 1/16, 1/4, 1
SVM:   1/2 |w|^2 + C sum_L max(0, 1 - y z)^2,                          free bias

All classes are columns of one problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from semisvm.algorithms import Candidate, Continuation, Interrupted, Minimize, run
from semisvm.estimators.default.side_by_side import SideBySide
from semisvm.estimators.default.small_svms import small_enough, solve_together
from semisvm.estimators.default.stages import StagesApart
from semisvm.estimators.default.views import KernelView, View, rank_for
from semisvm.estimators.probabilities import left_out_scores
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Gaussian, SquaredHinge, Zero
from semisvm.objective import Evaluation, Point, Problem
from semisvm.optim import LBFGS
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import Linear
from semisvm.spaces.space import EVERY_ROW

SOFTNESS = 1.0
"""s of exp(-s z^2): soft enough to let points cross."""
WEIGHTS = (2.0**-6, 2.0**-4, 2.0**-2, 1.0)
APPROACH_TOL = 3e-2
STEPS = 10_000
"""No bound: each stage has its own."""
TOGETHER = 2**25
"""Bytes of features that are trained side by side."""


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
    path: list[dict]
    """One record per stage: weight of the unlabeled rows, objective, rows whose class changed, seconds."""

    def scores(self, Z: np.ndarray) -> np.ndarray:
        return Z @ self.theta.astype(Z.dtype, copy=False) + self.intercept


@dataclass(frozen=True, eq=False)
class Member:
    view: View
    weight: float
    supervised: Model
    semi_supervised: Model | None
    """None where there are no unlabeled rows."""

    def with_weight(self, weight: float) -> "Member":
        return replace(self, weight=weight)


@dataclass(frozen=True, eq=False)
class Fit:
    members: list[Member]
    interrupt: KeyboardInterrupt | None = None


def fit_members(views: Sequence[View], weights: Sequence[float], task: Task, tol: float, steps_per_stage: int) -> Fit:
    """A member on every view. Ctrl-C while their S3VMs are on the way leaves these where they are."""
    supervised = _supervised(views, task, tol)
    if not len(task.unlabeled):
        members = [Member(*parts, None) for parts in zip(views, weights, supervised, strict=True)]
        return Fit(members)
    semi, interrupt = _semi_supervised(views, supervised, task, tol, steps_per_stage)
    members = [Member(*parts) for parts in zip(views, weights, supervised, semi, strict=True)]
    return Fit(members, interrupt)


def groups(views: Sequence[KernelView], n_rows: int) -> list[range]:
    """Views to train side by side: as many as share the cache, so that all of a large set go one by one."""
    sizes = [8 * n_rows * rank_for(view) for view in views]
    cuts = [0]
    for place in range(1, len(views)):
        if sum(sizes[cuts[-1] : place + 1]) > TOGETHER:
            cuts.append(place)
    return [range(*pair) for pair in pairwise([*cuts, len(views)])]


def _supervised(views: Sequence[View], task: Task, tol: float) -> list[Model]:
    """The SVMs of all views: at once where there are few labels, else one after the other."""
    rows, weights = task.labeled, task.loss_weights()[task.labeled]
    problems = [
        Problem(
            space=Linear(np.ascontiguousarray(view.Z[rows], dtype=np.float64)),
            y=task.y[rows],
            labeled=np.arange(len(rows)),
            unlabeled=np.empty(0, dtype=np.intp),
            labeled_loss=SquaredHinge(),
            unlabeled_loss=Zero(),
            weights=weights,
        )
        for view in views
    ]
    found = None
    if small_enough(len(views), *task.y[rows].shape):
        K = np.stack([problem.space.block(EVERY_ROW) for problem in problems])
        found = solve_together(K, task.y[rows], weights)
    if found is None:
        return [_supervised_alone(problem, task, tol) for problem in problems]
    models = []
    for problem, beta, bias, outputs in zip(problems, found.beta, found.bias, found.outputs, strict=True):
        objective = problem.objective()
        evaluation = objective.evaluate(Point(objective.vector(objective.represent(beta), bias), outputs))
        path = [{"stage": 0, "objective": evaluation.value, "changed": None, "seconds": 0.0}]
        models.append(_model(problem, evaluation, found.n_iter, path, task))
    return models


def _supervised_alone(problem: Problem, task: Task, tol: float) -> Model:
    solution = run(Minimize(convex_minimizer(problem, tol)), problem, max_iter=STEPS)
    return _model(problem, solution.candidate, solution.n_iter, solution.path, task)


def _model(problem: Problem, found: Candidate | Evaluation, n_iter: int, path: list, task: Task) -> Model:
    point = found.point
    left_out = left_out_scores(problem, point, task.codes)
    return Model(point.theta, point.bias, left_out, n_iter, found.value, found.stationarity, path)


def _semi_supervised(
    views: Sequence[View], supervised: list[Model], task: Task, tol: float, steps_per_stage: int
) -> tuple[list[Model], KeyboardInterrupt | None]:
    """All at once, each from its supervised function; and what interrupted them."""
    k, m, bias = task.y.shape[1], len(views), 2.0 * task.ratio - 1.0
    means = [view.Z[task.unlabeled].mean(axis=0) for view in views]
    space = SideBySide.of([view.Z - mean for view, mean in zip(views, means, strict=True)], k)
    one = Problem(
        space=Linear(space.features(0)),
        y=task.y,
        labeled=task.labeled,
        unlabeled=task.unlabeled,
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Gaussian(SOFTNESS),
        weights=task.loss_weights(),
        bias=bias,
    )
    biases = np.tile(bias, m)
    every = one.replace(space=space, y=np.tile(one.y, m), weights=np.tile(one.weights, m), bias=biases)
    start = every.objective().point(space.together([model.theta for model in supervised]), biases)
    algorithm = Continuation(AnnealedWeight(WEIGHTS, start=False), LBFGS(tol), steps_per_stage, APPROACH_TOL)
    stages = StagesApart(task.unlabeled, [space.columns_of(member) for member in range(m)], start)
    interrupt = None
    try:
        solution = run(algorithm, every, start, max_iter=STEPS, watch=stages)
    except Interrupted as stopped:
        solution, interrupt = stopped.solution, stopped
    candidate, point = solution.candidate, solution.candidate.point
    models = []
    for member, (mean, path) in enumerate(zip(means, stages.paths(solution), strict=True)):
        own = space.columns_of(member)
        theta = space.part(member, point.theta)
        problem = one.replace(space=Linear(space.features(member)))
        place = Point(problem.objective().vector(theta, bias), point.outputs[:, own])
        # z = (Z - mean)'theta + bias
        intercept, left_out = bias - mean @ theta, left_out_scores(problem, place, task.codes)
        found = (solution.n_iter, candidate.value[own], candidate.stationarity[own], path)
        models.append(Model(theta, intercept, left_out, *found))
    return models, interrupt
