"""Box quadratic programs with or without one equality: the dual of every hinge problem, k of them on one matrix.

    min_a  1/2 a'K a + 1/2 sum_i d_i a_i^2 - c'a + sum_i p_i |a_i - t_i|     lo <= a <= hi,   with or without  1'a = 0

The variables are signed (a_i = y_i alpha_i).  A ridge d gives squared-hinge duals; the kinks p, t (only without the
equality) give the merged box form of the concave-convex transductive SVM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isqrt
from typing import Final

import numpy as np

from semisvm.memory import available_bytes
from semisvm.optim.decomposition import LARGEST, ColumnState, Matrix, Stop, solve_by_parts, solve_whole
from semisvm.optim.row_cache import DenseGramRows, GramRows, RowCache
from semisvm.optim.starting_point import feasible, go_to

Rows = np.ndarray | Callable[[np.ndarray], np.ndarray] | RowCache

SMALL: Final = 3000  # variables up to which a matrix in memory is solved as a whole
FLOAT32_TOL: Final = 1e-4  # the tolerance down to which rows may be stored in float32
MAX_ITER: Final = 10_000_000
WORKING_BYTES: Final = 1 << 29  # for working sets, at least, by default
ROUNDING: Final = 1e-10  # share of its box within which a variable is at its bound


@dataclass(frozen=True)
class BoxQPResult:
    """The solution of one problem, or of k problems in columns (then the per-problem fields are arrays of length k).

    violation is max_{a<hi} g - min_{a>lo} g with the equality and the largest projected gradient without; the bias is
    the mean of g over the free variables, else the midpoint of bias_interval, and zero without the equality.
    """

    a: np.ndarray
    gradient: np.ndarray  # g = c - K a - d a, without the kinks
    outputs: np.ndarray  # K a
    violation: np.ndarray | float
    bias: np.ndarray | float
    bias_interval: tuple[np.ndarray | float, np.ndarray | float]
    objective: np.ndarray | float
    n_steps: int  # of the descent, over all problems
    n_rows: int  # kernel rows computed
    converged: bool  # violation < tol in every problem


class BoxQPInterrupted(KeyboardInterrupt):
    """Ctrl-C during a solve; `result` is the feasible point reached, with its certificate."""

    def __init__(self, result: BoxQPResult) -> None:
        super().__init__("The box QP was interrupted; the point reached is in .result.")
        self.result = result


def solve_box_qp(
    rows: Rows,
    diagonal: np.ndarray,
    c: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    *,
    equality: bool = False,
    ridge: np.ndarray | None = None,
    kink: tuple[np.ndarray, np.ndarray] | None = None,
    centering: tuple[np.ndarray, float] | None = None,
    start: np.ndarray | BoxQPResult | None = None,
    goal: np.ndarray | None = None,
    tol: float = 1e-3,
    max_iter: int = MAX_ITER,
    cache_bytes: int | None = None,
    deadline: float | None = None,
) -> BoxQPResult:
    """Solve k box problems that share one positive semidefinite matrix K, until every violation is below tol.

    rows: the symmetric (n, n) matrix K; or rows(index) -> (len(index), n), best computed by one matrix product, in
        float64 or, where tol >= 1e-4, float32; or a RowCache, which keeps its rows from one solve to the next.
    diagonal: (n,), of K.
    c, lo, hi: (n,) for one problem, (n, k) for k; a vector among matrices holds for every problem.
    ridge: d >= 0.  kink: the pair (p, t), p >= 0.  Shapes as c.
    centering: the pair (k0, k00); the matrix becomes K - k0 1' - 1 k0' + k00.
    start: a point (clipped to the box and, with the equality, repaired), or an earlier result on the same rows and
        centering, whose outputs then save the product K a.
    goal: a point to move to before the descent, from an earlier result: it needs the rows of what differs only.
    max_iter: descent steps per problem.
    cache_bytes: for rows that are computed and for working sets; shares of the available memory where it is not given.
    deadline: on the clock time.monotonic; when it has passed, the point reached is returned with converged=False.

    Ctrl-C raises BoxQPInterrupted, a KeyboardInterrupt that carries the point reached (a plain KeyboardInterrupt while
    the gradient of the start is still being computed).
    """
    if not tol > 0:
        raise ValueError(f"tol={tol} was given; a positive tolerance is needed.")
    data = _Problems(np.ascontiguousarray(diagonal, dtype=np.float64), c, lo, hi, ridge, kink, equality)
    source = _source(rows, data.n, tol, cache_bytes)
    matrix = _centered(source, data.diagonal, centering)
    rows_before = source.n_rows
    columns = data.columns(start, goal, matrix)
    stop = Stop(tol, max_iter, inf if deadline is None else deadline)
    try:
        if isinstance(source, DenseGramRows) and data.n <= SMALL:
            solve_whole(columns, matrix, stop)
        else:
            working_bytes = max(WORKING_BYTES, available_bytes() // 8) if cache_bytes is None else cache_bytes
            largest = min(LARGEST, max(isqrt(working_bytes // (4 * 8 * data.k)), 64))
            solve_by_parts(columns, matrix, stop, largest)
    except KeyboardInterrupt:
        for column in columns:
            column.certify()
        raise BoxQPInterrupted(data.result(columns, source.n_rows - rows_before, tol)) from None
    return data.result(columns, source.n_rows - rows_before, tol)


class _Problems:
    """The k problems as (k, n) arrays, checked."""

    def __init__(
        self,
        diagonal: np.ndarray,
        c: np.ndarray,
        lo: np.ndarray,
        hi: np.ndarray,
        ridge: np.ndarray | None,
        kink: tuple[np.ndarray, np.ndarray] | None,
        equality: bool,
    ) -> None:
        self.diagonal, self.n, self.equality = diagonal, diagonal.size, equality
        if kink is not None and equality:
            raise ValueError(
                "Kinks were given together with the equality; drop one: only pure box problems have kinks."
            )
        given = {"c": c, "lo": lo, "hi": hi, "ridge": 0.0 if ridge is None else ridge}
        given["kink weight"], given["kink place"] = (0.0, 0.0) if kink is None else kink
        arrays = {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}
        self.single = all(array.ndim < 2 for array in arrays.values())
        self.k = max((array.shape[1] for array in arrays.values() if array.ndim == 2), default=1)
        self.c, self.lo, self.hi, self.d, self.p, self.t = (self._spread(*item) for item in arrays.items())
        self._check()

    def _spread(self, name: str, array: np.ndarray) -> np.ndarray:
        """(k, n) from a scalar, (n,) or (n, k)."""
        if array.ndim > 0 and array.shape not in ((self.n,), (self.n, self.k)):
            shape = f"({self.n},)" if self.single else f"({self.n},) or ({self.n}, {self.k})"
            raise ValueError(f"{name} has the shape {array.shape}; {shape} is needed.")
        wide = array[:, None] if array.ndim == 1 else array
        return np.ascontiguousarray(np.broadcast_to(wide, (self.n, self.k)).T)

    def _check(self) -> None:
        if np.isnan(self.lo).any() or np.isnan(self.hi).any() or (self.lo > self.hi).any():
            raise ValueError("Some lower bound exceeds its upper bound or is NaN; lo <= hi is needed everywhere.")
        if not (self.d >= 0).all() or not (self.p >= 0).all():
            raise ValueError("The ridge or a kink weight is negative or NaN; both must be zero or more.")
        if not np.isfinite(self.c).all() or not np.isfinite(self.t).all() or not np.isfinite(self.diagonal).all():
            raise ValueError("c, the diagonal or a kink place is NaN or infinite; finite values are needed.")
        if self.equality and ((self.lo.sum(axis=1) > 0).any() or (self.hi.sum(axis=1) < 0).any()):
            raise ValueError("No point of the box sums to zero; sum(lo) <= 0 <= sum(hi) is needed with the equality.")

    def columns(
        self, start: np.ndarray | BoxQPResult | None, wanted: np.ndarray | None, matrix: Matrix
    ) -> list[ColumnState]:
        """The problems at a feasible point near the start, or near the wanted one, with their gradients."""
        a, goal = np.zeros((self.k, self.n)), np.zeros((self.k, self.n))
        outputs = np.zeros((self.k, self.n))
        if isinstance(start, BoxQPResult):
            goal, outputs = self._spread("start.a", start.a), self._spread("start.outputs", start.outputs)
            a = goal.copy()
        elif start is not None:
            goal = self._spread("start", np.asarray(start, dtype=np.float64))
        if wanted is not None:
            goal = self._spread("goal", np.asarray(wanted, dtype=np.float64))
        # g = c - K a - d a
        g = self.c - outputs - self.d * a
        columns = [
            ColumnState(self.lo[j], self.hi[j], self.d[j], self.p[j], self.t[j], a[j], g[j], self.equality)
            for j in range(self.k)
        ]
        go_to([feasible(goal[j], columns[j]) for j in range(self.k)], columns, matrix)
        return columns

    def result(self, columns: list[ColumnState], n_rows: int, tol: float) -> BoxQPResult:
        a, g = np.array([column.a for column in columns]), np.array([column.g for column in columns])
        # 1/2 a'K a + 1/2 d a^2 - c'a + p|a - t|  with  K a + d a = c - g
        objective = -0.5 * (a * (self.c + g)).sum(axis=1) + (self.p * np.abs(a - self.t)).sum(axis=1)
        violation = np.array([column.violation for column in columns])
        bias, low, high = np.array([_bias(column) for column in columns]).T
        shaped = (lambda array: array[0]) if self.single else (lambda array: np.ascontiguousarray(array.T))
        number = (lambda array: float(array[0])) if self.single else (lambda array: array)
        return BoxQPResult(
            a=shaped(a),
            gradient=shaped(g),
            outputs=shaped(self.c - g - self.d * a),
            violation=number(violation),
            bias=number(bias),
            bias_interval=(number(low), number(high)),
            objective=number(objective),
            n_steps=sum(column.steps for column in columns),
            n_rows=n_rows,
            converged=bool((violation < tol).all()),
        )


def _bias(column: ColumnState) -> tuple[float, float, float]:
    """The bias and its interval: any b with g_i <= b where a_i < hi_i and g_i >= b where a_i > lo_i."""
    if not column.equality:
        return 0.0, 0.0, 0.0
    # a sum of bounds that is zero but for rounding leaves a variable that is no more free than the others
    width = column.hi - column.lo
    slack = np.where(np.isfinite(width), ROUNDING * width, 0.0)
    falls, rises = column.a > column.lo + slack, column.a < column.hi - slack
    free = falls & rises
    if free.any():
        return float(column.g[free].mean()), min(column.top, column.bottom), max(column.top, column.bottom)
    top, bottom = column.g[rises].max(initial=-np.inf), column.g[falls].min(initial=np.inf)
    low, high = min(top, bottom), max(top, bottom)
    ends = [end for end in (low, high) if np.isfinite(end)]
    return float(np.mean(ends)) if ends else 0.0, float(low), float(high)


def _source(rows: Rows, n: int, tol: float, cache_bytes: int | None) -> GramRows:
    """The rows behind one interface, stored in float64 where the tolerance needs it."""
    exact = tol < FLOAT32_TOL
    if isinstance(rows, RowCache):
        if exact and not rows.demand_float64():
            raise ValueError(f"tol={tol} was asked of a cache of float32 rows; they carry a tolerance of 1e-4 or more.")
        return rows
    if callable(rows):
        held = None if cache_bytes is None else 3 * cache_bytes // 4
        return RowCache(rows, n, cache_bytes=held, dtype=np.float64 if exact else None)
    K = np.asarray(rows, dtype=np.float64) if exact else np.asarray(rows)
    if K.shape != (n, n):
        raise ValueError(f"rows is an array of shape {K.shape} and the diagonal has {n} entries; ({n}, {n}) is needed.")
    return DenseGramRows(K)


def _centered(source: GramRows, diagonal: np.ndarray, centering: tuple[np.ndarray, float] | None) -> Matrix:
    if centering is None:
        return Matrix(source, diagonal, np.empty(0), 0.0)
    k0, k00 = np.ascontiguousarray(centering[0], dtype=np.float64), float(centering[1])
    if k0.shape != diagonal.shape:
        raise ValueError(f"centering has a k0 of shape {k0.shape}; ({diagonal.size},) is needed.")
    # (K - k0 1' - 1 k0' + k00)_ii
    return Matrix(source, diagonal - 2.0 * k0 + k00, k0, k00)
