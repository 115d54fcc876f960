"""The S3VM by semidefinite relaxation, rounding and one last training (see `label_matrix`)."""

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.child_process import call_in_child, can_start_a_child
from semisvm.algorithms.label_matrix import LabelMatrixProblem, RelaxationSolver, Relaxed, Rounding
from semisvm.algorithms.retraining import Retraining, Training
from semisvm.balance import Balance
from semisvm.memory import demand
from semisvm.objective import ArrayScores, Point, Problem, Scores
from semisvm.optim.budget import Budget, BudgetSpent

TOLERANCE = 1e-6
"""Relative accuracy expected of a conic solver's value."""
INTERIOR_POINT_BYTES = 36
"""Of memory per n^4: the Newton systems of the two cones are dense (37 and 36 n^4 bytes at 60 and 80 rows)."""


ROWS_OF_A_MOMENT = 24
"""Programs of so many rows are solved here, in less than a second; larger ones where Ctrl-C can end them."""


@dataclass(frozen=True, eq=False)
class SDPRelaxation(Algorithm):
    """Relax, round, train with the labels found; the candidate before that has the labels of the supervised SVM."""

    solver: RelaxationSolver
    rounding: Rounding
    balance: Balance
    retraining: Retraining
    counts: np.ndarray | None

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        unlabeled, k = problem.unlabeled, problem.n_columns
        weights = problem.weights.copy()
        weights[unlabeled] = 0.0
        anything = np.ones((len(unlabeled), k))
        begun = self.retraining.begin(problem, start)
        supervised = self.retraining.train(problem.replace(weights=weights), anything, begun, budget)
        scores = problem.objective().scores(supervised.point, unlabeled)
        trained, labels = self._train(problem, scores, supervised, budget)
        yield self._candidate(trained, labels, 0, np.full(k, -np.inf))
        relaxed = [self.solver.solve(self._relaxation(problem, column), budget) for column in range(k)]
        rounded = np.stack([self.rounding.scores(one.M) for one in relaxed], axis=1)
        trained, labels = self._train(problem, ArrayScores(rounded), trained, budget)
        yield self._candidate(trained, labels, 1, np.array([one.bound for one in relaxed]))

    def _relaxation(self, problem: Problem, column: int) -> LabelMatrixProblem:
        rows = np.concatenate([problem.labeled, problem.unlabeled])
        K = np.asarray(problem.space.gram(), dtype=np.float64)[np.ix_(rows, rows)]
        n_positive = None if self.counts is None else int(self.counts[column])
        # the bias as part of the function: a constant feature
        K = K if problem.bias is not None else K + 1.0
        return LabelMatrixProblem(K, problem.weights[rows, column], problem.y[rows, column], n_positive)

    def _train(self, problem: Problem, scores: Scores, last: Training, budget: Budget) -> tuple[Training, np.ndarray]:
        labels = self.balance.assign(scores)
        return self.retraining.train(problem, labels, last, budget), labels

    def _candidate(self, trained: Training, labels: np.ndarray, stage: int, bound: np.ndarray) -> Candidate:
        facts = {"relaxation_bound": bound}
        return Candidate(trained.point, trained.value, trained.stationarity, labels=labels, stage=stage, facts=facts)


@dataclass(frozen=True)
class ConicSolver(RelaxationSolver):
    """The whole program, by an interior-point or splitting solver of cvxpy:

    min t   subject to   [[Gamma o (K + D), 1 + nu], [(1 + nu)', 2 t]] >= 0,   nu >= 0
    """

    name: str = "CLARABEL"

    def solve(self, problem: LabelMatrixProblem, budget: Budget) -> Relaxed:
        try:
            import cvxpy  # noqa: F401
        except ImportError:
            raise ImportError(
                'The semidefinite relaxation needs cvxpy, which is not installed: pip install "semisvm[sdp]", or set '
                "rank=6 for the low-rank form, which needs nothing more."
            ) from None
        n = len(problem.y)
        if self.name == "CLARABEL":
            what = f"The semidefinite program of {n:,} rows, by an interior-point solver,"
            demand(
                INTERIOR_POINT_BYTES * n**4, what, "set rank=6 for the low-rank form, which takes a few hundred rows"
            )
        settings: dict[str, Any] = {"problem": problem, "name": self.name, "limits": self._limits(budget)}
        here = n <= ROWS_OF_A_MOMENT or not can_start_a_child()
        status, value, M = solve_conic(**settings) if here else call_in_child(solve_conic, **settings)
        if M is None:
            if budget.spent:
                raise BudgetSpent
            raise RuntimeError(
                f"{self.name} ended with {status!r} and a solution is needed: try the other backend, or rank=6."
            )
        # the solver's tolerance may have left its value above the minimum
        return Relaxed(value - TOLERANCE * max(1.0, abs(value)), M)

    def _limits(self, budget: Budget) -> dict[str, float]:
        if budget.deadline is None:
            return {}
        left = max(0.01, budget.deadline - time.monotonic())
        return {"time_limit": left} if self.name == "CLARABEL" else {"time_limit_secs": left}


def solve_conic(
    problem: LabelMatrixProblem, name: str, limits: dict[str, float]
) -> tuple[str, float, np.ndarray | None]:
    """The status, the value and M, where there is one."""
    import cvxpy as cp

    n, q = len(problem.y), problem.balance_vector
    # M q = 0 leaves no interior, where solvers fail: M = N Z N' has one, with N orthonormal and orthogonal to q
    N = np.eye(problem.size) if q is None else null_space(q[None, :])
    Z = cp.Variable((N.shape[1], N.shape[1]), symmetric=True)
    M = N @ Z @ N.T
    nu, t = cp.Variable((n, 1), nonneg=True), cp.Variable((1, 1))
    T = problem.spread @ N
    block = cp.bmat(  # type: ignore[no-untyped-call]
        [[cp.multiply(T @ Z @ T.T, problem.K) + np.diag(problem.ridge), 1 + nu], [(1 + nu).T, 2 * t]]
    )
    constraints = [Z >> 0, cp.diag(M) == 1, 0.5 * (block + block.T) >> 0]
    program = cp.Problem(cp.Minimize(t[0, 0]), constraints)
    with warnings.catch_warnings():
        # a program with hardly an interior: solvers say "may be inaccurate"
        warnings.filterwarnings("ignore", "Solution may be inaccurate", UserWarning)
        try:
            program.solve(solver=name, **limits)  # type: ignore[no-untyped-call]
        except cp.SolverError:
            return "solver_error", float("nan"), None
    return str(program.status), float("nan") if program.value is None else float(program.value), M.value
