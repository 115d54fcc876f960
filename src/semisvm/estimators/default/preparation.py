"""Ways to prepare rows before a kernel sees them, chosen without a look at the labels.

Which one suits a data set is not known in advance, so the default keeps several and lets the labels weigh them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

DOMINATED = 5.0
"""Raw columns share a unit if their variance is spread over at least so many of them (or half, of fewer than ten)."""
SPARSE = 0.1
"""Share of non-zeros below which rows are treated as texts are."""
FAR_APART = 100.0
"""A column whose standard deviation is so many times the median one had to be scaled by much."""


class Preparation(ABC):
    """Rows as given -> rows as kernels see them, in float64."""

    name: str

    @abstractmethod
    def apply(self, X: Any) -> Any:
        """Prepared rows, dense or csr."""


@dataclass(frozen=True, eq=False)
class AsGiven(Preparation):
    """Dense rows."""

    name: str = "columns as given"

    def apply(self, X: Any) -> Any:
        return _dense(X).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class MostlyZeros(Preparation):
    """Sparse rows."""

    name: str = "columns as given"

    def apply(self, X: Any) -> Any:
        return sp.csr_array(X, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class StandardColumns(Preparation):
    """(x - mean) / standard deviation of every column; constant columns become zero."""

    mean: np.ndarray
    deviation: np.ndarray
    name: str = "standardized columns"

    @classmethod
    def of(cls, X: np.ndarray) -> "StandardColumns":
        mean, deviation = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        # what is left of a constant column is rounding
        constant = deviation <= 8 * np.finfo(X.dtype).eps * np.abs(mean)
        return cls(mean, np.where(constant, np.inf, deviation))

    def apply(self, X: Any) -> Any:
        return (_dense(X) - self.mean) / self.deviation


@dataclass(frozen=True, eq=False)
class UnitRows(Preparation):
    """Rows of length one, after another preparation; rows of zeros stay."""

    before: Preparation
    name: str = "unit rows"

    def apply(self, X: Any) -> Any:
        X = self.before.apply(X)
        if sp.issparse(X):
            lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
            inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
            return sp.csr_array(sp.diags_array(inverse) @ X)
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        return X / np.where(lengths > 0, lengths, 1.0)


def preparations(X: Any) -> tuple[Preparation, ...]:
    """The preparations to try on these rows, the best single guess first.

    Rows of few non-zeros (texts, sets of codes) are only brought to one length; others are tables, however stored.
    """
    if mostly_zeros(X):
        return (UnitRows(MostlyZeros()),)
    X = _dense(X)
    standard = StandardColumns.of(X)
    both = UnitRows(standard, "standardized columns, unit rows")
    return (standard, both, AsGiven()) if share_a_unit(X) else (standard, both)


def mostly_zeros(X: Any) -> bool:
    stored = np.count_nonzero(X.data) if sp.issparse(X) else np.count_nonzero(X)
    return bool(stored < SPARSE * X.shape[0] * X.shape[1])


def share_a_unit(X: np.ndarray) -> bool:
    """Whether the raw variance is spread over the columns: (sum v)^2 / sum v^2 >= min(5, d / 2)."""
    v = X.var(axis=0, dtype=np.float64)
    total = float(np.sum(v))
    return total > 0 and total**2 / float(np.sum(v**2)) >= min(DOMINATED, len(v) / 2)


def scaled_by_much(X: Any) -> tuple[int, float] | None:
    """(column, how many median standard deviations it has) where one column would drown the others; None elsewhere."""
    if mostly_zeros(X) or share_a_unit(X := _dense(X)):
        return None
    deviation = X.std(axis=0, dtype=np.float64)
    varying = deviation[deviation > 0]
    if len(varying) < 2:
        return None
    largest = int(np.argmax(deviation))
    times = float(deviation[largest] / np.median(varying))
    return (largest, times) if times > FAR_APART else None


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X
