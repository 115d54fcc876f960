"""The one thing every loader returns: rows, class numbers, published splits and where they come from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from semisvm._compat import take_rows
from semisvm.datasets.labels import hide_labels


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with known labels, ready to have most of them hidden.

    ``X`` holds one row per example (dense, CSR, an object array of texts, or a frame).  ``y`` holds class numbers
    0, 1, ... into ``classes``, whatever the source wrote, so that -1 is free to mark unlabeled rows; rows
    that came without a label are -1 already.  ``splits`` maps a number of labels to an array with the
    labeled rows of one published split per line, and is empty where none was published.  The first
    ``n_train`` rows are the training part where the source has one.  ``row_info`` holds further facts per
    row (pose, speaker, ...).
    """

    name: str
    X: Any
    y: np.ndarray
    classes: np.ndarray
    description: str
    license: str
    splits: Mapping[int, np.ndarray] = field(default_factory=dict)
    n_train: int | None = None
    row_info: Mapping[str, np.ndarray] = field(default_factory=dict)

    def partial_labels(self, split: int, n_labeled: int | None = None) -> np.ndarray:
        """``y`` with only the labeled rows of one published split kept and -1 elsewhere."""
        return hide_labels(self.y, self.published_splits(n_labeled)[split])

    def published_splits(self, n_labeled: int | None = None) -> np.ndarray:
        """The labeled rows of all published splits, one split per line."""
        if n_labeled is None and len(self.splits) == 1:
            return next(iter(self.splits.values()))
        if n_labeled is None or n_labeled not in self.splits:
            sizes = ", ".join(str(size) for size in self.splits) or "no number of labels"
            raise ValueError(
                f"n_labeled={n_labeled} was given: {self.name} has published splits for {sizes}; "
                f"labeled_splits(y, ...) draws your own."
            )
        return self.splits[n_labeled]

    def only(self, *names: Hashable) -> Dataset:
        """The rows of the named classes, numbered in the order given; published splits do not carry over."""
        numbers = np.array([self._number_of(name) for name in names])
        rows = np.flatnonzero(np.isin(self.y, numbers))
        position = np.full(len(self.classes), -1)
        position[numbers] = np.arange(len(numbers))
        return replace(
            self._take(rows),
            name=f"{self.name}({','.join(str(name) for name in names)})",
            y=position[self.y[rows]],
            classes=self.classes[numbers],
        )

    def merged(self, *groups: Iterable[Hashable]) -> Dataset:
        """The same rows with each group of classes as one class; every class has to be in one group."""
        grouped = [[self._number_of(name) for name in group] for group in groups]
        given = sorted(number for members in grouped for number in members)
        if given != list(range(len(self.classes))):
            raise ValueError(
                f"The groups name {len(set(given))} of the {len(self.classes)} classes of {self.name} in {len(given)} "
                f"places: name each class once, or take some of them with only(...) first."
            )
        group_of = np.empty(len(self.classes), dtype=int)
        for number, members in enumerate(grouped):
            group_of[members] = number
        names = ["+".join(str(self.classes[member]) for member in members) for members in grouped]
        return replace(self, y=np.where(self.y < 0, -1, group_of[self.y]), classes=np.array(names))

    def with_unit_rows(self) -> Dataset:
        """Every row divided by its Euclidean length (rows of zeros stay as they are)."""
        if sparse.issparse(self.X):
            lengths = np.sqrt(np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel())
            return replace(self, X=sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ self.X))
        lengths = np.linalg.norm(self.X, axis=1, keepdims=True)
        return replace(self, X=self.X / np.where(lengths > 0, lengths, 1))

    def _number_of(self, name: Hashable) -> int:
        found = [number for number, known in enumerate(self.classes.tolist()) if known == name]
        if not found:
            known = ", ".join(str(one) for one in self.classes)
            raise ValueError(f"{self.name} has no class {name!r}: its classes are {known}.")
        return found[0]

    def _take(self, rows: np.ndarray) -> Dataset:
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=self.y[rows],
            splits={},
            n_train=None if self.n_train is None else int(np.count_nonzero(rows < self.n_train)),
            row_info={key: values[rows] for key, values in self.row_info.items()},
        )
