"""Cells between commas, semicolons, tabs or bars, read by Arrow, column by column.

Every cell is the string that stands in the file.  Arrow wants lines of equal length; a file whose lines end early, as
spreadsheets write them where the last cells are blank, is read line by line from there on.  A table that is written
back is the same bytes with cells added to every line, in the encoding of the file.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from semisvm.tables.encodings import NAMES, UTF8, as_utf8, encoding_of
from semisvm.tables.records import BLOCK_BYTES, BOM, Dialect, OpenQuote, TextRecord, quoted, records
from semisvm.tables.table_file import Append, TableFile, different

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

DELIMITERS = ",;\t|"
"""What may stand between cells; the one that occurs most in the first line does."""


@dataclass(frozen=True)
class DelimitedFile(TableFile):
    """A line per row, the first naming the columns."""

    usual: str = ","
    """What stands between the cells of a new file, and of one whose first line holds no delimiter."""

    @cached_property
    def encoding(self) -> str:
        """Of the bytes of the file."""
        known = self.path.stat()
        return _encoding(self, known.st_mtime_ns, known.st_size)

    def opened(self, path: Path | None = None, mode: str = "rb") -> BinaryIO:
        """This file as UTF-8, or another one to write UTF-8 to."""
        encoding = self.encoding if path is None else UTF8
        return as_utf8(super().opened(path, mode), encoding)

    def notes(self) -> list[str]:
        with self.readable():
            if self.encoding == UTF8:
                return []
        name = NAMES[self.encoding]
        return [f"{self.path} is not UTF-8 text: it is read as {name} and written back in the same bytes."]

    @cached_property
    def delimiter(self) -> str:
        """Found in the first line, outside of quotes."""
        with self.opened() as file:
            begin = file.read(BLOCK_BYTES).removeprefix(BOM)
        line = re.search(rb"[^\r\n]+", begin)
        bare = re.sub(r'"[^"]*"', "", "" if line is None else line[0].decode())
        counts = {one: bare.count(one) for one in (self.usual, *DELIMITERS)}
        most = max(counts.values())
        return next(one for one, count in counts.items() if count == most) if most else self.usual

    @property
    def dialect(self) -> Dialect:
        return Dialect(self.delimiter.encode())

    def records(self) -> Iterator[TextRecord]:
        """The lines of the file after its byte order mark, blank ones included."""
        with self.opened() as file:
            begin = file.read(len(BOM)).removeprefix(BOM)
            try:
                yield from records(file, self.dialect, begin=begin)
            except OpenQuote as error:
                raise ValueError(
                    f"Line {error.line} of {self.path} opens a double quote that is never closed: close or double it."
                ) from error

    def names(self) -> list[str]:
        with self.readable():
            return self._header()[0]

    def _header(self) -> tuple[list[str], int]:
        """Names of the columns, and how many lines they take with blank ones."""
        for number, record in enumerate(self.records(), start=1):
            if record.body:
                return [name.strip() for name in record.cells(self.dialect)], number
        raise ValueError(f"{self.path} has no rows: a line of column names and rows below it are needed.")

    # ---------------------------------------------------------------- reading

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        names, n_header = self._header()
        names = different(names)
        begin = 0
        try:
            for table in _regular(self._batches(names, n_header), rows):
                chunk = table.to_pandas()
                chunk.index = range(begin, begin + len(chunk))
                begin += len(chunk)
                yield chunk
            self._check_quotes()
        except _UnevenLines:
            yield from self._uneven(names, n_header, rows, begin)

    def _batches(self, names: list[str], n_header: int) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        try:
            with (
                self.opened() as file,
                arrow_csv.open_csv(
                    file if self.compressed or self.encoding != UTF8 else self.path,
                    arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=n_header, block_size=BLOCK_BYTES),
                    arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                    arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string())),
                ) as reader,
            ):
                yield from reader
        except pa.ArrowInvalid as error:
            if "Empty CSV file" in str(error):
                return
            # lines of unequal length, a line longer than a block, a quote that is not closed
            raise _UnevenLines from error

    def _check_quotes(self) -> None:
        """Arrow takes a quote that is never closed for one that ends with the file; their number is odd then."""
        odd = False
        with self.opened() as file:
            while block := file.read(BLOCK_BYTES):
                odd ^= block.count(b'"') % 2 == 1
        if odd:
            for _ in self.records():
                pass

    def _uneven(self, names: list[str], n_header: int, rows: int, begin: int) -> "Iterator[pd.DataFrame]":
        """The rows from `begin` on; blanks where a line ends early, refused where it goes on too long."""
        import pandas as pd

        held: list[list[str]] = []
        number = 0
        for place, record in enumerate(self.records()):
            if place < n_header or not record.body:
                continue
            number += 1
            if number <= begin:
                continue
            held.append(self._cells_of(record, len(names)))
            if len(held) == rows:
                yield pd.DataFrame(held, columns=names, index=range(number - rows, number), dtype="str")
                held = []
        if held:
            yield pd.DataFrame(held, columns=names, index=range(number - len(held), number), dtype="str")

    def _cells_of(self, record: TextRecord, n_columns: int) -> list[str]:
        cells = record.cells(self.dialect)
        if len(cells) > n_columns:
            raise ValueError(
                f"Line {record.line} of {self.path} has {len(cells)} cells where the first line names {n_columns} "
                f"columns: put cells that hold {self.delimiter!r} between double quotes."
            )
        return cells + [""] * (n_columns - len(cells))

    # ---------------------------------------------------------------- writing

    @contextmanager
    def writer(self, path: Path, source: TableFile, written: Sequence[str] | None = None) -> Iterator[Append]:
        alike = isinstance(source, DelimitedFile) and source.usual == self.usual
        with self.opened(path, "wb") as file:
            if isinstance(source, DelimitedFile) and alike and written is not None:
                copy = _DelimitedCopy(source, file, list(written))
                yield copy.append
                copy.finish()
                return
            delimiter = source.delimiter if isinstance(source, DelimitedFile) and alike else self.usual
            begun = False

            def append(rows: "pd.DataFrame") -> None:
                nonlocal begun
                if not begun:
                    names = [quoted(str(name), delimiter) for name in rows.columns]
                    file.write(delimiter.encode().join(names) + b"\n")
                    begun = True
                if len(rows):
                    file.write(_lines(rows, delimiter))
                    file.write(b"\n")

            yield append


@lru_cache(maxsize=16)
def _encoding(file: DelimitedFile, _changed: int, _size: int) -> str:
    """Found once, as long as the file does not change."""
    with TableFile.opened(file) as stored:
        return encoding_of(stored)


class _DelimitedCopy:
    """The lines of a file as they are, with cells of other columns added to each, or put in place of old ones."""

    def __init__(self, source: DelimitedFile, file: BinaryIO, written: list[str]):
        self.source, self.file, self.written = source, file, written
        self.dialect = source.dialect
        self.lines = source.records()
        names = different(source.names())
        self.n_columns = len(names)
        self.replaced = {name: names.index(name) for name in written if name in names}
        self.added = [name for name in written if name not in names]
        with source.opened() as start:
            begin = start.read(len(BOM))
        parts = [begin] if begin == BOM else []
        header = self._next(parts)
        titles = [quoted(name, source.delimiter) for name in self.added]
        parts += [self.dialect.delimiter.join([header.body, *titles]), header.end]
        self._write(parts)

    def append(self, rows: "pd.DataFrame") -> None:
        import pyarrow as pa

        def as_bytes(name: str) -> list[bytes]:
            return _cells(rows[name], self.source.delimiter).cast(pa.large_binary()).to_pylist()

        between = self.dialect.delimiter
        added = [between.join(cells) for cells in zip(*(as_bytes(name) for name in self.added), strict=True)]
        replaced = {place: as_bytes(name) for name, place in self.replaced.items()}
        parts: list[bytes] = []
        for row in range(len(rows)):
            record = self._next(parts)
            body = self._full(record)
            if replaced:
                cells = TextRecord(body, b"", record.line).raw_cells(self.dialect)
                for place, column in replaced.items():
                    cells[place] = column[row]
                body = between.join(cells)
            parts += (body, between, added[row], record.end) if added else (body, record.end)
        self._write(parts)

    def finish(self) -> None:
        """Blank lines at the end."""
        for record in self.lines:
            assert not record.body, f"line {record.line} was not read"
            self._write([record.end])

    def _write(self, parts: list[bytes]) -> None:
        """Bytes of whole lines in the encoding of the source."""
        text = b"".join(parts)
        self.file.write(text if self.source.encoding == UTF8 else text.decode().encode(self.source.encoding))

    def _next(self, parts: list[bytes]) -> TextRecord:
        """The next row; blank lines before it are copied."""
        for record in self.lines:
            if record.body:
                return record
            parts.append(record.end)
        raise AssertionError("the table has fewer lines than rows")

    def _full(self, record: TextRecord) -> bytes:
        """The line with blank cells where it ends early."""
        between, body = self.dialect.delimiter, record.body
        n_cells = len(record.raw_cells(self.dialect)) if b'"' in body else body.count(between) + 1
        return body if n_cells == self.n_columns else body + between * (self.n_columns - n_cells)


class _UnevenLines(Exception):
    """A line has more or fewer cells than the first one."""


def _regular(batches: "Iterator[pa.RecordBatch]", rows: int) -> "Iterator[pa.Table]":
    """The same rows, at most this many at a time."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        held.append(batch)
        n_held += len(batch)
        if n_held >= rows:
            table = pa.Table.from_batches(held)
            whole = n_held - n_held % rows
            for start in range(0, whole, rows):
                yield table.slice(start, rows)
            held, n_held = table.slice(whole).to_batches(), n_held % rows
    if n_held:
        yield pa.Table.from_batches(held)


