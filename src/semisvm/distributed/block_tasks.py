"""Tasks of workers on one block of rows, and how their sums are added; every function here is pickled by its name."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.distributed.compact import unpack
from semisvm.distributed.worker_memory import keep_freed_memory
from semisvm.geometry.distances import Cloud, Points
from semisvm.objective.remote_vectors import Sums
from semisvm.spaces.chunked.features import Block, BlockFeatures, block_adjoint, block_outputs, block_sums
from semisvm.spaces.chunked.row_source import aligned


def arrive(block: Any) -> Block:
    """Rows as the compiled loops read them: rows received over the network may not be aligned."""
    if isinstance(block, np.ndarray) or sp.issparse(block):
        return aligned(block)
    return aligned(block.to_numpy())


def changed(block: Any, change: Callable[[Block], Block]) -> Block:
    """A block after a change."""
    return aligned(change(arrive(block)))


def describe(block: Any) -> tuple[tuple[int, int], np.dtype, bool, np.ndarray]:
    """(shape, type, whether sparse, columns with values that are not finite)."""
    sparse = sp.issparse(block)
    values = block.data if sparse else block
    bad = np.empty(0, dtype=np.intp)
    if not np.isfinite(np.sum(values)):
        columns = block.indices if sparse else np.arange(block.shape[1])
        broken = ~np.isfinite(values) if sparse else ~np.isfinite(values).all(axis=0)
        bad = np.unique(columns[broken])
    return block.shape, block.dtype, sparse, bad


def keep(value: Any) -> Any:
    """A value that lives on the cluster and is made again there if its worker dies."""
    return value


def sweep(features: BlockFeatures, block: Block, part: Any, w: np.ndarray, shift: np.ndarray) -> Sums:
    """(loss, sum of the slopes, values' slope) of a block."""
    keep_freed_memory()
    return block_sums(features, block, w, lambda rows, outputs: part(rows, outputs + shift))


def apply(task: Callable[..., Any], part: Any, scores: Sequence[np.ndarray], shifts: Sequence[Any], *more: Any) -> Any:
    """The task, applied to a part and to the scores of its rows; their outputs are on this worker."""
    keep_freed_memory()
    return task(part, *(outputs + shift for outputs, shift in zip(scores, shifts, strict=True)), *more)


def curvature(part: Any, outputs: np.ndarray, shift: np.ndarray) -> Any:
    """The curvature of the losses at these scores."""
    return part.curvature_part(outputs + shift)


def adjoint(features: BlockFeatures, block: Block, packed: bytes) -> Sums:
    """values' v of a block, for v as `pack` wrote it."""
    keep_freed_memory()
    v = unpack(packed)
    g = np.zeros((features.n_values, v.shape[1]))
    block_adjoint(features, block, v, g)
    return (g,)


def add(*sums: Sums) -> Sums:
    """Sums of several blocks, added in their order."""
    return tuple(np.sum(terms, axis=0) for terms in zip(*sums, strict=True))


def outputs(features: BlockFeatures, block: Block, w: np.ndarray) -> np.ndarray:
    keep_freed_memory()
    return block_outputs(features, block, w)


def norms(features: BlockFeatures, block: Block) -> np.ndarray:
    squares = np.empty(block.shape[0])
    for rows, values in features.parts(block):
        squares[rows] = features.norms(values)
    return squares


def pick(block: Block, rows: np.ndarray) -> Block:
    return block[rows]


def moments(block: Block) -> tuple[int, float, float, np.ndarray, np.ndarray]:
    """(entries, their mean, their squared distance from it, smallest and largest entry of each column)."""
    points = Points(block, np.arange(block.shape[0]), Cloud(None))
    entries = block.shape[0] * block.shape[1]
    if not entries:
        return 0, 0.0, 0.0, np.full(block.shape[1], np.inf), np.full(block.shape[1], -np.inf)
    mean, variance = points.spread()
    return entries, mean, entries * variance, *points.box()
