"""Every decision of the person, one line each, written to disk before it counts.

The first line says which table and column the file belongs to. A crash can leave an incomplete last line, which is
removed. An undo is a line of its own: no complete line is ever removed.
"""

import json
import os
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

FORMAT = 1


@dataclass(frozen=True)
class Decision:
    """What the person did; which of the fields count depends on the kind.

    answer    a row got a class when it was asked for: `label`, whether it was `drawn` at random, and what was guessed
    mend      a row that had a class got another one, or the same again
    skip      a row was not answered
    accept    many rows got the classes of `parts` together, unseen but for a sample
    ask       these rows come next
    class     a class was named
    merge     all of class `label` became `to`; `rows` are those whose cell in the table says so
    dismiss   a finding of the list of checks, `label`, was looked at and is no error
    undo      the last decision that still stands was taken back
    """

    kind: str
    rows: tuple[int, ...] = ()
    label: str | None = None
    to: str | None = None
    drawn: bool = False
    guess: str | None = None
    confidence: float | None = None
    learned_from: int | None = None
    """The number of labels that the guessing model knew."""
    before: str | None = None
    """The class in the table when a row was first decided on."""
    parts: dict[str, list[int]] = field(default_factory=dict)
    time: str = ""

    def line(self) -> str:
        entry = {name: value for name, value in asdict(self).items() if value not in (None, (), {}, False)}
        return json.dumps(entry, ensure_ascii=False)

    @classmethod
    def of(cls, entry: dict) -> "Decision":
        known = {one.name for one in fields(cls)}
        kept = {name: value for name, value in entry.items() if name in known}
        return cls(**{**kept, "rows": tuple(int(row) for row in kept.get("rows", ()))})


class Decisions:
    """The file, open for appending. `standing` are the decisions that were not undone, in order."""

    def __init__(self, path: Path, table: Path, label: str, fingerprint: str):
        self.path = path
        self.standing: list[Decision] = []
        self.before: dict[int, str | None] = {}
        """Classes in the table before the decisions on these rows, undone decisions included."""
        self.learned: list[dict] = []
        """The points of the curve, one per fit."""
        whole = self._read(table, label, fingerprint) if path.exists() else 0
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115  (open as long as the page runs)
        self._file.truncate(whole)
        if not whole:
            header = {"semisvm_decisions": FORMAT, "table": table.name, "label": label, "sha256": fingerprint}
            self._write(json.dumps(header, ensure_ascii=False))
            _sync_folder(path.parent)

    def _read(self, table: Path, label: str, fingerprint: str) -> int:
        """Read the file; return how many of its bytes are complete lines."""
        held = self.path.read_bytes()
        lines = held.split(b"\n")
        torn = lines.pop()
        entries = []
        for number, line in enumerate(lines, start=1):
            try:
                entries.append(json.loads(line))
            except ValueError as error:
                raise ValueError(
                    f"Line {number} of {self.path} is not JSON: correct it, or move the file away to start again."
                ) from error
        if not entries:
            return 0
        self._check_header(entries[0], table, label)
        for one in entries[1:]:
            self._take(one)
        if fingerprint not in self._fingerprints_of(entries):
            raise ValueError(
                f"{table} changed since the decisions in {self.path.name} were made: put the table back as it was, or "
                "move that file away to begin anew."
            )
        return len(held) - len(torn)

    def _check_header(self, header: dict, table: Path, label: str) -> None:
        if header.get("semisvm_decisions") != FORMAT:
            raise ValueError(f"{self.path} holds no decisions of this program: move it away to begin anew.")
        if header.get("label") != label:
            raise ValueError(
                f"{self.path} holds decisions on column {header.get('label')!r} of {table}, not on {label!r}: go on "
                "with that column, or move the file away."
            )

    @staticmethod
    def _fingerprints_of(entries: list[dict]) -> list[str]:
        """Fingerprints of the table at first and of every save in place, interrupted ones included."""
        saves = [one["sha256"] for one in entries[1:] if one.get("kind") == "saving"]
        return [entries[0]["sha256"], *saves][-2:]

    def _take(self, entry: dict) -> None:
        if entry.get("kind") == "learned":
            self.learned.append(entry)
        elif entry.get("kind") == "undo":
            if self.standing:
                self.standing.pop()
        elif entry.get("kind") != "saving":
            self._stands(Decision.of(entry))

    def _stands(self, decision: Decision) -> None:
        self.standing.append(decision)
        for row in decision.rows if decision.kind in ("answer", "mend", "merge") else ():
            self.before.setdefault(row, decision.before)

    def append(self, decision: Decision) -> Decision:
        """Add a decision. It is on disk when this returns."""
        decision = replace(decision, time=_now())
        self._write(decision.line())
        if decision.kind == "undo":
            self.standing.pop()
        else:
            self._stands(decision)
        return decision

    def note_learned(self, entry: dict) -> None:
        """Add a point of the curve, without waiting for the disk."""
        self.learned.append(entry)
        self._file.write(json.dumps({"kind": "learned", **entry}).encode("utf-8") + b"\n")

    def note_saving(self, fingerprint: str) -> None:
        """Record the fingerprint of the table that is about to replace the file."""
        self._write(json.dumps({"kind": "saving", "sha256": fingerprint, "time": _now()}))

    def close(self) -> None:
        self._file.close()

    def _write(self, line: str) -> None:
        """Write a complete line or nothing. What a full disk leaves of it is removed again."""
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line.encode("utf-8") + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(end)
            raise OSError(f"{self.path} cannot be written ({error.strerror}): nothing was decided.") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _sync_folder(folder: Path) -> None:
    """Write the name of a new file to disk too, where folders can be opened."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
