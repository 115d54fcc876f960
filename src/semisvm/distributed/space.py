"""Linear functions and landmarks on blocks of rows that live on the workers of a cluster.

One evaluation sends the coefficients to every block and brings back loss, gradient and sum of the slopes, added up by a
tree: (p + 2) k numbers per edge. Losses, that is labels and weights, are sent to the blocks once per stage. Vectors of
one number per row stay unfetched until somebody looks at them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.distributed import block_tasks
from semisvm.distributed.remote_vectors import Fetch, RemoteOutputs, RemoteSlopes
from semisvm.memory import demand
from semisvm.spaces.chunked_views import View
from semisvm.spaces.predictor import Predictor
from semisvm.spaces.space import EVERY_ROW, Pointwise, RowLosses, Rows, Space

if TYPE_CHECKING:
    from semisvm.distributed.rows import DaskRows

FAN_IN = 8
"""Sums that one task adds."""
WITH_THE_TASK = 2**16
"""Bytes up to which coefficients travel inside every task; larger ones go to one worker, which the others ask."""


@dataclass(frozen=True, eq=False)
class RemoteSpace(Space):
    rows: "DaskRows"
    view: View

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
        return self.view.dimension

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.view.predictor(theta, bias)

    # ---------------------------------------------------------------- passes

    def outputs(self, theta: np.ndarray) -> Any:
        if theta.ndim == 1:
            return self._outputs(theta[:, None])[:, 0]
        return RemoteOutputs(Fetch(self._outputs, theta, self.n_points), np.zeros(theta.shape[1]))

    def once(self, theta: np.ndarray) -> np.ndarray:
        return np.asarray(self.outputs(theta))

    def _outputs(self, theta: np.ndarray) -> np.ndarray:
        w = self._sent(np.ascontiguousarray(self.view.inward(theta), dtype=np.float64))
        blocks = [self.rows.run(block_tasks.outputs, self._view, block, w) for block in self.rows.blocks]
        return np.concatenate(self.rows.results(blocks))

    def represent(self, v: np.ndarray) -> np.ndarray:
        columns = np.ascontiguousarray(np.asarray(v).reshape(self.n_points, -1), dtype=np.float64)
        sums = [
            self.rows.run(block_tasks.pull, self._view, block, columns[rows])
            for rows, block in zip(self.rows.spans, self.rows.blocks, strict=True)
        ]
        (g,) = self._total(sums)
        return self.view.outward(g).reshape(self.dimension, *v.shape[1:])

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, Any, Any, np.ndarray]:
        if not isinstance(f, RowLosses):
            outputs = self._outputs(theta)
            value, slope = f(slice(0, self.n_points), outputs)
            return value, outputs, slope, self.represent(slope)
        w = self._sent(np.ascontiguousarray(self.view.inward(theta), dtype=np.float64))
        sums = [
            self.rows.run(block_tasks.sweep, self._view, block, part, w, f.shift)
            for block, part in zip(self.rows.blocks, self._parts(f), strict=True)
        ]
        value, total, g = self._total(sums)
        outputs = self.outputs(theta)
        return value, outputs, RemoteSlopes(f, outputs, total), self.view.outward(g)

    def _total(self, sums: Sequence[Any]) -> block_tasks.Sums:
        """The sum over blocks, by a tree of tasks."""
        while len(sums) > 1:
            sums = [self.rows.run(block_tasks.add, *sums[i : i + FAN_IN]) for i in range(0, len(sums), FAN_IN)]
        return self.rows.results(sums)[0]

    @cached_property
    def _view(self) -> Any:
        return self.rows.run(block_tasks.keep, self.view)

    def _sent(self, w: np.ndarray) -> Any:
        return w if w.nbytes <= WITH_THE_TASK else self.rows.run(block_tasks.keep, w)

    @cached_property
    def _sent_losses(self) -> list[tuple[object, list[Any]]]:
        """The parts of the latest losses, with what they were made of."""
        return []

    def _parts(self, f: RowLosses) -> list[Any]:
        kept = self._sent_losses
        for owner, parts in kept:
            if owner is f.owner:
                return parts
        parts = [self.rows.run(block_tasks.keep, f.part(rows)) for rows in self.rows.spans]
        kept.append((f.owner, parts))
        # the losses of a stage, and the curvature of a Newton step in it
        del kept[:-2]
        return parts

    # ---------------------------------------------------------------- some rows

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        few = self._features(cols)
        if isinstance(rows, np.ndarray):
            return self._features(rows) @ few.T
        first, last, _ = rows.indices(self.n_points)
        return self._outputs(few.T)[first:last]

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        blocks = [self.rows.run(block_tasks.norms, self._view, block) for block in self.rows.blocks]
        return np.concatenate(self.rows.results(blocks))

    def _features(self, rows: Rows) -> np.ndarray:
        """phi of some rows in this process, refused where they would not fit."""
        at = np.arange(self.n_points)[rows]
        what = f"The features of {len(at):,} of {self.n_points:,} rows on a cluster"
        demand(8 * len(at) * self.dimension, what, "choose a method that goes over rows, such as QuasiNewtonS3VM")
        values: Any = self.view.values(self.rows.take(at).X)
        dense = values if isinstance(values, np.ndarray) else values.toarray()
        return self.view.outward(dense.astype(np.float64, copy=False).T).T
