"""Rows of a problem: how they are indexed, and data per row that can be split by rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Rows: TypeAlias = np.ndarray | slice
Pointwise: TypeAlias = Callable[[slice, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""(rows, outputs of these rows) -> (loss of each column, slope of these rows)."""

EVERY_ROW = slice(None)


class RowParts(ABC):
    """Data per row that can be split, so that each part can be sent to its rows."""

    @property
    @abstractmethod
    def owner(self) -> object:
        """What the parts are made of; they are sent once for all that share an owner."""

    @abstractmethod
    def part(self, rows: slice) -> Any:
        """The part of these rows, which are counted from the first of them."""


class RowLosses(RowParts):
    """A `Pointwise` that can be split: a space with remote rows sends each part to its rows."""

    @property
    @abstractmethod
    def shift(self) -> np.ndarray:
        """The number that is added to the outputs of every row before a part is applied, one per column."""

    @abstractmethod
    def part(self, rows: slice) -> Pointwise:
        """The losses of these rows, which are counted from the first of them; of outputs that are shifted already."""

    @property
    @abstractmethod
    def n_loaded(self) -> int:
        """How many rows carry a loss at all."""

    @abstractmethod
    def loaded(self) -> np.ndarray:
        """These rows, ascending."""

    @abstractmethod
    def on_loaded(self) -> Pointwise:
        """The losses of these rows alone, counted from the first; of outputs that are shifted already."""

    @abstractmethod
    def moved(self, shift: np.ndarray) -> "RowLosses":
        """The losses of outputs + shift."""

    @abstractmethod
    def __call__(self, rows: slice, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(loss of each column, slope of these rows)."""


def moved(f: Pointwise, shift: np.ndarray) -> Pointwise:
    """outputs -> f(outputs + shift)."""
    if isinstance(f, RowLosses):
        return f.moved(shift)
    return lambda rows, outputs: f(rows, outputs + shift)


def span(rows: np.ndarray) -> Rows:
    """A slice where the rows follow one another: a view instead of a gather."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows
