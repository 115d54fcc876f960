"""What happens on the way: objective, gradient and errors after every iteration of a fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semisvm.algorithms import Candidate
from semisvm.algorithms.laplacian_stopping import decisions
from semisvm.datasets import hide_labels
from semisvm.objective import Problem
from semisvm_papers.protocol import Build, Outcome, Protocol
from semisvm_papers.protocols.inductive import inductive_outcome
from semisvm_papers.protocols.scoring import error_pct, timed_fit
from semisvm_papers.tasks import Task

LENGTHS = ("gradient", "preconditioned", "mixed")
"""Facts of the conjugate gradients: |K g|, |g| and sqrt(g'K g) with the preconditioned gradient g."""


@dataclass(eq=False)
class Follower:
    """A watcher of a run that keeps the objective and the errors of every candidate."""

    problem: Problem
    sets: dict[str, tuple[Callable[[Candidate], np.ndarray], np.ndarray]]
    curves: dict[str, list[float]] = field(default_factory=dict, init=False)

    def __call__(self, iteration: int, candidate: Candidate) -> None:
        self._add("iteration", iteration)
        self._add("objective_curve", float(np.mean(candidate.value)))
        for name in LENGTHS:
            if name in candidate.facts:
                self._add(f"{name}_curve", float(np.max(np.asarray(candidate.facts[name], dtype=float))))
        for name, (scores, truth) in self.sets.items():
            self._add(f"error_{name}_curve", error_pct(decisions(scores(candidate)), truth))

    def _add(self, name: str, value: float) -> None:
        self.curves.setdefault(name, []).append(float(value))


@dataclass(frozen=True)
class Followed(Protocol):
    """One fit on the labeled and unlabeled rows, with curves over its iterations.

    The measures are ``iteration``, ``objective_curve``, ``error_L_curve``, ``error_U_curve``, ``error_V_curve`` and
    ``error_T_curve`` (in percent, for the parts that have rows), and for conjugate gradients ``gradient_curve``,
    ``preconditioned_curve`` and ``mixed_curve``. ``stops_early = false`` leaves the method's own early stopping out.
    """

    stops_early: bool = True

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        rows, model, followers = task.training, build(), []
        own = model._watchers

        def watched(problem: Problem, training: Any) -> list:
            followers.append(Follower(problem, _parts(task, problem)))
            return [*(own(problem, training) if self.stops_early else []), followers[-1]]

        # the estimator asks itself for its watchers: one more is put beside them
        model._watchers = watched
        partial = hide_labels(task.y, task.labeled)[rows]
        outcome = inductive_outcome(model, task, timed_fit(model, task.X[rows], partial))
        measures = {**outcome.measures, **followers[-1].curves}
        return Outcome(outcome.error_pct, outcome.objective, outcome.n_iter, measures)


def _parts(task: Task, problem: Problem) -> dict[str, tuple[Callable[[Candidate], np.ndarray], np.ndarray]]:
    """How the scores of each part of the task are found, and the true classes of its rows."""
    places = {"L": np.isin(task.training, task.labeled), "U": np.isin(task.training, task.unlabeled)}
    parts: dict[str, tuple[Callable[[Candidate], np.ndarray], np.ndarray]] = {}
    for name, inside in places.items():
        parts[name] = (_training_scores(inside), task.y[task.training][inside])
    for name, rows in (("V", task.validation), ("T", task.test)):
        if len(rows):
            parts[name] = (_other_scores(problem, task.X[rows]), task.y[rows])
    return parts


def _training_scores(inside: np.ndarray) -> Callable[[Candidate], np.ndarray]:
    return lambda candidate: candidate.point.scores[inside]


def _other_scores(problem: Problem, X: Any) -> Callable[[Candidate], np.ndarray]:
    return lambda candidate: problem.space.predictor(candidate.point.theta, candidate.point.bias).scores(X)
