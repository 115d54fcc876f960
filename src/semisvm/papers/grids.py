"""Hyper-parameters chosen from a grid, as in the QN-S3VM paper: by the test rows themselves, or by the labels at hand.

A grid is written in the words of the paper: `lambda` and `lambda_unlabeled` stand for C = 1/(2 lambda l) and
C_unlabeled = lambda_unlabeled/(2 lambda u), `C_unlabeled_total` for C_unlabeled = total/u; any other name is a
parameter of the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from semisvm.datasets import hide_labels
from semisvm.papers.protocol import Outcome, Protocol
from semisvm.papers.tasks import Task

Grid = Mapping[str, Sequence[Any]]


def grid_points(grid: Grid, n_labeled: int, n_unlabeled: int) -> Iterator[dict[str, Any]]:
    """Every combination, in the parameters of the estimators."""
    for values in product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        if "lambda" in point:
            scale = 2 * point.pop("lambda")
            point["C"] = 1 / (scale * n_labeled)
            if "lambda_unlabeled" in point:
                point["C_unlabeled"] = point.pop("lambda_unlabeled") / (scale * n_unlabeled)
        if "C_unlabeled_total" in point:
            point["C_unlabeled"] = point.pop("C_unlabeled_total") / n_unlabeled
        yield point


@dataclass(frozen=True)
class BestOnTest(Protocol):
    """The smallest test error over the grid ("non-realistic"): what the method could do with the right parameters."""

    grid: Grid

    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        return min(
            (
                _fitted(build().set_params(**point), task)
                for point in grid_points(self.grid, len(task.labeled), len(task.unlabeled))
            ),
            key=lambda outcome: outcome.error_pct,
        )


@dataclass(frozen=True)
class ChosenByFolds(Protocol):
    """The test error with the parameters that five-fold cross-validation on the labeled rows prefers ("realistic")."""

    grid: Grid
    n_folds: int = 5

    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        points = list(grid_points(self.grid, len(task.labeled), len(task.unlabeled)))
        folds = self._folds(task, seed)
        errors = [np.mean([self._fold_error(build().set_params(**p), task, fold) for fold in folds]) for p in points]
        return _fitted(build().set_params(**points[int(np.argmin(errors))]), task)

    def _folds(self, task: Task, seed: int) -> list[np.ndarray]:
        """Labeled rows to leave out in turn, classes spread evenly."""
        random = np.random.RandomState(seed)
        shuffled = random.permutation(task.labeled)
        by_class = shuffled[np.argsort(task.y[shuffled], kind="stable")]
        return [by_class[fold :: self.n_folds] for fold in range(self.n_folds)]

    def _fold_error(self, model: Any, task: Task, fold: np.ndarray) -> float:
        """The error on rows that training does not see; every unlabeled row stays."""
        kept = np.setdiff1d(task.training, fold)
        partial = hide_labels(task.y, np.setdiff1d(task.labeled, fold))[kept]
        return float(np.mean(model.fit(task.X[kept], partial).predict(task.X[fold]) != task.y[fold]))


def _fitted(model: Any, task: Task) -> Outcome:
    """The model trained on the labeled and unlabeled rows, and its error on the scored ones."""
    partial = hide_labels(task.y, task.labeled)[task.training]
    model.fit(task.X[task.training], partial)
    wrong = model.predict(task.X[task.scored_rows]) != task.y[task.scored_rows]
    return Outcome(100 * float(np.mean(wrong)), float(np.mean(model.objective_)), int(np.sum(model.n_iter_)))
