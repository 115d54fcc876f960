"""Where the tasks of a table row come from: published splits, splits drawn here, or data drawn anew each time."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count, cycle
from typing import Any, Literal

import numpy as np

from semisvm import datasets

N_FOLDS = 4


@dataclass(frozen=True, eq=False)
class Task:
    """Rows with all their true labels, and which of the labels a method may see."""

    X: Any
    y: np.ndarray
    labeled: np.ndarray
    validation: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    test: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    scored: Literal["U", "V", "T"] = "U"
    """Where the error is taken: on the unlabeled rows of training, on validation rows, or on test rows."""
    seen: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    """Test rows that training sees without their labels."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """What a figure needs to know of the task, such as an angle; they go into the measures."""

    @property
    def unlabeled(self) -> np.ndarray:
        apart = np.concatenate([self.labeled, self.validation, np.setdiff1d(self.test, self.seen)])
        return np.setdiff1d(np.arange(len(self.y)), apart)

    @property
    def training(self) -> np.ndarray:
        return np.union1d(self.labeled, self.unlabeled)

    @property
    def scored_rows(self) -> np.ndarray:
        return {"U": self.unlabeled, "V": self.validation, "T": self.test}[self.scored]

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
    """A loaded set with splits of our own, where none were published.

    `only` keeps some classes, in that order; `standardised` gives every (dense) column mean 0 and deviation 1.
    """

    load: str
    per_class: int | None = None
    n_labeled: int | None = None
    seed: int = 0
    only: Sequence[Any] = ()
    standardised: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = _loaded(self.load, json.dumps(dict(self.arguments), sort_keys=True))
        data = data.only(*self.only) if self.only else data
        if self.standardised:
            deviation = data.X.std(axis=0)
            data = replace(data, X=(data.X - data.X.mean(axis=0)) / np.where(deviation > 0, deviation, 1))
        # The stream of RandomState never changes between versions, so neither do these splits.
        random = np.random.RandomState(self.seed)
        while True:
            (rows,) = datasets.labeled_splits(data.y, self.n_labeled, self.per_class, n_splits=1, random_state=random)
            yield Task(data.X, data.y, rows)


@dataclass(frozen=True)
class FourParts(TaskSource):
    """A loaded set in labeled, unlabeled, validation and test rows, as the Laplacian SVM paper cuts its sets.

    The labeled rows are those of the published splits; as many validation rows are drawn, one of every class at least,
    and `test` of the others.
    """

    load: str
    test: int
    n_labeled: int
    on: Literal["U", "V", "T"] = "U"
    seed: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = getattr(datasets, self.load)(**self.arguments)
        random = np.random.RandomState(self.seed)
        for labeled in cycle(data.published_splits(self.n_labeled)):
            rest = np.setdiff1d(np.arange(len(data.y)), labeled)
            validation = rest[_drawn(data.y[rest], self.n_labeled, random)]
            rest = np.setdiff1d(rest, validation)
            test = np.sort(random.permutation(rest)[: self.test])
            yield Task(data.X, data.y, labeled, validation, test, self.on)


@dataclass(frozen=True)
class Folds(TaskSource):
    """A loaded set in four folds, each once for testing, then in four others: the cross-validation of the same paper.

    A fold has a quarter of every class, rounded down. Of the rows outside it, labeled and as many validation rows are
    drawn, one of every class at least. `halves` makes two classes of the first and the second half of them, once the
    rows are drawn. Rows are in double precision, as in the paper: a narrow kernel is zero in single precision where it
    still separates the classes in double.
    """

    load: str
    n_labeled: int
    on: Literal["U", "V", "T"] = "U"
    seed: int = 0
    halves: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = getattr(datasets, self.load)(**self.arguments)
        random = np.random.RandomState(self.seed)
        X = np.asarray(data.X, dtype=np.float64)
        y = (data.y >= len(data.classes) // 2).astype(int) if self.halves else data.y
        while True:
            members = [random.permutation(np.flatnonzero(data.y == one)) for one in np.unique(data.y)]
            for fold in range(N_FOLDS):
                quarter = [rows[fold * (len(rows) // N_FOLDS) :][: len(rows) // N_FOLDS] for rows in members]
                test = np.sort(np.concatenate(quarter))
                rest = np.setdiff1d(np.arange(len(y)), test)
                labeled = rest[_drawn(data.y[rest], self.n_labeled, random)]
                rest = np.setdiff1d(rest, labeled)
                validation = rest[_drawn(data.y[rest], self.n_labeled, random)]
                yield Task(X, y, labeled, validation, test, self.on)


@dataclass(frozen=True)
class OwnTestRows(TaskSource):
    """A loaded set with a test part of its own: labeled and unlabeled rows are drawn from the rest of it.

    Rows that are not drawn take no part (they stand among the validation rows, which training does not see). With
    `test_first` the unlabeled rows are drawn from the test part, and from the rest once that is used up. `positive`
    makes two classes: that one, and the others. `centred` takes the mean of the training part from every row, and
    `unit_rows` divides every row by its length, in this order. With `even` the labels are spread evenly over the
    classes.
    """

    load: str
    n_labeled: int
    n_unlabeled: int
    positive: int | None = None
    on: Literal["U", "T"] = "T"
    seed: int = 0
    centred: bool = False
    unit_rows: bool = False
    test_first: bool = False
    even: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def tasks(self) -> Iterator[Task]:
        data = _loaded(self.load, json.dumps(dict(self.arguments), sort_keys=True))
        n_train = data.n_train
        if n_train is None:
            raise ValueError(f'{data.name} has no test part of its own: use splits = "folds".')
        y = data.y if self.positive is None else (data.y == self.positive).astype(int)
        data = replace(data, X=data.X - data.X[:n_train].mean(axis=0)) if self.centred else data
        X = data.with_unit_rows().X if self.unit_rows else data.X
        # test rows have a stream of their own: the labeled rows are the same with them and without
        random, of_test = np.random.RandomState(self.seed), np.random.RandomState(self.seed)
        test = np.arange(n_train, len(y))
        while True:
            labeled = _drawn(y[:n_train], self.n_labeled, random, self.even)
            others = random.permutation(np.setdiff1d(np.arange(n_train), labeled))
            seen = np.sort(of_test.permutation(test)[: self.n_unlabeled]) if self.test_first else test[:0]
            unused = np.sort(others[self.n_unlabeled - len(seen) :])
            yield Task(X, y, labeled, unused, test, self.on, seen)


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


def _drawn(y: np.ndarray, size: int, random: np.random.RandomState, even: bool = False) -> np.ndarray:
    """So many rows, one of every class at least; or as many of every class."""
    per_class, left = divmod(size, len(np.unique(y)))
    if even and left:
        raise ValueError(f"even = true was given with n_labeled = {size}: give a multiple of the number of classes.")
    drawn = {"per_class": per_class} if even else {"n_labeled": size}
    return datasets.labeled_splits(y, **drawn, n_splits=1, random_state=random)[0]


@lru_cache(maxsize=1)
def _loaded(load: str, arguments: str) -> datasets.Dataset:
    """The set of a loader and its arguments (in JSON), kept for the next row of the same table."""
    return getattr(datasets, load)(**json.loads(arguments))
