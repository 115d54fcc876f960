"""One JSON object per line; a table that is written back is the same lines with members added to every object."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from semisvm.tables.table_file import Append, TableFile

if TYPE_CHECKING:
    import pandas as pd

BLANKS = " \t\r\n"
LARGEST = 2**63
"""Whole numbers from here on, of either sign, fit no column of numbers."""


@dataclass(frozen=True)
class JSONLinesFile(TableFile):
    """A line per row; a row may lack columns."""

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number, text) of every line that is not blank, with its line end."""
        with self.opened() as file:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        import pandas as pd

        held: list[dict] = []
        begin = 0
        for number, line in self.lines():
            held.append(self._row(number, line))
            if len(held) == rows:
                yield pd.DataFrame(held, index=range(begin, begin + rows), dtype=object)
                begin, held = begin + rows, []
        if held:
            yield pd.DataFrame(held, index=range(begin, begin + len(held)), dtype=object)

    def _row(self, number: int, line: str) -> dict:
        where = f"Line {number} of {self.path}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{where} is not JSON: {error.msg}.") from error
        except RecursionError as error:
            raise ValueError(f"{where} is nested too deeply: a flat object per row is needed.") from error
        except ValueError as error:  # more digits than Python reads as one number
            raise ValueError(f"{where} holds a number of too many digits: write it as text.") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where} is not a JSON object: one per row is needed.")
        if "\\ud" in line.lower():
            try:
                json.dumps(row, ensure_ascii=False).encode()
            except UnicodeEncodeError as error:
                half = ascii(error.object[error.start])[1:-1]
                raise ValueError(f"{where} holds half of a character ({half}): write both halves, or none.") from error
        for name, value in row.items():
            if isinstance(value, int) and not -LARGEST <= value < LARGEST:
                raise ValueError(f"{where} holds a whole number beyond 64 bits in {name!r}: write it as text.")
        return row

    @contextmanager
    def writer(self, path: Path, source: TableFile, written: Sequence[str] | None = None) -> Iterator[Append]:
        with self.opened(path, "wb") as file:
            if isinstance(source, JSONLinesFile) and written is not None:
                copy = _JSONLinesCopy(source, file, list(written))
                yield copy.append
                copy.finish()
                return

            def append(rows: "pd.DataFrame") -> None:
                for row in rows.astype(object).to_dict("records"):
                    file.write(f"{{{', '.join(_member(name, value) for name, value in row.items())}}}\n".encode())

            yield append


class _JSONLinesCopy:
    """The lines of a file as they are, with other members in every object."""

    def __init__(self, source: JSONLinesFile, file: BinaryIO, written: list[str]):
        self.file, self.written = file, written
        self.lines = self._opened(source)

    def _opened(self, source: JSONLinesFile) -> Iterator[bytes]:
        with source.opened() as given:
            yield from given

    def append(self, rows: "pd.DataFrame") -> None:
        for row in rows[self.written].astype(object).to_dict("records"):
            line = next(self._rows()).decode()
            self.file.write(with_members(line, {name: _member(name, value) for name, value in row.items()}).encode())

    def finish(self) -> None:
        for line in self._rows():
            raise AssertionError(f"{line!r} was not read")

    def _rows(self) -> Iterator[bytes]:
        """Lines that are rows; blank ones are copied."""
        for line in self.lines:
            if line.decode("utf-8-sig").strip():
                yield line
            else:
                self.file.write(line)


def with_members(line: str, members: dict[str, str]) -> str:
    """The line with these members ("name": value) at the end of its object; old ones of these names are taken out."""
    first, last = line.index("{"), line.rindex("}")
    inside = line[first + 1 : last]
    if any(json.dumps(name)[1:-1] in inside or name in inside for name in members):
        kept = [text for name, text in _members(line, first) if name not in members]
        inside = ",".join(kept)
    # what stands before the brace stays where it is
    bare = inside.rstrip(BLANKS)
    added = ", ".join(members.values())
    return line[: first + 1] + bare + (", " if bare.strip(BLANKS) else "") + added + inside[len(bare) :] + line[last:]


def _members(line: str, brace: int) -> Iterator[tuple[str, str]]:
    """(name, text) of every member of the object that this brace opens."""
    read = json.JSONDecoder().raw_decode
    at = brace + 1
    while True:
        begin = _behind_blanks(line, at)
        if line[begin] == "}":
            return
        name, at = read(line, begin)
        at = _behind_blanks(line, at)  # a colon
        _, at = read(line, _behind_blanks(line, at + 1))
        yield name, line[begin:at]
        at = _behind_blanks(line, at)
        if line[at] == "}":
            return
        at += 1


def _behind_blanks(line: str, at: int) -> int:
    while line[at] in BLANKS:
        at += 1
    return at


def _member(name: Any, value: Any) -> str:
    return f"{json.dumps(str(name), ensure_ascii=False)}: {json.dumps(_plain(value), ensure_ascii=False, default=str)}"


def _plain(value: Any) -> Any:
    """NumPy's scalars and arrays as Python's, NaN as null."""
    import numpy as np
    import pandas as pd

    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value) else value
