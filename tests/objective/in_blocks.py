"""A space as on a cluster, in this process: vectors of a number per row stay with their blocks, sums are brought."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.objective import ArrayScores, RemoteScores
from semisvm.objective.remote_vectors import RemoteOutputs
from semisvm.objective.row_losses import RemoteCurvature
from semisvm.objective.row_sums import over_workers
from semisvm.spaces.chunked.arrays import ArrayRows
from semisvm.spaces.chunked.features import block_outputs, block_sums
from semisvm.spaces.chunked.in_process import Chunked
from semisvm.spaces.chunked.space import as_columns


@dataclass(frozen=True, eq=False)
class InBlocks(Chunked):
    """`brought` counts how often outputs of all rows were brought here."""

    @cached_property
    def brought(self):
        return []

    def objective(self, problem):
        return over_workers(problem)

    def scores(self, every, rows):
        return RemoteScores(every, rows) if isinstance(every, RemoteOutputs) else ArrayScores(every[rows])

    def product(self, theta):
        self.brought.append(theta)
        return super().product(theta)

    def _kept_where_it_is_used(self, outputs):
        return outputs

    @property
    def _blocks(self):
        return [(rows, load()) for rows, load in self.rows.loaders()]

    def _swept(self, w, f):
        found = []
        for rows, block in self._blocks:
            if isinstance(f, RemoteCurvature):
                part = f.losses.part(rows).curvature_part(self._there(f.scores, block))
            else:
                part = f.part(rows)
            found.append(block_sums(self.features, block, w, lambda at, o, part=part: part(at, o + f.shift)))
        return *(np.sum(one, axis=0) for one in zip(*found, strict=True)), None, None

    def _there(self, scores, block):
        return (
            block_outputs(self.features, block, as_columns(self.features.inward(scores.outputs.theta))) + scores.shift
        )

    def reduced(self, task, parts, scores, *more):
        return tuple(np.sum(one, axis=0) for one in zip(*self.collected(task, parts, scores, *more), strict=True))

    def collected(self, task, parts, scores, *more, each=None):
        shown = []
        for place, (rows, block) in enumerate(self._blocks):
            own = () if each is None else (each[place],)
            shown.append(task(parts.part(rows), *(self._there(one, block) for one in scores), *more, *own))
        return shown


@dataclass(frozen=True, eq=False)
class BlockRows(ArrayRows):
    def space(self, features):
        return InBlocks(self, features)
