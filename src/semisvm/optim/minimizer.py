"""What a minimiser is, and what it asks of an objective.

An objective is a function on a Hilbert space with k independent columns. It is evaluated at points whose outputs are
kept, so that a step along a line costs no product. Nothing here knows of margins, labels or support vectors.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from semisvm.optim.budget import UNLIMITED, Budget


class Line(Protocol):
    """The objective along point + s direction, for a step s per column."""

    @property
    def origin(self) -> tuple[np.ndarray, np.ndarray]: ...
    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
    def curvature(self, s: np.ndarray) -> np.ndarray: ...


class Objective(Protocol):
    """The part of a problem that minimisers use."""

    @property
    def divisible(self) -> bool: ...
    def evaluate(self, point: Any) -> Any: ...
    def complete(self, vector: Any) -> Any: ...
    def nowhere(self) -> Any: ...
    def vector(self, theta: np.ndarray, bias: np.ndarray) -> Any: ...
    def hessian(self, evaluation: Any) -> Any: ...
    def along(self, evaluation: Any, direction: Any) -> Line: ...


class Minimizer(ABC):
    """A generator of ever better evaluations; it ends where every column is stationary to `tol`."""

    tol: float

    @abstractmethod
    def iterate(self, objective: Any, start: Any, budget: Budget = UNLIMITED) -> Iterator[Any]:
        """Yields the evaluation of `start`, then one evaluation per iteration."""

    def loosened(self, tol: float) -> "Minimizer":
        """The same minimiser, content with this precision where its own is higher."""
        return replace(self, tol=max(self.tol, tol))  # type: ignore[type-var]  # every minimiser is a dataclass


def resting(before: Any, after: Any) -> np.ndarray:
    """Columns where a step brought neither a lower value nor a smaller gradient: precision is spent."""
    flat = after.value >= before.value - 1e-15 * np.abs(before.value)
    return flat & (after.stationarity >= before.stationarity)
