"""The error on the unlabeled rows that training saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from semisvm.datasets import hide_labels
from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.scoring import (
    certificate,
    error_pct,
    labels_by_count,
    macro_error_pct,
    mean_objective,
    sizes,
    timed_fit,
    timing,
    total_iterations,
)
from semisvm_papers.tasks import Task

Assign = Literal["own", "predict", "count"]
SEES = ("unlabeled", "test")


@dataclass(frozen=True)
class Transductive(Protocol):
    """The error on the unlabeled rows of training.

    ``assign`` says who labels them: ``own`` takes the method's own labels (``transduction_``), ``predict`` its
    predictions, and ``count`` shifts its outputs so that each class gets its true number of rows, which is how the
    survey holds every method, the plain SVM included, to the known class ratio.  ``sees = "test"`` puts the test rows
    of a task in the place of its unlabeled ones: training sees them and no others.
    """

    assign: Assign = "own"
    sees: Literal["unlabeled", "test"] = "unlabeled"

    def __post_init__(self) -> None:
        if self.sees not in SEES:
            raise ValueError(f'sees = {self.sees!r} is not known: use "unlabeled" or "test".')
        if self.assign not in ("own", "predict", "count"):
            raise ValueError(f'assign = {self.assign!r} is not known: use "own", "predict" or "count".')

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        task = _with_test_rows(task) if self.sees == "test" else task
        model = build()
        seconds = timed_fit(model, task.X, hide_labels(task.y, task.labeled))
        assigned, truth = assigned_labels(model, task, self.assign), task.y[task.unlabeled]
        measures = {
            **sizes(task),
            **timing(seconds, task),
            "macro_error_pct": macro_error_pct(assigned, truth),
            **certificate(model),
        }
        return Outcome(error_pct(assigned, truth), mean_objective(model), total_iterations(model), measures)


def _with_test_rows(task: Task) -> Task:
    """The labeled rows and, without their labels, the test rows."""
    rows = np.union1d(task.labeled, task.test)
    return Task(task.X[rows], task.y[rows], np.flatnonzero(np.isin(rows, task.labeled)), facts=task.facts)


def assigned_labels(model: Any, task: Task, assign: Assign) -> np.ndarray:
    """The labels that a model fitted to all rows gives to the unlabeled ones."""
    unlabeled = task.unlabeled
    if assign == "own":
        return np.asarray(model.transduction_)[unlabeled]
    if assign == "predict":
        return np.asarray(model.predict(task.X[unlabeled]))
    return labels_by_count(model.decision_function(task.X[unlabeled]), task.y[unlabeled])
