"""Running cells again whose code has changed: one split to compare, and all splits where that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from semisvm_papers.confirming import Confirmation, append_confirmation, confirmation_of
from semisvm_papers.jobs import Job
from semisvm_papers.provenance import KERNELS
from semisvm_papers.records import Record, append_record
from semisvm_papers.runner import measured, run_jobs
from semisvm_papers.shared import as_of, twins_of


def affordable_checks(pairs: Sequence[tuple[Job, Record]], seconds: float | None) -> list[tuple[Job, Record]]:
    """The first ones, which together took no longer than so many seconds."""
    kept, spent = [], 0.0
    for job, before in pairs:
        spent += before.seconds
        if seconds is not None and spent > seconds:
            break
        kept.append((job, before))
    return kept


def check(
    pairs: Sequence[tuple[Job, Record]], path: Path, n_jobs: int = 1, time_limit: float | None = None
) -> Iterator[tuple[Job, Record, Confirmation]]:
    """Run each job again and keep what it says of its cell in a file: (job, record of before, confirmation)."""
    known = {(job.key, job.part): (job, before) for job, before in pairs}
    for after in measured([job for job, _ in pairs], n_jobs, time_limit):
        if isinstance(after, Record):
            job, before = known[after.key, after.part]
            confirmation = confirmation_of(job, before, after)
            append_confirmation(path, confirmation)
            yield job, before, confirmation


def other_kernels(before: Iterable[Record], here: str) -> str | None:
    """A sentence where records were made with other kernels of BLAS than those of this machine; None elsewhere."""
    others = sorted({named for record in before if (named := record.versions.get(KERNELS)) not in (None, here)})
    if not others:
        return None
    return (
        f"Some records were made with the BLAS kernels of {', '.join(others)} and are checked with those of {here}: "
        "figures may differ by rounding alone. OPENBLAS_CORETYPE chooses the kernels."
    )


def run_again(
    cells: Iterable[Job], files: Callable[[str], Path], n_jobs: int = 1, time_limit: float | None = None
) -> Iterator[Record]:
    """Run all splits of cells, whatever is recorded of them; cells that are declared alike are run once."""
    groups = {group[0].key: group for group in twins_of(cells)}
    for record in run_jobs([group[0] for group in groups.values()], n_jobs, time_limit):
        for job in groups[record.key] if record.part is None else groups[record.key][:1]:
            append_record(files(job.table.name), as_of(record, job))
        if record.part is None:
            yield record
