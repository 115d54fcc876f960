"""The objective of a method's labels, by one measure for all: section 5.2 of the survey (Chapelle et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.datasets import hide_labels
from semisvm.estimators import s3vm_objective
from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.scoring import (
    error_pct,
    labels_by_count,
    mean_objective,
    sizes,
    timed_fit,
    timing,
    total_iterations,
)
from semisvm_papers.protocols.transductive import Assign, assigned_labels
from semisvm_papers.tasks import Task


@dataclass(frozen=True)
class Retrained(Protocol):
    """A plain SVM with a free bias is trained on the given labels and the method's; its objective is the method's.

    min_{f, b} 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C* sum_{j in U} V(y_j z_j),   V(t) = max(0, 1 - t)^2
    """

    assign: Assign = "own"

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        model = build()
        seconds = timed_fit(model, task.X, hide_labels(task.y, task.labeled))
        assigned = assigned_labels(model, task, self.assign)
        measures = {**sizes(task), **timing(seconds, task)}
        if (own := mean_objective(model)) is not None:
            measures["own_objective"] = own
        error = error_pct(assigned, task.y[task.unlabeled])
        return Outcome(error, _objective_of(model, assigned, task), total_iterations(model), measures)


@dataclass(frozen=True)
class PartlyLabeled(Protocol):
    """A labeling between that of a plain SVM and the true one: the survey's "intermediate" solutions of Table 6.

    A ``share`` of the unlabeled rows shows its true labels to the SVM, which labels the others by their true count.
    """

    share: float

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        unlabeled = task.unlabeled
        shown = np.random.RandomState(seed).permutation(unlabeled)[: round(self.share * len(unlabeled))]
        rest = np.setdiff1d(unlabeled, shown)
        model = build()
        seconds = timed_fit(model, task.X, hide_labels(task.y, np.union1d(task.labeled, shown)))
        labels = task.y.copy()
        if len(rest):
            labels[rest] = labels_by_count(model.decision_function(task.X[rest]), task.y[rest])
        assigned = labels[unlabeled]
        return Outcome(
            error_pct(assigned, task.y[unlabeled]),
            _objective_of(model, assigned, task),
            total_iterations(model),
            {**sizes(task), **timing(seconds, task)},
        )


def _objective_of(model: Any, assigned: np.ndarray, task: Task) -> float:
    """The retrained objective of labels for the unlabeled rows, with the kernel and weights of the model."""
    labels = task.y.copy()
    labels[task.unlabeled] = assigned
    given = model.get_params()
    kept = {name: given[name] for name in ("C", "kernel", "gamma", "degree", "coef0")}
    weight = given.get("C_unlabeled", "equal")
    return s3vm_objective(task.X, hide_labels(task.y, task.labeled), labels, C_unlabeled=weight, **kept)
