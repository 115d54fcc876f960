"""Mean S3VM: estimate the means of the two classes of unlabeled points, then train one SVM on everything.

The SVM of `label_means` separates the two means as well as the labeled points; which assignment d they are the means of
is searched for, with sum d fixed. `Alternating` (the paper's "iter") makes the u+ largest outputs of the solution the
positives and solves again. `CuttingPlanes` ("mkl") exchanges minimum and maximum and adds the most violated assignment
as one more kernel of a mixture. Li, Kwok and Zhou, "Semi-supervised learning using label mean" (2009); its formulas
(9), (15) and (16) are corrected here as the mathematics demands.

The value of the mixture is not a lower bound: the most violated assignment is found by sorting, not exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.final_hinge import expect_hinge, train_hinge
from semisvm.algorithms.label_means import MeanProducts, MeansDual, MeansSolution
from semisvm.algorithms.mixed_means import Mixture
from semisvm.objective import ArrayScores, Point, Problem
from semisvm.optim.budget import Budget


@dataclass(frozen=True, eq=False)
class Assignment:
    """One step of a search: the objective reached, the outputs of its solution at all points, and its bias."""

    value: float
    outputs: np.ndarray
    bias: float


class MeanSearch(ABC):
    """How the assignment is searched for, in one column."""

    @abstractmethod
    def steps(self, dual: MeansDual, products: MeanProducts, n_positive: int) -> Iterator[Assignment]:
        """Ends when the assignment is settled; the largest outputs of the last step are the positives."""


@dataclass(frozen=True)
class Alternating(MeanSearch):
    """Solve for fixed means, reassign, until the assignment repeats: the objective never rises."""

    patience: int = 50

    def steps(self, dual: MeansDual, products: MeanProducts, n_positive: int) -> Iterator[Assignment]:
        start, rows = None, products.unlabeled
        d = first_assignment(dual, products, n_positive)
        for _ in range(self.patience):
            means = products.means(d)
            at = means.plus[dual.labeled], means.minus[dual.labeled]
            solution = dual.solve(*at, means.squares, start)
            start = np.append(solution.a, solution.r)
            outputs = products.of_labeled(solution.a)
            outputs = outputs + solution.shares[0] * means.plus + solution.shares[1] * means.minus
            yield Assignment(solution.value, outputs, solution.bias)
            new = largest(outputs[rows], n_positive)
            if np.array_equal(new, d):
                return
            d = new


class Oracle(ABC):
    """Where an assignment that violates much is looked for."""

    @abstractmethod
    def assign(self, solution: MeansSolution, products: MeanProducts, n_positive: int) -> np.ndarray:
        """d that makes q(d) = |S + s+ m+ + s- m-|^2 large, S = sum_L a_i phi_i."""


@dataclass(frozen=True)
class SortOracle(Oracle):
    """The paper's: the largest S'phi_j, which is exact where the means alone do not matter."""

    def assign(self, solution: MeansSolution, products: MeanProducts, n_positive: int) -> np.ndarray:
        return largest(products.of_labeled(solution.a)[products.unlabeled], n_positive)


@dataclass(frozen=True)
class LinearizedOracle(Oracle):
    """Ascent on the convex q: sort by its slope, w'phi_j for w of the last assignment, until that repeats."""

    patience: int = 20

    def assign(self, solution: MeansSolution, products: MeanProducts, n_positive: int) -> np.ndarray:
        labeled, rows = products.of_labeled(solution.a), products.unlabeled
        d = largest(labeled[rows], n_positive)
        for _ in range(self.patience):
            means = products.means(d)
            w = labeled + solution.shares[0] * means.plus + solution.shares[1] * means.minus
            new = largest(w[rows], n_positive)
            if np.array_equal(new, d):
                break
            d = new
        return d


@dataclass(frozen=True)
class CuttingPlanes(MeanSearch):
    """Mix the kernels of all assignments found; stop when the next one violates little, or is known."""

    oracle: Oracle
    enough: float = 1e-3
    """Of the objective: the violation that ends the search."""
    gap: float = 1e-4
    """Of the objective: the duality gap of the mixture."""
    patience: int = 30

    def steps(self, dual: MeansDual, products: MeanProducts, n_positive: int) -> Iterator[Assignment]:
        d = first_assignment(dual, products, n_positive)
        mixture = Mixture(dual, products, [products.means(d)])
        for _ in range(self.patience):
            mixture.minimize(self.gap)
            solution = mixture.solution
            yield Assignment(solution.value, mixture.outputs(), solution.bias)
            d = self.oracle.assign(solution, products, n_positive)
            if any(np.array_equal(d, known.d) for known in mixture.means):
                return
            cut = products.means(d)
            if mixture.violation(cut) <= self.enough * abs(solution.value):
                return
            mixture = mixture.with_cut(cut)


@dataclass(frozen=True, eq=False)
class MeansThenSVM(Algorithm):
    search: MeanSearch
    counts: np.ndarray
    """Positives among the unlabeled points, one number per column."""
    tol: float = 1e-3

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        labeled, unlabeled, k = problem.labeled, problem.unlabeled, problem.n_columns
        expect_hinge(problem, self.tol)
        products = MeanProducts(problem.space, labeled, unlabeled)
        y, values, taken = np.zeros((len(unlabeled), k)), np.zeros(k), np.zeros(k, dtype=int)
        for column in range(k):
            dual = MeansDual(
                products.inner,
                labeled,
                problem.y[labeled, column],
                problem.weights[labeled, column],
                float(problem.weights[unlabeled, column].mean()),
                None if problem.bias is None else float(problem.bias[column]),
                0.1 * self.tol,
            )
            for assignment in self.search.steps(dual, products, int(self.counts[column])):
                values[column], taken[column] = assignment.value, taken[column] + 1
                if budget.spent:
                    break
            y[:, column] = ArrayScores(assignment.outputs[unlabeled, None]).top(self.counts[[column]])[:, 0]
        yield replace(train_hinge(problem, y, self.tol, budget), facts={"means": values, "assignments": taken})


def first_assignment(dual: MeansDual, products: MeanProducts, n_positive: int) -> np.ndarray:
    """By the largest outputs of the multipliers that are equal on either side and feasible: sum a = 0."""
    a = np.where(dual.y > 0, 1 / max(1, int(np.sum(dual.y > 0))), -1 / max(1, int(np.sum(dual.y < 0))))
    return largest(products.of_labeled(a)[products.unlabeled], n_positive)


def largest(outputs: np.ndarray, count: int) -> np.ndarray:
    """1 for the `count` largest outputs, 0 for the rest; ties go to the earlier point."""
    return (ArrayScores(outputs[:, None]).top(np.array([count]))[:, 0] > 0).astype(np.float64)
