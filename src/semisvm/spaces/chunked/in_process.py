"""Linear functions and landmarks on rows that are visited in chunks: one pass over them per evaluation.

The maps are those of the spaces in memory, summed chunk by chunk; each thread has every so many chunks and its own sum,
so that the result depends on the number of threads and not on their timing. Rows are read in the precision they are
stored in, sums are float64.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from semisvm._compat import effective_threads
from semisvm.geometry.distances import Cloud, Points
from semisvm.objective import GramObjective, Problem
from semisvm.objective.remote_vectors import RemoteOutputs, Sums
from semisvm.objective.row_sums import over_chunks
from semisvm.objective.rows import RowLosses, RowParts
from semisvm.spaces.chunked.features import Block, BlockFeatures, block_adjoint, block_outputs, block_sweep
from semisvm.spaces.chunked.row_source import RowLayout, RowSource, aligned
from semisvm.spaces.chunked.space import PartitionedSpace, Swept
from semisvm.spaces.chunked.turns import in_turns
from semisvm.spaces.space import Space

LARGEST, LARGEST_SINGLE = 1e75, 1e15
"""Squares of larger values, and products of squares, overflow float64, or float32."""
CHUNK_BYTES = 32 * 2**20
"""Of the rows visited at a time: large enough to read ahead, small beside the memory."""


class ChunkedRows(RowSource):
    """Rows of one process, in chunks that are loaded one after the other, each thread on its own."""

    @abstractmethod
    def load(self, chunk: int) -> Block:
        """The rows of a chunk."""

    @cached_property
    def cloud(self) -> Cloud:
        """One data set, measured from zero; landmarks decide where distances are measured from."""
        return Cloud(None)

    def loaders(self, wanted: np.ndarray | None = None) -> Iterator[tuple[slice, Callable[[], Block]]]:
        """(rows, how they are loaded) of all chunks, or of those `wanted`, in order."""
        for chunk in range(self.layout.n_chunks) if wanted is None else wanted:
            yield self.layout.span(chunk), partial(self._load, int(chunk))

    def _load(self, chunk: int) -> Block:
        """The rows of a chunk; their values are checked the first time."""
        block = self.load(chunk)
        if chunk not in self._seen:
            self._check_values(block)
            self._seen.add(chunk)
        return block

    @cached_property
    def _seen(self) -> set[int]:
        return set()

    def _check_values(self, block: Any) -> None:
        values = _values(block)
        largest = LARGEST if block.dtype == np.float64 else LARGEST_SINGLE
        # a comparison with NaN is False
        if bool(np.abs(values).max(initial=0.0) <= largest):
            return
        wrong = np.flatnonzero(~(np.abs(values.ravel()) <= largest))[0]
        column = int(block.indices[wrong]) if sp.issparse(block) else int(wrong) % block.shape[1]
        name = column if self.feature_names is None else repr(self.feature_names[column])
        if np.isfinite(values.ravel()[wrong]):
            what, instead = f"a value beyond {largest:g}", "divide the column by its size first"
        else:
            what, instead = "NaN or infinity", "fill in or drop these values first"
        raise ValueError(f"Column {name} contains {what}: {instead}.")

    def visit(self, work: Callable[[int, slice, Block], None], n_threads: int | None = None) -> int:
        """work(thread, rows, block) for all chunks; chunk i belongs to thread i mod n_threads. Returns n_threads."""
        n_threads = max(1, min(n_threads or effective_threads(), self.layout.n_chunks))
        in_turns(self.loaders(), lambda thread, chunk: work(thread, chunk[0], chunk[1]()), n_threads)
        return n_threads

    def take(self, rows: np.ndarray) -> Points:
        rows = np.asarray(rows, dtype=np.intp)
        chunk_of = np.searchsorted(self.layout.starts, rows, side="right") - 1
        wanted = np.unique(chunk_of)
        parts, places = [], []
        for chunk, (span, load) in zip(wanted, self.loaders(wanted), strict=True):
            here = np.flatnonzero(chunk_of == chunk)
            parts.append(load()[rows[here] - span.start])
            places.append(here)
        if not parts:
            X: Any = np.empty((0, self.n_features), dtype=self.dtype)
            return Points(sp.csr_array(X) if self.sparse else X, rows, self.cloud)
        order = np.argsort(np.concatenate(places), kind="stable")
        X = sp.csr_array(sp.vstack(parts)) if self.sparse else np.concatenate(parts)
        return Points(X[order], rows, self.cloud)

    def spread(self) -> tuple[float, float]:
        size, total, squares = self.shape[0] * self.shape[1], 0.0, 0.0
        # chunk by chunk: sum (x - m)^2 grows by that of the chunk and by the distance of the two means
        count, mean = 0, 0.0
        for _, load in self.loaders():
            block = load()
            values, entries = _values(block), block.shape[0] * block.shape[1]
            if not entries:
                continue
            total = float(values.sum(dtype=np.float64))
            own = total / entries
            spread = float(np.square(values - own, dtype=np.float64).sum()) + (entries - values.size) * own**2
            squares += spread + (own - mean) ** 2 * count * entries / (count + entries)
            mean, count = (mean * count + total) / (count + entries), count + entries
        return mean, squares / max(1, size)

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        for _, load in self.loaders():
            block = load()
            if block.shape[0]:
                low, high = np.minimum(low, _edge(block, "min")), np.maximum(high, _edge(block, "max"))
        return low, high

    def summed(self, task: Callable[[Block], tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
        sums: dict[int, tuple[np.ndarray, ...]] = {}

        def work(thread: int, rows: slice, block: Block) -> None:
            found = task(block)
            known = sums.get(thread)
            sums[thread] = found if known is None else tuple(a + b for a, b in zip(known, found, strict=True))

        with one_thread_each():
            self.visit(work)
        return tuple(np.sum(terms, axis=0) for terms in zip(*(sums[thread] for thread in sorted(sums)), strict=True))

    def changed(self, change: Callable[[Block], Block]) -> "ChangedRows":
        return ChangedRows(self.layout.changed(change), self, change)

    def space(self, features: BlockFeatures) -> Space:
        return Chunked(self, features)

    def answers(self, method: Callable[[Block], np.ndarray]) -> np.ndarray:
        return np.concatenate([method(load()) for rows, load in self.loaders() if rows.stop > rows.start])


@dataclass(frozen=True, eq=False)
class ChangedRows(ChunkedRows):
    """Other rows, every chunk of which is changed when it is loaded."""

    layout: RowLayout
    rows: ChunkedRows
    change: Callable[[Block], Block]

    def load(self, chunk: int) -> Block:
        return self._made(partial(self.rows.load, chunk))

    def loaders(self, wanted: np.ndarray | None = None) -> Iterator[tuple[slice, Callable[[], Block]]]:
        return ((rows, partial(self._made, load)) for rows, load in self.rows.loaders(wanted))

    def _made(self, load: Callable[[], Block]) -> Block:
        return aligned(self.change(load()), self.dtype)


@dataclass(frozen=True, eq=False)
class Chunked(PartitionedSpace):
    """Passes over the chunks of one process, on all its cores."""

    rows: ChunkedRows

    def objective(self, problem: Problem) -> GramObjective:
        return over_chunks(problem)

    def _kept_where_it_is_used(self, outputs: RemoteOutputs) -> np.ndarray:
        return np.asarray(outputs)

    def _outputs(self, w: np.ndarray) -> np.ndarray:
        o = np.empty((self.n_points, w.shape[1]))

        def work(thread: int, rows: slice, block: Block) -> None:
            o[rows] = block_outputs(self.features, block, w)

        self._visit(work)
        return o

    def _adjoint(self, v: np.ndarray) -> np.ndarray:
        sums: dict[int, np.ndarray] = {}

        def work(thread: int, rows: slice, block: Block) -> None:
            g = sums.setdefault(thread, np.zeros((self.features.n_values, v.shape[1])))
            block_adjoint(self.features, block, v[rows], g)

        self._visit(work)
        return _total(sums, (self.features.n_values, v.shape[1]))

    def _swept(self, w: np.ndarray, f: RowLosses) -> Swept:
        k = w.shape[1]
        o, slope = np.empty((self.n_points, k)), np.empty((self.n_points, k))
        sums: dict[int, np.ndarray] = {}
        values: dict[int, np.ndarray] = {}

        def work(thread: int, rows: slice, block: Block) -> None:
            g = sums.setdefault(thread, np.zeros((self.features.n_values, k)))

            def loss(part: slice, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                return f(slice(rows.start + part.start, rows.start + part.stop), outputs)

            value = block_sweep(self.features, block, w, loss, o[rows], slope[rows], g)
            values[thread] = values.get(thread, 0.0) + value

        self._visit(work)
        return _total(values, (k,)), slope.sum(axis=0), _total(sums, (self.features.n_values, k)), o, slope

    def reduced(self, task: Callable[..., Sums], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any) -> Sums:
        sums: Sums = self.collected(task, parts, scores, *more)[0]
        return sums

    def collected(
        self, task: Callable[..., Any], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any, each: Any = None
    ) -> list[Any]:
        # vectors with one number per row are in memory: one block
        every = slice(0, self.n_points)
        return [task(parts.part(every), *(np.asarray(one) for one in scores), *more, *(each[:1] if each else ()))]

    def _squares(self) -> np.ndarray:
        squares = np.empty(self.n_points)

        def work(thread: int, rows: slice, block: Block) -> None:
            for part, values in self.features.parts(block):
                squares[rows][part] = self.features.norms(values)

        self._visit(work)
        return squares

    def _visit(self, work: Callable[[int, slice, Block], None]) -> None:
        with one_thread_each():
            self.rows.visit(work)


_POOLS: list[ThreadpoolController] = []


def one_thread_each() -> Any:
    """The threads of a pass are ours: the products of a chunk take one each. The pools are looked up once."""
    if not _POOLS:
        _POOLS.append(ThreadpoolController())
    return _POOLS[0].limit(limits=1, user_api="blas")


def _total(sums: dict[int, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The sum over threads, in their order."""
    return sum((sums[thread] for thread in sorted(sums)), np.zeros(shape))


def _values(block: Any) -> np.ndarray:
    """The stored entries."""
    stored: np.ndarray = block.data if sp.issparse(block) else block
    return stored


def _edge(block: Block, which: str) -> np.ndarray:
    edge = getattr(block, which)(axis=0)
    return np.asarray(edge.toarray() if sp.issparse(edge) else edge, dtype=np.float64).ravel()
