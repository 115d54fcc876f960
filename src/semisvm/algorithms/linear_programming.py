"""The linear S3VM with the 1-norm, by linear programs: sparse weights, and an exact oracle for small sets.

    J(w, b, y_U) = |w|_1 + sum_{i in L} c_i max(0, 1 - y_i z_i) + sum_{j in U} c_j max(0, 1 - y_j z_j)     z = X w + b

With the labels held this is a linear program. Successive linear programs (Fung and Mangasarian 2001) solve it, take the
cheaper label of every point, and repeat; in a mixed-integer program (Bennett and Demiriz 1999) labels are variables.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linprog

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.interruptible_milp import solve_milp
from semisvm.balance import Balance
from semisvm.losses import Fixed, Hinge
from semisvm.objective import Point, Problem
from semisvm.optim.budget import Budget, BudgetSpent
from semisvm.spaces import Centered, Linear

NO_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class LinearTask:
    """One column as arrays: rows X, labels y (0 where open), weights c, a held bias or None."""

    X: np.ndarray | sp.csr_array
    y: np.ndarray
    weights: np.ndarray
    bias: float | None

    @classmethod
    def of(cls, problem: Problem, column: int) -> "LinearTask":
        match problem.space:
            case Linear():
                X = problem.space.X
            case Centered(base=Linear()):
                X = problem.space.outputs(np.eye(problem.space.dimension))
            case other:
                raise TypeError(
                    f"Linear programming was given the space {type(other).__name__} and needs linear functions on rows "
                    'in memory: set kernel="linear" and no graph, and give X as an array or a sparse matrix.'
                )
        bias = None if problem.bias is None else float(problem.bias[column])
        return cls(X, problem.y[:, column], problem.weights[:, column], bias)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def margins(self, y: np.ndarray) -> sp.csr_array:
        """The rows y_i (x_i, -x_i, 1) of y_i z_i in the variables (w+, w-, b)."""
        signed = sp.diags_array(y) @ sp.csr_array(self.X, dtype=np.float64)
        return sp.csr_array(sp.hstack([signed, -signed, sp.csr_array(y[:, None])]))

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of (w+, w-, b)."""
        d = self.n_features
        low, high = np.zeros(2 * d + 1), np.full(2 * d + 1, np.inf)
        low[-1], high[-1] = (-np.inf, np.inf) if self.bias is None else (self.bias, self.bias)
        return low, high


@dataclass(frozen=True, eq=False)
class SuccessiveLP(Algorithm):
    """Solve with labels held, relabel, repeat until nothing is gained."""

    balance: Balance

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        tasks = [LinearTask.of(problem, column) for column in range(problem.n_columns)]
        unlabeled = problem.unlabeled
        point = start or _together(problem, [_trained(task, task.y, budget) for task in tasks])
        labels = self.balance.assign(problem.objective().scores(point, unlabeled))
        solved = [_trained(task, _completed(task, unlabeled, labels[:, j]), budget) for j, task in enumerate(tasks)]
        candidate = _candidate(problem, solved, labels, 0)
        yield candidate
        for turn in range(1, 10_000):
            wanted = self.balance.assign(problem.objective().scores(candidate.point, unlabeled))
            moving = np.flatnonzero(np.any(wanted != labels, axis=0))
            for column in moving:
                task = tasks[column]
                solved[column] = _trained(task, _completed(task, unlabeled, wanted[:, column]), budget)
            if not len(moving):
                return
            after = _candidate(problem, solved, wanted, turn)
            if not np.any(after.value < candidate.value - NO_GAIN * np.abs(candidate.value)):
                return
            candidate, labels = after, wanted
            yield candidate


@dataclass(frozen=True, eq=False)
class MixedIntegerLP(Algorithm):
    """Labels as binary variables: exact, for some dozens of unlabeled points.

    For d_j in {0, 1}:   z_j + xi_j + B (1 - d_j) >= 1,    -z_j + eta_j + B d_j >= 1,    cost c_j (xi_j + eta_j)
    """

    balance: Balance
    counts: np.ndarray | None
    gap: float = 1e-6

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        first = None
        for first in SuccessiveLP(self.balance).iterate(problem, start, budget):
            # nothing is known yet of how far the best labels are
            yield replace(first, stationarity=np.full(problem.n_columns, np.inf))
        assert first is not None, "successive programs yield at least once"
        solved, bounds, labels = [], np.empty(problem.n_columns), np.empty_like(first.labels)
        for column in range(problem.n_columns):
            program = _LabelProgram(LinearTask.of(problem, column), problem.unlabeled, float(first.value[column]))
            count = None if self.counts is None else int(self.counts[column])
            variables, labels[:, column], bounds[column] = program.solve(count, self.gap, budget)
            solved.append(variables)
        yield _candidate(problem, solved, labels, first.stage + 1, np.minimum(bounds, np.inf))


