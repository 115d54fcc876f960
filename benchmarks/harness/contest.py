"""Methods against yardsticks on draws of one task: in turns, so that a busy moment hits all of them.

Every draw is another sample (or split) of the task: the repeats that give a ratio its spread are the seeds that give an
error its mean. On one thread processor seconds are taken, which other work on the machine does not count into; they are
the seconds of the clock where the machine is idle. What is imported or compiled at first use is called once before, on
a small draw that is not measured.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.harness.figure import Figure, quartiles
from benchmarks.harness.peers import best_error, described

CLOCKS: dict[str, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}


MOST_DRAWS = "SEMISVM_BENCH_DRAWS"


def limit_draws() -> int | None:
    """At most so many draws of every task where the environment says so: a quick look, or a busy machine."""
    wanted = os.environ.get(MOST_DRAWS)
    return int(wanted) if wanted else None


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows, their true classes, and the labels that are given (-1 where they are hidden)."""

    X: Any
    y: np.ndarray
    labels: np.ndarray
    made: dict[str, Any] = field(default_factory=dict)
    """What was made from the rows before the clock started."""

    @property
    def hidden(self) -> np.ndarray:
        return self.labels < 0

    def error(self, model: Any) -> float:
        """Percent of the hidden labels."""
        return 100.0 * float(np.mean(model.transduction_[self.hidden] != self.y[self.hidden]))


Fit = Callable[[Draw], Any]


@dataclass(frozen=True)
class Entry:
    """A method of a contest: how it is fitted, in which unit, its bar, and the method under which peers are stored."""

    method: str
    fit: Fit
    bar: float | None = None
    peers: str = ""
    yardstick: str = ""
    """The first one where none is named."""
    draws: int | None = None
    """How many of the draws; all where it is not said."""
    labels_rows: bool = True
    """Whether it ends with labels of the hidden rows."""


@dataclass(frozen=True, eq=False)
class Contest:
    """`yardsticks` by their unit; `inner` fits of each per draw, of which the fastest counts."""

    task: str
    yardsticks: dict[str, Fit]
    entries: list[Entry]
    inner: int = 1
    threads: int = 1
    prepare: Callable[[Draw], None] | None = None
    """Makes, before the clock starts, what no method is charged for."""

    def figures(self, warm_up: Draw, draws: Iterable[Draw]) -> Iterator[Figure]:
        """The draws that `limit_draws` allows, in turns."""
        with threadpool_limits(self.threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.prepare is not None:
                self.prepare(warm_up)
            for fit in (*self.yardsticks.values(), *(entry.fit for entry in self.entries)):
                fit(warm_up)
            seconds: dict[str, list[float]] = {name: [] for name in (*self.yardsticks, *self._methods)}
            errors: dict[str, list[float]] = {name: [] for name in self._methods}
            for number, draw in enumerate(islice(draws, limit_draws())):
                self._turn(number, draw, seconds, errors)
        for entry in self.entries:
            yield self._figure(entry, seconds, errors[entry.method])

    @property
    def _methods(self) -> list[str]:
        return [entry.method for entry in self.entries]

    def _turn(self, number: int, draw: Draw, seconds: dict[str, list[float]], errors: dict[str, list[float]]) -> None:
        if self.prepare is not None:
            self.prepare(draw)
        running = [entry for entry in self.entries if entry.draws is None or number < entry.draws]
        needed = {entry.yardstick or next(iter(self.yardsticks)) for entry in running}
        best: dict[str, float] = {}
        for _ in range(self.inner):
            for name, fit in self.yardsticks.items():
                if name in needed:
                    best[name] = min(best.get(name, np.inf), self._timed(fit, draw)[0])
            for entry in running:
                taken, model = self._timed(entry.fit, draw)
                best[entry.method] = min(best.get(entry.method, np.inf), taken)
                if entry.labels_rows and len(errors[entry.method]) == number:
                    errors[entry.method].append(draw.error(model))
        for name, taken in best.items():
            seconds[name].append(taken)
        print(f"  {self.task}, draw {number + 1}", file=sys.stderr, flush=True)

    def _timed(self, fit: Fit, draw: Draw) -> tuple[float, Any]:
        gc.collect()
        clock = CLOCKS[self._clock]
        begin = clock()
        model = fit(draw)
        return clock() - begin, model

    @property
    def _clock(self) -> str:
        return "cpu" if self.threads == 1 else "wall"

    def _figure(self, entry: Entry, seconds: dict[str, list[float]], errors: list[float]) -> Figure:
        unit = entry.yardstick or next(iter(self.yardsticks))
        ours = np.array(seconds[entry.method])
        theirs = np.array(seconds[unit][: len(ours)])
        value, low, high = quartiles(ours / theirs)
        return Figure(
            task=self.task,
            method=entry.method,
            unit=unit,
            value=value,
            low=low,
            high=high,
            bar=entry.bar,
            threads=self.threads,
            clock=self._clock,
            seconds=float(np.median(ours)),
            yardstick_seconds=float(np.median(theirs)),
            error=float(np.mean(errors)) if errors else None,
            error_spread=float(np.std(errors)) if errors else None,
            peer_error=best_error(self.task, entry.peers),
            peers=described(self.task, entry.peers),
        )
