"""Vectors with a number per row that are computed or fetched lazily.

Outputs are linear in the coefficients, so sums and multiples of them stay unfetched: a step along a direction, a shift
by the bias. Most iterations need only the sum of a slope, which the pass over the rows has returned.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from semisvm.objective.rows import RowParts

Sums: TypeAlias = tuple[np.ndarray, ...]


class Remote(NDArrayOperatorsMixin, ABC):
    """Behaves as an (n, k) array of float64; operations that it does not have fetch the array first."""

    shape: tuple[int, int]

    @abstractmethod
    def fetched(self) -> np.ndarray:
        """The numbers."""

    def lazily(self, ufunc: Any, inputs: tuple[Any, ...]) -> "Remote | None":
        """The result without fetching, where that is possible."""
        return None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.fetched(), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        if method == "__call__" and not settings:
            result = self.lazily(ufunc, inputs)
            if result is not None:
                return result
        fetched = [one.fetched() if isinstance(one, Remote) else one for one in inputs]
        return getattr(ufunc, method)(*fetched, **settings)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and isinstance(key[0], slice) and key[0] == slice(None):
            # every row of columns that are all of them, as minimizers ask
            return self if np.array_equal(key[1], np.arange(self.shape[1])) else self.fetched()[key]
        return self.fetched()[key]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(np.float64)

    @property
    def T(self) -> np.ndarray:
        return self.fetched().T

    def copy(self) -> np.ndarray:
        return self.fetched().copy()

    def sum(self, axis: int = 0) -> np.ndarray:
        total: np.ndarray = self.fetched().sum(axis=axis)
        return total


class RemoteOutputs(Remote):
    """E theta + shift."""

    def __init__(self, outputs: "Fetch", shift: np.ndarray):
        self.outputs, self.shift = outputs, shift
        self.shape = outputs.n_rows, outputs.theta.shape[1]

    def fetched(self) -> np.ndarray:
        scores: np.ndarray = self.outputs.values() + self.shift
        return scores

    def lazily(self, ufunc: Any, inputs: tuple[Any, ...]) -> "RemoteOutputs | None":
        ours = [isinstance(one, RemoteOutputs) for one in inputs]
        if ufunc is np.negative:
            return self._scaled(-1.0)
        if all(ours):
            if ufunc not in (np.add, np.subtract):
                return None
            a, b = inputs
            theta = ufunc(a.outputs.theta, b.outputs.theta)
            return RemoteOutputs(a.outputs.of(theta), ufunc(a.shift, b.shift))
        other: Any = inputs[ours.index(False)]
        if np.ndim(other) > 1 or isinstance(other, Remote):
            return None
        if ufunc is np.multiply:
            return self._scaled(other)
        if ufunc is np.add or (ufunc is np.subtract and ours[0]):
            return RemoteOutputs(self.outputs, ufunc(self.shift, other))
        return None

    @property
    def remote_rows(self) -> "RemoteRows":
        """Where the rows are."""
        return self.outputs.remote_rows

    def _scaled(self, size: Any) -> "RemoteOutputs":
        return RemoteOutputs(self.outputs.of(size * self.outputs.theta), size * self.shift)


class RemoteRows(ABC):
    """Computes outputs of rows, and sums of tasks over rows, where the rows are."""

    @abstractmethod
    def product(self, theta: np.ndarray) -> np.ndarray:
        """E theta as an array in this process."""

    @abstractmethod
    def reduced(self, task: Callable[..., Sums], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any) -> Sums:
        """The sums over all blocks of task(part of the block, its scores, ..., *more)."""

    @abstractmethod
    def collected(
        self, task: Callable[..., Any], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any, each: Any = None
    ) -> list[Any]:
        """task(part of the block, its scores, ..., *more) of every block; `each` has one more argument per block."""


class Fetch:
    """E theta, computed at most once, and not at all where a pass has computed it already."""

    def __init__(self, remote_rows: RemoteRows, theta: np.ndarray, n_rows: int, values: np.ndarray | None = None):
        self.remote_rows, self.theta, self.n_rows = remote_rows, theta, n_rows
        self._values = values
        self.kept: Any = None
        """The handle of these outputs where the rows are."""

    def of(self, theta: np.ndarray) -> "Fetch":
        return Fetch(self.remote_rows, theta, self.n_rows)

    @property
    def known(self) -> bool:
        return self._values is not None

    def values(self) -> np.ndarray:
        if self._values is None:
            nothing = not self.theta.any()
            self._values = (
                np.zeros((self.n_rows, self.theta.shape[1])) if nothing else self.remote_rows.product(self.theta)
            )
        return self._values


class RemoteSlopes(Remote):
    """The slopes of losses at outputs; their sum is known."""

    def __init__(
        self,
        losses: Callable[[slice, np.ndarray], tuple[Any, ...]],
        outputs: RemoteOutputs,
        total: np.ndarray,
        values: np.ndarray | None = None,
    ):
        self.losses, self.outputs, self.total = losses, outputs, total
        self.shape = outputs.shape
        self._values = values

    def fetched(self) -> np.ndarray:
        if self._values is None:
            self._values = self.losses(slice(0, self.shape[0]), self.outputs.fetched())[1]
        return self._values

    def sum(self, axis: int = 0) -> np.ndarray:
        return self.total.copy() if axis == 0 else self.fetched().sum(axis=axis)
