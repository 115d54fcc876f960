"""One problem, one minimizer: supervised learning, and any stage that needs no path."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.objective import Evaluation, GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer


@dataclass(frozen=True)
class Minimize(Algorithm):
    minimizer: Minimizer[GramObjective]

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        objective = problem.objective()
        for evaluation in self.minimizer.iterate(objective, start or objective.start(), budget):
            yield candidate_at(evaluation)


def candidate_at(evaluation: Evaluation, **more: Any) -> Candidate:
    return Candidate(evaluation.point, evaluation.value, evaluation.stationarity, **more)
