"""Running tables: every cell and split once, each recorded as soon as it is done; long ones part by part."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path

from semisvm_papers.jobs import Job, Resolver, estimator_named, pending_jobs
from semisvm_papers.measuring import NoTask, TaskSupply, measure
from semisvm_papers.on_cluster import measure_on_cluster
from semisvm_papers.parts import Assembly
from semisvm_papers.processes import measure_in_processes
from semisvm_papers.records import Record, append_record, latest, read_parts, read_records, up_to_date
from semisvm_papers.shared import as_of, taken_over, twins_of
from semisvm_papers.table import Table, declarations_of

logger = logging.getLogger(__name__)


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
    n_jobs: int = 1,
    time_limit: float | None = None,
    scheduler: str | None = None,
) -> list[Record]:
    """Run a table and return its records, those of earlier runs in ``out`` included.

    With ``out``, a file of one record per line, finished cells are not run again: kill a run and start it again.
    A method that fails leaves a record with the reason; ``retry_failures=True`` tries it again.  Methods that
    semisvm does not have yet and data sets that are not present are passed over, the latter with a log message.
    ``n_jobs`` processes share the work (-1: one per core; a script that asks for several needs the usual
    ``if __name__ == "__main__":``); a cell, or a part of one, that takes longer than ``time_limit`` seconds is given
    up and recorded as failed.  ``scheduler``, the address of a Dask scheduler, leaves the work to its workers instead.
    ``watch`` is called with every new record, those of parts (``record.part`` is not None) included.
    """
    table = Table.load(table) if isinstance(table, str) else table
    path = None if out is None else Path(out)
    records, parts = ([], []) if path is None else (read_records(path), read_parts(path))
    jobs = pending_jobs(table, records, splits, datasets, methods, resolve, retry_failures)
    for record in run_jobs(jobs, n_jobs, time_limit, scheduler, parts):
        if path is not None:
            append_record(path, record)
        if record.part is None:
            records.append(record)
        if watch is not None:
            watch(record)
    return latest(record for record in up_to_date(records, table.declarations) if record.table == table.name)


def run_tables(
    tables: Iterable[Table],
    files: Callable[[str], Path],
    jobs: Iterable[Job],
    *,
    known: Iterable[Record] = (),
    watch: Callable[[Record], None] | None = None,
    n_jobs: int = 1,
    time_limit: float | None = None,
    scheduler: str | None = None,
) -> list[Record]:
    """Run jobs of several tables in one go, each recorded in the file of its table, and return all their records.

    Cells that are declared alike are measured once, here and in earlier runs of these tables; ``known`` are records
    of other tables.
    """
    tables = list(tables)
    paths = sorted({files(table.name) for table in tables})

    def keep(record: Record) -> None:
        append_record(files(record.table), record)
        if watch is not None:
            watch(record)

    found, left = taken_over(jobs, [*known, *(record for path in paths for record in read_records(path))])
    for record in found:
        keep(record)
    twins = {group[0].key: group for group in twins_of(left)}
    parts = [part for path in paths for part in read_parts(path)]
    for record in run_jobs([group[0] for group in twins.values()], n_jobs, time_limit, scheduler, parts):
        # a part is of use to whoever is declared alike: once is enough
        for job in twins[record.key] if record.part is None else twins[record.key][:1]:
            keep(as_of(record, job))
    return kept_records(tables, files)


def kept_records(tables: Iterable[Table], files: Callable[[str], Path]) -> list[Record]:
    """The records of some tables that were made with their cells as they are declared now."""
    tables = list(tables)
    names = {table.name for table in tables}
    paths = sorted({files(name) for name in names})
    own = latest(record for path in paths for record in read_records(path) if record.table in names)
    return up_to_date(own, declarations_of(tables))


def run_jobs(
    jobs: Iterable[Job],
    n_jobs: int = 1,
    time_limit: float | None = None,
    scheduler: str | None = None,
    parts: Iterable[Record] = (),
) -> Iterator[Record]:
    """The record of each job as it is done; a data set that is not present is reported once and passed over.

    Cells that are measured in parts give a record for each part and then that of the whole; ``parts`` are known ones.
    """
    if scheduler is not None and time_limit is not None:
        raise ValueError(
            f"time_limit={time_limit:g} was given with a scheduler, and workers of a cluster are not ended for one "
            "cell: leave out one of the two."
        )
    assembly = Assembly(jobs, parts)
    yield from assembly.complete()
    left = assembly.left
    reported: set[tuple[str, str]] = set()
    results: Iterator[Record | NoTask]
    if scheduler is None:
        together, alone = [job for job in left if not job.row.alone], [job for job in left if job.row.alone]
        processes = min(n_processes(n_jobs), len(together))
        results = chain(measured(together, processes, time_limit), measured(alone, 1, time_limit))
    else:
        results = measure_on_cluster(left, scheduler)
    for result in results:
        if isinstance(result, Record):
            yield result
            if (whole := assembly.add(result)) is not None:
                yield whole
        elif (row := (result.job.table.name, result.job.row.dataset)) not in reported:
            reported.add(row)
            logger.warning("%s is passed over: %s", result.job.row.dataset, result.reason)


def n_processes(n_jobs: int) -> int:
    """As scikit-learn counts: -1 is one per core, -2 one fewer."""
    if n_jobs == 0:
        raise ValueError("n_jobs = 0 runs nothing: use 1, 2, ..., or -1 for one process per core.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def measured(jobs: list[Job], processes: int, time_limit: float | None) -> Iterator[Record | NoTask]:
    """What became of each job, cells and parts alike, by so many processes."""
    if processes > 1 or (jobs and time_limit is not None):
        yield from measure_in_processes(jobs, processes, time_limit)
        return
    supply = TaskSupply()
    for job in jobs:
        yield measure(job, supply)
