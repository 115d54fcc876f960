"""The concave-convex procedure: replace the concave part of the unlabeled loss by its tangent, solve, repeat.

    U = convex + concave,     U(z) <= convex(z) + concave(z_j) + concave'(z_j) (z - z_j)     with equality at z = z_j

Every iteration minimizes a convex function that touches J from above, so J never rises; it ends when no tangent
changes. Squared hinge: Chapelle, Sindhwani and Keerthi, "Optimization techniques for semi-supervised support vector
machines" (2008), section 3.5. Ramp: Collobert, Sinz, Weston and Bottou, "Large scale transductive SVMs" (2006).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.losses import SplitLoss, Tangent
from semisvm.losses.loss import Loss
from semisvm.objective import Evaluation, GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.schedules import Schedule

Solve = Callable[[Problem, np.ndarray, Point, Budget], tuple[Point, np.ndarray]]
"""(convex problem, which columns of the whole it holds, where they stand, budget) -> (solution, its residual)."""


class Subproblem(ABC):
    """How the convex problem of one set of tangents is solved."""

    @abstractmethod
    def start(self, problem: Problem, budget: Budget) -> Point:
        """Where the first tangents are taken."""

    @abstractmethod
    def prepare(self, problem: Problem) -> Solve:
        """A function that solves one convex problem after the other, remembering what helps the next."""


@dataclass(frozen=True)
class Primal(Subproblem):
    """Newton's method on the objective itself, from f = 0; for losses whose slope is continuous."""

    minimizer: Minimizer[GramObjective]
    patience: int = 200
    """Iterations of the minimizer per convex problem."""

    def start(self, problem: Problem, budget: Budget) -> Point:
        return problem.objective().start()

    def prepare(self, problem: Problem) -> Solve:
        return self._solve

    def _solve(self, problem: Problem, columns: np.ndarray, point: Point, budget: Budget) -> tuple[Point, np.ndarray]:
        steps = self.minimizer.iterate(problem.objective(), point, budget)
        *_, last = _until_spent(islice(steps, self.patience), budget)
        return last.point, last.stationarity


@dataclass(frozen=True)
class ConcaveConvex(Algorithm):
    schedule: Schedule
    subproblem: Subproblem
    patience: int = 100
    """Tangents per stage."""

    @property
    def needs(self) -> type[Loss]:
        return SplitLoss

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        assert isinstance(problem.unlabeled_loss, SplitLoss), "`run` has checked what this algorithm needs"
        loss, unlabeled, every_column = problem.unlabeled_loss, problem.unlabeled, np.arange(problem.n_columns)
        point = start or self.subproblem.start(problem, budget)
        solve, residual, iteration = self.subproblem.prepare(problem), np.zeros(problem.n_columns), 0
        for facts, staged in self.schedule.stages(problem):
            open_columns, switched = every_column, 0
            for _ in range(self.patience if staged.weights[unlabeled].any() else 1):
                tangent = Tangent(loss, point.scores[unlabeled])
                convex = staged.replace(unlabeled_loss=tangent).columns(open_columns)
                part, stationarity = solve(convex, open_columns, point.columns(open_columns), budget)
                # the start may lie in another space: the first solution replaces all of it
                point = part if len(open_columns) == len(every_column) else point.put(open_columns, part)
                residual = residual.copy()
                residual[open_columns] = stationarity
                value, stage_facts = staged.objective().value(point), {**facts, "switched": switched}
                yield Candidate(point, value, residual, stage=iteration, facts=stage_facts)
                iteration += 1
                moved = loss.concave_slope(point.scores[unlabeled]) != tangent.tilt
                switched = int(np.count_nonzero(moved))
                open_columns = np.flatnonzero(np.any(moved, axis=0))
                if not len(open_columns) or budget.spent:
                    break
            if budget.spent:
                return


def _until_spent(evaluations: Iterator[Evaluation], budget: Budget) -> Iterator[Evaluation]:
    for evaluation in evaluations:
        yield evaluation
        if budget.spent:
            return
