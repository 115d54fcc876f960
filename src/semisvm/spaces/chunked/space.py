"""Spaces whose rows are not in one array: what linear functions and landmarks share, wherever the rows are.

Outputs are computed from theta lazily. An evaluation is one pass over all rows, or,
where few of them carry a loss (the supervised start of a path), a look at those few, which are kept in memory.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.memory import demand
from semisvm.objective.remote_vectors import Fetch, RemoteOutputs, RemoteRows, RemoteSlopes
from semisvm.objective.rows import EVERY_ROW, Pointwise, RowLosses, Rows
from semisvm.spaces.chunked.features import BlockFeatures, block_outputs, block_sums
from semisvm.spaces.chunked.row_source import RowSource
from semisvm.spaces.predictor import Predictor
from semisvm.spaces.space import Space

FEW = 20
"""Rows with a loss count as few if this many times as many rows have none."""
FEW_BYTES = 256 * 2**20
"""Bytes that these few rows may take in memory."""

Swept = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]
"""(loss, sum of the slopes, values' slope) and, where they are known, outputs and slopes of all rows."""


@dataclass(frozen=True, eq=False)
class PartitionedSpace(Space, RemoteRows):
    """Linear functions of features of the rows; theta are the weights."""

    rows: RowSource
    features: BlockFeatures

    @abstractmethod
    def _outputs(self, w: np.ndarray) -> np.ndarray:
        """(n, k): all rows' values times w."""

    @abstractmethod
    def _adjoint(self, v: np.ndarray) -> np.ndarray:
        """(values, k): the sum over rows of values times v."""

    @abstractmethod
    def _swept(self, w: np.ndarray, f: RowLosses) -> Swept:
        """Both in one pass over all rows, with the losses in between."""

    @abstractmethod
    def _kept_where_it_is_used(self, outputs: RemoteOutputs) -> Any:
        """Numbers of all rows, kept with their rows or in an array, wherever they are used next."""

    @abstractmethod
    def _squares(self) -> np.ndarray:
        """|phi(x)|^2 of all rows."""

    @property
    def by_rows(self) -> bool:
        return True

    @property
    def remote(self) -> bool:
        return True

    @property
    def n_points(self) -> int:
        return self.rows.shape[0]

    @property
    def dimension(self) -> int:
        return self.features.dimension

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.features.predictor(theta, bias)

    # ---------------------------------------------------------------- passes

    def outputs(self, theta: np.ndarray) -> Any:
        if theta.ndim == 1:
            return self.product(theta[:, None])[:, 0]
        return self._later(theta, None)

    def once(self, theta: np.ndarray) -> np.ndarray:
        return np.asarray(self.outputs(theta))

    def once_at(self, theta: np.ndarray, rows: Rows) -> np.ndarray:
        if not isinstance(rows, np.ndarray) or not self._few(len(rows)):
            return self.once(theta)[rows]
        w = as_columns(self.features.inward(theta))
        return block_outputs(self.features, self._kept(rows).X, w).reshape(len(rows), *theta.shape[1:])

    def product(self, theta: np.ndarray) -> np.ndarray:
        return self._outputs(as_columns(self.features.inward(theta)))

    def _later(self, theta: np.ndarray, values: np.ndarray | None) -> RemoteOutputs:
        return RemoteOutputs(Fetch(self, theta, self.n_points, values), np.zeros(theta.shape[1]))

    def fetch_loaded(self, outputs: Any, losses: RowLosses) -> Any:
        if not isinstance(outputs, RemoteOutputs):
            return np.asarray(outputs)
        if outputs.outputs.known or not self._few(losses.n_loaded):
            return self._kept_where_it_is_used(outputs)
        some, rows = np.zeros(outputs.shape), losses.loaded()
        w = as_columns(self.features.inward(outputs.outputs.theta))
        some[rows] = block_outputs(self.features, self._kept(rows).X, w) + outputs.shift
        return some

    def represent(self, v: np.ndarray) -> np.ndarray:
        g = self._finite(self._adjoint(as_columns(np.asarray(v))))
        return self.features.outward(g).reshape(self.dimension, *v.shape[1:])

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, Any, Any, np.ndarray]:
        if not isinstance(f, RowLosses):
            outputs = self.product(theta)
            value, slope = f(slice(0, self.n_points), outputs)
            return value, outputs, slope, self.represent(slope)
        w = as_columns(self.features.inward(theta))
        swept = self._swept_few(w, f)
        value, total, g, o, slopes = swept if swept is not None else self._swept(w, f)
        later = self._later(theta, o)
        return value, later, RemoteSlopes(f, later, total, slopes), self.features.outward(self._finite(g))

    def _swept_few(self, w: np.ndarray, f: RowLosses) -> Swept | None:
        """The sums over the rows that carry a loss, where they are few."""
        if not self._few(f.n_loaded):
            return None
        rows = f.loaded()
        part = f.on_loaded()
        sums = block_sums(self.features, self._kept(rows).X, w, lambda at, outputs: part(at, outputs + f.shift))
        return *sums, None, None

    def _few(self, n_rows: int) -> bool:
        return FEW * n_rows <= self.n_points and 8 * n_rows * self.rows.n_features <= FEW_BYTES

    def _finite(self, g: np.ndarray) -> np.ndarray:
        bad = np.flatnonzero(~np.isfinite(g).all(axis=1))
        if len(bad) and self.features.n_values == self.rows.n_features:
            names = self.rows.feature_names
            column = bad[0] if names is None else repr(names[bad[0]])
            raise ValueError(f"Column {column} contains NaN or infinity: fill in or drop these values first.")
        return g

    # ---------------------------------------------------------------- some rows

    @cached_property
    def _last_taken(self) -> list[tuple[np.ndarray, Points]]:
        return []

    def _kept(self, rows: np.ndarray) -> Points:
        """These rows in memory; the latest ones stay there."""
        kept = self._last_taken
        if not kept or not np.array_equal(kept[0][0], rows):
            kept[:] = [(rows, self.rows.take(rows))]
        return kept[0][1]

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        few = self._features_of(cols)
        if isinstance(rows, np.ndarray):
            block: np.ndarray = self._features_of(rows) @ few.T
            return block
        first, last, _ = rows.indices(self.n_points)
        return self.product(few.T)[first:last]

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        return self._squares()

    def _features_of(self, rows: Rows) -> np.ndarray:
        """phi of some rows in memory, refused where they would not fit."""
        at = np.arange(self.n_points)[rows]
        what = f"The features of {len(at):,} of {self.n_points:,} rows that are not in memory"
        demand(8 * len(at) * self.dimension, what, "choose a method that goes over rows, such as QuasiNewtonS3VM")
        values: Any = self.features.values(self._kept(at).X)
        dense = values if isinstance(values, np.ndarray) else values.toarray()
        return self.features.outward(dense.astype(np.float64, copy=False).T).T


def as_columns(a: np.ndarray) -> np.ndarray:
    """(m, k) float64 in C order, as the passes read it."""
    return np.ascontiguousarray(a.reshape(len(a), -1), dtype=np.float64)
