"""Approximate neighbors in a time that grows with the rows: each row is compared with the rows of the nearest cells.

Rows drawn at random are the centers of cells, and every row belongs to the nearest center. All rows of a cell are
compared with the same candidates, those of the cells whose centers are nearest, by one matrix product in float32. The
true neighbors of rows on a curved surface of few dimensions are nearly always among them; of rows that fill many
dimensions at random some are missed, and others about as near are found.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from sklearn.random_projection import SparseRandomProjection

from semisvm.geometry.distances import Array, Points, slices, squared_norms
from semisvm.memory import chunk_rows

CELL = 128
"""Rows of a cell in the mean."""
CANDIDATES = 4096
"""Rows that each row is compared with."""
PROJECTED = 64
"""Columns that sparse rows are brought to."""
BLOCK_BYTES = 16 * 2**20


def near_in_cells(points: Points, k: int) -> Array:
    """(n, k) positions of near rows, the row itself possibly among them; -1 where a row has fewer candidates."""
    X = _places(points)
    h = squared_norms(X).astype(np.float32) / 2
    found = np.full((len(X), k), -1, dtype=np.int64)
    for rows, candidates in _cells(X, h):
        # |z|^2 / 2 - x'z orders the z as their distance from x does
        D = h[candidates] - X[rows] @ X[candidates].T
        most = min(k, len(candidates))
        nearest = np.argpartition(D, most - 1, axis=1)[:, :most] if most < len(candidates) else None
        found[rows, :most] = candidates if nearest is None else candidates[nearest]
    return found


def _places(points: Points) -> Array:
    """Dense rows about their middle, in float32; sparse ones projected, which keeps distances roughly."""
    if points.sparse:
        projection = SparseRandomProjection(min(PROJECTED, points.n_features), dense_output=True, random_state=0)
        return np.ascontiguousarray(projection.fit_transform(points.X), dtype=np.float32)
    X = points.positions
    # squares must not leave float32
    return (X / (np.abs(X).max() or 1.0)).astype(np.float32)


def _cells(X: Array, h: Array) -> Iterator[tuple[Array, Array]]:
    """Rows of each cell, at most `CELL` at a time, and the candidates to compare them with."""
    n = len(X)
    centers = np.random.default_rng(0).choice(n, -(-n // CELL), replace=False)
    cell = _nearest_center(X, h, centers)
    order = np.argsort(cell, kind="stable")
    ends = np.searchsorted(cell[order], np.arange(len(centers) + 1))
    members = [order[start:end] for start, end in pairwise(ends)]
    sizes = np.diff(ends)
    for own, mine in enumerate(members):
        if not len(mine):
            continue
        near = np.argsort(h[centers] - X[centers] @ X[centers[own]], kind="stable")
        near = np.concatenate([[own], near[near != own]])
        needed = 1 + int(np.searchsorted(np.cumsum(sizes[near]), CANDIDATES))
        others = np.concatenate([members[one] for one in near[1:needed]] or [mine[:0]])
        for part in slices(len(mine), CELL):
            # of a cell that is too large alone, the rows beside these
            about = np.roll(mine, CELL - part.start)[:CANDIDATES]
            yield mine[part], np.concatenate([about, others])[:CANDIDATES]


def _nearest_center(X: Array, h: Array, centers: Array) -> Array:
    found = np.empty(len(X), dtype=np.int64)
    for rows in slices(len(X), chunk_rows(len(centers), 4, BLOCK_BYTES)):
        found[rows] = np.argmin(h[centers] - X[rows] @ X[centers].T, axis=1)
    return found
