"""The labels that models are trained with: all of them, all but those of each fold, and all but those of two folds.

Models without a fold say what the models with all labels are worth. How these are weighed is learnt from the labels
too, so the weights for a fold come from models that left out this fold and, in turn, each of the others. Every set is
one more column of the same problem, in which the labels it leaves out weigh nothing: the features of the rows are read
once for all sets.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

FOLDS = 5
FEW, SOME, MANY = 12, 40, 50
"""Up to FEW labels each is a fold of its own and none are left out in pairs; below SOME the folds are drawn twice; from
MANY on models that leave out labels take less work."""


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Every set is a mask over the labeled rows: all of them, then those without a fold, then those without a pair."""

    codes: np.ndarray
    """Class of each labeled row."""
    n_classes: int
    kept: np.ndarray
    """(sets, labels)"""
    pairs: list[tuple[int, int]]
    """The two folds that each of the last sets leaves out."""

    @classmethod
    def of(cls, codes: np.ndarray, n_classes: int, seed: int = 0) -> "LabelSets":
        folds = folds_of_labels(codes, seed)
        pairs = [] if len(codes) <= FEW else pairs_of_folds(len(folds))
        kept = np.ones((1 + len(folds) + len(pairs), len(codes)), dtype=bool)
        for mask, fold in zip(kept[1:], folds, strict=False):
            mask[fold] = False
        for mask, (one, other) in zip(kept[1 + len(folds) :], pairs, strict=True):
            mask[folds[one]] = mask[folds[other]] = False
        return cls(codes, n_classes, kept, pairs)

    @property
    def n_columns(self) -> int:
        """Columns of one set: one for two classes, one per class beyond."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def n_folds(self) -> int:
        return len(self.kept) - len(self.pairs) - 1

    @cached_property
    def left_out(self) -> list[np.ndarray]:
        """Places of the labels that each set but the first leaves out."""
        return [np.flatnonzero(~mask) for mask in self.kept[1:]]

    @property
    def many(self) -> bool:
        """Whether what the labels say of a model is plain enough for models of less work."""
        return len(self.codes) >= MANY

    @property
    def folds(self) -> list[np.ndarray]:
        return self.left_out[: self.n_folds]

    def columns_of(self, place: int) -> slice:
        return slice(place * self.n_columns, (place + 1) * self.n_columns)

    def signs(self) -> np.ndarray:
        """(labels, columns of all sets): +1 for the column's class, -1 for another one."""
        if self.n_classes == 2:
            one = (2.0 * self.codes - 1.0)[:, None]
        else:
            one = np.where(self.codes[:, None] == np.arange(self.n_classes), 1.0, -1.0)
        return np.tile(one, len(self.kept))

    def spread(self) -> np.ndarray:
        """(labels, columns of all sets): whether the set of the column holds the label."""
        return np.repeat(self.kept.T, self.n_columns, axis=1)

    def of_left_out(self, values: list[np.ndarray]) -> np.ndarray:
        """The mean over all folds that leave a label out; `values` holds a row for each label, fold by fold."""
        total = np.zeros((len(self.codes), *values[0].shape[1:]))
        for fold, rows in zip(self.folds, values, strict=True):
            total[fold] += rows
        return total / np.bincount(np.concatenate(self.folds))[:, None]


@dataclass(frozen=True, eq=False)
class LeftOutLabels:
    """All labels that sets leave out, set by set, and what each counts for.

    For the first set those of the folds count, where a label counts once in all. For a fold those count that the pairs
    with this fold leave out besides it.
    """

    sets: LabelSets
    weights: np.ndarray

    @cached_property
    def places(self) -> np.ndarray:
        """Which label each one is."""
        return np.concatenate(self.sets.left_out)

    @cached_property
    def counted(self) -> np.ndarray:
        """(1 + folds, left-out labels)"""
        sets, one = self.sets, self.weights / self.weights.mean()
        ends = np.cumsum([len(places) for places in sets.left_out])
        times = np.bincount(np.concatenate(sets.folds))
        counted = np.zeros((1 + sets.n_folds, len(self.places)))
        of_folds = slice(0, ends[sets.n_folds - 1])
        counted[0, of_folds] = (one / times)[self.places[of_folds]]
        for number, folds in enumerate(sets.pairs, start=sets.n_folds):
            own = slice(ends[number - 1], ends[number])
            for fold in folds:
                others = sets.kept[1 + fold, self.places[own]]
                counted[1 + fold, own] = np.where(others, one[self.places[own]], 0.0)
        return counted

    @cached_property
    def n_labels(self) -> np.ndarray:
        """How many labels count for the first set and for each fold."""
        return self.counted.sum(axis=1)


def folds_of_labels(codes: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """Places of the labels of each fold; labels of one class are spread evenly over the folds."""
    n = len(codes)
    if n <= FEW:
        return [np.array([place]) for place in range(n)]
    random = np.random.default_rng(seed)
    folds: list[np.ndarray] = []
    for _ in range(2 if n < SOME else 1):
        order = random.permutation(n)
        order = order[np.argsort(codes[order], kind="stable")]
        fold_of = np.empty(n, dtype=np.intp)
        fold_of[order] = (np.arange(n) + random.integers(FOLDS)) % FOLDS
        folds += [np.flatnonzero(fold_of == fold) for fold in range(FOLDS)]
    return folds


def pairs_of_folds(n_folds: int) -> list[tuple[int, int]]:
    """Every two folds of one drawing."""
    starts = range(0, n_folds, FOLDS)
    return [(start + one, start + other) for start in starts for one, other in combinations(range(FOLDS), 2)]
