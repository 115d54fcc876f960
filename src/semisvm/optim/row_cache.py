"""Rows of a Gram matrix on demand: computed in blocks, the least recently used ones forgotten first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, final

import numpy as np

from semisvm.memory import available_bytes

SHARE: Final = 0.75  # of the available memory that kernel rows may take
_ANSWER_BYTES: Final = 1 << 25  # of one answer of the callable, counted in float64
_FEWEST_ROWS: Final = 64  # held at any memory limit


def row_bytes() -> int:
    """Default memory for kernel rows; it is allocated as rows are computed."""
    return int(SHARE * available_bytes())


def row_addresses(matrix: np.ndarray) -> np.ndarray:
    """Where each row of a C-contiguous matrix begins in memory."""
    return np.uintp(matrix.ctypes.data) + np.arange(len(matrix), dtype=np.uintp) * np.uintp(matrix.strides[0])


class GramRows(ABC):
    """Where the solver finds rows."""

    n_rows: int  # computed so far
    capacity: int  # rows that can be held at the same time

    @property
    @abstractmethod
    def single(self) -> bool:
        """Whether the rows are stored in float32; else they are in float64."""

    @abstractmethod
    def held(self) -> np.ndarray:
        """A mask of the indices whose rows are in memory."""

    @abstractmethod
    def fetch(self, index: np.ndarray) -> np.ndarray:
        """Where the rows at `index` (at most `capacity`, no repeats) begin in memory, until the next call."""


@final
class DenseGramRows(GramRows):
    """A symmetric matrix that is already there."""

    def __init__(self, K: np.ndarray) -> None:
        if K.dtype not in (np.float32, np.float64):
            K = K.astype(np.float64)
        # A symmetric matrix in column order is its own transpose in row order.
        self.K = K.T if K.flags.f_contiguous else np.ascontiguousarray(K)
        self.n_rows = 0
        self.capacity = len(K)

    @property
    def single(self) -> bool:
        return self.K.dtype == np.float32

    def held(self) -> np.ndarray:
        return np.ones(self.capacity, dtype=bool)

    def fetch(self, index: np.ndarray) -> np.ndarray:
        addresses: np.ndarray = row_addresses(self.K)[index]
        return addresses


@final
class RowCache(GramRows):
    """Rows computed by `rows(index) -> (len(index), n)` and kept within `cache_bytes`, or a share of what is available.

    Hand the same cache to several solves on the same matrix (stages of a path, a grid over C) and rows computed
    once serve them all.  The rows are stored as they come, float64 or float32; `dtype` asks for one of the two.
    The arrays that `rows` returns are kept, not copied, so each answer must be a new one.
    """

    def __init__(
        self,
        rows: Callable[[np.ndarray], np.ndarray],
        n: int,
        *,
        cache_bytes: int | None = None,
        dtype: type[np.floating] | None = None,
    ) -> None:
        self._rows = rows
        self._n = n
        self._bytes = row_bytes() if cache_bytes is None else cache_bytes
        self._dtype = None if dtype is None else np.dtype(dtype)
        self._at_once = max(16, _ANSWER_BYTES // (8 * n))
        self.n_rows = 0
        self.capacity = self._fit(8)
        self._slot = np.full(n, -1, dtype=np.intp)  # of each index, -1 where its row is absent
        self._answers: list[np.ndarray] = []  # one after the other they hold the slots 0, 1, ...
        self._begins = [0]  # the first slot of each answer, and of the next one
        self._address = np.empty(0, dtype=np.uintp)  # of each slot
        self._owner = np.empty(0, dtype=np.intp)  # the index whose row it holds, -1 where there is none
        self._stamp = np.empty(0, dtype=np.int64)  # when it was last used
        self._clock = 0

    @property
    def single(self) -> bool:
        return self._dtype == np.float32

    def demand_float64(self) -> bool:
        """Whether the rows are stored in float64; an empty cache without a type of its own switches to it."""
        if self._dtype is None:
            self._dtype = np.dtype(np.float64)
        return not self.single

    def held(self) -> np.ndarray:
        return self._slot >= 0

    def fetch(self, index: np.ndarray) -> np.ndarray:
        if index.size > self.capacity:
            raise ValueError(f"{index.size} rows were asked for at once; this cache holds {self.capacity}.")
        self._clock += 1
        slots = self._slot[index]
        self._stamp[slots[slots >= 0]] = self._clock
        absent = index[slots < 0]
        for start in range(0, absent.size, self._at_once):
            self._keep(absent[start : start + self._at_once])
        addresses: np.ndarray = self._address[self._slot[index]]
        return addresses

    def _keep(self, index: np.ndarray) -> None:
        """Compute the rows at `index` and keep them, in the place of those used longest ago where there is no room."""
        answer = self._ask(index)
        fits = min(self.capacity - self._owner.size, index.size)
        if fits > 0:
            self._enter(index[:fits], self._adopt(answer if fits == index.size else answer[:fits].copy()))
        if fits < index.size:
            self._enter(index[fits:], self._replace(answer[fits:]))
        self.n_rows += index.size

    def _enter(self, index: np.ndarray, slots: np.ndarray) -> None:
        self._owner[slots] = index
        self._slot[index] = slots
        self._stamp[slots] = self._clock

    def _ask(self, index: np.ndarray) -> np.ndarray:
        answer = np.asarray(self._rows(index))
        if answer.shape != (index.size, self._n):
            raise ValueError(
                f"rows(index) returned an array of shape {answer.shape} for {index.size} indices; "
                f"the shape ({index.size}, {self._n}) is needed."
            )
        if any(answer.ctypes.data == kept.ctypes.data for kept in self._answers):
            raise ValueError("rows(index) returned the same array twice; each answer must be a new one, it is kept.")
        if self._dtype is None:
            self._dtype = np.dtype(np.float32 if answer.dtype == np.float32 else np.float64)
        self.capacity = self._fit(self._dtype.itemsize)
        if answer.flags.owndata and answer.flags.c_contiguous and answer.dtype == self._dtype:
            return answer
        return np.array(answer, dtype=self._dtype, order="C")

    def _adopt(self, answer: np.ndarray) -> np.ndarray:
        """Add an answer as it is; return its slots."""
        slots = np.arange(self._begins[-1], self._begins[-1] + len(answer))
        self._answers.append(answer)
        self._begins.append(int(slots[-1]) + 1)
        self._address = np.concatenate([self._address, row_addresses(answer)])
        self._owner = np.concatenate([self._owner, np.full(slots.size, -1, dtype=np.intp)])
        self._stamp = np.concatenate([self._stamp, np.zeros(slots.size, dtype=np.int64)])
        return slots

    def _replace(self, rows: np.ndarray) -> np.ndarray:
        """Copy rows over those used longest ago; return their slots."""
        slots = np.sort(np.argsort(self._stamp, kind="stable")[: len(rows)])
        evicted = self._owner[slots]
        self._slot[evicted[evicted >= 0]] = -1
        self._owner[slots] = -1
        bounds = np.searchsorted(slots, self._begins)
        for kept, begin, first, last in zip(self._answers, self._begins, bounds, bounds[1:], strict=False):
            kept[slots[first:last] - begin] = rows[first:last]
        return slots

    def _fit(self, itemsize: int) -> int:
        return int(min(self._n, max(self._bytes // (itemsize * self._n), _FEWEST_ROWS)))
