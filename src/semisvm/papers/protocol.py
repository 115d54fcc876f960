"""How a method is measured: on the unlabeled rows it was trained with, or by cross-validation with all labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from semisvm.datasets import hide_labels
from semisvm.papers.records import Measures
from semisvm.papers.tasks import Task


@dataclass(frozen=True)
class Outcome:
    """What one measurement gave: an error in percent, the objective and iterations where the method tells, and more.

    ``measures`` holds any further figure or curve by its name (``lower_bound``, ``error_on_test_pct``, ...); a table
    file shows one of them in a column by ``shows = "<name>"``.
    """

    error_pct: float
    objective: float | None
    n_iter: int | None
    measures: Measures = field(default_factory=dict)


class Protocol(ABC):
    """A way to measure the error of a method on a task."""

    @abstractmethod
    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        """Fit fresh models from ``build`` and measure them."""


@dataclass(frozen=True)
class Transductive(Protocol):
    """The error on the unlabeled rows of training.

    ``assign`` says who labels them: ``own`` takes the method's own labels (``transduction_``), ``predict`` its
    predictions, and ``count`` shifts its outputs so that each class gets its true number of rows, which is how the
    survey holds every method, the plain SVM included, to the known class ratio.
    """

    assign: Literal["own", "predict", "count"] = "own"

    def __post_init__(self) -> None:
        if self.assign not in ("own", "predict", "count"):
            raise ValueError(f'assign = {self.assign!r} is not known: use "own", "predict" or "count".')

    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        model = build().fit(task.X, hide_labels(task.y, task.labeled))
        unlabeled = task.unlabeled
        truth = task.y[unlabeled]
        if self.assign == "own":
            assigned = np.asarray(model.transduction_)[unlabeled]
        elif self.assign == "predict":
            assigned = model.predict(task.X[unlabeled])
        else:
            assigned = labels_by_count(model.decision_function(task.X[unlabeled]), truth)
        return Outcome(
            error_pct=100 * float(np.mean(assigned != truth)),
            objective=_mean_of(getattr(model, "objective_", None)),
            n_iter=_sum_of(getattr(model, "n_iter_", None)),
        )


@dataclass(frozen=True)
class Inductive(Protocol):
    """The error on the scored rows of a task in four parts; training sees its labeled and unlabeled rows alone.

    ``validates`` hands the validation rows and their labels to the fit, for methods that stop by them.
    """

    validates: bool = False

    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        rows = task.training
        partial = hide_labels(task.y, task.labeled)[rows]
        looks = {"X_val": task.X[task.validation], "y_val": task.y[task.validation]} if self.validates else {}
        model = build().fit(task.X[rows], partial, **looks)
        wrong = model.predict(task.X[task.scored_rows]) != task.y[task.scored_rows]
        return Outcome(
            error_pct=100 * float(np.mean(wrong)),
            objective=_mean_of(getattr(model, "objective_", None)),
            n_iter=_sum_of(getattr(model, "n_iter_", None)),
        )


@dataclass(frozen=True)
class FiveFold(Protocol):
    """Five-fold cross-validation with all labels known: the error a semi-supervised method can hope to reach."""

    def measure(self, build: Callable[[], Any], task: Task, seed: int) -> Outcome:
        from sklearn.model_selection import StratifiedKFold

        wrong = 0
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(np.zeros(len(task.y)), task.y):
            predicted = build().fit(task.X[train], task.y[train]).predict(task.X[test])
            wrong += int(np.count_nonzero(predicted != task.y[test]))
        return Outcome(100 * wrong / len(task.y), objective=None, n_iter=None)


def labels_by_count(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Labels from scores when each class is known to have as many rows as in ``truth``.

    One column of scores: the highest ones get class 1.  Several: every column is shifted so that as many of its
    scores are positive as its class has rows, then the largest wins.
    """
    if scores.ndim == 1:
        labels = np.zeros(len(scores), dtype=int)
        labels[np.argsort(-scores, kind="stable")[: np.count_nonzero(truth == 1)]] = 1
        return labels
    thresholds = [_threshold(column, int(np.sum(truth == one))) for one, column in enumerate(scores.T)]
    return np.argmax(scores - np.array(thresholds), axis=1)


def _threshold(scores: np.ndarray, n_above: int) -> float:
    """Half way between the last score to be positive and the first to be negative."""
    falling = np.concatenate([[np.inf], np.sort(scores)[::-1], [-np.inf]])
    above, below = falling[n_above], falling[n_above + 1]
    if np.isinf(above) or np.isinf(below):
        return float(below if np.isinf(above) else above)
    return float((above + below) / 2)


def _mean_of(value: Any) -> float | None:
    return None if value is None else float(np.mean(value))


def _sum_of(value: Any) -> int | None:
    return None if value is None else int(np.sum(value))
