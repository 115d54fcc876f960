"""An algorithm is a generator of candidates; `run` alone counts, times, traces, reports and stops it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from semisvm.losses.loss import Loss
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget, BudgetSpent


@dataclass(frozen=True, eq=False)
class Candidate:
    """A solution on offer: where it is, what it is worth, and whatever the algorithm knows of it."""

    point: Point
    value: np.ndarray
    """The algorithm's own objective, one number per column."""
    stationarity: np.ndarray
    """KKT residual, gradient norm or duality gap, one number per column."""
    labels: np.ndarray | None = None
    """+-1 for the unlabeled points, (u, k), where the algorithm assigns them itself."""
    lower_bound: np.ndarray | None = None
    stage: int = 0
    facts: Mapping[str, object] = field(default_factory=dict)
    """What a trace should show of this stage: weight, temperature, smoothing, entropy, nodes, ..."""

    def columns(self, chosen: np.ndarray) -> "Candidate":
        return replace(
            self,
            point=self.point.columns(chosen),
            value=self.value[chosen],
            stationarity=self.stationarity[chosen],
            labels=None if self.labels is None else self.labels[:, chosen],
            lower_bound=None if self.lower_bound is None else self.lower_bound[chosen],
        )

    def put(self, chosen: np.ndarray, part: "Candidate") -> "Candidate":
        """This candidate with the chosen columns replaced; labels and bounds may not fit any more and are left out."""
        value, stationarity = self.value.copy(), self.stationarity.copy()
        value[chosen], stationarity[chosen] = part.value, part.stationarity
        return Candidate(self.point.put(chosen, part.point), value, stationarity)

    def with_labels(self, labels: np.ndarray, stage: int, facts: Mapping[str, object]) -> "Candidate":
        return replace(self, labels=labels, stage=stage, facts=facts)


class Status(Enum):
    CONVERGED = "converged"
    MAX_ITER = "stopped at max_iter"
    TIME_LIMIT = "stopped at time_limit"
    WATCHER = "stopped early"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Solution:
    """The last candidate of a run, its status and its path."""

    candidate: Candidate
    status: Status
    n_iter: int
    seconds: float
    path: list[dict[str, Any]]
    """One record per stage: stage, objective, changed labels, seconds, and the candidate's facts."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; carries the best solution so far."""

    def __init__(self, solution: Solution):
        super().__init__("interrupted")
        self.solution = solution


Watcher = Callable[[int, Candidate], bool | None]
"""Called with the iteration and its candidate; a true answer stops the run."""


class Algorithm(ABC):
    """How a problem is solved. Parts (minimizer, schedule, ...) are fields; there is no `max_iter`, no `verbose`."""

    @property
    def needs(self) -> type[Loss]:
        """The kind of unlabeled loss this algorithm works with."""
        return Loss

    @abstractmethod
    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        """Yields candidates; ends when it has converged."""


def run(
    algorithm: Algorithm,
    problem: Problem,
    start: Point | None = None,
    *,
    max_iter: int,
    time_limit: float | None = None,
    watch: Watcher | None = None,
) -> Solution:
    """Draw candidates until the algorithm ends, the watcher says stop, or time or iterations are spent.

    The last candidate is never lost: Ctrl-C raises `Interrupted`, which carries it. Where there is none in time, a
    `TimeoutError` says so.
    """
    if not isinstance(problem.unlabeled_loss, algorithm.needs):
        raise TypeError(
            f"{type(algorithm).__name__} was given {type(problem.unlabeled_loss).__name__} as unlabeled loss and needs "
            f"a {algorithm.needs.__name__}: choose a loss of that kind, or another method."
        )
    budget, trace = Budget.of(time_limit), _Trace(problem, time_limit)
    try:
        status = _draw(algorithm.iterate(problem, start, budget), trace, budget, max_iter, watch)
        return trace.solution(status)
    except KeyboardInterrupt as interrupt:
        if trace.last is None:
            raise
        raise Interrupted(trace.solution(Status.INTERRUPTED)) from interrupt


def _draw(
    candidates: Iterator[Candidate], trace: "_Trace", budget: Budget, max_iter: int, watch: Watcher | None
) -> Status:
    """Why no more candidates were drawn."""
    try:
        for candidate in candidates:
            trace.add(candidate)
            if watch is not None and watch(trace.n_iter, candidate):
                return Status.WATCHER
            if budget.spent:
                return Status.TIME_LIMIT
            if trace.n_iter >= max_iter:
                return Status.MAX_ITER
    except BudgetSpent:
        return Status.TIME_LIMIT
    return Status.CONVERGED


class _Trace:
    """What `run` remembers: the last candidate, and one record per stage."""

    def __init__(self, problem: Problem, time_limit: float | None):
        self.time_limit = time_limit
        self.objective, self.unlabeled = problem.objective(), problem.unlabeled
        self.began = self.stage_began = self.seen = time.monotonic()
        self.last: Candidate | None = None
        self.n_iter = 0
        self.path: list[dict[str, Any]] = []
        self.signs: np.ndarray | None = None

    def add(self, candidate: Candidate) -> None:
        self.n_iter += 1
        now = time.monotonic()
        if self.last is not None and candidate.stage != self.last.stage:
            # a stage begins where the one before it ended: its first candidate has cost something already
            self._end_stage(self.last)
            self.stage_began = self.seen
        record = {
            "stage": candidate.stage,
            "objective": candidate.value.copy(),
            "changed": None,
            "seconds": now - self.stage_began,
            **candidate.facts,
        }
        if self.path and self.path[-1]["stage"] == candidate.stage:
            self.path[-1] = record
        else:
            self.path.append(record)
        self.last, self.seen = candidate, now

    def _end_stage(self, last: Candidate) -> None:
        """Count the labels that changed since the stage before it: once per stage, for it looks at every row."""
        labels = self._labels(last)
        if self.signs is not None:
            self.path[-1]["changed"] = int(np.sum(labels != self.signs))
        self.signs = labels

    def solution(self, status: Status) -> Solution:
        if self.last is None:
            raise TimeoutError(
                f"time_limit={self.time_limit} s was over before there was any solution: give more time."
            )
        self._end_stage(self.last)
        return Solution(self.last, status, self.n_iter, time.monotonic() - self.began, self.path)

    def _labels(self, candidate: Candidate) -> np.ndarray:
        if candidate.labels is not None:
            return candidate.labels > 0
        return self.objective.scores(candidate.point, self.unlabeled).signs() > 0
