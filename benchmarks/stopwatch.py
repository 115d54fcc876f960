"""Interleaved repeats, medians and spread: timings here are only ever compared within one run."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_info


@dataclass(frozen=True)
class Timing:
    """Seconds of each repeat."""

    seconds: np.ndarray

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def best(self) -> float:
        return float(np.min(self.seconds))

    def over(self, other: Timing) -> str:
        """The median ratio of the paired repeats, with its quartiles."""
        low, middle, high = np.percentile(self.seconds / other.seconds, [25, 50, 75])
        return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def race(
    actions: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = perf_counter
) -> dict[str, Timing]:
    """Every action once as a warm-up, then in turns, so that a busy moment hits all of them.

    On one thread `time.process_time` leaves out what other programs took in the meantime.
    """
    for action in actions.values():
        action()
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            gc.collect()
            start = clock()
            action()
            seconds[name].append(clock() - start)
    return {name: Timing(np.array(taken)) for name, taken in seconds.items()}


def threads() -> str:
    """Threads of every BLAS and OpenMP pool in the process."""
    return ", ".join(sorted({f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info()}))
