"""What a protocol is: a way to measure a method on a task, and what one measurement gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from semisvm_papers.tasks import Task

if TYPE_CHECKING:
    from semisvm_papers.records import Measures

Build = Callable[[], Any]
"""Makes a fresh estimator with the parameters of a cell."""


@dataclass(frozen=True)
class Outcome:
    """What one measurement gave: an error in percent, the objective and iterations where the method has them, and more.

    ``measures`` holds any further figure or curve by its name (``lower_bound``, ``error_T_pct``, ...); a table
    file shows one of them in a column by ``shows = "<name>"``.
    """

    error_pct: float
    objective: float | None
    n_iter: int | None
    measures: Measures = field(default_factory=dict)


class Protocol(ABC):
    """A way to measure the error of a method on a task."""

    @abstractmethod
    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        """Fit fresh models from ``build`` and measure them."""


class InParts(Protocol):
    """A protocol of several measurements of which none needs another.

    The runner takes each as a job of its own: processes share them, and each is kept as soon as it is done.
    """

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """How many measurements there are."""

    @abstractmethod
    def measure_part(self, part: int, build: Build, task: Task, seed: int) -> Outcome:
        """One of them, counted from 0."""

    @abstractmethod
    def whole(self, outcomes: Sequence[Outcome]) -> Outcome:
        """What all of them say together; ``outcomes`` has one for each part, in their order."""

    def measure(self, build: Build, task: Task, seed: int) -> Outcome:
        return self.whole([self.measure_part(part, build, task, seed) for part in range(self.n_parts)])
