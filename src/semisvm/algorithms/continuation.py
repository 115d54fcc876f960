"""Follow a path of minima: every stage of a schedule starts where the last one ended.

Gradient, continuation, Newton and quasi-Newton S3VM and gradient deterministic annealing are this algorithm with
different losses, schedules and minimisers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.minimize import candidate_at
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.problem import Point, Problem
from semisvm.schedules import Schedule


@dataclass(frozen=True)
class Continuation(Algorithm):
    schedule: Schedule
    minimizer: Minimizer
    patience: int = 500
    """Iterations of the minimiser per stage."""

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        point = start or problem.start()
        for stage, (facts, staged) in enumerate(self.schedule.stages(problem)):
            for evaluation in islice(self.minimizer.iterate(staged, point, budget), self.patience):
                point = evaluation.point
                yield candidate_at(evaluation, stage=stage, facts=facts)
            if self.schedule.finished(staged, point):
                return
