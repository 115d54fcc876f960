"""Linear functions and landmarks on blocks of rows that live on the workers of a cluster.

One evaluation sends the coefficients to every block and brings back loss, gradient and sum of the slopes, added up by a
tree: (p + 2) k numbers per edge. Losses, that is labels and weights, are sent to the blocks once per stage. Vectors of
one number per row stay on the workers: a line search and a Hessian, the largest scores and a multiplier ask for sums.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.distributed import block_tasks
from semisvm.distributed.compact import pack, unpack
from semisvm.objective import ArrayScores, GramObjective, Problem, RemoteScores, Scores
from semisvm.objective.remote_vectors import RemoteOutputs, Sums
from semisvm.objective.row_losses import RemoteCurvature
from semisvm.objective.row_sums import over_workers
from semisvm.objective.rows import RowLosses, RowParts
from semisvm.spaces.chunked.space import PartitionedSpace, Swept, as_columns

if TYPE_CHECKING:
    from semisvm.distributed.rows import DaskRows

WITH_THE_TASK = 2**16
"""Bytes up to which coefficients travel inside every task; larger ones go to one worker, which the others ask."""
KEPT_PARTS = 4
"""Parts that stay on the workers: the losses of a stage, a curvature in it, and the rows that labels are asked of."""


@dataclass(frozen=True, eq=False)
class RemoteSpace(PartitionedSpace):
    rows: "DaskRows"

    def objective(self, problem: Problem) -> GramObjective:
        return over_workers(problem)

    def scores(self, every: np.ndarray, rows: np.ndarray) -> Scores:
        return RemoteScores(every, rows) if isinstance(every, RemoteOutputs) else ArrayScores(every[rows])

    def _kept_where_it_is_used(self, outputs: RemoteOutputs) -> RemoteOutputs:
        return outputs

    # ---------------------------------------------------------------- passes

    def _outputs(self, w: np.ndarray) -> np.ndarray:
        return np.concatenate(self.rows.results(self._outputs_there(w)))

    def _outputs_there(self, w: np.ndarray) -> list[Any]:
        sent = self._sent(w)
        return self.rows.run_all([(block_tasks.outputs, self._features, block, sent) for block in self.rows.blocks])

    def _adjoint(self, v: np.ndarray) -> np.ndarray:
        blocks = zip(self.rows.spans, self.rows.blocks, strict=True)
        calls = [(block_tasks.adjoint, self._features, block, pack(v[rows])) for rows, block in blocks]
        return self.rows.tree_sum(calls)[0]

    def _swept(self, w: np.ndarray, f: RowLosses) -> Swept:
        sent, parts = self._sent(w), self._parts(f)
        blocks = zip(self.rows.blocks, parts, strict=True)
        calls = [(block_tasks.sweep, self._features, block, part, sent, f.shift) for block, part in blocks]
        value, total, g = self.rows.tree_sum(calls)
        return value, total, g, None, None

    def _squares(self) -> np.ndarray:
        calls = [(block_tasks.norms, self._features, block) for block in self.rows.blocks]
        return np.concatenate(self.rows.results(self.rows.run_all(calls)))

    # ---------------------------------------------------------------- vectors that stay on the workers

    def reduced(self, task: Callable[..., Sums], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any) -> Sums:
        return self.rows.tree_sum(self._calls(task, parts, scores, more, None))

    def collected(
        self, task: Callable[..., Any], parts: RowParts, scores: Sequence[RemoteOutputs], *more: Any, each: Any = None
    ) -> list[Any]:
        return self.rows.results(self.rows.run_all(self._calls(task, parts, scores, more, each)))

    def _calls(
        self, task: Callable[..., Any], parts: RowParts, scores: Sequence[RemoteOutputs], more: tuple, each: Any
    ) -> list[tuple]:
        there = [self._kept_outputs(one) for one in scores]
        shifts = [one.shift for one in scores]
        calls = []
        for place, part in enumerate(self._parts(parts)):
            own = () if each is None else (each[place],)
            calls.append((block_tasks.apply, task, part, [blocks[place] for blocks in there], shifts, *more, *own))
        return calls

    def _kept_outputs(self, scores: RemoteOutputs) -> list[Any]:
        """Futures of the outputs, block by block, as long as the scores are referenced."""
        if scores.outputs.kept is None:
            scores.outputs.kept = self._outputs_there(as_columns(self.features.inward(scores.outputs.theta)))
        return scores.outputs.kept

    # ---------------------------------------------------------------- what travels

    @cached_property
    def _features(self) -> Any:
        return self.rows.run(block_tasks.keep, self.features)

    def _sent(self, w: np.ndarray) -> Any:
        return w if w.nbytes <= WITH_THE_TASK else self.rows.run(block_tasks.keep, w)

    @cached_property
    def _sent_parts(self) -> list[tuple[object, list[Any]]]:
        """The parts of the latest owners."""
        return []

    def _parts(self, f: RowParts) -> list[Any]:
        kept = self._sent_parts
        for place, (owner, parts) in enumerate(kept):
            if owner is f.owner:
                kept.append(kept.pop(place))
                return parts
        if isinstance(f, RemoteCurvature):
            blocks = zip(self._parts(f.losses), self._kept_outputs(f.scores), strict=True)
            calls: list[tuple] = [(block_tasks.curvature, part, outputs, f.scores.shift) for part, outputs in blocks]
        else:
            calls = [(unpack, pack(f.part(rows))) for rows in self.rows.spans]
        parts = self.rows.run_all(calls)
        kept.append((f.owner, parts))
        del kept[:-KEPT_PARTS]
        return parts
