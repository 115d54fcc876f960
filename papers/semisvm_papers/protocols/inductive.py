"""The error on rows that training did not see, beside that on the unlabeled rows it saw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semisvm.datasets import hide_labels
from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.line_searches import LineSearches
from semisvm_papers.protocols.scoring import (
    error_pct,
    macro_error_pct,
    mean_objective,
    sizes,
    timed_fit,
    timing,
    total_iterations,
)
from semisvm_papers.tasks import Task


@dataclass(frozen=True)
class Inductive(Protocol):
    """The error on the scored rows of a task in four parts; training sees its labeled and unlabeled rows alone.

    ``validates`` hands the validation rows and their labels to the fit, for methods that stop by them. The measures
    hold the errors on its parts, ``error_U_pct`` (by the method's own labels, where it gives any), ``error_V_pct`` and
    ``error_T_pct``, the ``difference_pct`` of test and unlabeled rows, and ``macro_error_pct``, the mean over the
    classes of the error on the scored rows. ``counts_line_searches`` adds ``line_search_iterations``, for conjugate
    gradients with the squared hinge loss.
    """

    validates: bool = False
    counts_line_searches: bool = False

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        rows = task.training
        partial = hide_labels(task.y, task.labeled)[rows]
        looks = {"X_val": task.X[task.validation], "y_val": task.y[task.validation]} if self.validates else {}
        model, searches = build(), LineSearches()
        if self.counts_line_searches:
            own = model._watchers
            model._watchers = lambda problem, training: [*own(problem, training), searches.of(problem)]
        seconds = timed_fit(model, task.X[rows], partial, **looks)
        outcome = inductive_outcome(model, task, seconds)
        return replace(outcome, measures={**outcome.measures, **searches.measures})


def inductive_outcome(model: Any, task: Task, seconds: float) -> Outcome:
    """What a model trained on the labeled and unlabeled rows of a task is worth on each part of it."""
    measures = {**sizes(task), **timing(seconds, task)}
    if len(task.unlabeled) and "transduction_" in vars(model):
        # no second pass over the unlabeled rows, which may be many
        own = np.asarray(model.transduction_)[np.isin(task.training, task.unlabeled)]
        measures["error_U_pct"] = error_pct(own, task.y[task.unlabeled])
    for part, rows in (("V", task.validation), ("T", task.test)):
        # more validation rows than labels are rows that a task leaves out, not such that a method could stop by
        wanted = part == "T" or len(rows) <= len(task.labeled)
        if wanted and len(rows) and part != task.scored:
            measures[f"error_{part}_pct"] = error_pct(model.predict(task.X[rows]), task.y[rows])
    assigned, truth = model.predict(task.X[task.scored_rows]), task.y[task.scored_rows]
    error = error_pct(assigned, truth)
    measures |= {f"error_{task.scored}_pct": error, "macro_error_pct": macro_error_pct(assigned, truth)}
    if {"error_U_pct", "error_T_pct"} <= measures.keys():
        measures["difference_pct"] = measures["error_T_pct"] - measures["error_U_pct"]
    return Outcome(error, mean_objective(model), total_iterations(model), measures)
