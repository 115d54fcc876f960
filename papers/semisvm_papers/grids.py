"""Hyper-parameters chosen from a grid: by the test rows themselves, by the given labels, or by all true labels.

A grid is written in the words of the paper: `lambda` and `lambda_unlabeled` stand for C = 1/(2 lambda l) and
C_unlabeled = lambda_unlabeled/(2 lambda u), `C_unlabeled_total` for C_unlabeled = total/u, `C_unlabeled_share` for
C_unlabeled = share C, `sigma` for the width of exp(-|x - z|^2 / (2 sigma^2)), `sigma_over_mean_distance` and
`sigma_over_box` for that width in units of the mean distance between the rows and of the diagonal of their bounding
box; any other name is a parameter of the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from semisvm.datasets import hide_labels
from semisvm.estimators import SupervisedSVM
from semisvm.geometry.distances import Points
from semisvm.geometry.widths import width
from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.inductive import inductive_outcome
from semisvm_papers.protocols.scoring import timed_fit
from semisvm_papers.tasks import Task

Grid = Mapping[str, Sequence[Any]]


def grid_points(grid: Grid, task: Task) -> Iterator[dict[str, Any]]:
    """Every combination, in the parameters of the estimators."""
    for values in product(*grid.values()):
        yield in_our_convention(dict(zip(grid, values, strict=True)), task)


def in_our_convention(point: dict[str, Any], task: Task) -> dict[str, Any]:
    """The parameters of an estimator that stand for those in the words of a paper."""
    point = dict(point)
    n_labeled, n_unlabeled = len(task.labeled), max(1, len(task.unlabeled))
    if "lambda" in point:
        scale = 2 * point.pop("lambda")
        point["C"] = 1 / (scale * n_labeled)
        if "lambda_unlabeled" in point:
            point["C_unlabeled"] = point.pop("lambda_unlabeled") / (scale * n_unlabeled)
    if "C_unlabeled_total" in point:
        point["C_unlabeled"] = point.pop("C_unlabeled_total") / n_unlabeled
    if "C_unlabeled_share" in point:
        point["C_unlabeled"] = point.pop("C_unlabeled_share") * point["C"]
    for unit in ("mean_distance", "box"):
        if f"sigma_over_{unit}" in point:
            # gamma = 1/(2 (k sigma)^2) with the unit sigma
            point["gamma"] = width(unit, Points.of(task.X[task.training])) / point.pop(f"sigma_over_{unit}") ** 2
    if "sigma" in point:
        # exp(-|x - z|^2 / (2 sigma^2)) = exp(-gamma |x - z|^2)
        point["gamma"] = 1 / (2 * float(point.pop("sigma")) ** 2)
    return point


@dataclass(frozen=True)
class BestOnTest(Protocol):
    """The smallest error over the grid on the scored rows: what a method could do with the right parameters."""

    grid: Grid

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        outcomes = (_fitted(build().set_params(**point), task) for point in grid_points(self.grid, task))
        return min(outcomes, key=lambda outcome: outcome.error_pct)


@dataclass(frozen=True)
class ChosenByFolds(Protocol):
    """The error with the parameters that cross-validation on the labeled rows prefers; every unlabeled row stays."""

    grid: Grid
    n_folds: int = 5

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        points = list(grid_points(self.grid, task))
        folds = _even_folds(task.y, task.labeled, self.n_folds, seed)
        errors = [np.mean([self._fold_error(build().set_params(**p), task, fold) for fold in folds]) for p in points]
        return _fitted(build().set_params(**points[int(np.argmin(errors))]), task)

    def _fold_error(self, model: Any, task: Task, fold: np.ndarray) -> float:
        """The error on rows that training does not see."""
        kept = np.setdiff1d(task.training, fold)
        partial = hide_labels(task.y, np.setdiff1d(task.labeled, fold))[kept]
        return float(np.mean(model.fit(task.X[kept], partial).predict(task.X[fold]) != task.y[fold]))


@dataclass(frozen=True)
class ChosenByAllLabels(Protocol):
    """The error with the width and C that five-fold cross-validation of a plain SVM with all true labels prefers.

    So the survey chose its parameters: the same for every method, and from labels that no method sees.
    """

    grid: Grid
    n_folds: int = 5

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        points = list(grid_points(self.grid, task))
        folds = _even_folds(task.y, np.arange(len(task.y)), self.n_folds, seed)
        errors = [sum(self._wrong(SupervisedSVM(**point), task, fold) for fold in folds) for point in points]
        return _fitted(build().set_params(**points[int(np.argmin(errors))]), task)

    def _wrong(self, svm: Any, task: Task, fold: np.ndarray) -> int:
        others = np.setdiff1d(np.arange(len(task.y)), fold)
        return int(np.sum(svm.fit(task.X[others], task.y[others]).predict(task.X[fold]) != task.y[fold]))


def _even_folds(y: np.ndarray, rows: np.ndarray, n_folds: int, seed: int) -> list[np.ndarray]:
    """Rows to leave out in turn, classes spread evenly."""
    shuffled = np.random.RandomState(seed).permutation(rows)
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    return [by_class[fold::n_folds] for fold in range(n_folds)]


def _fitted(model: Any, task: Task) -> Outcome:
    """The model trained on the labeled and unlabeled rows, and what it is worth."""
    partial = hide_labels(task.y, task.labeled)[task.training]
    return inductive_outcome(model, task, timed_fit(model, task.X[task.training], partial))
