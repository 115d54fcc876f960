"""The cells of a table, split by split: what there is to run and what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from semisvm_papers.records import FIELDS, Record, up_to_date
from semisvm_papers.table import Table, TableColumn, TableRow

Resolver = Callable[[str], Callable[..., Any] | None]


@dataclass(frozen=True)
class Job:
    """One cell of a table on one split, or one part of it, and what makes its estimator."""

    table: Table
    row: TableRow
    column: TableColumn
    split: int
    make: Callable[..., Any]
    part: int | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        return (self.table.name, self.row.dataset, self.column.method, self.split)

    @property
    def declaration(self) -> str:
        """The checksum of all that the table file says of the cell."""
        return self.table.declarations[self.key[:3]]

    def is_answered_by(self, record: Record) -> bool:
        """Whether a record has what the cell shows: one made before there was such a measure has not."""
        shows = self.row.shows or self.column.shows
        return record.failure is not None or shows in FIELDS or shows in record.measures


def estimator_named(name: str) -> Callable[..., Any] | None:
    """The estimator of that name in semisvm, or of that path elsewhere (`sklearn.neighbors...`); None without it."""
    import semisvm

    package, _, name = name.rpartition(".")
    return getattr(import_module(package) if package else semisvm, name, None)


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
    done = up_to_date(done, table.declarations)
    finished = {record.key: record for record in done if record.failure is None or not retry_failures}
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
        for split in range(table.splits_of(row))[:splits]
        for column, make in runnable
    ]
    return [job for job in jobs if job.key not in finished or not job.is_answered_by(finished[job.key])]


def _chosen(entries: tuple[Any, ...], names: Collection[str] | None, name_of: Callable[[Any], str], what: str) -> list:
    if names is None:
        return list(entries)
    known = {name_of(entry).lower(): entry for entry in entries}
    if unknown := [name for name in names if name.lower() not in known]:
        raise ValueError(f"{unknown[0]!r} is not among the {what}: {', '.join(name_of(entry) for entry in entries)}.")
    wanted = {name.lower() for name in names}
    return [entry for entry in entries if name_of(entry).lower() in wanted]
