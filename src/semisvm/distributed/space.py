"""Linear functions and landmarks on blocks of rows that live on the workers of a cluster.

One evaluation sends the coefficients to every block and brings back loss, gradient and sum of the slopes, added up by a
tree: (p + 2) k numbers per edge. Losses, that is labels and weights, are sent to the blocks once per stage. Vectors of
one number per row stay unfetched until somebody looks at them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.distributed import block_tasks
from semisvm.spaces.chunked.space import RowsElsewhere, Swept
from semisvm.spaces.space import RowLosses

if TYPE_CHECKING:
    from semisvm.distributed.rows import DaskRows

WITH_THE_TASK = 2**16
"""Bytes up to which coefficients travel inside every task; larger ones go to one worker, which the others ask."""


@dataclass(frozen=True, eq=False)
class RemoteSpace(RowsElsewhere):
    rows: "DaskRows"

    def _outputs(self, w: np.ndarray) -> np.ndarray:
        sent = self._sent(w)
        blocks = [self.rows.run(block_tasks.outputs, self._view, block, sent) for block in self.rows.blocks]
        return np.concatenate(self.rows.results(blocks))

    def _pulled(self, v: np.ndarray) -> np.ndarray:
        sums = [
            self.rows.run(block_tasks.pull, self._view, block, v[rows])
            for rows, block in zip(self.rows.spans, self.rows.blocks, strict=True)
        ]
        return self.rows.tree_sum(sums)[0]

    def _swept(self, w: np.ndarray, f: RowLosses) -> Swept:
        sent = self._sent(w)
        sums = [
            self.rows.run(block_tasks.sweep, self._view, block, part, sent, f.shift)
            for block, part in zip(self.rows.blocks, self._parts(f), strict=True)
        ]
        value, total, g = self.rows.tree_sum(sums)
        return value, total, g, None, None

    def _squares(self) -> np.ndarray:
        blocks = [self.rows.run(block_tasks.norms, self._view, block) for block in self.rows.blocks]
        return np.concatenate(self.rows.results(blocks))

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
