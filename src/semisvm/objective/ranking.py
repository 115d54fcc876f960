"""Which rows have the largest scores, found where the rows are: counts and labels travel, scores do not.

The number of a rank is found digit by digit. A float64 is read as a whole number of 64 bits that grows with it; a round
counts how many numbers fall into each of 4096 ranges of it, sums the counts over all blocks, and goes on in the range
that holds the rank, until it holds few enough numbers to collect them.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from semisvm.objective.remote_vectors import RemoteOutputs, Sums
from semisvm.objective.rows import RowParts, Rows, span

DIGIT = 12
"""Bits decided per round."""
FEW = 4096
"""At most this many numbers are collected."""
SIGN = np.uint64(2**63)


class Numbers(Protocol):
    """A part that makes numbers of the scores of its block."""

    def numbers(self, scores: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class ChosenRows(RowParts):
    """Some rows, ascending."""

    rows: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        return self.rows

    def part(self, rows: slice) -> "ChosenPart":
        first, last = np.searchsorted(self.rows, (rows.start, rows.stop))
        return ChosenPart(span(self.rows[first:last] - rows.start))


@dataclass(frozen=True, eq=False)
class ChosenPart:
    rows: Rows

    def numbers(self, scores: np.ndarray) -> np.ndarray:
        return scores[self.rows]


# ---------------------------------------------------------------- labels


def some(scores: RemoteOutputs, rows: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The scores of a few of these rows."""
    order = np.argsort(index, kind="stable")
    found = np.empty((len(index), scores.shape[1]))
    if len(index):
        parts = ChosenRows(rows[index[order]])
        found[order] = np.concatenate(scores.remote_rows.collected(brought, parts, [scores]))
    return found


def signs(scores: RemoteOutputs, rows: np.ndarray) -> np.ndarray:
    """+1 where the score of a row is positive, -1 elsewhere."""
    return _labels(scores, ChosenRows(rows), np.zeros(scores.shape[1]), None)


def top(scores: RemoteOutputs, rows: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """+1 for the `counts` largest scores of each column, -1 for the rest; ties go to the earlier row."""
    u, k = len(rows), scores.shape[1]
    if not u:
        return np.empty((0, k))
    counts, parts = np.asarray(counts), ChosenRows(rows)
    # the last that is chosen is the count-th largest; where none is, no score exceeds the largest
    least = ranked(scores, parts, np.maximum(u - np.maximum(counts, 1), 0), np.arange(k))
    tallies = np.stack(scores.remote_rows.collected(larger_and_equal, parts, [scores], least))
    open_places = counts - tallies[:, 0].sum(axis=0)
    before = np.cumsum(tallies[:, 1], axis=0) - tallies[:, 1]
    ties = [np.clip(open_places - b, 0, e) for b, e in zip(before, tallies[:, 1], strict=True)]
    return _labels(scores, parts, least, ties)


def _labels(scores: RemoteOutputs, parts: ChosenRows, least: np.ndarray, ties: list[np.ndarray] | None) -> np.ndarray:
    """+1 above `least`, and for the first so many that are equal to it in each block."""
    task = above if ties is None else above_or_first_equal
    labels = scores.remote_rows.collected(task, parts, [scores], least, each=ties)
    return np.where(np.concatenate([unpacked(one) for one in labels]), 1.0, -1.0)


# ---------------------------------------------------------------- ranks


def ranked(scores: RemoteOutputs, parts: RowParts, ranks: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The numbers of these ranks, counted from the smallest: one for each pair of a rank and a column."""
    low, left, shift = np.zeros(len(ranks), dtype=np.uint64), np.asarray(ranks, dtype=np.int64).copy(), 64
    while shift:
        shift = max(0, shift - DIGIT)
        (counts,) = scores.remote_rows.reduced(bucket_counts, parts, [scores], low, shift, columns)
        upto = np.cumsum(counts, axis=0)
        bucket = np.argmax(upto > left, axis=0)
        at = np.arange(len(ranks))
        left -= upto[bucket, at] - counts[bucket, at]
        low = low + (bucket.astype(np.uint64) << np.uint64(shift))
        if counts[bucket, at].max() <= FEW:
            break
    if not shift:
        return numbers_of(low)
    found = scores.remote_rows.collected(within, parts, [scores], low, shift, columns)
    every = [np.sort(np.concatenate(ones)) for ones in zip(*found, strict=True)]
    return np.array([numbers[rank] for numbers, rank in zip(every, left, strict=True)])


def keys(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers of 64 bits that grow with float64 numbers; -0.0 is 0.0."""
    bits = (np.ascontiguousarray(numbers, dtype=np.float64) + 0.0).view(np.int64)
    return (bits ^ ((bits >> 63) & np.int64(2**63 - 1))).view(np.uint64) ^ SIGN


def numbers_of(keys: np.ndarray) -> np.ndarray:
    """The numbers of such keys."""
    ordered = (keys ^ SIGN).view(np.int64)
    return (ordered ^ ((ordered >> 63) & np.int64(2**63 - 1))).view(np.float64)


# ---------------------------------------------------------------- what is done where the rows are


def bucket_counts(part: Numbers, scores: np.ndarray, low: np.ndarray, shift: int, columns: np.ndarray) -> Sums:
    """How many numbers of each column fall into the ranges of 2^shift keys from its `low` on."""
    every = keys(part.numbers(scores))
    counts = np.zeros((2**DIGIT, len(columns)), dtype=np.int64)
    for place, column in enumerate(columns):
        bucket = (every[:, column] - low[place]) >> np.uint64(shift)
        counts[:, place] = np.bincount(bucket[bucket < 2**DIGIT].astype(np.intp), minlength=2**DIGIT)
    return (counts,)


def within(part: Numbers, scores: np.ndarray, low: np.ndarray, shift: int, columns: np.ndarray) -> list[np.ndarray]:
    """The numbers of each column whose keys are in the range of 2^shift from its `low` on."""
    numbers = part.numbers(scores)
    return [
        numbers[(keys(numbers[:, column]) - low[place]) >> np.uint64(shift) == 0, column]
        for place, column in enumerate(columns)
    ]


def brought(part: Numbers, scores: np.ndarray) -> np.ndarray:
    return part.numbers(scores)


def larger_and_equal(part: Numbers, scores: np.ndarray, least: np.ndarray) -> np.ndarray:
    """(2, k): how many numbers are larger than `least`, and how many equal it."""
    numbers = part.numbers(scores)
    return np.stack([np.count_nonzero(numbers > least, axis=0), np.count_nonzero(numbers == least, axis=0)])


Packed = tuple[np.ndarray, tuple[int, ...]]


def above(part: Numbers, scores: np.ndarray, least: np.ndarray) -> Packed:
    """Which numbers are larger than `least`, a bit each."""
    return packed(part.numbers(scores) > least)


def above_or_first_equal(part: Numbers, scores: np.ndarray, least: np.ndarray, ties: np.ndarray) -> Packed:
    """Which are larger, and the first `ties` of those that are equal, a bit each."""
    numbers = part.numbers(scores)
    equal = numbers == least
    return packed((numbers > least) | (equal & (np.cumsum(equal, axis=0) <= ties)))


def packed(mask: np.ndarray) -> Packed:
    return np.packbits(mask), mask.shape


def unpacked(labels: Packed) -> np.ndarray:
    bits, shape = labels
    return np.unpackbits(bits, count=int(np.prod(shape))).astype(bool).reshape(shape)
