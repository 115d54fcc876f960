"""What other programs need for the same tasks: stored multiples of the yardsticks, measured once (`peers.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STORED = Path(__file__).parent.parent / "peers.toml"


@dataclass(frozen=True)
class Peer:
    """A program on a task; the multiple is that of the task's yardstick, where it was measured."""

    program: str
    language: str
    task: str
    method: str
    seconds: float
    error: float
    multiple: float | None = None
    note: str = ""

    def __str__(self) -> str:
        speed = f"{self.multiple:g}x" if self.multiple is not None else f"{self.seconds:g} s"
        return f"{self.program} {speed}, {self.error:.1f} %"


@cache
def stored() -> tuple[Peer, ...]:
    with STORED.open("rb") as file:
        return tuple(Peer(**record) for record in tomllib.load(file)["peer"])


def running(task: str, method: str) -> list[Peer]:
    """Programs that ran this method on this task."""
    return [peer for peer in stored() if peer.task == task and peer.method == method]


def best_error(task: str, method: str) -> float | None:
    return min((peer.error for peer in running(task, method)), default=None)


def described(task: str, method: str) -> str:
    return "; ".join(str(peer) for peer in running(task, method))
