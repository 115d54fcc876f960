"""Numeric columns of Parquet files, of which a chunk is a row group."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semisvm.spaces.chunked.in_process import ChunkedRows
from semisvm.spaces.chunked.row_source import RowLayout


@dataclass(frozen=True, eq=False)
class ParquetRows(ChunkedRows):
    """Numeric columns of Parquet files; a chunk is a row group."""

    layout: RowLayout
    groups: tuple[tuple[str, int], ...]
    """(file, row group) of each chunk."""

    @classmethod
    def of(cls, path: Path, columns: Iterable[str] | None = None) -> "ParquetRows":
        import pyarrow.parquet as pq
        import pyarrow.types as of_type

        files = parquet_files(path)
        schema = pq.read_schema(files[0])
        numeric = [one.name for one in schema if of_type.is_floating(one.type) or of_type.is_integer(one.type)]
        chosen = tuple(numeric if columns is None else columns)
        strangers = [name for name in chosen if name not in numeric]
        if strangers or not chosen:
            what = f"column {strangers[0]!r} was asked for" if strangers else "no column is numeric"
            raise ValueError(f"{files[0]}: {what} and numeric columns are needed; they are {', '.join(numeric)}.")
        double = any(schema.field(name).type.bit_width > 32 for name in chosen)
        groups, sizes = [], [0]
        for file in files:
            metadata = pq.read_metadata(file)
            for group in range(metadata.num_row_groups):
                groups.append((str(file), group))
                sizes.append(metadata.row_group(group).num_rows)
        kind = np.dtype(np.float64 if double else np.float32)
        return cls(RowLayout(np.cumsum(sizes), len(chosen), kind, names=chosen), tuple(groups))

    def load(self, chunk: int) -> np.ndarray:
        import pyarrow.parquet as pq

        path, group = self.groups[chunk]
        names = self.layout.names or ()
        table = pq.ParquetFile(path).read_row_group(group, columns=list(names), use_threads=False)
        X = np.empty((table.num_rows, len(names)), dtype=self.layout.dtype)
        for j, name in enumerate(names):
            X[:, j] = table.column(name).to_numpy()
        return X


def parquet_files(path: Path) -> list[Path]:
    """The file, or the Parquet files of a folder by name."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(f"{path} holds no .parquet file and at least one is needed.")
    return files
