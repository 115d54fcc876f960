"""Passes over training rows: o = X w and g += X'v for a range of them, and how ranges are shared among threads.

Rows keep their precision, sums are float64. Dense float64 rows go to BLAS, which has threads of its own; sparse rows go
to compiled loops, one range of rows per thread, and so do dense float32 rows for a single column. For more columns they
are brought to float64 block by block, which costs less than it saves in the product.
"""

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from semisvm._compat import effective_threads
from semisvm._core.row_sweep import dense_outputs, dense_pull, sparse_outputs, sparse_pull

BLOCK_BYTES = 2**21
"""Rows visited at a time: they stay in the cache from the first pass to the second."""
THREAD_WORK = 250_000
"""Products that are worth a thread."""


class RowPasses(ABC):
    """Both passes, and the rows in ranges."""

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @property
    @abstractmethod
    def starts(self) -> np.ndarray:
        """Entries before each row, and all of them: (n + 1,)."""

    @property
    @abstractmethod
    def entry_bytes(self) -> int:
        """Bytes of one stored entry."""

    @abstractmethod
    def threaded(self, n_columns: int) -> bool:
        """Whether ranges of rows are shared among threads here; otherwise BLAS uses the cores."""

    @abstractmethod
    def outputs(self, rows: slice, w: np.ndarray, o: np.ndarray) -> None:
        """o[rows] = X[rows] w."""

    @abstractmethod
    def adjoint(self, rows: slice, v: np.ndarray, g: np.ndarray) -> None:
        """g += X[rows]' v[rows]."""

    @staticmethod
    def over(X: np.ndarray | sp.csr_array) -> "RowPasses":
        return SparseRows(X) if sp.issparse(X) else DenseRows(X)

    def blocks(self, rows: slice) -> list[slice]:
        """These rows in blocks of about `BLOCK_BYTES`."""
        n_bytes = self.entry_bytes * (int(self.starts[rows.stop]) - int(self.starts[rows.start]))
        return self._cut(rows, -(-n_bytes // BLOCK_BYTES))

    def ranges(self, n_columns: int) -> list[slice]:
        """All rows, one range for each thread that is worth it."""
        threads = int(self.starts[-1]) * n_columns // THREAD_WORK
        if threads > 1:
            threads = min(effective_threads(), threads) if self.threaded(n_columns) else 1
        return self._cut(slice(0, self.n_rows), threads)

    @cached_property
    def _known_cuts(self) -> dict[tuple[int, int, int], list[slice]]:
        """Every pass asks for the same parts again."""
        return {}

    def _cut(self, rows: slice, n_parts: int) -> list[slice]:
        """Consecutive parts of about the same number of entries."""
        if n_parts <= 1:
            return [rows] if rows.start < rows.stop else []
        wanted = (rows.start, rows.stop, n_parts)
        if wanted not in self._known_cuts:
            goals = np.linspace(self.starts[rows.start], self.starts[rows.stop], n_parts + 1)[1:-1]
            cuts = [rows.start, *np.searchsorted(self.starts, goals), rows.stop]
            self._known_cuts[wanted] = [slice(int(a), int(b)) for a, b in itertools.pairwise(cuts) if a < b]
        return self._known_cuts[wanted]


@dataclass(frozen=True, eq=False)
class SparseRows(RowPasses):
    """CSR rows."""

    X: sp.csr_array

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def threaded(self, n_columns: int) -> bool:
        return True

    def blocks(self, rows: slice) -> list[slice]:
        """One block: the time goes into scattered entries, not into reading the rows; blocks measured 15 % slower."""
        return [rows]

    @cached_property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Data, indices and index pointers as the loops read them; copied only where their types differ."""
        X = self.X
        place = np.int64 if np.int64 in (X.indices.dtype, X.indptr.dtype) else np.int32
        indices, indptr = X.indices.astype(place, copy=False), X.indptr.astype(place, copy=False)
        return np.ascontiguousarray(X.data), indices, indptr

    @property
    def starts(self) -> np.ndarray:
        return self.parts[2]

    @property
    def entry_bytes(self) -> int:
        data, indices, _ = self.parts
        return data.itemsize + indices.itemsize

    def outputs(self, rows: slice, w: np.ndarray, o: np.ndarray) -> None:
        sparse_outputs(*self.parts, rows.start, rows.stop, w, o)

    def adjoint(self, rows: slice, v: np.ndarray, g: np.ndarray) -> None:
        sparse_pull(*self.parts, rows.start, rows.stop, v, g)


@dataclass(frozen=True, eq=False)
class DenseRows(RowPasses):
    """Dense rows."""

    X: np.ndarray

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @cached_property
    def starts(self) -> np.ndarray:
        starts: np.ndarray = np.arange(self.n_rows + 1) * self.X.shape[1]
        return starts

    @property
    def entry_bytes(self) -> int:
        return self.X.itemsize

    def threaded(self, n_columns: int) -> bool:
        return n_columns == 1 and self.X.dtype == np.float32 and self.X.flags.c_contiguous

    def outputs(self, rows: slice, w: np.ndarray, o: np.ndarray) -> None:
        if self.threaded(w.shape[1]):
            dense_outputs(self.X, rows.start, rows.stop, w, o)
            return
        for part in self._products(rows):
            np.matmul(self.X[part].astype(np.float64, copy=False), w, out=o[part])

    def adjoint(self, rows: slice, v: np.ndarray, g: np.ndarray) -> None:
        if self.threaded(v.shape[1]):
            dense_pull(self.X, rows.start, rows.stop, v, g)
            return
        for part in self._products(rows):
            g += self.X[part].T.astype(np.float64, copy=False) @ v[part]

    def _products(self, rows: slice) -> list[slice]:
        """Parts for one product each: all of it in float64, blocks where every part is copied to float64."""
        return [rows] if self.X.dtype == np.float64 else self.blocks(rows)


def in_threads(work: Callable[[slice], None], ranges: list[slice]) -> None:
    """work(range) for each range: the first in this thread, the others in other threads; raises the first error."""
    if len(ranges) == 1:
        work(ranges[0])
        return
    errors: list[BaseException] = []

    def guarded(rows: slice) -> None:
        try:
            work(rows)
        except BaseException as error:
            errors.append(error)

    helpers = [threading.Thread(target=guarded, args=(rows,)) for rows in ranges[1:]]
    for helper in helpers:
        helper.start()
    try:
        for rows in ranges[:1]:
            work(rows)
    finally:
        for helper in helpers:
            helper.join()
    if errors:
        raise errors[0]
