"""Losses of rows, grouped by the loss they share, and in parts that can be sent to their rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from semisvm.losses.loss import Loss
from semisvm.objective.remote_vectors import RemoteOutputs
from semisvm.objective.rows import RowLosses, span
from semisvm.objective.vectors import dots


@dataclass(frozen=True, eq=False)
class LossGroup:
    """Points that share a loss: which they are, where they stand among the rows, their signs (None: +1) and weights."""

    members: np.ndarray
    rows: np.ndarray | slice
    loss: Loss
    signs: np.ndarray | None
    weights: np.ndarray

    def arguments(self, scores: np.ndarray) -> np.ndarray:
        """y z, or z where there are no signs."""
        return scores[self.rows] if self.signs is None else self.signs * scores[self.rows]

    @cached_property
    def signed_weights(self) -> np.ndarray:
        return self.weights if self.signs is None else self.signs * self.weights

    def bound(self, scores: np.ndarray, norms: np.ndarray) -> "LossGroup":
        """With the loss that is valid around these scores."""
        if self.loss.pointwise:
            return self
        loss = self.loss.bind(scores[self.rows], norms[self.rows])
        return LossGroup(self.members, self.rows, loss, self.signs, self.weights)

    def within(self, start: int, stop: int) -> "LossGroup":
        """The part between two rows, counted from the first."""
        lo, hi = np.searchsorted(self.members, (start, stop))
        chosen = slice(int(lo), int(hi))
        signs = None if self.signs is None else self.signs[chosen]
        members = self.members[chosen]
        return LossGroup(members, span(members - start), self.loss.take(chosen), signs, self.weights[chosen])


def losses_of(groups: Iterable[LossGroup], scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(sum of the weighted losses, their slope) for the scores of rows that these groups are among."""
    value, slope = np.zeros(scores.shape[1]), np.zeros_like(scores)
    for group in groups:
        v, s = group.loss.value_and_slope(group.arguments(scores))
        value += dots(group.weights, v)
        slope[group.rows] = group.signed_weights * s
    return value, slope


@dataclass(frozen=True, eq=False)
class GroupLosses(RowLosses):
    """The losses of groups of points as a function of outputs, which the bias is added to."""

    groups: tuple[LossGroup, ...]
    losses: Callable[[np.ndarray, slice], tuple[np.ndarray, np.ndarray]]
    """(scores, rows) -> (loss of each column, slope): all of the groups at once."""
    bias: np.ndarray

    @property
    def owner(self) -> tuple[LossGroup, ...]:
        return self.groups

    @property
    def shift(self) -> np.ndarray:
        return self.bias

    def moved(self, shift: np.ndarray) -> "GroupLosses":
        return replace(self, bias=self.bias + shift)

    @property
    def n_loaded(self) -> int:
        return sum(len(group.members) for group in self.groups)

    def loaded(self) -> np.ndarray:
        if len(self.groups) == 1:
            return self.groups[0].members
        return np.sort(np.concatenate([np.empty(0, dtype=np.intp), *(group.members for group in self.groups)]))

    def on_loaded(self) -> "PartLosses":
        every = self.loaded()
        places = [np.searchsorted(every, group.members) for group in self.groups]
        groups = zip(self.groups, places, strict=True)
        return PartLosses(tuple(replace(group, members=at, rows=span(at)) for group, at in groups), 0)

    def part(self, rows: slice) -> "PartLosses":
        groups = (group.within(rows.start, rows.stop) for group in self.groups)
        return PartLosses(tuple(group for group in groups if len(group.members)), rows.start)

    def __call__(self, rows: slice, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.losses(outputs + self.bias, rows)


@dataclass(frozen=True, eq=False)
class PartLosses:
    """The losses of consecutive rows, picklable."""

    groups: tuple[LossGroup, ...]
    first: int

    def __reduce__(self) -> tuple[Any, ...]:
        # the groups cut for passes in this process are not sent
        return PartLosses, (self.groups, self.first)

    @cached_property
    def _cuts(self) -> dict[tuple[int, int], tuple[LossGroup, ...]]:
        """The groups of the rows that were asked for: every pass asks for the same."""
        return {}

    def __call__(self, rows: slice, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        start, stop = self.first + rows.start, self.first + rows.stop
        if (start, stop) not in self._cuts:
            self._cuts[start, stop] = tuple(group.within(start, stop) for group in self.groups)
        return losses_of(self._cuts[start, stop], scores)

    def along(self, scores: np.ndarray, rates: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(loss, first and second derivative in s) of scores + s rates."""
        z = scores + s * rates
        rows = slice(0, len(z))
        value, slope = self(rows, z)
        return value, dots(slope, rates), np.einsum("ij,ij,ij->j", self.curvature(z), rates, rates)

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        curvature = np.zeros_like(scores)
        for group in self.groups:
            here = replace(group, rows=span(group.members - self.first))
            curvature[here.rows] = group.weights * group.loss.curvature(here.arguments(scores))
        return curvature

    def curvature_part(self, scores: np.ndarray) -> "PartCurvature":
        """The curvature at these scores, as a Hessian product uses it."""
        return PartCurvature(self.curvature(scores))


@dataclass(frozen=True, eq=False)
class RowCurvature(RowLosses):
    """The slope c o of outputs o for a curvature c: what a Hessian product sums over rows."""

    curvature: np.ndarray
    bias: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        return self.curvature

    @property
    def shift(self) -> np.ndarray:
        return self.bias

    def moved(self, shift: np.ndarray) -> "RowCurvature":
        return RowCurvature(self.curvature, self.bias + shift)

    @property
    def n_loaded(self) -> int:
        return int(np.count_nonzero(self.curvature.any(axis=1)))

    def loaded(self) -> np.ndarray:
        return np.flatnonzero(self.curvature.any(axis=1))

    def on_loaded(self) -> "PartCurvature":
        return PartCurvature(self.curvature[self.loaded()])

    def part(self, rows: slice) -> "PartCurvature":
        return PartCurvature(self.curvature[rows])

    def __call__(self, rows: slice, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(outputs.shape[1]), self.curvature[rows] * (outputs + self.bias)


@dataclass(frozen=True, eq=False)
class PartCurvature:
    """c o of some rows."""

    curvature: np.ndarray

    def __call__(self, rows: slice, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(scores.shape[1]), self.curvature[rows] * scores


@dataclass(frozen=True, eq=False)
class RemoteCurvature(RowLosses):
    """The same where scores stay with their rows: the curvature of the losses is computed there."""

    losses: GroupLosses
    scores: RemoteOutputs
    bias: np.ndarray

    @property
    def owner(self) -> RemoteOutputs:
        return self.scores

    @property
    def shift(self) -> np.ndarray:
        return self.bias

    def moved(self, shift: np.ndarray) -> "RemoteCurvature":
        return replace(self, bias=self.bias + shift)

    @property
    def n_loaded(self) -> int:
        return self.losses.n_loaded

    def loaded(self) -> np.ndarray:
        return self.losses.loaded()

    def on_loaded(self) -> "PartCurvature":
        rows = self.loaded()
        return PartCurvature(self.part(slice(0, len(self.scores))).curvature[rows])

    def part(self, rows: slice) -> "PartCurvature":
        return self.losses.part(rows).curvature_part(self.scores[rows])

    def __call__(self, rows: slice, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.part(rows)(slice(0, rows.stop - rows.start), outputs + self.bias)
