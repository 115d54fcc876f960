"""The models on label-free kernels: on every kernel a gradient S3VM and an SVM on the labeled rows.

S3VM:  1/2 |w|^2 + C sum_L max(0, 1 - y z)^2 + a C sum_U exp(-z^2),   mean_U z = 2 r - 1,   a = 0, 1/64, 1/16, 1/4, 1
SVM:   1/2 |w|^2 + C sum_L max(0, 1 - y z)^2,                          free bias

All classes, and all sets of labels, are columns of one problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from semisvm.algorithms import Candidate, Minimize, run
from semisvm.estimators.default.descent import WHOLE, Effort, Rows, descend
from semisvm.estimators.default.small_svms import solve_in_parts
from semisvm.estimators.default.views import View
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import SquaredHinge, Zero
from semisvm.objective import Evaluation, Point, Problem
from semisvm.spaces import Linear
from semisvm.spaces.space import EVERY_ROW

STEPS = 10_000
"""No bound: a convex problem ends by its tolerance."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What is to be learnt, whatever the kernel; a column for every class of every set of labels."""

    labeled: np.ndarray
    unlabeled: np.ndarray
    y: np.ndarray
    """(l, columns): signs of the labeled rows."""
    labeled_weights: np.ndarray
    """(l, columns): C times the weight of each row, 0 for a label that the column's set leaves out."""
    unlabeled_weights: np.ndarray
    """(u,): the same in all columns."""
    ratio: np.ndarray
    """Share of positives among the unlabeled rows, of each column."""
    own: slice = field(default_factory=lambda: slice(None))
    """Columns of the set with all labels."""
    of_others: Effort = WHOLE
    """Of the columns that leave out labels."""


@dataclass(frozen=True, eq=False)
class MemberModel:
    """Scores Z theta + intercept, and how they were found."""

    theta: np.ndarray
    intercept: np.ndarray
    n_iter: int
    objective: np.ndarray
    stationarity: np.ndarray
    path: list[dict]
    """One record per stage: weight of the unlabeled rows, objective, rows whose class changed, seconds."""
    untrained: np.ndarray
    """Columns that nobody asked for. They hold the start of the training; their objective and stationarity are NaN."""

    def scores(self, Z: np.ndarray) -> np.ndarray:
        return Z @ self.theta.astype(Z.dtype, copy=False) + self.intercept


@dataclass(frozen=True, eq=False)
class Member:
    view: View
    supervised: MemberModel
    semi_supervised: MemberModel | None
    """None where there are no unlabeled rows."""


@dataclass(frozen=True, eq=False)
class Fit:
    member: Member
    interrupt: KeyboardInterrupt | None = None


def fit_member(
    view: View,
    supervised: MemberModel,
    targets: Targets,
    tol: float,
    steps_per_stage: int,
    starts: dict[int, np.ndarray] | None = None,
    columns: np.ndarray | None = None,
) -> Fit:
    """The member of a view. Ctrl-C while its S3VM is on the way leaves it where it is.

    `starts`: coefficients of the columns that begin where the last fit ended, by their place.
    `columns`: places of the columns that the S3VM is trained for, in order; None for all.
    """
    if not len(targets.unlabeled):
        return Fit(Member(view, supervised, None))
    every = np.arange(targets.y.shape[1])
    columns = every if columns is None else columns
    model, interrupt = _semi_supervised(view, supervised, targets, tol, steps_per_stage, starts or {}, columns)
    return Fit(Member(view, supervised, model), interrupt)


def fit_supervised(views: Sequence[View], targets: Targets, tol: float) -> list[MemberModel]:
    """The SVM of every view: all at once where there are few labels, else one after the other."""
    rows = targets.labeled
    y, weights = targets.y, targets.labeled_weights
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
        objective = problem.objective()
        evaluation = objective.evaluate(Point(objective.vector(objective.represent(beta), bias), outputs))
        path = [{"stage": 0, "objective": evaluation.value, "changed": None, "seconds": 0.0}]
        models.append(_model(evaluation, found.n_iter, path))
    return models


def _supervised_alone(problem: Problem, tol: float) -> MemberModel:
    solution = run(Minimize(convex_minimizer(problem, tol)), problem, max_iter=STEPS)
    return _model(solution.candidate, solution.n_iter, solution.path)


def _model(found: Candidate | Evaluation, n_iter: int, path: list) -> MemberModel:
    untrained = np.empty(0, dtype=np.intp)
    return MemberModel(found.point.theta, found.point.bias, n_iter, found.value, found.stationarity, path, untrained)


def _semi_supervised(
    view: View,
    supervised: MemberModel,
    targets: Targets,
    tol: float,
    steps_per_stage: int,
    starts: dict[int, np.ndarray],
    columns: np.ndarray,
) -> tuple[MemberModel, KeyboardInterrupt | None]:
    """From the supervised function, or where the last fit ended; and what interrupted it."""
    Z, bias = view.Z, 2.0 * targets.ratio - 1.0
    mean = Z[targets.unlabeled].mean(axis=0)
    labeled, unlabeled, dtype = targets.labeled, targets.unlabeled, Z.dtype
    rows = Rows(
        labeled=Z[labeled] - mean,
        unlabeled=Z[unlabeled] - mean,
        y=targets.y.T[columns].astype(dtype),
        labeled_weights=targets.labeled_weights.T[columns].astype(dtype),
        unlabeled_weights=targets.unlabeled_weights.astype(dtype),
        bias=bias[columns].astype(dtype),
    )
    every = np.arange(len(bias))
    theta = supervised.theta.copy()
    for column, start in starts.items():
        theta[:, column] = start
    own, near = (np.flatnonzero(np.isin(columns, some)) for some in (every[targets.own], list(starts)))
    found = descend(rows, theta.T[columns], tol, steps_per_stage, own, near, targets.of_others)
    theta[:, columns] = found.place.w.T
    # z = (Z - mean)'theta + bias
    intercept = bias - mean.astype(np.float64) @ theta
    objective, stationarity = np.full((2, len(bias)), np.nan)
    objective[columns], stationarity[columns] = found.place.value, found.place.stationarity
    untrained = np.setdiff1d(every, columns)
    model = MemberModel(theta, intercept, found.n_iter, objective, stationarity, found.path, untrained)
    return model, found.interrupt
