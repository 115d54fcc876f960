"""Training rows that are never held whole: what an estimator asks of them, and how chunks of them are visited.

An objective over rows is a sum, so all that training needs is to see every chunk of rows once per evaluation. Vectors
with a number per row (labels, weights, outputs) are ordinary arrays; only the rows themselves stay where they are.
"""

import importlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.distances import Points
from semisvm.kernels import Kernel
from semisvm.spaces.chunked_views import Block, LandmarkView, PlainView, View
from semisvm.spaces.space import Space

READERS: dict[str, str] = {"dask": "semisvm.distributed"}
"""Packages whose arrays stay where they are, and the module whose `row_source` makes a source of them."""


class RowSource(ABC):
    """Rows seen from an estimator. Of `Points` it has what the choice of kernels, widths and landmarks needs."""

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the columns, where they have some."""
        return None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    @property
    @abstractmethod
    def dtype(self) -> np.dtype: ...

    @property
    @abstractmethod
    def sparse(self) -> bool: ...

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
        """The sums over all blocks of what the task makes of each; it must be able to travel."""

    @abstractmethod
    def space(self, view: View) -> Space:
        """Functions of a view of the rows."""

    def linear(self) -> Space:
        """Linear functions of the rows."""
        return self.space(PlainView(self.n_features))

    def on_landmarks(self, kernel: Kernel, landmarks: Points) -> Space:
        """Functions of the rows' kernel values against landmarks."""
        return self.space(LandmarkView.of(kernel, landmarks))

    @abstractmethod
    def answers(self, method: Callable[[Block], np.ndarray]) -> Any:
        """What the method says of the rows, asked block by block."""

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def n_features(self) -> int:
        return self.shape[1]

    @property
    def index(self) -> np.ndarray:
        """Tells this source from any other; a source is used whole, so its rows need no numbers."""
        return np.array([id(self)])

    @property
    def X(self) -> np.ndarray:
        """A matrix of all rows is what a source does not have."""
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


def in_turns(items: Iterator[Any], work: Callable[[int, Any], None], n_threads: int) -> None:
    """work(thread, item): thread t gets items t, t + n_threads, ... in order, so that sums do not depend on timing.

    The items are drawn by one thread at a time; this thread works too, and raises the first error of any.
    """
    turn, errors = threading.Condition(), []
    state = {"next": 0, "ended": False}

    def draw(thread: int) -> tuple[bool, Any]:
        with turn:
            turn.wait_for(lambda: state["next"] % n_threads == thread or state["ended"])
            if state["ended"]:
                return False, None
            try:
                item = next(items)
            except StopIteration:
                state["ended"] = True
                return False, None
            finally:
                state["next"] += 1
                turn.notify_all()
            return True, item

    def stop() -> None:
        with turn:
            state["ended"] = True
            turn.notify_all()

    def loop(thread: int) -> None:
        while True:
            more, item = draw(thread)
            if not more:
                return
            work(thread, item)

    def guarded(thread: int) -> None:
        try:
            loop(thread)
        except BaseException as error:
            errors.append(error)
            stop()

    beside = [threading.Thread(target=guarded, args=(thread,)) for thread in range(1, n_threads)]
    for helper in beside:
        helper.start()
    try:
        loop(0)
    finally:
        stop()
        for helper in beside:
            helper.join()
    if errors:
        raise errors[0]


def aligned(X: Any, dtype: np.dtype | None = None) -> Block:
    """Rows as the loops read them; copied only where type, order or alignment ask for it."""
    wanted = dtype or (np.float32 if X.dtype == np.float32 else np.float64)
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=wanted)
        if X.data.flags.aligned and X.indices.flags.aligned and X.indptr.flags.aligned:
            return X
        parts = (np.require(a, requirements=["C", "A"]) for a in (X.data, X.indices, X.indptr))
        return sp.csr_array(tuple(parts), shape=X.shape)
    array: np.ndarray = np.asarray(X)
    return np.require(array, dtype=wanted, requirements=["C", "A"])
