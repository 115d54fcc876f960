"""Measuring a cell, or a part of it, on one split: its estimator is built, fitted and judged; all ends in a record."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from threadpoolctl import threadpool_limits

from semisvm.datasets import DataFileMissingError
from semisvm.geometry.graph import Graph
from semisvm_papers.fingerprint import fingerprint_of
from semisvm_papers.grids import in_our_convention
from semisvm_papers.jobs import Job
from semisvm_papers.protocol import Build, InParts, Outcome
from semisvm_papers.provenance import commit, machine, versions
from semisvm_papers.records import Record
from semisvm_papers.tasks import Task, TaskSource


@dataclass(frozen=True)
class NoTask:
    """The data of a job are not present; ``reason`` is a sentence."""

    job: Job
    reason: str


@dataclass
class TaskSupply:
    """The tasks of one source after the other, kept open: jobs mostly ask for the same split or the next one."""

    source: TaskSource | None = None
    split: int = -1
    task: Task | None = None
    _tasks: Iterator[Task] = field(default_factory=lambda: iter(()))

    def get(self, source: TaskSource, split: int) -> Task:
        if source != self.source or split < self.split:
            self.source, self.split, self.task, self._tasks = source, -1, None, source.tasks()
        while self.task is None or self.split < split:
            try:
                self.task = next(self._tasks)
            except BaseException:
                self.source = None
                raise
            self.split += 1
        return self.task


def measure(job: Job, supply: TaskSupply) -> Record | NoTask:
    """The record of a job, also where its method fails; on one thread, so that times of cells can be compared."""
    if job.row.source is None:
        return NoTask(job, f"{job.row.dataset} has no data.")
    try:
        task = supply.get(job.row.source, job.split)
    except DataFileMissingError as error:
        return NoTask(job, str(error))
    except StopIteration:
        return NoTask(job, f"it has no split {job.split}.")
    seed = job.split
    outcome, failure = None, None
    begin = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = _outcome(job, _builder(job, task, seed), task, seed)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    return written(job, time.perf_counter() - begin, outcome, failure, str(caught[0].message) if caught else None)


def written(
    job: Job, seconds: float, outcome: Outcome | None, failure: str | None = None, warning: str | None = None
) -> Record:
    """The record of a job, with where, when and by what it was made."""
    return Record(
        table=job.table.name,
        dataset=job.row.dataset,
        method=job.column.method,
        split=job.split,
        seed=job.split,
        error_pct=None if outcome is None else outcome.error_pct,
        seconds=round(seconds, 4),
        objective=None if outcome is None else outcome.objective,
        n_iter=None if outcome is None else outcome.n_iter,
        commit=commit(),
        versions=versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        failure=failure,
        warning=warning,
        measures={} if outcome is None else {name: _short(value) for name, value in outcome.measures.items()},
        machine=machine(),
        declaration=job.declaration,
        part=job.part,
        code=fingerprint_of(job),
    )


def _outcome(job: Job, build: Build, task: Task, seed: int) -> Outcome:
    protocol = job.column.protocol
    if job.part is None:
        return protocol.measure(build, task, seed)
    assert isinstance(protocol, InParts)
    return protocol.measure_part(job.part, build, task, seed)


def _short(value: float | list[float]) -> float | list[float]:
    """Seven digits: curves make files long."""
    return [float(f"{one:.7g}") for one in value] if isinstance(value, list) else float(f"{value:.7g}")


def _builder(job: Job, task: Task, seed: int) -> Build:
    cell = job.row.cells.get(job.column.method, {})
    parameters = in_our_convention({**job.column.parameters, **job.row.parameters, **cell}, task)
    if "graph" in parameters:
        parameters["graph"] = Graph(**parameters["graph"])
    if job.column.true_ratio:
        parameters["ratio"] = task.true_ratio()

    def build() -> Any:
        model = job.make(**parameters)
        # papers cut scores at zero, however few labels there are
        settled = {"random_state": seed, "threshold": parameters.get("threshold", "zero")}
        return model.set_params(**{name: settled[name] for name in settled.keys() & model.get_params().keys()})

    return build
