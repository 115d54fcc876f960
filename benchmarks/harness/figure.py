"""One measured figure: a ratio, a growth exponent or a share of what the machine can do, with its bar."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SLACK = 0.5
"""Percentage points by which our error may exceed that of the best program running the same method."""


@dataclass(frozen=True)
class Figure:
    """`value` with the quartiles of its repeats; the bar is an upper one, or a lower one where `at_least`."""

    task: str
    method: str
    unit: str
    value: float
    low: float
    high: float
    bar: float | None = None
    at_least: bool = False
    threads: int = 1
    clock: str = "cpu"
    """"cpu": processor seconds of the process; "wall": seconds on the clock."""
    seconds: float | None = None
    """Median seconds of what is measured."""
    yardstick_seconds: float | None = None
    error: float | None = None
    """Percent of the unlabeled rows, mean over draws."""
    error_spread: float | None = None
    peer_error: float | None = None
    """The least error of a program running the same method."""
    peers: str = ""
    """What other programs need for the same task, as stored multiples."""
    points: dict[str, float] | None = None
    """Seconds by size, where growth was measured."""
    benchmark: str = ""

    @property
    def key(self) -> str:
        return f"{self.task} | {self.method} | {self.unit}"

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is none."""
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    @property
    def error_met(self) -> bool | None:
        if self.error is None or self.peer_error is None:
            return None
        return self.error <= self.peer_error + SLACK

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met, "error_met": self.error_met}

    @classmethod
    def of_dict(cls, record: dict[str, Any]) -> Figure:
        return cls(**{name: value for name, value in record.items() if name not in ("met", "error_met")})


def quartiles(values: Any) -> tuple[float, float, float]:
    """(median, lower quartile, upper quartile)."""
    low, middle, high = np.percentile(np.asarray(values, dtype=float), [25, 50, 75])
    return float(middle), float(low), float(high)
