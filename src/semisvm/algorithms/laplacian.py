"""Laplacian SVM and RLS (Belkin, Niyogi and Sindhwani 2006; Melacci and Belkin 2011): the ways to one minimum.

    J(f, b) = 1/2 |f|^2 + 1/2 o'G o + C sum_{i in L} V(y_i z_i)      G = (gamma_I / gamma_A) L^p,  C = 1 / (2 gamma_A)

`PreconditionedGradient` descends on all n coefficients. `OnSections` first finds the deformed kernel of the labeled
points and leaves the rest, a supervised problem of that size, to another algorithm: Newton's method, or the dual. The
formulas are those of the papers with K and L of the dual corrected, and a bias that the graph term does not include.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.box_dual import BoxDual
from semisvm.algorithms.laplacian_sections import Sections
from semisvm.algorithms.minimize import candidate_at
from semisvm.objective import Evaluation, GramObjective, Point, Problem
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.spaces.full import of_gram


@dataclass(frozen=True)
class PreconditionedGradient(Algorithm):
    """A minimizer whose every iteration is on record; the start is no iteration of its own."""

    minimizer: Minimizer[GramObjective]

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        evaluations = self.minimizer.iterate(problem.objective(), start or problem.objective().start(), budget)
        for stage, evaluation in enumerate(after_the_start(evaluations)):
            yield candidate_at(evaluation, stage=stage, facts=_lengths(evaluation))


@dataclass(frozen=True)
class OnSections(Algorithm):
    """Solve on the points with a loss, in the deformed kernel; every candidate is lifted to the whole problem."""

    inner: Algorithm
    sections: Sections

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        rows = np.union1d(problem.labeled, problem.unlabeled)
        P = self.sections.coefficients(problem, rows, budget)
        # K~_AA = K_A: P, symmetric up to rounding
        K = np.asarray(problem.space.block(rows), dtype=np.float64) @ P
        small = problem.replace(
            space=of_gram((K + K.T) / 2),
            y=problem.y[rows],
            weights=problem.weights[rows],
            labeled=np.searchsorted(rows, problem.labeled),
            unlabeled=np.searchsorted(rows, problem.unlabeled),
            graph=None,
        )
        objective = problem.objective()
        for candidate in self.inner.iterate(small, None, budget):
            point = objective.point(objective.represent(P @ candidate.point.theta), candidate.point.bias)
            yield self._lifted(problem, candidate, objective.evaluate(point))

    def _lifted(self, problem: Problem, candidate: Candidate, evaluation: Evaluation) -> Candidate:
        smooth = problem.labeled_loss.differentiable and problem.unlabeled_loss.differentiable
        # at a kink no gradient vanishes: the inner algorithm's certificate stands
        stationarity = evaluation.stationarity if smooth else candidate.stationarity
        return replace(candidate, point=evaluation.point, value=evaluation.value, stationarity=stationarity)


@dataclass(frozen=True)
class NewtonSteps(Algorithm):
    """A minimizer that solves a factorized system per iteration; the start is no iteration of its own."""

    minimizer: Minimizer[GramObjective]

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        evaluations = self.minimizer.iterate(problem.objective(), problem.objective().start(), budget)
        for evaluation in after_the_start(evaluations):
            yield candidate_at(evaluation)


@dataclass(frozen=True)
class DualSquaredHinge(Algorithm):
    """The squared-hinge SVM in the dual, by the compiled box QP; tol: the largest violation of optimality."""

    tol: float = 1e-6

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        space, rows, dual = problem.space, problem.labeled, BoxDual.of_labeled(problem)
        result = dual.solve(lambda chosen: space.block(rows[chosen], rows), space.norms()[rows], self.tol, budget)
        point = dual.point(problem, rows, result)
        value, violation = problem.objective().value(point), np.asarray(result.violation)
        yield Candidate(point, value, violation, facts={"rows": result.n_rows})


def after_the_start(evaluations: Iterator[Evaluation]) -> Iterator[Evaluation]:
    """All but the first, unless it is the only one."""
    first = next(evaluations)
    alone = True
    for evaluation in evaluations:
        alone = False
        yield evaluation
    if alone:
        yield first


def _lengths(evaluation: Evaluation) -> dict[str, np.ndarray]:
    """The three lengths of the gradient that the paper plots: of K g, of the preconditioned g, and sqrt(g'K g)."""
    gradient = evaluation.gradient
    return {
        "gradient": np.linalg.norm(gradient.metric, axis=0),
        "preconditioned": np.linalg.norm(gradient.theta, axis=0),
        "mixed": gradient.norm(),
    }
