"""What a minimizer is. What it asks of an objective stands in `semisvm.objective.objective`.

Nothing here knows of margins, labels or support vectors.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from semisvm.objective.objective import Evaluation, Objective
from semisvm.objective.vectors import Point
from semisvm.optim.budget import UNLIMITED, Budget

Asked = TypeVar("Asked", bound=Objective, contravariant=True)
"""What a minimizer asks of its objective."""


class Minimizer(ABC, Generic[Asked]):
    """A generator of ever better evaluations; it ends where every column is stationary to `tol`."""

    tol: float

    @abstractmethod
    def iterate(self, objective: Asked, start: Point, budget: Budget = UNLIMITED) -> Iterator[Evaluation]:
        """Yields the evaluation of `start`, then one evaluation per iteration."""

    def loosened(self, tol: float) -> "Minimizer[Asked]":
        """The same minimizer with a tolerance of at least `tol`."""
        return replace(self, tol=max(self.tol, tol))  # type: ignore[type-var]  # every minimizer is a dataclass


def resting(before: Evaluation, after: Evaluation) -> np.ndarray:
    """Columns where a step brought neither a lower value nor a smaller gradient: precision is spent."""
    flat = after.value >= before.value - 1e-15 * np.abs(before.value)
    columns: np.ndarray = flat & (after.stationarity >= before.stationarity)
    return columns
