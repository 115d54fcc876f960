"""The deformed kernel of a graph at the few points that carry a loss, without the whole deformed Gram matrix.

The minimum of 1/2 |f|^2 + 1/2 o'G o + sum_{i in A} l_i(f(x_i)) is a combination of the sections k~(x_i, .), i in A.
Their coefficients on the plain kernel solve

    (I + G K) P = E_A,        K~_AA = K_A: P

with E_A the unit vectors of A. A factorization serves every class, every Newton step and the dual alike; conjugate
gradients need products with K alone, and few of them where the graph term is no stiffer than the kernel.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.linalg import lu_solve

from semisvm.geometry.graph import factorized
from semisvm.memory import demand
from semisvm.objective import Problem
from semisvm.optim.budget import Budget
from semisvm.spaces import Full, SparseGram

KERNELS = Full, SparseGram
"""Spaces whose coefficients are weights of the points: P is a matrix of such."""


class Sections(ABC):
    """A way to the coefficients P of the sections k~(x_i, .)."""

    @abstractmethod
    def coefficients(self, problem: Problem, rows: np.ndarray, budget: Budget) -> np.ndarray:
        """P of shape (n, len(rows)): (I + G K) P = E_rows."""


@dataclass(frozen=True)
class FactoredSections(Sections):
    """One LU factorization of I + G K, and two triangular solves per section."""

    def coefficients(self, problem: Problem, rows: np.ndarray, budget: Budget) -> np.ndarray:
        space, graph = problem.space, problem.graph
        if graph is None or not isinstance(space, KERNELS):
            raise TypeError(
                f"{type(self).__name__} was given {type(space).__name__} functions and needs a full kernel and a "
                'graph: set solver="pcg".'
            )
        n = space.n_points
        demand(2 * 8 * n * n, f"The factorized system of {n:,} rows", 'set solver="pcg", or n_components=500')
        factors = factorized(graph.apply(space.gram()))
        budget.check()
        # I + G K = (I + K G)'
        solved: np.ndarray = lu_solve(factors, _unit_vectors(n, rows), trans=1, overwrite_b=True, check_finite=False)
        return solved


@dataclass(frozen=True)
class IterativeSections(Sections):
    """Conjugate gradients in H, all sections in one matrix product per iteration; tol: of the residual, relative."""

    tol: float = 1e-10
    max_iter: int = 10_000

    def coefficients(self, problem: Problem, rows: np.ndarray, budget: Budget) -> np.ndarray:
        P = np.zeros((problem.space.n_points, len(rows)))
        for reached, _ in islice(_descent(problem, rows, self.tol, budget), self.max_iter):
            P = reached
        return P


TRIAL = 5
"""Iterations of conjugate gradients before their pace is judged."""


@dataclass(frozen=True)
class QuickestSections(Sections):
    """Conjugate gradients while they promise to end before a factorization would; the factorization otherwise.

    Both solve the same system. tol: of the residual of conjugate gradients, relative; it is computed afresh in the end.
    """

    tol: float = 1e-12
    factored: Sections = FactoredSections()

    def coefficients(self, problem: Problem, rows: np.ndarray, budget: Budget) -> np.ndarray:
        P = self._by_descent(problem, rows, budget)
        return self.factored.coefficients(problem, rows, budget) if P is None else P

    def _by_descent(self, problem: Problem, rows: np.ndarray, budget: Budget) -> np.ndarray | None:
        """P, or None where conjugate gradients are too slow or the kernel is not positive."""
        # an iteration takes 2 n^2 |A| operations and the factorization 2/3 n^3, besides forming its system
        most = problem.space.n_points / (3 * max(1, len(rows)))
        if most < 2 * TRIAL or problem.graph is None or not isinstance(problem.space, KERNELS):
            return None
        least, P = 1.0, None
        for number, (reached, left) in enumerate(_descent(problem, rows, self.tol, budget), start=1):
            least, P = min(least, left), reached
            # number log(tol) / log(least) iterations in all, if they go on like this
            if number >= TRIAL and number * np.log(self.tol) / min(np.log(max(least, self.tol)), -1e-3) > most:
                return None
        if P is None:
            return None
        residual = _unit_vectors(len(P), rows) - P - problem.graph.apply(problem.space.outputs(P))
        return P if np.linalg.norm(residual, axis=0).max() <= np.sqrt(self.tol) else None


def _descent(problem: Problem, rows: np.ndarray, tol: float, budget: Budget) -> Iterator[tuple[np.ndarray, float]]:
    """(P, largest relative residual) after every iteration of conjugate gradients, until none is above tol."""
    space, graph = problem.space, problem.graph
    assert graph is not None, "sections are asked for where there is a graph"
    residual = _unit_vectors(space.n_points, rows)
    P, search = np.zeros_like(residual), residual.copy()
    residual_outputs = space.outputs(residual)
    search_outputs = residual_outputs
    square = first = np.einsum("ij,ij->j", residual, residual_outputs)
    while True:
        # <s, (I + G K) s> = s'K s + (K s)'G (K s)
        image = search + graph.apply(search_outputs)
        curvature = np.einsum("ij,ij->j", search_outputs, image)
        going = (square > tol**2 * first) & (curvature > 0)
        if not going.any():
            return
        budget.check()
        size = np.where(going, square / np.where(going, curvature, 1.0), 0.0)
        P += size * search
        residual -= size * image
        residual_outputs = space.outputs(residual)
        new = np.einsum("ij,ij->j", residual, residual_outputs)
        ratio = np.where(going, new / np.where(going, square, 1.0), 0.0)
        search = residual + ratio * search
        search_outputs = residual_outputs + ratio * search_outputs
        square = np.where(going, new, 0.0)
        yield P, float(np.sqrt(np.max(np.where(going & (new > 0), new / np.where(going, first, 1.0), 0.0))))


def _unit_vectors(n: int, rows: np.ndarray) -> np.ndarray:
    E = np.zeros((n, len(rows)), order="F")
    E[rows, np.arange(len(rows))] = 1.0
    return E
