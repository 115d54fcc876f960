"""Training rows that are never held whole: what an estimator asks of them.

An objective over rows is a sum, so all that training needs is to see every chunk of rows once per evaluation. Vectors
with a number per row (labels, weights, outputs) are ordinary arrays; only the rows themselves stay where they are.
"""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel
from semisvm.spaces.chunked.features import Block, BlockFeatures, LandmarkFeatures, RowFeatures
from semisvm.spaces.space import Space

READERS: dict[str, str] = {"dask": "semisvm.distributed"}
"""Packages whose arrays stay where they are, and the module whose `row_source` makes a source of them."""


@dataclass(frozen=True, eq=False)
class RowLayout:
    """What is known of rows before one of them is read."""

    starts: np.ndarray
    """Rows before each chunk, and all of them."""
    n_columns: int
    dtype: np.dtype
    sparse: bool = False
    names: tuple[str, ...] | None = None
    """Of the columns, where they have some."""

    @classmethod
    def evenly(cls, n_rows: int, chunk_rows: int, n_columns: int, dtype: np.dtype, sparse: bool = False) -> "RowLayout":
        """Chunks of equal size, and the rest."""
        starts = np.append(np.arange(0, n_rows, max(1, chunk_rows)), n_rows) if n_rows else np.zeros(2, dtype=np.intp)
        return cls(starts, n_columns, dtype, sparse)

    @property
    def n_rows(self) -> int:
        return int(self.starts[-1])

    @property
    def n_chunks(self) -> int:
        return len(self.starts) - 1

    def changed(self, change: "Callable[[Block], Block]") -> "RowLayout":
        """Of these rows after a change of every block."""
        like = change(np.zeros((1, self.n_columns), dtype=self.dtype))
        return replace(self, dtype=like.dtype, sparse=sp.issparse(like))

    def span(self, chunk: int) -> slice:
        """The rows of a chunk."""
        return slice(int(self.starts[chunk]), int(self.starts[chunk + 1]))


class RowSource(ABC):
    """Rows seen from an estimator. Of `Points` it has what the choice of kernels, widths and landmarks needs."""

    layout: RowLayout
    """How many rows there are, in which chunks, and of what."""

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        return self.layout.names

    @property
    def shape(self) -> tuple[int, int]:
        return self.layout.n_rows, self.layout.n_columns

    @property
    def n_features(self) -> int:
        return self.layout.n_columns

    @property
    def dtype(self) -> np.dtype:
        return self.layout.dtype

    @property
    def sparse(self) -> bool:
        return self.layout.sparse

    def __len__(self) -> int:
        return self.layout.n_rows

    @abstractmethod
    def take(self, rows: np.ndarray) -> Points:
        """These rows, in memory."""

    @abstractmethod
    def spread(self) -> tuple[float, float]:
        """Mean and variance of all entries."""

    @abstractmethod
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest entry of each column."""

    @abstractmethod
    def summed(self, task: Callable[[Block], tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
        """The sums of the task over all blocks; the task must be picklable."""

    @abstractmethod
    def changed(self, change: Callable[[Block], Block]) -> "RowSource":
        """The rows after a change of every block that keeps rows and columns; the change must be picklable."""

    @abstractmethod
    def space(self, features: BlockFeatures) -> Space:
        """Linear functions of these features of the rows."""

    def linear(self) -> Space:
        """Linear functions of the rows."""
        return self.space(RowFeatures(self.n_features))

    def on_landmarks(self, kernel: Kernel, landmarks: Points) -> Space:
        """Functions of the rows' kernel values against landmarks."""
        return self.space(LandmarkFeatures.of(kernel, landmarks))

    @abstractmethod
    def answers(self, method: Callable[[Block], np.ndarray]) -> Any:
        """The results of the method for all rows, computed block by block."""

    @property
    def index(self) -> np.ndarray:
        """Identifies this source; a source is used whole, so its rows need no numbers."""
        return np.array([id(self)])

    @property
    def X(self) -> np.ndarray:
        """Refused: a source has no matrix of all rows."""
        raise TypeError(
            f"{self.shape[0]:,} rows that stay on disk or on a cluster were asked for as one array: use an estimator "
            'with kernel="linear" or n_components=..., such as QuasiNewtonS3VM(kernel="linear").'
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.X


def row_source(X: Any) -> RowSource | None:
    """X as a source of rows, or None where it is an ordinary matrix."""
    if isinstance(X, RowSource):
        return X
    package = type(X).__module__.split(".")[0]
    return importlib.import_module(READERS[package]).row_source(X) if package in READERS else None


def aligned(X: Any, dtype: np.dtype | None = None) -> Block:
    """Rows in the layout of the compiled loops; copied only where type, order or alignment differ."""
    wanted = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=wanted)
        if X.data.flags.aligned and X.indices.flags.aligned and X.indptr.flags.aligned:
            return X
        parts = (np.require(a, requirements=["C", "A"]) for a in (X.data, X.indices, X.indptr))
        return sp.csr_array(tuple(parts), shape=X.shape)
    array: np.ndarray = np.asarray(X)
    return np.require(array, dtype=wanted, requirements=["C", "A"])
