"""Whether today's code still gives what was recorded: where the code of a cell has changed, one split is run again.

Figures that are equal within a millionth confirm all splits of the cell. Times are not compared: no run repeats them. A
cell that shows one, and whose error or objective has moved, keeps it until somebody runs the table on a quiet machine.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path

from semisvm_papers.derived import shown_in
from semisvm_papers.fingerprint import fingerprint_of
from semisvm_papers.jobs import Job
from semisvm_papers.protocol import InParts, Protocol
from semisvm_papers.provenance import KERNELS
from semisvm_papers.records import Record

TOLERANCE = 1e-6
TIMES = ("seconds", "fit_seconds", "fit_seconds_each", "times")


class CodeState(Enum):
    """What is known of the records of a cell and the code of today; the value is the text for it."""

    TODAY = "made with today's code"
    CONFIRMED = "confirmed with today's code"
    DIFFERS = "differs with today's code"
    TIME_KEPT = "of a time, whose error or objective has moved"
    CONFIRMED_BEFORE = "confirmed with code that has changed since"
    UNCHECKED = "made with earlier code, not checked"


@dataclass(frozen=True)
class Confirmation:
    """One split of a cell, run again; cells that are declared alike share it."""

    declaration: str
    split: int
    part: int | None
    code: str
    commit: str | None
    date: str
    difference: float | None
    """The largest difference of a figure, as a share of the recorded one where that is above one; None: it failed."""
    kernels: str | None = None
    """Of BLAS, on the machine that ran it again."""

    @property
    def same(self) -> bool:
        return self.difference is not None and self.difference <= TOLERANCE


def state_of(records: Iterable[Record], code: str | None, confirmations: Iterable[Confirmation]) -> CodeState:
    """What is known of the records of one cell; ``code`` is its fingerprint today."""
    records = list(records)
    if code is not None and all(record.code == code for record in records):
        return CodeState.TODAY
    declared = {record.declaration for record in records}
    known = [one for one in confirmations if one.declaration in declared]
    today = [one for one in known if one.code == code]
    if today:
        return CodeState.CONFIRMED if today[-1].same else CodeState.DIFFERS
    return CodeState.CONFIRMED_BEFORE if known and known[-1].same else CodeState.UNCHECKED


def states_of(
    jobs: Iterable[Job], records: Iterable[Record], confirmations: Sequence[Confirmation]
) -> dict[tuple[str, str, str], CodeState]:
    """The state of every cell with records; ``jobs`` has one of each cell."""
    by_cell: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        if record.failure is None:
            by_cell.setdefault(record.key[:3], []).append(record)
    return {job.key[:3]: _state(job, by_cell[job.key[:3]], confirmations) for job in jobs if job.key[:3] in by_cell}


def _state(job: Job, records: Iterable[Record], confirmations: Iterable[Confirmation]) -> CodeState:
    state = state_of(records, fingerprint_of(job), confirmations)
    shows_time = shown_in(job.row, job.column) in TIMES
    return CodeState.TIME_KEPT if state is CodeState.DIFFERS and shows_time else state


def to_check(
    jobs: Iterable[Job], records: Collection[Record], parts: Collection[Record], confirmations: Sequence[Confirmation]
) -> list[tuple[Job, Record]]:
    """(what to run again, what it gave before) for every cell that is not known to be as recorded, the quickest first.

    Cells that are declared alike are checked once. Of a cell with recorded parts one part is run again, also where
    the record of the whole lists the errors of its parts.
    """
    jobs = list(jobs)
    protocols = {job.declaration: job.column.protocol for job in jobs}
    open_cells = {
        cell
        for cell, state in states_of(jobs, records, confirmations).items()
        if state in (CodeState.UNCHECKED, CodeState.CONFIRMED_BEFORE)
    }
    quickest: dict[str, Record] = {}
    listed = [part for one in records if (part := _middle_part(one, protocols.get(one.declaration or ""))) is not None]
    for record in [*records, *parts, *listed]:
        known = quickest.get(record.declaration or "")
        if record.failure is None and (known is None or record.seconds < known.seconds):
            quickest[record.declaration or ""] = record
    found = {
        job.declaration: (_again(job, quickest[job.declaration]), quickest[job.declaration])
        for job in jobs
        if job.key[:3] in open_cells and job.declaration in quickest
    }
    return sorted(found.values(), key=lambda pair: pair[1].seconds)


def confirmation_of(job: Job, before: Record, after: Record) -> Confirmation:
    """What a split that was run again says of its cell."""
    code = fingerprint_of(job)
    assert code is not None
    figures = {"error_pct", "objective", shown_in(job.row, job.column)}
    apart = None if after.failure is not None else difference(before, after, figures)
    kernels = after.versions.get(KERNELS)
    return Confirmation(job.declaration, job.split, job.part, code, after.commit, after.date, apart, kernels)


def difference(before: Record, after: Record, figures: Iterable[str]) -> float:
    """The largest |a - b| / max(1, |a|) over the figures that were recorded, without times."""
    apart = [0.0]
    for name in figures:
        a, b = before.figure(name), after.figure(name)
        if a is None or name in TIMES:
            continue
        ours, theirs = _as_list(a), _as_list(b)
        if len(ours) != len(theirs):
            return float("inf")
        apart += [abs(one - other) / max(1.0, abs(one)) for one, other in zip(ours, theirs, strict=True)]
    return max(apart)


def append_confirmation(path: Path, confirmation: Confirmation) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(confirmation)) + "\n")


def read_confirmations(path: Path | str) -> list[Confirmation]:
    """All that are in a file, the latest last; none where there is no file."""
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Confirmation(**json.loads(line)) for line in lines]


def file_of_confirmations(records: Path) -> Path:
    """Where they are kept: beside the folder of the records, or in the folder of the one file."""
    return records.parent / "confirmed.jsonl"


def count_states(states: Mapping[tuple[str, str, str], CodeState]) -> dict[CodeState, int]:
    """How many cells there are of each state."""
    return {state: sum(one is state for one in states.values()) for state in CodeState}


def _middle_part(record: Record, protocol: Protocol | None) -> Record | None:
    """What a whole record says of one of its parts, where it lists their errors: the one in the middle."""
    errors = record.measures.get("errors_pct")
    if not isinstance(protocol, InParts) or not isinstance(errors, list) or len(errors) != protocol.n_parts:
        return None
    part = protocol.n_parts // 2
    seconds = record.seconds / protocol.n_parts
    return replace(record, part=part, error_pct=errors[part], objective=None, seconds=seconds, measures={})


def _again(job: Job, record: Record) -> Job:
    assert record.part is None or isinstance(job.column.protocol, InParts)
    return replace(job, split=record.split, part=record.part)


def _as_list(figure: float | list[float] | None) -> list[float]:
    if figure is None:
        return []
    return figure if isinstance(figure, list) else [figure]
