"""Follow a path of minima: every stage of a schedule starts where the last one ended.

Gradient, continuation, Newton and quasi-Newton S3VM and gradient deterministic annealing are this algorithm with
different losses, schedules and minimizers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.minimize import candidate_at
from semisvm.balance import SmoothCount
from semisvm.objective import GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.schedules import Schedule, Stage


@dataclass(frozen=True)
class Continuation(Algorithm):
    schedule: Schedule
    minimizer: Minimizer[GramObjective]
    patience: int = 500
    """Iterations of the minimizer per stage."""
    approach_tol: float = 0.0
    """Stages before the last are followed to this precision at most: their minima are only starting points."""

    balance: SmoothCount | None = None
    """Moves the held bias between stages, so that the count is met; None leaves it where it is."""

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        # norms of centered functions, which some stages begin with, would compute the kernel a second time
        problem.space.ready()
        point = start or problem.objective().start()
        passing = self.minimizer.loosened(self.approach_tol)
        for stage, (facts, staged, last) in enumerate(_mark_last(self.schedule.stages(problem))):
            minimizer = self.minimizer if last else passing
            if self.balance is not None and stage > 0:
                point, staged = _rebalanced(self.balance, point, staged)
            for evaluation in islice(minimizer.iterate(staged.objective(), point, budget), self.patience):
                point = evaluation.point
                yield candidate_at(evaluation, stage=stage, facts=facts)
            if self.schedule.finished(staged, point):
                return


def _mark_last(stages: Iterator[Stage]) -> Iterator[tuple[Mapping[str, object], Problem, bool]]:
    """Each stage, and whether it is the last one."""
    waiting = next(stages)
    for stage in stages:
        yield *waiting, False
        waiting = stage
    yield *waiting, True


def _rebalanced(balance: SmoothCount, point: Point, stage: Problem) -> tuple[Point, Problem]:
    """The point with another bias, and the stage that holds this bias."""
    bias = point.bias + balance.shift(stage.objective().scores(point, stage.unlabeled))
    return Point(replace(point.vector, bias=bias), point.outputs), stage.replace(bias=bias)
