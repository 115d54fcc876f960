"""Decomposition of large box problems: a working set that grows by the variables that violate most.

The problem (see `semisvm._core.box_qp`) is solved on a working set only; its solution is carried to the gradient of
all variables, the worst violators outside are added, and their rows, for all k problems together, are computed by one
product.  A row is computed when its variable enters, so little more than the rows of the support vectors is ever
needed (the idea of chunking: Joachims, Making large-scale SVM learning practical, 1999, with sets that grow instead of
being replaced).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import gcd, inf
from time import monotonic
from typing import Final

import numpy as np

from semisvm._core.box_qp import certificate
from semisvm._core.kernel_rows import commit, gather
from semisvm.optim.free_newton import solve_block
from semisvm.optim.row_cache import RowSource

FIRST: Final = 64  # variables in the first working set
FEWEST: Final = 64  # added at a time, or
GROWTH: Final = 0.15  # this share of the working set, if more
BONUS=.5
FRACTION: Final = 0.1  # of the whole problem's violation to which a working set is solved
LARGEST: Final = 4096  # variables in a working set, if memory allows


@dataclass(frozen=True)
class Matrix:
    """The matrix all problems share: K - k0 1' - 1 k0' + k00, k0 empty where it is not centred."""

    source: RowSource
    diagonal: np.ndarray  # after centring
    k0: np.ndarray
    k00: float


@dataclass(frozen=True)
class Stop:
    """When to stop."""

    tol: float
    max_steps: int
    deadline: float = inf


@dataclass
class WorkingSet:
    """The variables solved for, and their block of the matrix (with the ridge on its diagonal)."""

    index: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    Q: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def extend(self, new: np.ndarray, matrix: Matrix, h: np.ndarray) -> np.ndarray:
        """Add variables whose rows are at hand; return the slots of the whole set."""
        known = self.index.size
        self.index = np.concatenate([self.index, new])
        size = self.index.size
        if size > self.Q.shape[0]:
            larger = np.empty((max(size, 3 * known // 2),) * 2)
            larger[:known, :known] = self.Q[:known, :known]
            self.Q = larger
        slots = matrix.source.fetch(self.index)
        gather(matrix.source.store, slots, self.index, h, matrix.k0, matrix.k00, known, self.Q)
        return slots


@dataclass
class Column:
    """One of the k problems: its data, its point a, its gradient g = c - K a - d a, and how far it has come."""

    lo: np.ndarray
    hi: np.ndarray
    d: np.ndarray
    p: np.ndarray
    t: np.ndarray
    a: np.ndarray
    g: np.ndarray
    equality: bool
    violation: float = inf
    top: float = -inf
    bottom: float = inf
    steps: int = 0
    stalled: bool = False
    working: WorkingSet = field(default_factory=WorkingSet)
    slack: float = 0.9

    def __post_init__(self) -> None:
        self.violations = np.empty_like(self.a)

    def certify(self) -> None:
        """Measure the violation of the optimality conditions, of the problem and of each variable."""
        self.violation, self.top, self.bottom, finite = certificate(
            self.a, self.g, self.lo, self.hi, self.p, self.t, self.equality, self.violations
        )
        if not finite:
            raise ValueError("The gradient became NaN or infinite; c and the kernel rows must be finite.")

    def open(self, stop: Stop) -> bool:
        return self.violation >= stop.tol and self.steps < stop.max_steps and not self.stalled

    def move(self, index: np.ndarray, slots: np.ndarray, values: np.ndarray, matrix: Matrix) -> None:
        """Set a[index] = values and update the gradient of all variables, in one uninterruptible call."""
        commit(matrix.source.store, slots, index, values, self.d, matrix.k0, matrix.k00, self.a, self.g)


Plan = tuple[Column, np.ndarray]  # a problem and the variables to add to its working set


def solve_whole(columns: list[Column], matrix: Matrix, stop: Stop) -> None:
    """Small problems with the matrix at hand: descend on all variables at once."""
    for column in columns:
        h = matrix.diagonal + column.d
        Q = matrix.source.store
        if matrix.k0.size or column.d.any() or Q.dtype != np.float64:
            everything = WorkingSet()
            everything.extend(np.arange(h.size), matrix, h)
            Q = everything.Q
        column.certify()
        while column.open(stop) and monotonic() < stop.deadline:
            steps, _ = solve_block(
                Q, h, column.lo, column.hi, column.p, column.t, column.a, column.g, column.equality,
                stop.tol, stop.max_steps - column.steps, stop.deadline,
            )  # fmt: skip
            column.steps += steps
            column.stalled = steps == 0
            column.certify()


def solve_by_parts(columns: list[Column], matrix: Matrix, stop: Stop, largest: int) -> None:
    """Grow a working set for every open problem until all of them are solved."""
    n = matrix.diagonal.size
    scatter = scattered(n)
    largest = min(largest, matrix.source.capacity)
    for column in columns:
        column.certify()
    while monotonic() < stop.deadline:
        at_hand = matrix.source.held()
        plans = []
        for column in columns:
            if column.open(stop):
                new = choose(column, stop, largest, scatter, at_hand)
                at_hand[new] = True
                plans.append((column, new))
        if not plans:
            break
        for batch, wanted in batches(plans, n, matrix.source.capacity):
            matrix.source.fetch(wanted)  # one product for all problems of the batch
            for column, new in batch:
                advance(column, new, matrix, stop)


def scattered(n: int) -> np.ndarray:
    """A fixed order of 0..n-1 that takes ties from all over the data, however it is sorted."""
    stride = max(int(0.6180339887 * n), 1)
    while gcd(stride, n) > 1:
        stride += 1
    return np.arange(n) * stride % n


def choose(column: Column, stop: Stop, largest: int, scatter: np.ndarray, at_hand: np.ndarray) -> np.ndarray:
    """The variables to add to the working set; where it is full, the settled half of it is dropped first."""
    working, v = column.working, column.violations
    outside = v.copy()
    outside[working.index] = 0.0
    candidates = scatter[outside[scatter] > 0.5 * stop.tol]
    size = working.index.size
    count = min(max(FEWEST, int(GROWTH * size)) if size else FIRST, max(largest // 2, 1))
    if candidates.size > count:
        candidates = most_violating(column, candidates, count, at_hand)
    if size + candidates.size > largest:
        keep = min(largest - candidates.size, max(largest // 2, 1))
        kept = working.index[np.argsort(-v[working.index], kind="stable")[:keep]]
        column.working = WorkingSet()
        return np.concatenate([kept, candidates])
    return candidates


def most_violating(column: Column, candidates: np.ndarray, count: int, at_hand: np.ndarray) -> np.ndarray:
    """The worst candidates; with the equality as many that want to rise as want to fall, where there are."""
    v = column.violations[candidates] * (1+BONUS*at_hand[candidates])
    if not column.equality:
        return candidates[np.argpartition(-v, count - 1)[:count]]
    rising = column.g[candidates] > 0.5 * (column.top + column.bottom)
    order = np.argsort(-v, kind="stable")
    up, down = order[rising[order]], order[~rising[order]]
    half = count // 2
    n_up = min(up.size, max(half, count - down.size))
    return candidates[np.r_[up[:n_up], down[: count - n_up]]]


def batches(plans: list[Plan], n: int, capacity: int) -> Iterator[tuple[list[Plan], np.ndarray]]:
    """Group problems so that the rows of a group fit into the cache together; each group with its rows."""
    batch: list[Plan] = []
    wanted = np.zeros(n, dtype=bool)
    for column, new in plans:
        own = np.zeros(n, dtype=bool)
        own[column.working.index] = own[new] = True
        if batch and np.count_nonzero(wanted | own) > capacity:
            yield batch, np.flatnonzero(wanted)
            batch, wanted = [], np.zeros(n, dtype=bool)
        batch.append((column, new))
        wanted |= own
    yield batch, np.flatnonzero(wanted)


def advance(column: Column, new: np.ndarray, matrix: Matrix, stop: Stop) -> None:
    """Solve on the working set with `new` added, to a fraction of the violation, and carry the result to all n."""
    working, h = column.working, matrix.diagonal + column.d
    slots = working.extend(new, matrix, h)
    index, size = working.index, working.index.size
    tol = max(column.slack * stop.tol, FRACTION * column.violation if new.size else 0.0)
    a, g = column.a[index], column.g[index]
    steps = 0
    try:
        steps, _ = solve_block(
            working.Q, h[index], column.lo[index], column.hi[index], column.p[index], column.t[index], a, g,
            column.equality, tol, stop.max_steps - column.steps, stop.deadline,
        )  # fmt: skip
    finally:
        column.move(index, slots, a, matrix)
    column.steps += steps
    column.certify()
    if steps == 0 and new.size == 0:
        # The block is solved but the whole is not: rounding. Ask more of the block, twice or thrice, then give up.
        column.slack *= 0.5
        column.stalled = column.slack < 0.1
