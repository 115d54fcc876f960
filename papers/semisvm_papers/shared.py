"""Cells that tables have in common are measured once: what is declared alike gives one record per split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from semisvm_papers.jobs import Job
from semisvm_papers.records import Record


def as_of(record: Record, job: Job) -> Record:
    """The record of another cell under the name of this one."""
    return replace(record, table=job.table.name, dataset=job.row.dataset, method=job.column.method)


def taken_over(jobs: Iterable[Job], records: Iterable[Record]) -> tuple[list[Record], list[Job]]:
    """(records of jobs that were measured for another cell, the jobs that are left); failures are not taken over."""
    known = {(one.declaration, one.split): one for one in records if one.declaration and one.failure is None}
    found, left = [], []
    for job in jobs:
        record = known.get((job.declaration, job.split))
        if record is None or not job.is_answered_by(record):
            left.append(job)
        else:
            found.append(as_of(record, job))
    return found, left


def twins_of(jobs: Iterable[Job]) -> list[list[Job]]:
    """The jobs, those that are declared alike together."""
    groups: dict[tuple[str, int], list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.declaration, job.split), []).append(job)
    return list(groups.values())
