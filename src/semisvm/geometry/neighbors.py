"""Nearest neighbors: exact by matrix products in blocks or a k-d tree, approximate beyond a size; for graphs.

Products only pre-select neighbors: their order and their distances come from sums of squared differences in float64.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, hstack, issparse
from scipy.spatial import cKDTree

from semisvm._core.near_points import Sieve
from semisvm.geometry.distances import Array, Points, paired_squared_distances, slices, squared_norms
from semisvm.geometry.near_cells import near_in_cells
from semisvm.memory import chunk_rows

TILE = 512  # rows and columns of a tile of products: half of a core's own cache
ROOM = 60  # candidates of a row beyond four for each neighbor
SCREEN_BYTES = 16 * 2**20  # a block of the search: half a common last-level cache
TREE_FEATURES = 6  # up to this many dense columns a k-d tree is faster than products
APPROXIMATE_ABOVE = 50_000  # points from which neighbors are searched approximately, where pynndescent is installed
WARN_AT = 0.02  # share of an exact search of more points after which a warning estimates its time
REDRAW_SECONDS = 0.1


def nearest_neighbors(
    points: Points, k: int, metric: str = "euclidean", *, approximate_above: int = APPROXIMATE_ABOVE
) -> tuple[Array, Array]:
    """The k nearest other points of every point: their positions (n, k) and distances (n, k), nearest first.

    A point is never its own neighbor, however many copies it has. Equal distances are ordered by position. The cosine
    distance is 1 - cos, of directions in the precision of the data; a row of zeros has distance 1 to every row but
    another row of zeros.
    Up to `approximate_above` points, or with a handful of columns, the search is exact. Beyond, it is approximate where
    pynndescent is installed, and the true distances of the neighbors found are returned; else it is exact as well, and
    a line on the terminal follows it.
    """
    n = len(points)
    if not 1 <= k < n:
        raise ValueError(f"{k} neighbors of each of {n} points were asked for: ask for at least 1 and at most {n - 1}.")
    if metric == "euclidean":
        indices, squares = _nearest(points, k, approximate_above)
        return _all_found(indices), np.sqrt(squares)
    if metric == "cosine":
        # 1 - cos(x, z) = |x / |x| - z / |z||^2 / 2
        indices, squares = _nearest(_directions(points), k, approximate_above)
        return _all_found(indices), squares / 2
    raise ValueError(f'The metric {metric!r} is not known: use "euclidean" or "cosine".')


def near_neighbors(points: Points, k: int) -> tuple[Array, Array]:
    """As `nearest_neighbors`, but approximate, in a time that grows with the rows and without another package."""
    indices, squares = _ranked(points, near_in_cells(points, k + 1), k)
    return _all_found(indices), np.sqrt(squares)


def _all_found(indices: Array) -> Array:
    """The indices, none of which is missing: compiled loops would follow one that is."""
    if indices.min() < 0:
        raise ValueError(
            "Some rows have no neighbors because distances to them are not finite numbers: divide the columns by "
            "their size first."
        )
    return indices


def _nearest(points: Points, k: int, approximate_above: int) -> tuple[Array, Array]:
    n = len(points)
    if not points.sparse and points.n_features <= TREE_FEATURES:
        found = cKDTree(points.X).query(points.X, k=min(n, k + 8))[1]
        complete = found.shape[1] == n
    elif n > approximate_above and (descent := _descent()) is not None:
        found, complete = _descend(points, k, descent), True
    else:
        with _SearchProgress.of(points, approximate_above) as progress:
            return _search(points, np.arange(n), k, progress) if points.sparse else _sieved(points, k, progress)
    return _ranked(points, found, k, complete=complete)


def _ranked(points: Points, found: Array, k: int, *, complete: bool = True) -> tuple[Array, Array]:
    """The k nearest of the points found for every row, -1 among them where there are fewer; the rest is searched."""
    n = len(points)
    rows, cols = np.repeat(np.arange(n), found.shape[1]), found.ravel()
    others = (cols != rows) & (cols >= 0)
    rows, cols = rows[others], cols[others]
    squares = paired_squared_distances(points, rows, cols)
    indices, nearest = _first_of_each(n, rows, cols, squares, k)
    unsure = indices[:, -1] < 0
    if not complete:
        # A k-th neighbor as far as the farthest point found may have equals that were not found.
        farthest = np.zeros(n)
        np.maximum.at(farthest, rows, squares)
        unsure |= farthest <= nearest[:, -1] * (1 + 1e-9)
    again = np.flatnonzero(unsure)
    if len(again):
        indices[again], nearest[again] = _search(points, again, k)
    return indices, nearest


def _sieved(points: Points, k: int, progress: _SearchProgress) -> tuple[Array, Array]:
    """Exact neighbors of all dense rows: products of half the pairs in float32 leave a few candidates for each row."""
    n, screen = len(points), _Screen.at(points, np.float32)
    c = screen.relative_error
    h = ((1 - c) / 2 * screen.squared_norms).astype(np.float32)
    sieve, tile = Sieve(h, 2 * c / (1 - c), k, 4 * k + ROOM), np.empty(TILE * TILE, dtype=np.float32)
    parts = list(slices(n, TILE))
    # along the diagonals: after the first of them every row has a limit
    for apart in range(len(parts)):
        for rows, cols in zip(parts, parts[apart:], strict=False):
            x, z = screen.rows[rows], screen.rows[cols]
            G = np.matmul(x, z.T, out=tile[: len(x) * len(z)].reshape(len(x), len(z)))
            sieve.take(G, rows.start, cols.start)
            progress.add(G.size * (1 if apart == 0 else 2))
    r, c, full = sieve.candidates()
    indices, nearest = _first_of_each(n, r, c, paired_squared_distances(points, r, c), k)
    again = np.flatnonzero(full)
    if len(again):
        indices[again], nearest[again] = _search(points, again, k)
    return indices, nearest


def _search(points: Points, wanted: Array, k: int, progress: _SearchProgress | None = None) -> tuple[Array, Array]:
    """Exact neighbors of the `wanted` rows: screened by products, in float32 where that suffices, then ranked."""
    n, most = len(points), 4 * k + 60
    indices, nearest = np.empty((len(wanted), k), dtype=np.int64), np.empty((len(wanted), k))
    coarse, fine = _Screen.at(points, np.float32), None
    for block in slices(len(wanted), chunk_rows(n, 4, SCREEN_BYTES)):
        rows = wanted[block]
        if fine is None:
            r, c, _ = coarse.within(rows, k)
            if len(r) > most * len(rows):
                fine = _Screen.at(points, np.float64)
        if fine is not None:
            r, c, screened = fine.within(rows, k)
            if len(r) > most * len(rows):  # equal up to rounding: the first by position are taken
                kept = _first_of_each(len(rows), r, c, screened, most)[0]
                r, c = np.nonzero(kept >= 0)[0], kept[kept >= 0]
        squares = paired_squared_distances(points, rows[r], c)
        indices[block], nearest[block] = _first_of_each(len(rows), r, c, squares, k)
        if progress is not None:
            progress.add(len(rows) * n)
    return indices, nearest


@dataclass(frozen=True, eq=False)
class _Screen:
    """All points in one precision, to find which can be among the k nearest of some rows."""

    rows: Any
    columns: Any
    squared_norms: Array
    relative_error: float
    """Of |x|^2 + |z|^2 - 2 x'z, as a share of |x|^2 + |z|^2: rounding of X, of d products and of the sums."""

    @cached_property
    def error(self) -> float:
        """At most that of |z|^2 - 2 x'z."""
        return float(2 * self.relative_error * self.squared_norms.max())

    @classmethod
    def at(cls, points: Points, precision: type) -> _Screen:
        X: Any = points.X.astype(np.float64)
        if points.cloud.origin is not None:
            X -= points.cloud.origin
        # divided, not multiplied by a reciprocal, which is infinite for the smallest numbers
        largest = abs(X).max() or 1.0
        if points.sparse:
            X.data /= largest
        else:
            X /= largest
        X = X.astype(precision, copy=False)
        error = (X.shape[1] + 8) * float(np.finfo(precision).eps) / 2
        return cls(X, X.T.tocsr() if points.sparse else X.T, squared_norms(X).astype(precision), error)

    def within(self, wanted: Array, k: int) -> tuple[Array, Array, Array]:
        """(row, point, screened distance) of all pairs that rounding allows among the k nearest; self excluded."""
        x = self.rows[wanted]
        # |x - z|^2 - |x|^2 = |z|^2 - 2 x'z orders the z as the distance does
        D = (x @ self.columns).toarray() * -2 if issparse(x) else (-2 * x) @ self.columns
        D += self.squared_norms
        D[np.arange(len(wanted)), wanted] = np.inf
        limit = np.partition(D, k - 1, axis=1)[:, k - 1] + D.dtype.type(2 * self.error)
        candidates = np.flatnonzero(limit[:, None] >= D)
        rows, cols = np.divmod(candidates, D.shape[1])
        return rows, cols, D.ravel()[candidates]


