"""The objective of a method's labels, by one measure for all: section 5.2 of the survey (Chapelle et al. 2008).

With several classes there are two readings of a method's labels: one class per row, the largest output, or the labels
of each one-vs-rest machine by itself, as many of them positive as its class has rows.
"""

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

    The objective is of one class per row. ``machine_objective`` and ``machine_error_pct`` are of each machine's own
    labels: means over the machines, errors on unlabeled rows.
    """

    assign: Assign = "own"

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        model = build()
        seconds = timed_fit(model, task.X, hide_labels(task.y, task.labeled))
        assigned = assigned_labels(model, task, self.assign)
        measures = {**sizes(task), **timing(seconds, task)}
        if (own := mean_objective(model)) is not None:
            measures["own_objective"] = own
        measures |= _by_machine(model, _machine_labels(model, task, task.unlabeled), task)
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
        by_machine = _by_machine(model, _machine_labels(model, task, rest), task)
        return Outcome(
            error_pct(assigned, task.y[unlabeled]),
            _objective_of(model, assigned, task),
            total_iterations(model),
            {**sizes(task), **timing(seconds, task), **by_machine},
        )


def _machine_labels(model: Any, task: Task, hidden: np.ndarray) -> np.ndarray:
    """0 or 1 for every row and machine: the truth, but on hidden rows the highest scores, by their true count."""
    classes = np.arange(int(task.y.max()) + 1)
    labels = (task.y[:, None] == (classes[1:] if len(classes) == 2 else classes)).astype(int)
    if len(hidden):
        scores = np.asarray(model.decision_function(task.X[hidden])).reshape(len(hidden), -1)
        columns = [labels_by_count(of_one, truth) for of_one, truth in zip(scores.T, labels[hidden].T, strict=True)]
        labels[hidden] = np.column_stack(columns)
    return labels


def _by_machine(model: Any, labels: np.ndarray, task: Task) -> dict[str, float]:
    """The means over the machines of the objective of their labels, and of their error on unlabeled rows."""
    classes = [1] if labels.shape[1] == 1 else range(labels.shape[1])
    truths = [(task.y == one).astype(int) for one in classes]
    pairs = list(zip(labels.T, truths, strict=True))
    return {
        "machine_objective": float(np.mean([_objective(model, task, *pair) for pair in pairs])),
        "machine_error_pct": float(np.mean([error_pct(a[task.unlabeled], y[task.unlabeled]) for a, y in pairs])),
    }


def _objective_of(model: Any, assigned: np.ndarray, task: Task) -> float:
    """The retrained objective of labels for the unlabeled rows."""
    labels = task.y.copy()
    labels[task.unlabeled] = assigned
    return _objective(model, task, labels, task.y)


def _objective(model: Any, task: Task, labels: np.ndarray, truth: np.ndarray) -> float:
    """The retrained objective of labels, with the kernel and weights of the model."""
    given = model.get_params()
    kept = {name: given[name] for name in ("C", "kernel", "gamma", "degree", "coef0")}
    weight = given.get("C_unlabeled", "equal")
    return s3vm_objective(task.X, hide_labels(truth, task.labeled), labels, C_unlabeled=weight, **kept)
