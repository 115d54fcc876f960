"""Running a table: every cell and split once, each recorded as soon as it is done."""

from __future__ import annotations

import logging
import math
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from semisvm.datasets import DataFileMissingError
from semisvm.graph import Graph
from semisvm.papers.provenance import commit, versions
from semisvm.papers.records import Record, append_record, latest, read_records
from semisvm.papers.table import Column, Row, Table
from semisvm.papers.tasks import Task

logger = logging.getLogger(__name__)

Resolver = Callable[[str], Callable[..., Any] | None]


@dataclass(frozen=True)
class Job:
    """One cell of a table on one split, and what makes its estimator."""

    table: Table
    row: Row
    column: Column
    split: int
    make: Callable[..., Any]

    @property
    def key(self) -> tuple[str, str, str, int]:
        return (self.table.name, self.row.dataset, self.column.method, self.split)


def estimator_named(name: str) -> Callable[..., Any] | None:
    """The estimator class of that name in semisvm; None while there is none."""
    import semisvm

    return getattr(semisvm, name, None)


def pending_jobs(
    table: Table,
    done: Collection[Record] = (),
    splits: int | None = None,
    datasets: Collection[str] | None = None,
    methods: Collection[str] | None = None,
    resolve: Resolver = estimator_named,
    retry_failures: bool = False,
) -> list[Job]:
    """What is left to run, row by row and split by split; cells that cannot be run are left out."""
    finished = {record.key for record in done if record.failure is None or not retry_failures}
    rows = _chosen(table.rows, datasets, lambda row: row.dataset, f"data sets of {table.name}")
    columns = _chosen(table.columns, methods, lambda column: column.method, f"methods of {table.name}")
    runnable = [
        (column, make)
        for column in columns
        if column.not_runnable is None and column.estimator is not None and (make := resolve(column.estimator))
    ]
    jobs = [
        Job(table, row, column, split, make)
        for row in rows
        if row.not_runnable is None and row.source is not None
        for split in range(table.n_splits if splits is None else min(splits, table.n_splits))
        for column, make in runnable
    ]
    return [job for job in jobs if job.key not in finished]


def run(
    table: Table | str,
    splits: int | None = None,
    out: Path | str | None = None,
    *,
    datasets: Collection[str] | None = None,
    methods: Collection[str] | None = None,
    resolve: Resolver = estimator_named,
    retry_failures: bool = False,
    watch: Callable[[Record], None] | None = None,
) -> list[Record]:
    """Run a table and return its records, those of earlier runs in ``out`` included.

    With ``out``, a file of one record per line, finished cells are not run again: kill a run and start it again.
    A method that fails leaves a record with the reason; ``retry_failures=True`` tries it again.  Methods that
    semisvm does not have yet and data sets that are not at hand are passed over, the latter with a log message.
    """
    table = Table.load(table) if isinstance(table, str) else table
    path = None if out is None else Path(out)
    records = [] if path is None else read_records(path)
    jobs = pending_jobs(table, records, splits, datasets, methods, resolve, retry_failures)
    for row in table.rows:
        own = [job for job in jobs if job.row is row]
        for record in _run_row(row, own):
            if path is not None:
                append_record(path, record)
            records.append(record)
            if watch is not None:
                watch(record)
    return latest(record for record in records if record.table == table.name)


def _run_row(row: Row, jobs: list[Job]) -> Iterator[Record]:
    if not jobs or row.source is None:
        return
    try:
        for split, task in enumerate(islice(row.source.tasks(), max(job.split for job in jobs) + 1)):
            for job in jobs:
                if job.split == split:
                    yield _run_job(job, task)
    except DataFileMissingError as error:
        logger.warning("%s is passed over: %s", row.dataset, error)


def _run_job(job: Job, task: Task) -> Record:
    seed = job.split
    outcome, failure = None, None
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            outcome = job.column.protocol.measure(_builder(job, task, seed), task, seed)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
    return Record(
        table=job.table.name,
        dataset=job.row.dataset,
        method=job.column.method,
        split=job.split,
        seed=seed,
        error_pct=None if outcome is None else outcome.error_pct,
        seconds=round(time.perf_counter() - begin, 4),
        objective=None if outcome is None else outcome.objective,
        n_iter=None if outcome is None else outcome.n_iter,
        commit=commit(),
        versions=versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        failure=failure,
        warning=str(heard[0].message) if heard else None,
        measures={} if outcome is None else dict(outcome.measures),
    )


def _builder(job: Job, task: Task, seed: int) -> Callable[[], Any]:
    cell = job.row.cells.get(job.column.method, {})
    parameters = _in_our_convention({**job.column.parameters, **job.row.parameters, **cell})
    if job.column.true_ratio:
        parameters["ratio"] = task.true_ratio()

    def build() -> Any:
        model = job.make(**parameters)
        return model.set_params(random_state=seed) if "random_state" in model.get_params() else model

    return build


def _in_our_convention(parameters: Mapping[str, Any]) -> dict[str, Any]:
    converted = dict(parameters)
    if "sigma" in converted:
        # exp(-|x - z|^2 / (2 sigma^2)) = exp(-gamma |x - z|^2)
        converted["gamma"] = 1 / (2 * math.pow(converted.pop("sigma"), 2))
    if "graph" in converted:
        converted["graph"] = Graph(**converted["graph"])
    return converted


def _chosen(entries: tuple[Any, ...], names: Collection[str] | None, name_of: Callable[[Any], str], what: str) -> list:
    if names is None:
        return list(entries)
    known = {name_of(entry).lower(): entry for entry in entries}
    if unknown := [name for name in names if name.lower() not in known]:
        raise ValueError(f"{unknown[0]!r} is not among the {what}: {', '.join(name_of(entry) for entry in entries)}.")
    wanted = {name.lower() for name in names}
    return [entry for entry in entries if name_of(entry).lower() in wanted]