def _first_of_each(n: int, rows: Array, cols: Array, values: Array, k: int) -> tuple[Array, Array]:
    """Per row the k columns of least value, equal values by column; -1 and infinity where there are fewer."""
    order = np.lexsort((cols, values, rows))
    rows, cols, values = rows[order], cols[order], values[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows, side="left")
    first = rank < k
    indices, least = np.full((n, k), -1, dtype=np.int64), np.full((n, k), np.inf)
    indices[rows[first], rank[first]] = cols[first]
    least[rows[first], rank[first]] = values[first]
    return indices, least


def _descend(points: Points, k: int, descent: Callable[..., Any]) -> Array:
    """Approximate neighbors by nearest-neighbor descent (Dong, Moses and Li 2011), the row itself included."""
    X = csr_matrix(points.X) if points.sparse else points.X
    return descent(X, metric="euclidean", n_neighbors=min(len(points), k + 6), random_state=0).neighbor_graph[0]


def _descent() -> Callable[..., Any] | None:
    """The class of pynndescent, where it is installed."""
    try:
        from pynndescent import NNDescent
    except ImportError:
        return None
    return NNDescent


class _SearchProgress:
    """Follows an exact search of many points: a line on the terminal, and one sentence on what would be faster."""

    def __init__(self, what: str, n_pairs: float):
        self.what, self.n_pairs, self.done = what, n_pairs, 0
        self.began = self.drawn = time.monotonic()
        self.shown = self.warned = False

    @classmethod
    def of(cls, points: Points, quiet_up_to: int) -> _SearchProgress:
        n = len(points)
        return cls(f"{n:,} points with {points.n_features:,} columns", float(n) ** 2 if n > quiet_up_to else np.inf)

    def __enter__(self) -> _SearchProgress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def add(self, n_pairs: int) -> None:
        self.done += n_pairs
        share = self.done / self.n_pairs
        if share == 0:
            return
        now = time.monotonic()
        if not self.warned and share >= WARN_AT:
            self.warned = True
            seconds = (now - self.began) / share
            warnings.warn(
                f"All {self.what} are compared with one another to find neighbors, in about {seconds:.0f} s: "
                "pip install semisvm[ann] finds nearly the same ones in a time that grows with the points and not with "
                "their square.",
                stacklevel=2,
            )
        if now - self.drawn >= REDRAW_SECONDS and sys.stderr.isatty():
            self.drawn, self.shown = now, True
            left = (now - self.began) * (1 - share) / share
            sys.stderr.write(f"\r\x1b[2KNeighbors of {self.what}: {share:.0%}, {left:.0f} s left")
            sys.stderr.flush()


def _directions(points: Points) -> Points:
    """x / |x|; rows of zeros get an axis of their own, at right angles to every other row."""
    norms = np.sqrt(points.squared_norms)
    zero = norms == 0
    lengths = np.where(zero, 1, norms)[:, None].astype(points.dtype)
    axis = zero[:, None].astype(points.dtype)
    if points.sparse:
        unit = points.X.copy()
        unit.data /= np.repeat(lengths.ravel(), np.diff(unit.indptr))
        return Points.of(hstack([unit, csr_array(axis)]) if zero.any() else unit)
    unit = points.X / lengths
    return Points.of(np.hstack([unit, axis]) if zero.any() else unit)
