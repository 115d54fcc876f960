"""The multiplier of deterministic annealing where scores stay with their rows: found by sums over blocks.

    sum_j expit(nu - a_j) = n_positive        a_j = (V(z_j) - V(-z_j)) / T_j

needs two numbers of known rank among the a_j, and for every trial of nu the sums of p and p^2. Each of them is one
round of tasks; nothing of the length of the rows travels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from semisvm.losses import Annealed, Loss
from semisvm.losses.annealed import FrozenAnnealed, entropy, offset_trials, ranks_beside
from semisvm.losses.loss import per_point, take_rows
from semisvm.objective.ranking import ranked
from semisvm.objective.remote_vectors import RemoteOutputs, Sums
from semisvm.objective.rows import RowParts, Rows, span


@dataclass(frozen=True, eq=False)
class GapRows(RowParts):
    """The gaps of an annealed loss of some rows, ascending."""

    loss: Annealed
    rows: np.ndarray

    @property
    def owner(self) -> Annealed:
        return self.loss

    def part(self, rows: slice) -> "GapPart":
        first, last = np.searchsorted(self.rows, (rows.start, rows.stop))
        here = slice(int(first), int(last))
        temperature = take_rows(self.loss.temperature, here)
        return GapPart(span(self.rows[here] - rows.start), self.loss.loss.take(here), temperature)


@dataclass(frozen=True, eq=False)
class GapPart:
    rows: Rows
    loss: Loss
    temperature: float | np.ndarray

    def numbers(self, scores: np.ndarray) -> np.ndarray:
        """a = (V(z) - V(-z)) / T."""
        z = scores[self.rows]
        return (self.loss.value(z) - self.loss.value(-z)) / per_point(self.temperature, z)

    def probabilities(self, scores: np.ndarray, reference: np.ndarray, offset: np.ndarray) -> np.ndarray:
        probabilities: np.ndarray = expit((reference - self.numbers(scores)) + offset)
        return probabilities


def frozen(loss: Annealed, scores: RemoteOutputs, rows: np.ndarray) -> FrozenAnnealed:
    """The loss with the multiplier that belongs to these scores of its rows."""
    u, k = len(rows), scores.shape[1]
    if loss.n_positive is None:
        return loss.frozen(np.zeros(k), np.zeros(k), u)
    counts = np.broadcast_to(np.asarray(loss.n_positive, dtype=np.float64), (k,))
    parts = GapRows(loss, rows)
    beside = np.array([ranks_beside(count, u) for count in counts])
    found = ranked(scores, parts, beside.ravel(), np.repeat(np.arange(k), 2)).reshape(k, 2)
    reference = np.where((counts == 0) | (counts == u), 0.0, found[:, 0])
    trials = [offset_trials(float(n), u, *ends) for n, ends in zip(counts, found.tolist(), strict=True)]
    offset = np.array([next(one) for one in trials])
    open_columns = set(range(k))
    while open_columns:
        positive, squares = scores.remote_rows.reduced(probability_sums, parts, [scores], reference, offset)
        for column in sorted(open_columns):
            try:
                offset[column] = trials[column].send((float(positive[column]), float(squares[column])))
            except StopIteration as ended:
                offset[column] = ended.value
                open_columns.discard(column)
    return loss.frozen(reference, offset, u)


def label_entropy(loss: Annealed, scores: RemoteOutputs, rows: np.ndarray) -> np.ndarray:
    """The entropy of the labels at these scores, one number per column."""
    bound = frozen(loss, scores, rows)
    more: Any = (np.asarray(bound.reference), np.asarray(bound.offset))
    return scores.remote_rows.reduced(entropy_sums, GapRows(loss, rows), [scores], *more)[0]


def probability_sums(part: GapPart, scores: np.ndarray, reference: np.ndarray, offset: np.ndarray) -> Sums:
    """(sum p, sum p^2)."""
    p = part.probabilities(scores, reference, offset)
    return p.sum(axis=0), np.square(p).sum(axis=0)


def entropy_sums(part: GapPart, scores: np.ndarray, reference: np.ndarray, offset: np.ndarray) -> Sums:
    return (entropy(part.probabilities(scores, reference, offset)),)
