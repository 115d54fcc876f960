"""Tasks cut at random from one set: labeled, unlabeled and test rows of given sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semisvm import datasets
from semisvm_papers.tasks import Task, TaskSource


@dataclass(frozen=True)
class Partitions(TaskSource):
    """Random partitions of a loaded or generated set.

    The labeled rows hold every class in its share; with ``stratified = false`` they are drawn at random, again until
    each class is among them. Rows beyond the three sizes take no part.
    """

    load: str
    n_labeled: int
    n_unlabeled: int
    n_test: int
    seed: int = 0
    stratified: bool = True
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        X, y = self._rows()
        random = np.random.RandomState(self.seed)
        size = self.n_labeled + self.n_unlabeled
        while True:
            order = random.permutation(len(y))
            train, test = np.sort(order[:size]), np.sort(order[size : size + self.n_test])
            labeled = self._labeled(y, train, random)
            yield Task(X, y, labeled, np.sort(order[size + self.n_test :]), test, "T")

    def _labeled(self, y: np.ndarray, train: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        if self.stratified:
            return in_true_shares(y, train, self.n_labeled, random)
        n_classes = len(np.unique(y[train]))
        if self.n_labeled < n_classes:
            raise ValueError(
                f"n_labeled = {self.n_labeled} was given and there are {n_classes} classes: give one of each at least."
            )
        while True:
            labeled = np.sort(random.choice(train, self.n_labeled, replace=False))
            if len(np.unique(y[labeled])) == n_classes:
                return labeled

    def _rows(self) -> tuple[Any, np.ndarray]:
        make = getattr(datasets, self.load)
        if self.load.startswith("make_"):
            return make(**self.arguments, random_state=self.seed)
        data = make(**self.arguments)
        return data.X, data.y


def in_true_shares(y: np.ndarray, rows: np.ndarray, size: int, random: np.random.RandomState) -> np.ndarray:
    """So many of the rows, drawn at random, every class in its share of them to within one row."""
    shuffled = random.permutation(rows)
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    # every (n / size)-th row of those sorted by class, from the middle of the first stretch
    places = (np.arange(size) + 0.5) * len(rows) / size
    return np.sort(by_class[places.astype(int)])