def _lines(rows: "pd.DataFrame", delimiter: str) -> Any:
    """The rows as UTF-8 lines."""
    import pyarrow as pa
    import pyarrow.compute as pc

    between, line_end = (pa.scalar(one, pa.large_string()) for one in (delimiter, "\n"))
    alone = rows.shape[1] == 1
    lines = pc.binary_join_element_wise(*(_cells(rows[name], delimiter, alone=alone) for name in rows.columns), between)
    together = pa.LargeListArray.from_arrays(pa.array([0, len(lines)], pa.int64()), lines)
    return pc.binary_join(together, line_end)[0].as_buffer()


def _cells(column: "pd.Series", delimiter: str, *, alone: bool = False) -> "pa.Array":
    """Cells as strings, between quotes where they hold a delimiter, a quote or a line break.

    A blank cell is quoted where its column is `alone`: its line would be no row otherwise.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _strings(column)
    if not alone and not _holds_any(cells, ('"', "\r", "\n", delimiter)):
        return cells
    special = f'["\\r\\n{re.escape(delimiter)}]' + ("|^$" if alone else "")
    quote, nothing = (pa.scalar(one, pa.large_string()) for one in ('"', ""))
    doubled = pc.replace_substring(cells, '"', '""')
    inside = pc.binary_join_element_wise(quote, doubled, quote, nothing)
    return pc.if_else(pc.match_substring_regex(cells, special), inside, cells)


def _holds_any(column: "pa.Array", marks: tuple[str, ...]) -> bool:
    """Whether one of these characters stands in some cell: a look at all cells as one string of bytes."""
    import numpy as np

    _, offsets, letters = column.buffers()
    if letters is None:
        return False
    begin, end = np.frombuffer(offsets, np.int64)[[column.offset, column.offset + len(column)]]
    together = bytes(memoryview(letters)[begin:end])
    return any(mark.encode() in together for mark in marks)


def _strings(cells: "pd.Series") -> "pa.Array":
    """Cells as strings, blank where there is none."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(cells.dtype, pd.StringDtype) or cells.dtype.kind in "iuf" or isinstance(cells.dtype, pd.Int64Dtype):
        found = pa.array(cells, from_pandas=True)
        found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
        return pc.fill_null(found.cast(pa.large_string()), "")
    return pa.array(["" if _nothing(cell) else str(cell) for cell in cells.astype(object)], pa.large_string())


def _nothing(cell: Any) -> bool:
    import pandas as pd

    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)
