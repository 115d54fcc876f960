"""Rows of a Dask array or frame as an estimator sees them: blocks that stay on their workers."""

import uuid
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError

from distributed import Client, KilledWorker, default_client
from semisvm.distributed import block_tasks
from semisvm.distributed.space import RemoteSpace
from semisvm.geometry.distances import Cloud, Points
from semisvm.objective.remote_vectors import Sums
from semisvm.spaces.chunked.features import Block, BlockFeatures
from semisvm.spaces.chunked.row_source import RowLayout, RowSource
from semisvm.spaces.space import Space

FAN_IN = 8
"""Sums that one task adds up."""
Call: TypeAlias = tuple[Any, ...]
"""(task, *arguments); futures among the arguments stand for their results."""
ATTEMPTS = 5
"""How often a result that was lost with its worker is asked for."""


def current_client() -> Client:
    """The client of this process, or a new one with a cluster of local processes."""
    try:
        return default_client()
    except ValueError:
        return Client(threads_per_worker=1, dashboard_address=None)


def row_source(X: Any) -> "DaskRows | None":
    """Dask arrays and frames as a source of rows; anything else of Dask is left alone."""
    frame = "to_dask_array" in dir(X)
    return DaskRows(X) if frame or isinstance(X, da.Array) else None


class DaskRows(RowSource):
    """A dask array (blocks dense or scipy.sparse) or a dask frame of numbers; client=None is the current client."""

    def __init__(self, X: Any, client: Client | None = None):
        self._client = client
        self._names: tuple[str, ...] | None = None
        if not isinstance(X, da.Array):
            self._names = tuple(str(name) for name in X.columns)
            X = X.to_dask_array()
        if X.ndim != 2:
            raise ValueError(f"A dask array of {X.ndim} dimensions was given and a matrix of rows is needed.")
        # a block holds whole rows
        self.array = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X

    @cached_property
    def client(self) -> Client:
        return self._client or current_client()

    # ---------------------------------------------------------------- blocks on their workers

    @cached_property
    def blocks(self) -> list[Any]:
        """Futures of all blocks: computed once, aligned, and kept where they are."""
        arriving = [dask.delayed(block_tasks.arrive)(block) for block in self.array.to_delayed().ravel()]
        return self.client.compute(arriving, optimize_graph=True)

    @cached_property
    def layout(self) -> RowLayout:  # type: ignore[override]  # known once the blocks have arrived
        """Of blocks whose values are known to be finite."""
        descriptions = self.results(self.run_all([(block_tasks.describe, block) for block in self.blocks]))
        bad = np.unique(np.concatenate([one[3] for one in descriptions]))
        if len(bad):
            column = bad[0] if self._names is None else repr(self._names[bad[0]])
            raise ValueError(f"Column {column} contains NaN or infinity: fill in or drop these values first.")
        kinds = {(one[1], one[2]) for one in descriptions}
        if len(kinds) > 1:
            raise ValueError(f"The blocks are of {len(kinds)} types and one is needed: use X.astype('float32').")
        ((dtype, sparse),) = kinds
        starts = np.cumsum([0, *(one[0][0] for one in descriptions)])
        return RowLayout(starts, self.n_features, dtype, sparse, self._names)

    @property
    def spans(self) -> list[slice]:
        return [self.layout.span(block) for block in range(self.layout.n_chunks)]

    def run(self, task: Callable[..., Any], *args: Any) -> Any:
        """A future of task(*args), on the worker that holds most of what it needs."""
        return self.run_all([(task, *args)])[0]

    def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """Futures of task(*args) for each (task, *args): one message to the scheduler for all of them."""
        graph = _named(calls)
        return self._send(graph, list(graph))

    def _send(self, graph: dict[str, Call], wanted: list[str]) -> list[Any]:
        if self.client.status != "running":
            raise self._lost()
        return self.client.get(graph, wanted, sync=False)

    def _lost(self) -> ConnectionError:
        return ConnectionError(
            f"The connection to the scheduler of the Dask cluster ({self._address}) was lost: connect a client to a "
            "cluster that runs, and fit again."
        )

    @cached_property
    def _address(self) -> str:
        scheduler = self.client.scheduler
        return "closed" if scheduler is None else str(scheduler.address)

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """The results of the tasks; the scheduler runs those of dead workers again elsewhere."""
        for attempt in range(ATTEMPTS):
            try:
                return self.client.gather(list(futures))
            except KilledWorker as killed:
                raise MemoryError(
                    f"Workers of the cluster ended again and again at one block of rows (the last one, "
                    f"{killed.last_worker.address}, with a memory limit of {killed.last_worker.memory_limit:,} bytes), "
                    "most likely out of memory: use smaller blocks, or workers with more memory."
                ) from None
            except (FutureCancelledError, CommClosedError, OSError) as lost:
                cancelled = isinstance(lost, FutureCancelledError) and "connection" not in str(lost.reason)
                if not cancelled or self.client.status != "running" or attempt + 1 == ATTEMPTS:
                    raise self._lost() from None
                for future in futures:
                    future.retry()
        raise AssertionError("unreachable: the last attempt returns or raises")

    # ---------------------------------------------------------------- what estimators ask

    @property
    def n_features(self) -> int:
        """Known before a block was computed, as lazy predictions need it."""
        return int(self.array.shape[1])

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        return self._names

    @cached_property
    def _cloud(self) -> Cloud:
        return Cloud(None)

    def take(self, rows: np.ndarray) -> Points:
        rows = np.asarray(rows, dtype=np.intp)
        block_of = np.searchsorted(self.layout.starts, rows, side="right") - 1
        tasks, places = [], []
        for block in np.unique(block_of):
            here = np.flatnonzero(block_of == block)
            tasks.append((block_tasks.pick, self.blocks[block], rows[here] - self.layout.starts[block]))
            places.append(here)
        parts = self.results(self.run_all(tasks))
        X: Any = np.empty((0, self.n_features), dtype=self.dtype)
        if parts:
            order = np.argsort(np.concatenate(places), kind="stable")
            X = (sp.csr_array(sp.vstack(parts)) if self.sparse else np.concatenate(parts))[order]
        return Points(sp.csr_array(X) if self.sparse else X, rows, self._cloud)

    @cached_property
    def _moments(self) -> list[Any]:
        return self.results(self.run_all([(block_tasks.moments, block) for block in self.blocks]))

    def spread(self) -> tuple[float, float]:
        # joining two parts: the squared distances grow by (difference of the means)^2 m n / (m + n)
        count, mean, squares = 0, 0.0, 0.0
        for entries, own, distance, _, _ in self._moments:
            if entries:
                squares += distance + (own - mean) ** 2 * count * entries / (count + entries)
                mean, count = (mean * count + own * entries) / (count + entries), count + entries
        return mean, squares / max(1, count)

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = [one[3] for one in self._moments], [one[4] for one in self._moments]
        return np.min(low, axis=0), np.max(high, axis=0)

    def summed(self, task: Callable[[Block], tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
        return self.tree_sum([(task, block) for block in self.blocks])

    def tree_sum(self, calls: Sequence[Call]) -> Sums:
        """The sum of the results of tasks, by a tree of tasks whose root is this process."""
        graph = level = _named(calls)
        while len(level) > FAN_IN:
            names = list(level)
            level = _named([(block_tasks.add, *names[i : i + FAN_IN]) for i in range(0, len(names), FAN_IN)])
            graph = {**graph, **level}
        return block_tasks.add(*self.results(self._send(graph, list(level))))

    def changed(self, change: Callable[[Block], Block]) -> "DaskRows":
        like = change(np.zeros((1, self.n_features), dtype=self.dtype))
        made = DaskRows(
            self.array.map_blocks(block_tasks.changed, change, dtype=like.dtype, meta=like[:0]), self.client
        )
        made._names = self._names
        # of blocks that have arrived, where they are
        made.blocks = self.run_all([(block_tasks.changed, block, change) for block in self.blocks])
        return made

    def space(self, features: BlockFeatures) -> Space:
        return RemoteSpace(self, features)

    def answers(self, method: Callable[[Block], np.ndarray]) -> da.Array:
        """Lazily: one task per block, computed with the result."""
        like = method(np.zeros((1, self.n_features)))
        delayed = dask.delayed(_apply, pure=False)
        sent = dask.delayed(method)
        parts = [
            da.from_delayed(delayed(sent, block), (rows, *like.shape[1:]), dtype=like.dtype)
            for rows, block in zip(self.array.chunks[0], self.array.to_delayed().ravel(), strict=True)
        ]
        return da.concatenate(parts, allow_unknown_chunksizes=True)


def _apply(method: Callable[[Block], np.ndarray], block: Any) -> np.ndarray:
    rows = block_tasks.arrive(block)
    return method(rows)


def _named(calls: Sequence[Call]) -> dict[str, Call]:
    """A graph of these calls, each with a name that no other has."""
    mark = uuid.uuid4().hex
    return {f"{_name_of(call[0])}-{mark}-{place}": call for place, call in enumerate(calls)}


def _name_of(task: Any) -> str:
    return task.func.__name__ if isinstance(task, partial) else task.__name__
