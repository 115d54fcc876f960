"""Decomposition of large box problems: working sets that grow by the variables that violate most.

A problem (see `semisvm._core.box_qp`) is solved on a working set only; the solution is carried to the gradient of all
variables, the worst violators outside are added, and their rows, for all k problems together, are computed by one
product.  A row is computed when its variable enters, so little more than the rows of the support vectors is ever
needed.  (Decomposition: Joachims, Making large-scale SVM learning practical, 1999; there the sets are of fixed size and
replaced, here they are kept.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import gcd, inf
from time import monotonic
from typing import Final

import numpy as np

from semisvm._core.box_qp import KernelBlock, certificate
from semisvm._core.kernel_rows import commit
from semisvm._core.selection import worst_outside
from semisvm.optim.block_descent import solve_block
from semisvm.optim.row_cache import GramRows, row_addresses

FIRST: Final = 32  # variables in the first working set
FEWEST: Final = 64  # variables added at a time, or
GROWTH: Final = 0.15  # this share of the working set, if that is more
AT_HAND: Final = 1.5  # the weight of a violation whose row need not be computed
FRACTION: Final = 0.2  # of the violation of the whole problem to which a working set is solved
PANEL_BYTES: Final = 1 << 21  # of a block reserved at a time; from 4 MiB on NumPy asks for huge, slow pages
MOST_SPARE: Final = 16  # panels kept for the next working set: one of the largest size
ROUNDING: Final = 64 * np.finfo(np.float64).eps  # of a sum, relative to the sum of the sizes of its terms
LOOK: Final = 200_000  # steps after which to see whether there is more than rounding left to gain, or
ROUNDS: Final = 1000  # so many working sets, if they come first
FRUITLESS: Final = 1_000_000  # steps without a smaller violation after which rounding is taken to prevent one, or
FRUITLESS_EACH: Final = 1000  # so many for each variable, if that is more
UNBOUNDED: Final = 1e300  # an objective of this size has no minimum
LARGEST: Final = 2048  # variables in a working set, where memory allows; rows of a wider one are filled and hardly read


class Panels:
    """Memory for the blocks of working sets, kept from one set to the next: new memory costs more than filling it."""

    def __init__(self) -> None:
        self._spare: list[np.ndarray] = []
        self.n_allocated = 0

    def take(self, height: int, width: int, dtype: type[np.floating]) -> np.ndarray:
        """An array with arbitrary content."""
        n_bytes = height * width * np.dtype(dtype).itemsize
        try:
            memory = self._spare.pop() if n_bytes <= PANEL_BYTES else None
        except IndexError:
            memory = None
        if memory is None:
            memory = np.empty(max(n_bytes, PANEL_BYTES), dtype=np.uint8)
            self.n_allocated += 1
        return memory[:n_bytes].view(dtype).reshape(height, width)

    def give_back(self, panels: list[np.ndarray]) -> None:
        """Keep these panels for later sets; they must not be used any more."""
        for panel in panels:
            memory = panel
            while isinstance(memory.base, np.ndarray):
                memory = memory.base
            if memory.nbytes == PANEL_BYTES and len(self._spare) < MOST_SPARE:
                self._spare.append(memory)


PANELS: Final = Panels()


@dataclass(frozen=True)
class Matrix:
    """The matrix all problems share: K - k0 1' - 1 k0' + k00, with k0 empty where it is not centered."""

    source: GramRows
    diagonal: np.ndarray  # after centering
    k0: np.ndarray
    k00: float

    @property
    def largest(self) -> float:
        """The largest number that an entry is a sum of; on rows far from zero, entries are much smaller."""
        return float(np.max(np.abs(self.diagonal)) + 2 * np.abs(self.k0).max(initial=0.0) + abs(self.k00))


@dataclass(frozen=True)
class Stop:
    """When to stop: at this violation, after these steps in one problem, at this time of the clock `monotonic`."""

    tol: float
    max_steps: int
    deadline: float = inf


@dataclass
class WorkingSet:
    """The variables solved for, at most `largest`, and memory for their block of the matrix."""

    largest: int
    index: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.uintp))  # addresses of the block's rows
    filled: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # their valid entries
    panels: list[np.ndarray] = field(default_factory=list)  # hold the rows
    width: int = 0  # entries of a row

    def extend(self, new: np.ndarray, single: bool) -> None:
        """Add variables, and memory for their rows, in float32 if `single`."""
        self.index = np.concatenate([self.index, new])
        size = self.index.size
        if size > self.width:
            # Rows do not move to the wider memory: those that are still needed are filled again.
            self.width = max(size, min(max(2 * size, 4 * FEWEST), self.largest))
            self.release()
            self.rows, self.filled = self.rows[:0], self.filled[:0]
        while self.rows.size < size:
            height = min(max(PANEL_BYTES // (8 * self.width), 1), self.width)
            panel = PANELS.take(height, self.width, np.float32 if single else np.float64)
            self.panels.append(panel)
            self.rows = np.concatenate([self.rows, row_addresses(panel)])
            self.filled = np.concatenate([self.filled, np.zeros(len(panel), dtype=np.intp)])

    def release(self) -> None:
        """Leave the memory to other sets."""
        PANELS.give_back(self.panels)
        self.panels = []

    def block(self, kernel_rows: np.ndarray, h: np.ndarray, matrix: Matrix) -> KernelBlock:
        """The block, to be filled from the kernel rows of the set, with the diagonal h (of all n) on it."""
        single = matrix.source.single
        return KernelBlock(
            self.rows, self.filled, kernel_rows, single, self.index, matrix.k0, matrix.k00, h[self.index]
        )


@dataclass
class ColumnState:
    """One of the k problems: its data, its point a, its gradient g = c - K a - d a, and how far it has come.

    a and g only change together and inside compiled calls, so they are consistent after an interrupt too.
    """

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
    taken: np.ndarray = field(default_factory=lambda: np.zeros(1, dtype=np.intp))  # steps, counted as they are taken
    slack: float = 0.9  # of the tolerance, to which the last working sets are solved
    stalled: bool = False
    least: float = inf  # the smallest violation seen, the number of steps it took, and the rounds since then
    least_at: int = 0
    rounds: int = 0
    working: WorkingSet = field(default_factory=lambda: WorkingSet(LARGEST))

    def __post_init__(self) -> None:
        self.violations = np.empty_like(self.a)

    def certify(self) -> None:
        """Measure the violation of the optimality conditions, of the problem and of each variable."""
        self.violation, self.top, self.bottom, finite = certificate(
            self.a, self.g, self.lo, self.hi, self.p, self.t, self.equality, self.violations
        )
        if not finite or float(np.abs(self.a).max(initial=0.0)) * self.violation > UNBOUNDED:
            raise ValueError(
                "The objective falls without end, because the kernel matrix has large negative eigenvalues or values "
                "that are not finite: use another kernel, or columns of X that are near zero and of a similar size."
            )

    @property
    def steps(self) -> int:
        return int(self.taken[0])

    def open(self, stop: Stop, matrix: Matrix) -> bool:
        if self.violation < stop.tol or self.steps >= stop.max_steps or self.stalled:
            return False
        self.rounds += 1
        if self.violation < 0.99 * self.least:
            self.least, self.least_at, self.rounds = self.violation, self.steps, 0
        fruitless = self.steps - self.least_at
        if fruitless < LOOK and self.rounds < ROUNDS:
            return True
        if fruitless > max(FRUITLESS, FRUITLESS_EACH * len(self.a)):
            return False
        # K a is a sum of terms of at most this size; a violation below its rounding cannot be reduced
        largest = (matrix.largest + float(np.max(self.d))) * float(np.abs(self.a).sum())
        return bool(self.violation > ROUNDING * largest)

    def steps_to_look(self, stop: Stop) -> int:
        """The number of steps after which to look at the whole again."""
        return min(stop.max_steps, self.steps + LOOK)

    def move(self, index: np.ndarray, kernel_rows: np.ndarray, values: np.ndarray, matrix: Matrix) -> None:
        """Set a[index] = values and update the gradient of all variables."""
        commit(kernel_rows, matrix.source.single, index, values, self.d, matrix.k0, matrix.k00, self.a, self.g)


Plan = tuple[ColumnState, np.ndarray]  # a problem and the variables to add to its working set


def solve_whole(columns: list[ColumnState], matrix: Matrix, stop: Stop) -> None:
    """Solve small problems whose rows are all in memory on all variables at once."""
    everything = np.arange(matrix.diagonal.size)
    kernel_rows = matrix.source.fetch(everything)
    ready = KernelBlock(
        kernel_rows, np.full_like(everything, everything.size), kernel_rows, matrix.source.single, everything,
        matrix.k0, matrix.k00, matrix.diagonal,
    )  # fmt: skip
    for column in columns:
        Q = ready
        if matrix.k0.size or column.d.any():
            working = WorkingSet(everything.size)
            working.extend(everything, matrix.source.single)
            Q = working.block(kernel_rows, matrix.diagonal + column.d, matrix)
        column.certify()
        while column.open(stop, matrix) and monotonic() < stop.deadline:
            before = column.steps
            solve_block(
                Q, column.lo, column.hi, column.p, column.t, column.a, column.g, column.equality,
                stop.tol, column.steps_to_look(stop), stop.deadline, column.taken,
            )  # fmt: skip
            column.stalled = column.steps == before
            column.certify()
        if Q is not ready:
            working.release()


def solve_by_parts(columns: list[ColumnState], matrix: Matrix, stop: Stop, largest: int) -> None:
    """Grow a working set, of at most `largest` variables, for every open problem until all are solved."""
    n = matrix.diagonal.size
    order = scattered(n)
    largest = min(largest, matrix.source.capacity)
    for column in columns:
        column.working = WorkingSet(largest)
        column.certify()
    try:
        while monotonic() < stop.deadline:
            held = matrix.source.held()
            plans: list[Plan] = []
            for column in columns:
                if column.open(stop, matrix):
                    new = choose(column, stop.tol, largest, order, held)
                    held[new] = True
                    plans.append((column, new))
            if not plans:
                break
            for batch, wanted in batches(plans, n, matrix.source.capacity):
                matrix.source.fetch(wanted)  # one product for all problems of the batch
                for column, new in batch:
                    advance(column, new, matrix, stop)
    finally:
        for column in columns:
            column.working.release()


def scattered(n: int) -> np.ndarray:
    """A fixed order of 0..n-1 in which ties are taken from all over the data, however they are sorted."""
    stride = max(int(0.6180339887 * n), 1)
    while gcd(stride, n) > 1:
        stride += 1
    return np.arange(n) * stride % n


def choose(column: ColumnState, tol: float, largest: int, order: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The variables to add to the working set; a full set is renewed from the half with the larger violations."""
    index, v = column.working.index, column.violations
    inside = np.zeros(v.size, dtype=bool)
    inside[index] = True
    count = max(FEWEST, int(GROWTH * index.size)) if index.size else FIRST
    if largest < v.size:
        count = min(count, max(largest // 2, 1))  # leaves room for what a renewed set keeps
    middle = 0.5 * (column.top + column.bottom)
    new: np.ndarray = worst_outside(
        v, column.g, middle, inside, held, AT_HAND, 0.5 * tol, count, order, column.equality
    )
    if index.size == 0:
        # A start other than zero: its free variables are added where their rows are in memory.
        free = (column.a > column.lo) & (column.a < column.hi) & held
        free[new] = False
        return np.concatenate([new, np.flatnonzero(free)[: largest // 2]])
    if index.size + new.size > largest:
        kept = index[np.argsort(-v[index], kind="stable")[: max(largest // 2, 1)]]
        column.working.release()
        column.working = WorkingSet(largest)
        return np.concatenate([kept, new])
    return new


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


def advance(column: ColumnState, new: np.ndarray, matrix: Matrix, stop: Stop) -> None:
    """Solve on the working set with `new` added, to a fraction of the violation, and carry the result to all n."""
    working = column.working
    working.extend(new, matrix.source.single)
    index, kernel_rows = working.index, matrix.source.fetch(working.index)
    Q = working.block(kernel_rows, matrix.diagonal + column.d, matrix)
    tol = max(column.slack * stop.tol, FRACTION * column.violation if new.size else 0.0)
    a, g, before = column.a[index], column.g[index], column.steps
    try:
        solve_block(
            Q, column.lo[index], column.hi[index], column.p[index], column.t[index], a, g,
            column.equality, tol, column.steps_to_look(stop), stop.deadline, column.taken,
        )  # fmt: skip
    finally:
        column.move(index, kernel_rows, a, matrix)
    column.certify()
    if column.steps == before and new.size == 0:
        # The block is solved and the whole is not: rounding. Solve the block more exactly a few times, then stop.
        column.slack *= 0.5
        column.stalled = column.slack < 0.1
