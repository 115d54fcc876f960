"""Table files in chunks of rows: CSV, TSV, Parquet, JSON lines.

Cells of text files are read as the strings they are, so that what is written back is what was read.  Files are written
beside their place and moved there when they are whole: a reader sees the old file or the new one, never half of it.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semisvm.tables.delimited import DelimitedFile
from semisvm.tables.table_file import CHUNK_ROWS, Append, TableFile, different

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class JSONLinesFile(TableFile):
    """One JSON object per line."""

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        import json

        import pandas as pd

        held: list[Any] = []
        begin = 0
        with open(self.path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"Line {number} of {self.path} is not JSON: {error.msg}.") from error
                if not isinstance(row, dict):
                    raise ValueError(f"Line {number} of {self.path} is not a JSON object: one per row is needed.")
                held.append(row)
                if len(held) == rows:
                    yield pd.DataFrame(held, index=range(begin, begin + rows), dtype=object)
                    begin, held = begin + rows, []
        if held:
            yield pd.DataFrame(held, index=range(begin, begin + len(held)), dtype=object)

    @contextmanager
    def writer(self, path: Path, source: TableFile) -> Iterator[Append]:
        import json

        with open(path, "w", encoding="utf-8") as file:

            def append(rows: "pd.DataFrame") -> None:
                for row in rows.astype(object).to_dict("records"):
                    known = {name: _plain(value) for name, value in row.items()}
                    file.write(json.dumps(known, ensure_ascii=False, default=str) + "\n")

            yield append


@dataclass(frozen=True)
class ParquetFile(TableFile):
    """Columns of known types."""

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path) as file:
                begin = 0
                for batch in file.iter_batches(rows):
                    table = pa.Table.from_batches([batch])
                    table = table.rename_columns(different(table.column_names))
                    chunk = table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
                    chunk.index = range(begin, begin + len(chunk))
                    begin += len(chunk)
                    yield chunk
        except pa.ArrowInvalid as error:
            raise ValueError(f"{self.path} is not a Parquet file: {error}") from error

    def names(self) -> list[str]:
        import pyarrow.parquet as pq

        return pq.read_schema(self.path).names

    @contextmanager
    def writer(self, path: Path, source: TableFile) -> Iterator[Append]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kept: pq.ParquetWriter | None = None
        known = source.files()[0] if isinstance(source, ParquetFolder) else source
        given = pq.read_schema(known.path) if isinstance(known, ParquetFile) else pa.schema([])

        def append(rows: "pd.DataFrame") -> None:
            nonlocal kept
            if kept is None:
                # columns of the source keep their types: a chunk of blanks alone would not tell them
                found = pa.Schema.from_pandas(rows, preserve_index=False)
                fields = [given.field(one.name) if given.names.count(one.name) == 1 else one for one in found]
                kept = pq.ParquetWriter(path, pa.schema(fields))
            kept.write_table(pa.Table.from_pandas(rows, schema=kept.schema, preserve_index=False))

        def append_or_say(rows: "pd.DataFrame") -> None:
            try:
                append(rows)
            except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
                raise ValueError(
                    f"The table does not fit a Parquet file, write another kind: {error.args[0]}"
                ) from error

        try:
            yield append_or_say
        finally:
            if kept is not None:
                kept.close()


@dataclass(frozen=True)
class ParquetFolder(TableFile):
    """The Parquet files of a folder, one after the other by name: one table."""

    def files(self) -> list[ParquetFile]:
        found = [ParquetFile(path) for path in sorted(self.path.glob("*.parquet"))]
        if not found:
            raise FileNotFoundError(
                f"{self.path} is a folder without .parquet files: name a table, or a folder of them."
            )
        return found

    def chunks(self, rows: int = CHUNK_ROWS) -> "Iterator[pd.DataFrame]":
        yield from self._read(rows)

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        begin = 0
        for file in self.files():
            for chunk in file.chunks(rows):
                chunk.index = range(begin, begin + len(chunk))
                begin += len(chunk)
                yield chunk

    def writer(self, path: Path, source: TableFile) -> AbstractContextManager[Append]:
        return ParquetFile(path).writer(path, source)


def table_file(path: Path) -> TableFile:
    """The table in this file, by the ending of its name, or in the Parquet files of this folder."""
    if path.is_dir():
        folder = ParquetFolder(path)
        folder.files()
        return folder
    ending = path.suffix.lower()
    if ending in (".csv", ".txt"):
        return DelimitedFile(path)
    if ending in (".tsv", ".tab"):
        return DelimitedFile(path, "\t")
    if ending in (".parquet", ".pq"):
        return ParquetFile(path)
    if ending in (".jsonl", ".ndjson"):
        return JSONLinesFile(path)
    found = f"ends in {ending!r}" if ending else "has no ending"
    raise ValueError(f"{path} {found}: a .csv, .tsv, .parquet or .jsonl file is needed.")


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A path beside the wanted one; it takes its place when the block ends well, and is removed otherwise."""
    held = _beside(path)
    try:
        yield held
        mask = os.umask(0)
        os.umask(mask)
        held.chmod(0o666 & ~mask)
        held.replace(path)
    finally:
        held.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Refuse a place where no file can be written, before any work is done for it."""
    _beside(path).unlink()


def _beside(path: Path) -> Path:
    """A new file in the folder of this one."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file to write.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {path.parent} of {path.name} does not exist: make it first.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror}): name a place where you may write.") from error
    os.close(handle)
    return Path(name)


def _plain(value: Any) -> Any:
    """NumPy's scalars and arrays as Python's, NaN as null."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value
