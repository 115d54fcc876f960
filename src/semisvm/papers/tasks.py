"""Where the tasks of a table row come from: published splits, splits drawn here, or data drawn anew each time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from semisvm import datasets


@dataclass(frozen=True, eq=False)
class Task:
    """Rows with all their true labels, and which of the labels a method may see."""

    X: Any
    y: np.ndarray
    labeled: np.ndarray

    @property
    def unlabeled(self) -> np.ndarray:
        return np.setdiff1d(np.arange(len(self.y)), self.labeled)

    def true_ratio(self) -> float | list[float]:
        """The share of class 1 among the unlabeled rows; with more than two classes, the share of each."""
        shares = np.bincount(self.y[self.unlabeled], minlength=int(self.y.max()) + 1) / len(self.unlabeled)
        return float(shares[1]) if len(shares) == 2 else shares.tolist()


class TaskSource(ABC):
    """A supply of tasks, one per split, always the same in the same order."""

    @abstractmethod
    def tasks(self) -> Iterator[Task]:
        """The task of split 0, 1, 2, ..."""


@dataclass(frozen=True)
class PublishedSplits(TaskSource):
    """A loaded set with the splits its authors published."""

    load: str
    n_labeled: int
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = getattr(datasets, self.load)(**self.arguments)
        for rows in data.published_splits(self.n_labeled):
            yield Task(data.X, data.y, rows)


@dataclass(frozen=True)
class DrawnSplits(TaskSource):
    """A loaded set with splits of our own, where none were published."""

    load: str
    per_class: int | None = None
    n_labeled: int | None = None
    seed: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = getattr(datasets, self.load)(**self.arguments)
        # The stream of RandomState never changes between versions, so neither do these splits.
        random = np.random.RandomState(self.seed)
        while True:
            (rows,) = datasets.labeled_splits(data.y, self.n_labeled, self.per_class, n_splits=1, random_state=random)
            yield Task(data.X, data.y, rows)


@dataclass(frozen=True)
class FreshDraws(TaskSource):
    """A generated set, drawn anew for every split with the split as its seed; the labeled rows stay the same."""

    load: str
    labeled: Sequence[int]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        for split in count():
            X, y = getattr(datasets, self.load)(**self.arguments, random_state=split)
            yield Task(X, y, np.asarray(self.labeled))
