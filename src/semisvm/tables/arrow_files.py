"""Columns of known types: Parquet files, folders of them, and Feather files; all types come back as they were."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semisvm.tables.table_file import CHUNK_ROWS, Append, TableFile, different

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class ArrowFile(TableFile):
    """A table of Arrow's columns."""

    kind = ""

    @abstractmethod
    def schema(self) -> "pa.Schema":
        """Names and types of the columns."""

    @abstractmethod
    def tables(self, rows: int) -> "Iterator[pa.Table]":
        """The columns from top to bottom, at most this many rows at a time."""

    @abstractmethod
    def _sink(self, path: Path, schema: "pa.Schema") -> Any:
        """What takes tables of this schema."""

    def names(self) -> list[str]:
        with self._understood():
            return self.schema().names

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        begin = 0
        with self._understood():
            for table in self.tables(rows):
                chunk = _as_frame(table.rename_columns(different(table.column_names)), self.path)
                chunk.index = range(begin, begin + len(chunk))
                begin += len(chunk)
                yield chunk

    @contextmanager
    def _understood(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError) as error:
            raise ValueError(f"{self.path} is not a {self.kind} file: {_first_line(error)}") from error
        except OSError as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            raise ValueError(f"{self.path} is not a whole {self.kind} file: {_first_line(error)}") from error

    @contextmanager
    def writer(self, path: Path, source: TableFile, written: Sequence[str] | None = None) -> Iterator[Append]:
        import pyarrow as pa

        held = _Sink(self, path)
        given = source if isinstance(source, ArrowFile) else None
        copied = _RowReader(given) if given is not None and written is not None else None

        def append(rows: "pd.DataFrame") -> None:
            if copied is not None and written is not None:
                held.write(_with_columns(copied.next(len(rows)), rows[list(written)]))
                return
            found = pa.Schema.from_pandas(rows, preserve_index=False)
            if given is not None:
                # columns of the source keep their types: a chunk of blanks alone does not show them
                known = given.schema()
                fields = [known.field(one.name) if known.names.count(one.name) == 1 else one for one in found]
                found = pa.schema(fields)
            held.write(pa.Table.from_pandas(rows, schema=held.schema or found, preserve_index=False))

        def append_or_say(rows: "pd.DataFrame") -> None:
            try:
                append(rows)
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
                raise ValueError(
                    f"The table does not fit a {self.kind} file, write another kind: {_first_line(error)}"
                ) from error

        try:
            yield append_or_say
        finally:
            held.close()


@dataclass(frozen=True)
class ParquetFile(ArrowFile):
    kind = "Parquet"

    def schema(self) -> "pa.Schema":
        import pyarrow.parquet as pq

        return pq.read_schema(self.path)

    def tables(self, rows: int) -> "Iterator[pa.Table]":
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(rows):
                yield pa.Table.from_batches([batch])

    def _sink(self, path: Path, schema: "pa.Schema") -> Any:
        import pyarrow.parquet as pq

        return pq.ParquetWriter(path, schema)


@dataclass(frozen=True)
class FeatherFile(ArrowFile):
    kind = "Feather"

    def schema(self) -> "pa.Schema":
        import pyarrow as pa

        with pa.OSFile(str(self.path)) as file, pa.ipc.open_file(file) as reader:
            return reader.schema

    def tables(self, rows: int) -> "Iterator[pa.Table]":
        import pyarrow as pa

        with pa.OSFile(str(self.path)) as file, pa.ipc.open_file(file) as reader:
            for number in range(reader.num_record_batches):
                table = pa.Table.from_batches([reader.get_batch(number)])
                for start in range(0, len(table), rows):
                    yield table.slice(start, rows)

    def _sink(self, path: Path, schema: "pa.Schema") -> Any:
        import pyarrow as pa

        return pa.ipc.new_file(str(path), schema)


@dataclass(frozen=True)
class ParquetFolder(ArrowFile):
    """The Parquet files of a folder, one after the other by name: one table."""

    kind = "Parquet"

    def files(self) -> list[ParquetFile]:
        found = [ParquetFile(path) for path in sorted(self.path.glob("*.parquet"))]
        if not found:
            raise FileNotFoundError(
                f"{self.path} is a folder without .parquet files: name a table, or a folder of them."
            )
        return found

    def check_there(self) -> None:
        self.files()

    def chunks(self, rows: int = CHUNK_ROWS) -> "Iterator[pd.DataFrame]":
        begin = 0
        for file in self.files():
            for chunk in file.chunks(rows):
                chunk.index = range(begin, begin + len(chunk))
                begin += len(chunk)
                yield chunk

    def schema(self) -> "pa.Schema":
        """The columns of all files; numbers of two types become the wider one."""
        import pyarrow as pa

        return pa.unify_schemas([file.schema() for file in self.files()], promote_options="permissive")

    def tables(self, rows: int) -> "Iterator[pa.Table]":
        wanted = self.schema()
        for file in self.files():
            for table in file.tables(rows):
                yield _in_schema(table, wanted)

    def _sink(self, path: Path, schema: "pa.Schema") -> Any:
        return ParquetFile(path)._sink(path, schema)


class _Sink:
    """A file that is opened when the first table shows its columns."""

    def __init__(self, file: ArrowFile, path: Path):
        self.file, self.path = file, path
        self.schema: pa.Schema | None = None
        self.held: Any = None

    def write(self, table: "pa.Table") -> None:
        if self.held is None:
            self.schema = table.schema
            self.held = self.file._sink(self.path, table.schema)
        self.held.write_table(table.cast(self.schema))

    def close(self) -> None:
        if self.held is not None:
            self.held.close()


class _RowReader:
    """The rows of a file, as many at a time as are asked for."""

    def __init__(self, file: ArrowFile):
        self.tables = file.tables(CHUNK_ROWS)
        self.held: pa.Table | None = None

    def next(self, n_rows: int) -> "pa.Table":
        import pyarrow as pa

        while self.held is None or len(self.held) < n_rows:
            more = next(self.tables)
            self.held = more if self.held is None else pa.concat_tables([self.held, more])
        table, self.held = self.held.slice(0, n_rows), self.held.slice(n_rows)
        return table


def _as_frame(table: "pa.Table", path: Path) -> "pd.DataFrame":
    import pyarrow as pa

    columns = {}
    for name in table.column_names:
        column = table.column(name)
        try:
            columns[name] = column.to_pandas(integer_object_nulls=True)
        except (pa.ArrowInvalid, OverflowError, ValueError) as error:
            raise ValueError(
                f"Column {name!r} of {path} cannot be read ({_first_line(error)}): drop it or write it as text."
            ) from error
    import pandas as pd

    return pd.DataFrame(columns, index=range(len(table)))


def _with_columns(table: "pa.Table", rows: "pd.DataFrame") -> "pa.Table":
    """The table with these columns, in place of those of the same name or behind the others."""
    import pyarrow as pa

    for name in rows.columns:
        cells = pa.array(rows[name], from_pandas=True)
        place = table.schema.get_field_index(name)
        if place >= 0:
            table = table.set_column(place, name, cells)
        else:
            table = table.append_column(name, cells)
    return table


def _in_schema(table: "pa.Table", schema: "pa.Schema") -> "pa.Table":
    """The columns of the schema, null where the table lacks one."""
    import pyarrow as pa

    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _first_line(error: BaseException) -> str:
    return str(error).split("\n")[0].rstrip(".") + "."
