"""Every two classes as a task of their own (Table 14 of the survey)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.transductive import Transductive
from semisvm_papers.tasks import Task


@dataclass(frozen=True)
class Pairwise(Protocol):
    """The mean error over all pairs of classes; a pair has the labeled rows that the split gives its two classes."""

    each: Protocol = field(default_factory=Transductive)

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        errors, iterations, objectives = [], 0, []
        for pair in pairs_of(task):
            outcome = self.each.measure(_for_pair(build, pair), pair, seed)
            errors.append(outcome.error_pct)
            iterations += outcome.n_iter or 0
            objectives += [] if outcome.objective is None else [outcome.objective]
        mean_objective = float(np.mean(objectives)) if objectives else None
        return Outcome(float(np.mean(errors)), mean_objective, iterations, {"pair_errors_pct": errors})


def pairs_of(task: Task) -> Iterator[Task]:
    """The rows of every two classes that the split labels at least once, as classes 0 and 1."""
    for first, second in combinations(np.unique(task.y[task.labeled]), 2):
        rows = np.flatnonzero((task.y == first) | (task.y == second))
        labeled = np.flatnonzero(np.isin(rows, task.labeled))
        yield Task(task.X[rows], (task.y[rows] == second).astype(int), labeled)


def _for_pair(build: Build, pair: Task) -> Build:
    """The same estimator; where it was given a class ratio, it gets that of the pair."""

    def built() -> Any:
        model = build()
        given = not isinstance(model.get_params().get("ratio", "none"), str)
        return model.set_params(ratio=pair.true_ratio()) if given else model

    return built
