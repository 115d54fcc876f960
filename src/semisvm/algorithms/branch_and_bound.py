"""Branch and bound for S3VMs (Chapelle, Sindhwani and Keerthi 2007): the global optimum, with a certificate.

At any moment lower_bound <= optimum <= upper_bound. See `label_search` for the search, `open_nodes` for its order
and `partial_svm` for its bound; the loop itself is compiled (`semisvm._core.label_tree`).
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.label_search import LabelSearch
from semisvm.algorithms.open_nodes import BestFirst, OpenNodes
from semisvm.algorithms.partial_svm import PartialSVM
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget

RECORDED = 0.98
"""A stage of the path ends when the gap has shrunk to this share."""


@dataclass(frozen=True, eq=False)
class BranchAndBound(Algorithm):
    """counts: positives among the unlabeled points, one per column; None leaves them free."""

    counts: np.ndarray | None
    gap: float = 1e-6
    """The certificate wanted: upper - lower bound <= gap max(1, upper bound)."""
    order: type[OpenNodes] = BestFirst

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        searches = [self._search(problem, column) for column in range(problem.n_columns)]
        for column, search in enumerate(searches):
            supervised = search.svm.solve(search.y)
            search.offer(supervised.scores)
            if start is not None:
                search.offer(start.scores[:, column])
        progress = _Incumbents(problem, searches)
        yield progress.candidate()
        while not all(search.finished for search in searches):
            for search in searches:
                if not search.finished:
                    search.visit(budget)
            yield progress.candidate()

    def _search(self, problem: Problem, column: int) -> LabelSearch:
        K = np.asarray(problem.space.gram(), dtype=np.float64)
        bias = None if problem.bias is None else float(problem.bias[column])
        y = np.zeros(len(K))
        y[problem.labeled] = problem.y[problem.labeled, column]
        u = len(problem.unlabeled)
        room = (u, u) if self.counts is None else (int(self.counts[column]), u - int(self.counts[column]))
        weights = np.zeros(len(K))
        for rows in (problem.labeled, problem.unlabeled):
            weights[rows] = problem.weights[rows, column]
        return LabelSearch(PartialSVM(K, weights, bias), y, room, self.gap, self.order())


class _Incumbents:
    """The incumbents of all columns as one candidate, with the bounds reached."""

    def __init__(self, problem: Problem, searches: list[LabelSearch]):
        self.problem, self.searches = problem, searches
        self.began = time.monotonic()
        self.values: tuple[float, ...] = ()
        self.point: Point | None = None
        self.stage, self.recorded = 0, np.inf

    def candidate(self) -> Candidate:
        upper = np.array([search.upper_bound for search in self.searches])
        lower = np.array([search.lower_bound for search in self.searches])
        if self.point is None or tuple(upper) != self.values:
            self.point, self.values = self._point(), tuple(upper)
        gap = (upper - lower) / np.maximum(1.0, np.abs(upper))
        if gap.max() <= RECORDED * self.recorded:
            self.stage, self.recorded = self.stage + 1, float(gap.max())
        labels = np.stack([search.best.labels[self.problem.unlabeled] for search in self.searches], axis=1)
        facts = {
            "lower_bound": lower,
            "nodes": sum(search.n_nodes for search in self.searches),
            "elapsed": time.monotonic() - self.began,
        }
        return Candidate(self.point, upper, gap, labels=labels, lower_bound=lower, stage=self.stage, facts=facts)

    def _point(self) -> Point:
        beta = np.stack([search.best.solved.coefficients() for search in self.searches], axis=1)
        bias = np.array([search.best.solved.bias for search in self.searches])
        objective = self.problem.objective()
        return objective.point(objective.represent(beta), bias)
