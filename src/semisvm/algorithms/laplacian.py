"""Laplacian SVM and RLS (Belkin, Niyogi and Sindhwani 2006; Melacci and Belkin 2011): the ways to one minimum.

    J(f, b) = 1/2 |f|^2 + 1/2 o'G o + C sum_{i in L} V(y_i z_i)      G = (gamma_I / gamma_A) L^p,  C = 1 / (2 gamma_A)

`PreconditionedGradient` descends on all n coefficients. `OnSections` first finds the deformed kernel of the labeled
points and leaves the rest, a supervised problem of that size, to another algorithm: Newton's method, or the dual. The
formulas are those of the papers with the dual's K and L put in order, and a bias that the graph does not see.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.laplacian_sections import Sections
from semisvm.algorithms.minimize import candidate_at
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.optim.minimizer import Minimizer
from semisvm.problem import Evaluation, Point, Problem
from semisvm.spaces.full import of_gram


@dataclass(frozen=True)
class PreconditionedGradient(Algorithm):
    """A minimiser whose every iteration is on record; the start is no iteration of its own."""

    minimizer: Minimizer

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        evaluations = self.minimizer.iterate(problem, start or problem.start(), budget)
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
        for candidate in self.inner.iterate(small, None, budget):
            vector = problem.vector(problem.space.represent(P @ candidate.point.theta), candidate.point.bias)
            yield self._lifted(candidate, problem.evaluate(problem.complete(vector)))

    def _lifted(self, candidate: Candidate, evaluation: Evaluation) -> Candidate:
        problem = evaluation.problem
        smooth = problem.labeled_loss.differentiable and problem.unlabeled_loss.differentiable
        # at a kink no gradient vanishes: the inner algorithm's certificate stands
        stationarity = evaluation.stationarity if smooth else candidate.stationarity
        return replace(candidate, point=evaluation.point, value=evaluation.value, stationarity=stationarity)


@dataclass(frozen=True)
class NewtonSteps(Algorithm):
    """A minimiser that solves a factorised system per iteration; the start is no iteration of its own."""

    minimizer: Minimizer

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        evaluations = self.minimizer.iterate(problem, problem.start(), budget)
        for evaluation in after_the_start(evaluations):
            yield candidate_at(evaluation)


@dataclass(frozen=True)
class DualSquaredHinge(Algorithm):
    """The squared-hinge SVM in the dual, by the compiled box QP; tol: the largest violation of optimality.

    min 1/2 a'K a + 1/2 sum_i a_i^2 / (2 c_i) - y'a      0 <= y_i a_i,   1'a = 0 where the bias is free
    """

    tol: float = 1e-6

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        space, rows = problem.space, problem.labeled
        y, weights = problem.y[rows], problem.weights[rows]
        result = solve_box_qp(
            lambda chosen: space.block(rows[chosen], rows),
            space.norms()[rows],
            y if problem.bias is None else y - problem.bias,
            np.where(y > 0, 0.0, -np.inf),
            np.where(y > 0, np.inf, 0.0),
            equality=problem.bias is None,
            ridge=1.0 / (2.0 * weights),
            tol=self.tol,
            deadline=budget.deadline,
        )
        a = np.zeros((space.n_points, problem.n_columns))
        a[rows] = result.a
        bias = np.asarray(result.bias) if problem.bias is None else problem.bias
        point = problem.complete(problem.vector(space.represent(a), bias))
        yield Candidate(point, problem.value(point), np.asarray(result.violation), facts={"rows": result.n_rows})


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