class _LabelProgram:
    """The mixed-integer program in (w+, w-, b, xi of labeled, xi, eta, d of unlabeled)."""

    def __init__(self, task: LinearTask, unlabeled: np.ndarray, known: float):
        self.task, self.unlabeled = task, unlabeled
        self.labeled = np.flatnonzero(task.y)
        # |w|_1 <= J <= known, so |x'w| <= known max|x|, and some optimal |b| is at most one more
        largest = abs(task.X).max()
        self.reach = 2.0 + 2.0 * known * float(largest) if task.bias is None else 1.0 + known * largest + abs(task.bias)

    def solve(self, count: int | None, gap: float, budget: Budget) -> tuple[np.ndarray, np.ndarray, float]:
        task, u, n_labeled = self.task, len(self.unlabeled), len(self.labeled)
        head = 2 * task.n_features + 1
        rows = task.margins(np.ones(len(task.y)))[self.unlabeled]
        eye, none, B = sp.eye_array(u), sp.csr_array((u, u)), self.reach
        labeled = task.margins(task.y)[self.labeled]
        # y z + xi >= 1;   z + xi - B d >= 1 - B;   -z + eta + B d >= 1
        lhs = sp.block_array(
            [
                [labeled, sp.eye_array(n_labeled), None, None, None],
                [rows, None, eye, none, -B * eye],
                [-rows, None, none, eye, B * eye],
            ]
        )
        rhs = np.concatenate([np.ones(n_labeled), np.full(u, 1.0 - B), np.ones(u)])
        constraints = [LinearConstraint(lhs, rhs, np.inf)]
        n_variables = head + n_labeled + 3 * u
        if count is not None:
            total = np.zeros((1, n_variables))
            total[0, -u:] = 1.0
            constraints.append(LinearConstraint(total, count, count))
        low, high = np.zeros(n_variables), np.full(n_variables, np.inf)
        low[:head], high[:head] = task.ends()
        high[-u:] = 1.0
        weights = task.weights
        cost = [
            np.ones(head - 1),
            [0.0],
            weights[self.labeled],
            weights[self.unlabeled],
            weights[self.unlabeled],
            np.zeros(u),
        ]
        whole = np.zeros(n_variables)
        whole[-u:] = 1.0
        found = solve_milp(
            np.concatenate(cost), whole, Bounds(low, high), constraints, gap, _limit(budget).get("time_limit")
        )
        if found.x is None:
            raise _given_up(found.message, budget)
        labels = np.where(found.x[-u:] > 0.5, 1.0, -1.0)
        # trained again with the labels found: the solver accepts labels that are whole up to a tolerance
        variables = _trained(task, _completed(task, self.unlabeled, labels), budget)
        return variables, labels, float(-np.inf if found.bound is None else found.bound)


def _trained(task: LinearTask, y: np.ndarray, budget: Budget) -> np.ndarray:
    """(w, b) of the linear program over the points with y != 0."""
    rows = np.flatnonzero((y != 0) & (task.weights > 0))
    head = 2 * task.n_features + 1
    # -(y z) - xi <= -1
    lhs = sp.hstack([-task.margins(y)[rows], -sp.eye_array(len(rows))], format="csr")
    low, high = (
        np.concatenate([end, np.full(len(rows), fill)]) for end, fill in zip(task.ends(), (0.0, np.inf), strict=True)
    )
    cost = np.concatenate([np.ones(head - 1), [0.0], task.weights[rows]])
    found = linprog(cost, lhs, -np.ones(len(rows)), bounds=np.stack([low, high], axis=1), options=_limit(budget))
    if found.x is None:
        raise _given_up(found.message, budget)
    d = task.n_features
    return np.append(found.x[:d] - found.x[d : 2 * d], found.x[2 * d])


def _completed(task: LinearTask, unlabeled: np.ndarray, labels: np.ndarray) -> np.ndarray:
    y = task.y.copy()
    y[unlabeled] = labels
    return y


def _together(problem: Problem, solved: list[np.ndarray]) -> Point:
    variables = np.stack(solved, axis=1)
    return problem.objective().point(variables[:-1], variables[-1])


def _candidate(
    problem: Problem, solved: list[np.ndarray], labels: np.ndarray, stage: int, bound: np.ndarray | None = None
) -> Candidate:
    point = _together(problem, solved)
    decided = problem.replace(unlabeled_loss=Fixed(Hinge(), labels))
    # |w|_1 + weighted losses
    value = np.abs(point.theta).sum(axis=0) + decided.objective().losses(point.scores)[0]
    gap = np.zeros_like(value) if bound is None else np.maximum(0.0, value - bound) / np.maximum(1.0, np.abs(value))
    return Candidate(point, value, gap, labels=labels, lower_bound=bound, stage=stage)


def _limit(budget: Budget) -> dict[str, float]:
    return {} if budget.deadline is None else {"time_limit": max(0.01, budget.deadline - time.monotonic())}


def _given_up(message: str, budget: Budget) -> Exception:
    if budget.spent:
        return BudgetSpent()
    return RuntimeError(f"The linear program ended with {message!r} and a solution is needed: scale the columns of X.")
