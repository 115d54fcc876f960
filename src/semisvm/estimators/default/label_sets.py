"""The labels that models are trained with: all of them, and all but those of each fold.

A fold is one more column of the same problem, in which its labels weigh nothing: the features of the rows are read once
for all folds, and no model of a fold has seen the labels it is judged on.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

FOLDS = 5
FEW, SOME = 12, 40
"""Up to FEW labels each is a fold of its own; below SOME the folds are drawn twice."""


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Every set is a mask over the labeled rows; the first holds all of them, each of the others leaves out a fold."""

    codes: np.ndarray
    """Class of each labeled row."""
    n_classes: int
    kept: np.ndarray
    """(sets, labels)"""

    @classmethod
    def of(cls, codes: np.ndarray, n_classes: int, seed: int = 0) -> "LabelSets":
        folds = folds_of_labels(codes, seed)
        kept = np.ones((1 + len(folds), len(codes)), dtype=bool)
        for mask, fold in zip(kept[1:], folds, strict=True):
            mask[fold] = False
        return cls(codes, n_classes, kept)

    @property
    def n_columns(self) -> int:
        """Columns of one set: one for two classes, one per class beyond."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def folds(self) -> list[np.ndarray]:
        """Places of the labels that each set but the first leaves out."""
        return [np.flatnonzero(~mask) for mask in self.kept[1:]]

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
        """The mean over all folds that leave a label out; `values` holds a row for each label, set by set."""
        total = np.zeros((len(self.codes), *values[0].shape[1:]))
        for fold, rows in zip(self.folds, values, strict=True):
            total[fold] += rows
        return total / np.count_nonzero(~self.kept[1:], axis=0)[:, None]


@dataclass(frozen=True, eq=False)
class LeftOutLabels:
    """All labels that folds leave out, fold by fold; with repeated folds a label counts once in all."""

    sets: LabelSets
    weights: np.ndarray

    @cached_property
    def places(self) -> np.ndarray:
        """Which label each one is."""
        return np.concatenate(self.sets.folds)

    @cached_property
    def counted(self) -> np.ndarray:
        """(sets, left-out labels): how much each counts for a set, nothing where the set's own fold holds the label."""
        times = np.bincount(self.places, minlength=len(self.sets.codes))
        one = (self.weights / self.weights.mean() / times)[self.places]
        return np.where(self.sets.kept[:, self.places], one, 0.0)

    @cached_property
    def n_labels(self) -> np.ndarray:
        """How many labels count for each set."""
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
