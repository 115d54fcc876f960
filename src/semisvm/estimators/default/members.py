"""The models on label-free kernels: on every kernel a gradient S3VM and an SVM on the labeled rows.

S3VM:  1/2 |w|^2 + C sum_L max(0, 1 - y z)^2 + a C sum_U exp(-z^2),   mean_U z = 2 r - 1,   a = 0, 1/64, 1/16, 1/4, 1
SVM:   1/2 |w|^2 + C sum_L max(0, 1 - y z)^2,                          free bias

All classes, and all sets of labels, are columns of one problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from semisvm.algorithms import Candidate, Continuation, Interrupted, Minimize, run
from semisvm.estimators.default.side_by_side import SideBySide
from semisvm.estimators.default.small_svms import solve_in_parts
from semisvm.estimators.default.stages import StagesApart
from semisvm.estimators.default.views import View
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Gaussian, SquaredHinge, Zero
from semisvm.optim import LBFGS
from semisvm.problem import Evaluation, Point, Problem
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
class Targets:
    """What is to be learnt, whatever the kernel; a column for every class of every set of labels."""

    y: np.ndarray
    """(n, columns) signs, 0 where unlabeled."""
    labeled: np.ndarray
    unlabeled: np.ndarray
    weights: np.ndarray
    """(n, columns): C times the weight of each row, 0 for a label that the column's set leaves out."""
    ratio: np.ndarray
    """Share of positives among the unlabeled rows, of each column."""


@dataclass(frozen=True, eq=False)
class Model:
    """Scores Z theta + intercept, and how they were found."""

    theta: np.ndarray
    intercept: np.ndarray
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
    supervised: Model
    semi_supervised: Model | None
    """None where there are no unlabeled rows."""


@dataclass(frozen=True, eq=False)
class Fit:
    members: list[Member]
    interrupt: KeyboardInterrupt | None = None


def fit_members(views: Sequence[View], targets: Targets, tol: float, steps_per_stage: int) -> Fit:
    """A member on every view. Ctrl-C while their S3VMs are on the way leaves these where they are."""
    supervised = _supervised(views, targets, tol)
    if not len(targets.unlabeled):
        return Fit([Member(*parts, None) for parts in zip(views, supervised, strict=True)])
    semi, interrupt = _semi_supervised(views, supervised, targets, tol, steps_per_stage)
    return Fit([Member(*parts) for parts in zip(views, supervised, semi, strict=True)], interrupt)


def groups(views: Sequence[View]) -> list[range]:
    """Views to train side by side: as many as share the cache, so that all of a large set go one by one."""
    sizes = [8 * view.Z.size for view in views]
    cuts = [0]
    for place in range(1, len(views)):
        if sum(sizes[cuts[-1] : place + 1]) > TOGETHER:
            cuts.append(place)
    return [range(*pair) for pair in pairwise([*cuts, len(views)])]


def _supervised(views: Sequence[View], targets: Targets, tol: float) -> list[Model]:
    """The SVMs of all views: at once where there are few labels, else one after the other."""
    rows = targets.labeled
    y, weights = targets.y[rows], targets.weights[rows]
    spaces = [Linear(np.ascontiguousarray(view.Z[rows], dtype=np.float64)) for view in views]
    problems = [
        Problem(
            space=space,
            y=y,
            labeled=np.arange(len(rows)),
            unlabeled=np.empty(0, dtype=np.intp),
            labeled_loss=SquaredHinge(),
            unlabeled_loss=Zero(),
            weights=weights,
        )
        for space in spaces
    ]
    found = solve_in_parts(np.stack([space.block(EVERY_ROW) for space in spaces]), y, weights)
    if found is None:
        return [_supervised_alone(problem, tol) for problem in problems]
    models = []
    for problem, beta, bias, outputs in zip(problems, found.beta, found.bias, found.outputs, strict=True):
        point = Point(problem.vector(problem.space.represent(beta), bias), outputs)
        evaluation = problem.evaluate(point)
        path = [{"stage": 0, "objective": evaluation.value, "changed": None, "seconds": 0.0}]
        models.append(_model(evaluation, found.n_iter, path))
    return models


def _supervised_alone(problem: Problem, tol: float) -> Model:
    solution = run(Minimize(convex_minimizer(problem, tol)), problem, max_iter=STEPS)
    return _model(solution.candidate, solution.n_iter, solution.path)


def _model(found: Candidate | Evaluation, n_iter: int, path: list) -> Model:
    return Model(found.point.theta, found.point.bias, n_iter, found.value, found.stationarity, path)


def _semi_supervised(
    views: Sequence[View], supervised: list[Model], targets: Targets, tol: float, steps_per_stage: int
) -> tuple[list[Model], KeyboardInterrupt | None]:
    """All at once, each from its supervised function; and what interrupted them."""
    m, bias = len(views), 2.0 * targets.ratio - 1.0
    means = [view.Z[targets.unlabeled].mean(axis=0) for view in views]
    centered = [view.Z - mean for view, mean in zip(views, means, strict=True)]
    space = SideBySide.of(centered, targets.y.shape[1])
    biases = np.tile(bias, m)
    problem = Problem(
        space=space,
        y=np.tile(targets.y, m),
        labeled=targets.labeled,
        unlabeled=targets.unlabeled,
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Gaussian(SOFTNESS),
        weights=np.tile(targets.weights, m),
        bias=biases,
    )
    start = problem.complete(problem.vector(space.together([model.theta for model in supervised]), biases))
    algorithm = Continuation(AnnealedWeight(WEIGHTS, start=False), LBFGS(tol), steps_per_stage, APPROACH_TOL)
    stages = StagesApart(targets.unlabeled, [space.columns_of(member) for member in range(m)], start)
    interrupt = None
    try:
        solution = run(algorithm, problem, start, max_iter=STEPS, watch=stages)
    except Interrupted as stopped:
        solution, interrupt = stopped.solution, stopped
    candidate, point = solution.candidate, solution.candidate.point
    models = []
    for member, (mean, path) in enumerate(zip(means, stages.paths(solution), strict=True)):
        own = space.columns_of(member)
        theta = space.part(member, point.theta)
        # z = (Z - mean)'theta + bias
        found = (solution.n_iter, candidate.value[own], candidate.stationarity[own], path)
        models.append(Model(theta, bias - mean @ theta, *found))
    return models, interrupt
