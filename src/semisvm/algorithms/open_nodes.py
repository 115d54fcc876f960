"""Which open node of a tree is next. Nodes are whatever the tree makes of them; each comes with a lower bound."""

import heapq
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

import numpy as np


class OpenNodes(ABC):
    @abstractmethod
    def push(self, bound: float, node: bytes) -> None: ...

    @abstractmethod
    def pop(self) -> tuple[float, bytes]:
        """Remove the next node and return (bound, node)."""

    @abstractmethod
    def least(self) -> float:
        """The smallest bound of all; infinite where there is none."""


@final
@dataclass(eq=False)
class BestFirst(OpenNodes):
    """The lowest bound first: wrong labels near the root are undone soon, and the lower bound rises all the time."""

    _heap: list[tuple[float, int, bytes]] = field(default_factory=list)
    _ticket: int = 0

    def push(self, bound: float, node: bytes) -> None:
        self._ticket += 1
        # of equal bounds the youngest first: it is deeper
        heapq.heappush(self._heap, (bound, -self._ticket, node))

    def pop(self) -> tuple[float, bytes]:
        bound, _, node = heapq.heappop(self._heap)
        return bound, node

    def least(self) -> float:
        return self._heap[0][0] if self._heap else np.inf


@final
@dataclass(eq=False)
class DepthFirst(OpenNodes):
    """The youngest first, as in the paper: few open nodes at a time, each near the last."""

    _stack: list[tuple[float, bytes]] = field(default_factory=list)

    def push(self, bound: float, node: bytes) -> None:
        self._stack.append((bound, node))

    def pop(self) -> tuple[float, bytes]:
        return self._stack.pop()

    def least(self) -> float:
        return min((bound for bound, _ in self._stack), default=np.inf)
