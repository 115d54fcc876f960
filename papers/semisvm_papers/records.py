"""What was measured, one JSON object per line, appended as it comes so that a killed run loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

Measures = Mapping[str, float | list[float]]
"""Figures by name, and curves: lists of figures."""
FIELDS = ("error_pct", "accuracy_pct", "objective", "n_iter", "seconds")
"""The figures every record has a place for."""


@dataclass(frozen=True)
class Record:
    """One cell of a table on one split; ``failure`` holds the error where the method failed."""

    table: str
    dataset: str
    method: str
    split: int
    seed: int
    error_pct: float | None
    seconds: float
    objective: float | None
    n_iter: int | None
    commit: str | None
    versions: dict[str, str]
    date: str
    failure: str | None = None
    warning: str | None = None
    measures: Measures = field(default_factory=dict)
    """Whatever else the protocol measured, by name: bounds, errors on other rows, curves."""
    machine: Mapping[str, float] = field(default_factory=dict)
    """Its number of cores and its memory in GiB."""
    declaration: str | None = None
    """A checksum of what the table file said of the cell, so that a change of it is noticed."""
    part: int | None = None
    """Which part of the cell this is, where a protocol measures in parts; None for a whole cell."""
    code: str | None = None
    """The fingerprint of the code that computed the cell; None where it is not known."""

    @property
    def accuracy_pct(self) -> float | None:
        """For papers that print accuracies."""
        return None if self.error_pct is None else 100 - self.error_pct

    def figure(self, name: str) -> float | list[float] | None:
        """A field (error_pct, accuracy_pct, objective, n_iter, seconds) or a measure of that name; None without it."""
        return getattr(self, name) if name in FIELDS else self.measures.get(name)

    @property
    def key(self) -> tuple[str, str, str, int]:
        return (self.table, self.dataset, self.method, self.split)


def append_record(path: Path, record: Record) -> None:
    """Add one line; a line left unfinished by a kill is closed first, so it cannot spoil the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.seek(0, os.SEEK_END) > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(asdict(record)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_records(path: Path | str) -> list[Record]:
    """The latest record of each cell and split in a file; an unfinished line is passed over."""
    return [record for record in _read(path) if record.part is None]


def read_parts(path: Path | str) -> list[Record]:
    """The latest record of each part of a cell in a file: what a stopped run had of cells it did not finish, too."""
    return [record for record in _read(path) if record.part is not None]


def up_to_date(records: Iterable[Record], declarations: Mapping[tuple[str, str, str], str]) -> list[Record]:
    """The records that were made with the cell as the table file declares it now."""
    return [one for one in records if one.declaration == declarations.get(one.key[:3], one.declaration)]


def latest(records: Iterable[Record]) -> list[Record]:
    """The last record of each cell and split, and of each part of one, in the order of first appearance."""
    return list({(*record.key, record.part): record for record in records}.values())


def _read(path: Path | str) -> list[Record]:
    path = Path(path)
    if not path.exists():
        return []
    return latest(record for line in path.read_text(encoding="utf-8").splitlines() if (record := _parse(line)))


def _parse(line: str) -> Record | None:
    try:
        content = json.loads(line)
    except json.JSONDecodeError:
        return None
    known = {one.name for one in fields(Record)}
    return Record(**{name: value for name, value in content.items() if name in known})
