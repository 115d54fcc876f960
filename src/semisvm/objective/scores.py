"""Scores of some rows, and what methods make of them: labels, entropies, the scores of a few.

Scores in memory are an array. Scores of rows that live elsewhere stay there; labels and sums are brought here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semisvm.losses.annealed import Annealed, entropy
from semisvm.objective import multipliers, ranking
from semisvm.objective.remote_vectors import RemoteOutputs

Norms = Callable[[], np.ndarray]
"""k(x, x) of the rows, computed where a loss asks for them."""


class Scores(ABC):
    """Scores of rows, (m, k)."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    def __len__(self) -> int:
        return self.shape[0]

    @abstractmethod
    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """All of them as an array."""

    @abstractmethod
    def some(self, index: np.ndarray) -> np.ndarray:
        """The scores of a few of the rows."""

    @abstractmethod
    def signs(self) -> np.ndarray:
        """+1 where the score is positive, -1 elsewhere."""

    @abstractmethod
    def top(self, counts: np.ndarray) -> np.ndarray:
        """+1 for the `counts` largest scores of each column, -1 for the rest; ties go to the earlier row."""

    @abstractmethod
    def entropy(self, loss: Annealed, norms: Norms) -> np.ndarray:
        """The entropy of the labels that an annealed loss of these rows expects, one number per column."""

    def undecided(self, loss: Annealed, norms: Norms, least: float) -> list[np.ndarray]:
        """Rows of each column whose expected label is off +-1 by more than `least`; none where that is not known."""
        return [np.empty(0, dtype=np.intp)] * self.shape[1]


@dataclass(frozen=True, eq=False)
class ArrayScores(Scores):
    """Scores in memory."""

    values: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.values, dtype=dtype)

    def some(self, index: np.ndarray) -> np.ndarray:
        some: np.ndarray = self.values[index]
        return some

    def signs(self) -> np.ndarray:
        return np.where(self.values > 0, 1.0, -1.0)

    def top(self, counts: np.ndarray) -> np.ndarray:
        labels = np.full(self.shape, -1.0)
        for column, count in enumerate(counts):
            if count == 0:
                continue
            these = np.ascontiguousarray(self.values[:, column])
            least = np.partition(these, -count)[-count]
            above = these > least
            labels[above, column] = 1.0
            labels[np.flatnonzero(these == least)[: count - np.count_nonzero(above)], column] = 1.0
        return labels

    def entropy(self, loss: Annealed, norms: Norms) -> np.ndarray:
        return entropy(self._probabilities(loss, norms))

    def undecided(self, loss: Annealed, norms: Norms, least: float) -> list[np.ndarray]:
        p = self._probabilities(loss, norms)
        return [np.flatnonzero(np.minimum(column, 1 - column) > least) for column in p.T]

    def _probabilities(self, loss: Annealed, norms: Norms) -> np.ndarray:
        known = np.empty(0) if loss.loss.pointwise else norms()
        return loss.bind(self.values, known).probabilities(self.values)


@dataclass(frozen=True, eq=False)
class RemoteScores(Scores):
    """Scores of some rows, ascending, whose labels and sums are found where the rows are."""

    every: RemoteOutputs
    """Scores of all rows."""
    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.every.shape[1]

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.every.fetched()[self.rows], dtype=dtype)

    def some(self, index: np.ndarray) -> np.ndarray:
        return ranking.some(self.every, self.rows, index)

    def signs(self) -> np.ndarray:
        return ranking.signs(self.every, self.rows)

    def top(self, counts: np.ndarray) -> np.ndarray:
        return ranking.top(self.every, self.rows, counts)

    def entropy(self, loss: Annealed, norms: Norms) -> np.ndarray:
        if not loss.loss.pointwise:
            return ArrayScores(np.asarray(self)).entropy(loss, norms)
        return multipliers.label_entropy(loss, self.every, self.rows)
