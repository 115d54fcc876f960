"""One parameter through several values: the curves of the papers' figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from semisvm_papers.protocol import Build, InParts, Outcome, Protocol
from semisvm_papers.protocols.transductive import Transductive
from semisvm_papers.tasks import Task


@dataclass(frozen=True)
class Sweep(InParts):
    """A measurement for every value of a parameter; the outcome is that of the last value.

    The measures are curves: ``swept`` holds the values, ``errors_pct``, ``objectives``, ``iterations`` and ``times``
    (the seconds of the fits) what they gave.
    """

    parameter: str
    values: Sequence[float]
    each: Protocol = field(default_factory=Transductive)

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"values of {self.parameter} is empty and at least one value is needed.")

    @property
    def n_parts(self) -> int:
        return len(self.values)

    def measure_part(self, part: int, build: Build, task: Task, seed: int) -> Outcome:
        return self.each.measure(self._with(build, self.values[part]), task, seed)

    def whole(self, outcomes: Sequence[Outcome]) -> Outcome:
        curves: dict[str, list[float]] = {
            "swept": [float(value) for value in self.values],
            "errors_pct": [outcome.error_pct for outcome in outcomes],
            "objectives": [outcome.objective for outcome in outcomes if outcome.objective is not None],
            "iterations": [float(outcome.n_iter) for outcome in outcomes if outcome.n_iter is not None],
        }
        times = [outcome.measures.get("fit_seconds") for outcome in outcomes]
        curves["times"] = [float(time) for time in times if isinstance(time, float)]
        last = outcomes[-1]
        return Outcome(last.error_pct, last.objective, last.n_iter, {**last.measures, **curves})

    def _with(self, build: Build, value: Any) -> Build:
        return lambda: build().set_params(**{self.parameter: value})
