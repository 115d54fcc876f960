"""Folds of the labels: test sets are labeled rows, and every unlabeled row is in every training set.

They work wherever scikit-learn takes `cv=`. A class keeps at least one label in training: its only label is never
tested.
"""

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from semisvm.estimators.labels import labeled_part

Split = tuple[np.ndarray, np.ndarray]


class _LabelSplitter(BaseCrossValidator):
    """Reads the labels and turns test rows into splits; a splitter supplies the test rows."""

    def __init__(self, n_splits: int, unlabeled: Any):
        if not isinstance(n_splits, Integral) or isinstance(n_splits, bool) or n_splits < 1:
            raise ValueError(f"n_splits={n_splits!r} was given and a whole number of at least 1 is needed.")
        self.n_splits: int = int(n_splits)
        self.unlabeled: Any = unlabeled

    def get_n_splits(self, X=None, y=None, groups=None) -> int:
        return self.n_splits

    def split(self, X, y, groups=None) -> Iterator[Split]:
        """Indices of training rows (all unlabeled ones among them) and of test rows (labeled)."""
        rows, known = labeled_part(y, self.unlabeled)
        if not len(rows):
            raise ValueError(f"None of the {len(y):,} rows is labeled and labels to fold are needed.")
        codes = np.unique(known, return_inverse=True)[1]
        every = np.arange(len(y))
        for test in self._tests(rows, codes, groups):
            yield np.setdiff1d(every, test, assume_unique=True), np.sort(test)

    @abstractmethod
    def _tests(self, rows: np.ndarray, codes: np.ndarray, groups) -> Iterator[np.ndarray]:
        """The test rows of each split; `rows` are the labeled ones and `codes` their classes."""


class LabeledKFold(_LabelSplitter):
    """Folds with the same share of every class, as far as its number of labels allows.

    Parameters
    ----------
    n_splits : int
        Folds, at least 2.
    shuffle : bool
        Deal the rows in random order; otherwise in the order of the data.
    unlabeled
        The marker of unlabeled rows; missing values are unlabeled too.

    Examples
    --------
    >>> import numpy as np
    >>> from semisvm.model_selection import LabeledKFold
    >>> y = np.array([0, 0, 1, 1, -1, -1])
    >>> for train, test in LabeledKFold(2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 2 4 5] [1 3]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None, unlabeled: Any = -1):
        super().__init__(n_splits, unlabeled)
        self.shuffle, self.random_state = shuffle, random_state
        if n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r} was given and at least 2 folds are needed.")

    def _tests(self, rows: np.ndarray, codes: np.ndarray, groups) -> Iterator[np.ndarray]:
        random, dealt = check_random_state(self.random_state), []
        for code in range(codes.max() + 1):
            members = rows[codes == code]
            if len(members) > 1:
                dealt.append(random.permutation(members) if self.shuffle else members)
        order = np.concatenate(dealt) if dealt else np.empty(0, dtype=np.intp)
        if len(order) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} was given and {len(order)} labeled rows can be tested (the only label of a "
                "class stays in training): use fewer folds or label more rows."
            )
        # class after class, row by row to the next fold: folds have as many rows of a class, give or take one
        for fold in range(self.n_splits):
            yield order[fold :: self.n_splits]


class LabeledShuffleSplit(_LabelSplitter):
    """Independent random splits, a share of the labels of every class in each test set.

    Parameters
    ----------
    n_splits : int
        Splits.
    test_size : float
        Share of the labels of each class to test on; at least one label, and never all of a class.
    """

    def __init__(self, n_splits: int = 10, *, test_size: float = 0.2, random_state: Any = None, unlabeled: Any = -1):
        super().__init__(n_splits, unlabeled)
        self.test_size, self.random_state = test_size, random_state
        if not isinstance(test_size, Real) or isinstance(test_size, bool) or not 0 < float(test_size) < 1:
            raise ValueError(f"test_size={test_size!r} was given and a share between 0 and 1 is needed.")

    def _tests(self, rows: np.ndarray, codes: np.ndarray, groups) -> Iterator[np.ndarray]:
        random = check_random_state(self.random_state)
        members = [rows[codes == code] for code in range(codes.max() + 1)]
        if all(len(own) < 2 for own in members):
            raise ValueError("Every class has one label and a class with two labels at least is needed to test on one.")
        for _ in range(self.n_splits):
            tests = []
            for own in members:
                size = min(len(own) - 1, max(1, round(self.test_size * len(own))))
                tests.append(random.permutation(own)[:size])
            yield np.concatenate(tests)


class LabeledGroupKFold(_LabelSplitter):
    """Folds of whole groups of labeled rows: the labels of a group are all in training or all in the test.

    Unlabeled rows are in training whatever their group, without a label to give away.
    """

    __metadata_request__split = {"groups": True}  # noqa: RUF012  (scikit-learn reads it from the class)

    def __init__(self, n_splits: int = 5, *, unlabeled: Any = -1):
        super().__init__(n_splits, unlabeled)
        if n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r} was given and at least 2 folds are needed.")

    def _tests(self, rows: np.ndarray, codes: np.ndarray, groups) -> Iterator[np.ndarray]:
        if groups is None:
            raise ValueError("LabeledGroupKFold was given no groups and one per row is needed: pass groups=.")
        groups = np.asarray(groups)[rows]
        names, group = np.unique(groups, return_inverse=True)
        if len(names) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} was given and the labeled rows are of {len(names)} groups: use fewer folds."
            )
        sizes = np.bincount(group)
        fold_of, filled = np.empty(len(names), dtype=np.intp), np.zeros(self.n_splits)
        # the largest group first, each to the fold that is emptiest
        for index in np.argsort(-sizes, kind="stable"):
            fold_of[index] = np.argmin(filled)
            filled[fold_of[index]] += sizes[index]
        for fold in range(self.n_splits):
            yield rows[fold_of[group] == fold]
