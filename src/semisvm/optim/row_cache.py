"""Rows of a Gram matrix on demand: computed in blocks, the least recently used ones forgotten first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, final

import numpy as np

CACHE_BYTES: Final = 1 << 29
_BLOCK_BYTES: Final = 1 << 25  # of one answer of the callable
_FEWEST_ROWS: Final = 64  # held at any memory limit


class RowSource(ABC):
    """Where the solver finds rows: `store[slots]` are the rows at the indices last fetched."""

    n_rows: int  # computed so far
    capacity: int  # rows that can be held at the same time

    @property
    @abstractmethod
    def store(self) -> np.ndarray:
        """The rows held, one per slot, float64 or float32, C-contiguous."""

    @abstractmethod
    def held(self) -> np.ndarray:
        """A mask of the indices whose rows are at hand."""

    @abstractmethod
    def fetch(self, index: np.ndarray) -> np.ndarray:
        """Make the rows at `index` (at most `capacity`, no repeats) available and return their slots."""


@final
class DenseRows(RowSource):
    """A symmetric matrix that is already there: every row is its own slot."""

    def __init__(self, K: np.ndarray) -> None:
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ValueError(f"A Gram matrix of shape {K.shape} was given; rows must be an (n, n) array or a callable.")
        if K.dtype not in (np.float32, np.float64):
            K = K.astype(np.float64)
        # A symmetric matrix in column order is its own transpose in row order.
        self._K = K.T if K.flags.f_contiguous else np.ascontiguousarray(K)
        self.n_rows = 0
        self.capacity = K.shape[0]

    @property
    def store(self) -> np.ndarray:
        return self._K

    def held(self) -> np.ndarray:
        return np.ones(self.capacity, dtype=bool)

    def fetch(self, index: np.ndarray) -> np.ndarray:
        return index


@final
class RowCache(RowSource):
    """Rows computed by `rows(index) -> (len(index), n)` and kept within `cache_bytes`.

    Hand the same cache to several solves on the same matrix (stages of a path, a grid over C) and rows computed
    once serve them all.  The rows are stored as they come, float64 or float32; `dtype` asks for one of the two.
    """

    def __init__(
        self,
        rows: Callable[[np.ndarray], np.ndarray],
        n: int,
        *,
        cache_bytes: int = CACHE_BYTES,
        dtype: type[np.floating] | None = None,
    ) -> None:
        self._rows = rows
        self._n = n
        self._bytes = cache_bytes
        self._dtype = None if dtype is None else np.dtype(dtype)
        self._block = max(16, _BLOCK_BYTES // (8 * n))
        self.n_rows = 0
        self.capacity = self._fit(8)
        self._store: np.ndarray | None = None
        self._slot = np.full(n, -1, dtype=np.intp)  # of each index, -1 where its row is absent
        self._clock = 0

    @property
    def store(self) -> np.ndarray:
        if self._store is None:
            self._allocate(self._dtype or np.dtype(np.float64))
        assert self._store is not None
        return self._store

    def held(self) -> np.ndarray:
        return self._slot >= 0

    def fetch(self, index: np.ndarray) -> np.ndarray:
        if index.size > self.capacity:
            raise ValueError(f"{index.size} rows were asked for at once; this cache holds {self.capacity}.")
        self._clock += 1
        slots = self._slot[index]
        absent = index[slots < 0]
        if self._store is not None:
            self._stamp[slots[slots >= 0]] = self._clock
        for start in range(0, absent.size, self._block):
            self._keep(absent[start : start + self._block])
        return self._slot[index]

    def _keep(self, index: np.ndarray) -> None:
        """Compute the rows at `index` and store them over the free or least recently used ones."""
        block = np.asarray(self._rows(index))
        if block.shape != (index.size, self._n):
            raise ValueError(
                f"rows(index) returned an array of shape {block.shape} for {index.size} indices; "
                f"the shape ({index.size}, {self._n}) is needed."
            )
        if self._store is None:
            self._allocate(self._dtype or np.dtype(np.float32 if block.dtype == np.float32 else np.float64))
        # the slots never used come first, in order, so that fresh rows are written in one stretch
        slots = np.sort(np.argsort(self._stamp, kind="stable")[: index.size])
        evicted = self._owner[slots]
        self._slot[evicted[evicted >= 0]] = -1
        self._owner[slots] = -1
        self.store[slots] = block
        self._owner[slots] = index
        self._slot[index] = slots
        self._stamp[slots] = self._clock
        self.n_rows += index.size

    def _allocate(self, dtype: np.dtype) -> None:
        """Reserve the store; pages are only taken from the system as rows come in."""
        self.capacity = self._fit(dtype.itemsize)
        self._owner = np.full(self.capacity, -1, dtype=np.intp)
        self._stamp = np.zeros(self.capacity, dtype=np.int64)
        self._store = np.empty((self.capacity, self._n), dtype=dtype)

    def _fit(self, itemsize: int) -> int:
        return int(min(self._n, max(self._bytes // (itemsize * self._n), _FEWEST_ROWS)))
