"""Ways to prepare rows before a kernel sees them, chosen without a look at the labels.

Which one suits a data set is not known in advance, so the default keeps several and lets the labels weigh them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.row_sources import RowSource

DOMINATED = 5.0
"""Raw columns share a unit if their variance is spread over at least so many of them (or half, of fewer than ten)."""
SPARSE = 0.1
"""Share of non-zeros below which rows are treated as texts are."""
LIGHT_ROWS = 20_000
"""Rows above which single precision is kept where it is given: they are held several times."""
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
        return cls.by(X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64), X.dtype)

    @classmethod
    def by(cls, mean: np.ndarray, deviation: np.ndarray, dtype: np.dtype) -> "StandardColumns":
        """Of rows of this type with these means and standard deviations."""
        # what is left of a constant column is rounding
        constant = deviation <= 8 * np.finfo(dtype).eps * np.abs(mean)
        return cls(mean, np.where(constant, np.inf, deviation))

    def apply(self, X: Any) -> Any:
        Z = _dense(X) - self.mean
        Z /= self.deviation
        return Z


@dataclass(frozen=True, eq=False)
class UnitRows(Preparation):
    """Rows of length one, after another preparation; rows of zeros stay."""

    before: Preparation
    name: str = "unit rows"

    def apply(self, X: Any) -> Any:
        Z = self.before.apply(X)
        if sp.issparse(Z):
            lengths = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1)).ravel())
            inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
            return sp.csr_array(sp.diags_array(inverse) @ Z)
        lengths = np.linalg.norm(Z, axis=1, keepdims=True)
        return np.divide(Z, np.where(lengths > 0, lengths, 1.0), out=None if np.may_share_memory(Z, X) else Z)


def prepared(preparation: Preparation, X: Any) -> Any:
    """Prepared rows; many rows in single precision come out in single precision."""
    Z = preparation.apply(X)
    light = Z.shape[0] > LIGHT_ROWS and X.dtype == np.float32 and not sp.issparse(Z)
    return Z.astype(np.float32) if light else Z


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


def preparation_of(source: RowSource) -> Preparation:
    """The first preparation of rows that are never held whole: two passes over them."""
    n, d = source.shape
    if not source.sparse:
        total, stored = source.summed(_sums)
        if stored >= SPARSE * n * d:
            mean = total / n
            (squares,) = source.summed(partial(_squared_deviations, mean))
            return StandardColumns.by(mean, np.sqrt(squares / n), source.dtype)
    return UnitRows(MostlyZeros())


def _sums(block: Any) -> tuple[np.ndarray, np.ndarray]:
    """(of every column, how many entries are not zero)."""
    return block.sum(axis=0, dtype=np.float64), np.asarray(np.count_nonzero(block))


def _squared_deviations(mean: np.ndarray, block: Any) -> tuple[np.ndarray]:
    return (np.sum((block - mean) ** 2, axis=0),)


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
