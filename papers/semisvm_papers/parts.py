"""Cells that are measured in parts: the parts that are left, and the whole as soon as the last one is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from semisvm_papers.jobs import Job
from semisvm_papers.measuring import written
from semisvm_papers.protocol import InParts, Outcome
from semisvm_papers.records import Record

Key = tuple[str, str, str, int]


class Assembly:
    """Puts cells together from their parts; ``left`` are the measurements to make, whole cells or parts.

    ``known`` are records of parts from earlier runs. They count where the cell was declared as it is now; parts that
    failed are measured again.
    """

    def __init__(self, jobs: Iterable[Job], known: Iterable[Record] = ()) -> None:
        there = {(one.declaration, one.split, one.part): one for one in known if one.failure is None}
        self._jobs = {job.key: job for job in jobs}
        self._found: dict[Key, dict[int, Record]] = {key: {} for key in self._jobs}
        self.left: list[Job] = []
        for one in (part for job in self._jobs.values() for part in parts_of(job)):
            record = there.get((one.declaration, one.split, one.part))
            if one.part is None or record is None:
                self.left.append(one)
            else:
                self._found[one.key][one.part] = record

    def complete(self) -> Iterator[Record]:
        """The cells of which every part was known."""
        unfinished = {one.key for one in self.left}
        return (self._whole(key) for key in self._jobs if key not in unfinished)

    def add(self, record: Record) -> Record | None:
        """The whole cell if this was its last part."""
        if record.part is None:
            return None
        found = self._found[record.key]
        found[record.part] = record
        return self._whole(record.key) if len(found) == len(parts_of(self._jobs[record.key])) else None

    def _whole(self, key: Key) -> Record:
        job, found = self._jobs[key], self._found[key]
        protocol = job.column.protocol
        assert isinstance(protocol, InParts)
        records = [found[part] for part in range(protocol.n_parts)]
        failure = next((f"Part {part + 1}: {one.failure}" for part, one in enumerate(records) if one.failure), None)
        outcome = None if failure else protocol.whole([_outcome(one) for one in records])
        warning = next((one.warning for one in records if one.warning), None)
        whole = written(job, sum(one.seconds for one in records), outcome, failure, warning)
        # parts of an earlier run may come from other code
        return whole if all(one.code == whole.code for one in records) else replace(whole, code=None)


def parts_of(job: Job) -> list[Job]:
    """The measurements that a cell takes: itself, or one for each part of its protocol."""
    protocol = job.column.protocol
    return [replace(job, part=part) for part in range(protocol.n_parts)] if isinstance(protocol, InParts) else [job]


def _outcome(record: Record) -> Outcome:
    assert record.error_pct is not None
    return Outcome(record.error_pct, record.objective, record.n_iter, record.measures)
