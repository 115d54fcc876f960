"""Where the work of a command is done: in this process, or on the workers of a Dask cluster."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

AHEAD = 3
"""Chunks in flight per worker: enough that it never waits, and few in memory."""


class Executor(AbstractContextManager, ABC):
    distant: bool
    """Whether rows may stay on other machines."""

    @abstractmethod
    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """work(*arguments)."""

    @abstractmethod
    def each(self, work: Callable[..., Any], known: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """(item, work(known, item)) of every item, in their order."""


class Here(Executor):
    """This process."""

    distant = False

    def __exit__(self, *_: object) -> None:
        return None

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def each(self, work: Callable[..., Any], known: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        return ((item, work(known, item)) for item in items)


class Cluster(Executor):
    """The workers of the scheduler at this address. What all chunks need is sent once."""

    distant = True

    def __init__(self, address: str):
        from distributed import Client

        try:
            self.client = Client(address, timeout="10s")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"--scheduler {address}: no scheduler answers there ({type(error).__name__}); an address such as "
                "tcp://10.0.0.1:8786 is needed."
            ) from None

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return self.client.submit(work, *arguments, pure=False).result()

    def each(self, work: Callable[..., Any], known: Any, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        sent = self.client.submit(_same, known, pure=False)
        most = AHEAD * max(1, len(self.client.scheduler_info()["workers"]))
        waiting: deque[tuple[Any, Any]] = deque()
        for item in items:
            waiting.append((item, self.client.submit(work, sent, item, pure=False)))
            if len(waiting) >= most:
                first, answer = waiting.popleft()
                yield first, answer.result()
        for first, answer in waiting:
            yield first, answer.result()


def _same(value: Any) -> Any:
    return value


def place(scheduler: str | None) -> Executor:
    """This process, or the cluster of a scheduler."""
    return Here() if scheduler is None else Cluster(scheduler)
