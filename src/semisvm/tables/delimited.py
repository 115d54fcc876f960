"""Cells between commas, semicolons, tabs or bars, read and written by Arrow, column by column.

Every cell is the string that stands in the file.  Arrow wants lines of equal length; a file whose lines end early, as
spreadsheets write them where the last cells are blank, is read by pandas from there on.
"""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.tables.table_file import Append, TableFile, different

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

BLOCK_BYTES = 8 * 2**20
DELIMITERS = ",;\t|"
"""What may stand between cells; the one that occurs most in the first line does."""


@dataclass(frozen=True)
class DelimitedFile(TableFile):
    """A line per row, the first naming the columns."""

    usual: str = ","
    """What stands between the cells of a new file, and of one whose first line holds no delimiter."""

    @cached_property
    def delimiter(self) -> str:
        """Found in the first line, outside of quotes."""
        with open(self.path, encoding="utf-8-sig", newline="") as file:
            line = next((line for line in file if line.strip()), "")
        bare = re.sub(r'"[^"]*"', "", line)
        counts = {one: bare.count(one) for one in (self.usual, *DELIMITERS)}
        most = max(counts.values())
        return next(one for one, count in counts.items() if count == most) if most else self.usual

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
        except _UnevenLines:
            yield from self._uneven(names, rows, begin)

    def names(self) -> list[str]:
        return self._header()[0]

    def _header(self) -> tuple[list[str], int]:
        """Names of the columns, and how many lines they take with blank ones."""
        with open(self.path, encoding="utf-8-sig", newline="") as file:
            for number, names in enumerate(csv.reader(file, delimiter=self.delimiter), start=1):
                if names:
                    return names, number
        raise ValueError(f"{self.path} has no rows: a line of column names and rows below it are needed.")

    def _batches(self, names: list[str], n_header: int) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        try:
            with arrow_csv.open_csv(
                self.path,
                arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=n_header, block_size=BLOCK_BYTES),
                arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string())),
            ) as reader:
                yield from reader
        except pa.ArrowInvalid as error:
            if "Empty CSV file" in str(error):
                return
            if re.search(r"Expected \d+ columns", str(error)):
                raise _UnevenLines from error
            self._check_utf8()
            raise ValueError(f"{self.path} cannot be read: {error}.") from error

    def _check_utf8(self) -> None:
        with open(self.path, encoding="utf-8") as file:
            while file.read(2**20):
                pass

    def _uneven(self, names: list[str], rows: int, begin: int) -> "Iterator[pd.DataFrame]":
        """The rows from `begin` on; blanks where a line ends early, refused where it goes on too long."""
        import pandas as pd

        try:
            with pd.read_csv(
                self.path, sep=self.delimiter, dtype=str, keep_default_na=False, na_filter=False, chunksize=rows,
                encoding="utf-8-sig", index_col=False, header=0, names=names,
            ) as reader:  # fmt: skip
                for chunk in reader:
                    if chunk.index[-1] >= begin:
                        yield chunk[chunk.index >= begin].fillna("")
        except pd.errors.ParserError as error:
            found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
            if found is None:
                raise ValueError(f"{self.path} cannot be read: {error}") from error
            expected, line, saw = found.groups()
            raise ValueError(
                f"Line {line} of {self.path} has {saw} cells where the first line names {expected} columns: put cells "
                f"that hold {self.delimiter!r} between double quotes."
            ) from error

    @contextmanager
    def writer(self, path: Path, source: TableFile) -> Iterator[Append]:
        alike = isinstance(source, DelimitedFile) and source.usual == self.usual
        delimiter = source.delimiter if isinstance(source, DelimitedFile) and alike else self.usual
        with open(path, "wb") as file:
            begun = False

            def append(rows: "pd.DataFrame") -> None:
                nonlocal begun
                if not begun:
                    file.write(_line([str(name) for name in rows.columns], delimiter))
                    begun = True
                if len(rows):
                    file.write(_lines(rows, delimiter))
                    file.write(b"\n")

            yield append


class _UnevenLines(Exception):
    """A line has more or fewer cells than the first one."""


def _regular(batches: "Iterator[pa.RecordBatch]", rows: int) -> "Iterator[pa.Table]":
    """The same rows, so many at a time."""
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
    """The rows as UTF-8 lines; cells that hold a delimiter, a quote or a line break stand between quotes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    marks = ('"', "\r", "\n", delimiter)
    special = f'["\\r\\n{re.escape(delimiter)}]' + ("|^$" if rows.shape[1] == 1 else "")
    quote, nothing, between, line_end = (pa.scalar(one, pa.large_string()) for one in ('"', "", delimiter, "\n"))
    cells = []
    for name in rows.columns:
        column = _strings(rows[name])
        if rows.shape[1] == 1 or _holds_any(column, marks):
            quoted = pc.match_substring_regex(column, special)
            doubled = pc.replace_substring(column, '"', '""')
            column = pc.if_else(quoted, pc.binary_join_element_wise(quote, doubled, quote, nothing), column)
        cells.append(column)
    lines = pc.binary_join_element_wise(*cells, between)
    together = pa.LargeListArray.from_arrays(pa.array([0, len(lines)], pa.int64()), lines)
    return pc.binary_join(together, line_end)[0].as_buffer()


def _holds_any(column: "pa.Array", marks: tuple[str, ...]) -> bool:
    """Whether one of these characters stands in some cell: a look at all cells as one string of bytes."""
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


def _line(names: list[str], delimiter: str) -> bytes:
    from io import StringIO

    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(names)
    return text.getvalue().encode("utf-8")
