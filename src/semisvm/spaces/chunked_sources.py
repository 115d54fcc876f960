"""Where rows that are visited in chunks come from: an array, a file of numbers, Parquet files, or a generator.

`chunked(X)` finds the right one.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.spaces.chunked import ChunkedRows
from semisvm.spaces.chunked_rows import Block, aligned

CHUNK_BYTES = 32 * 2**20
"""Rows of a file mapped at a time: enough to read ahead, little enough to stay out of the way."""


def chunked(X: Any, *, columns: Iterable[str] | None = None, chunk_rows: int | None = None) -> ChunkedRows:
    """Rows for `fit` and `predict` that are read in chunks and never held whole.

    Parameters
    ----------
    X : numpy.memmap, array or sparse matrix; path of a .npy file; path of a .parquet file or of a folder of them;
        a function of no arguments that returns an iterator of blocks of rows (called once per pass)
    columns : names of the columns of Parquet files to use; all numeric ones by default
    chunk_rows : rows per chunk; about 32 MiB of them by default, and the row groups of Parquet files

    Examples
    --------
    >>> import numpy as np
    >>> from semisvm import chunked
    >>> chunked(lambda: iter([np.zeros((3, 2)), np.ones((4, 2))])).shape
    (7, 2)
    """
    if isinstance(X, str | Path):
        path = Path(X)
        if path.is_dir() or path.suffix == ".parquet":
            return ParquetRows.of(path, columns)
        return FileRows.of(np.load(path, mmap_mode="r"), chunk_rows)
    if isinstance(X, np.memmap):
        return FileRows.of(X, chunk_rows)
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return ArrayRows.of(X, chunk_rows)
    if callable(X):
        return GeneratedRows.of(X)
    raise TypeError(
        f"{type(X).__name__} was given and rows to read in chunks are needed: an array, a numpy.memmap, the path of a "
        ".npy file, of a .parquet file or of a folder of these, or a function that returns an iterator of blocks."
    )


def _evenly(n: int, step: int) -> np.ndarray:
    return np.append(np.arange(0, n, max(1, step)), n) if n else np.zeros(2, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ArrayRows(ChunkedRows):
    """An array or CSR matrix in memory, cut at the given rows."""

    matrix: Block
    cuts: np.ndarray

    @classmethod
    def of(cls, X: Any, chunk_rows: int | None = None) -> ArrayRows:
        X = aligned(X)
        if chunk_rows is None:
            chunk_rows = max(1, CHUNK_BYTES // max(1, _row_bytes(X)))
        return cls(X, _evenly(X.shape[0], chunk_rows))

    @property
    def starts(self) -> np.ndarray:
        return self.cuts

    @property
    def n_columns(self) -> int:
        return self.matrix.shape[1]

    @property
    def dtype(self) -> np.dtype:
        return self.matrix.dtype

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.matrix)

    def load(self, chunk: int) -> Block:
        return self.matrix[self.cuts[chunk] : self.cuts[chunk + 1]]


@dataclass(frozen=True, eq=False)
class FileRows(ChunkedRows):
    """Numbers in a file, row after row; a chunk is mapped while it is used, and no longer."""

    path: str
    offset: int
    kind: np.dtype
    width: int
    cuts: np.ndarray

    @classmethod
    def of(cls, X: np.memmap, chunk_rows: int | None = None) -> FileRows | ArrayRows:
        """Where the rows of a memory map lie in their file."""
        plain = X.ndim == 2 and X.flags.c_contiguous and X.dtype in (np.float32, np.float64) and X.dtype.isnative
        if not plain or X.mode == "c" or X.filename is None:
            return ArrayRows.of(X, chunk_rows)
        # a map begins at a multiple of the granularity; X begins so many bytes behind it
        beginning = np.frombuffer(X._mmap, dtype=np.uint8).ctypes.data  # type: ignore[attr-defined]
        offset = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY + X.ctypes.data - beginning
        if chunk_rows is None:
            chunk_rows = max(1, CHUNK_BYTES // max(1, X.shape[1] * X.itemsize))
        return cls(str(X.filename), offset, X.dtype, X.shape[1], _evenly(X.shape[0], chunk_rows))

    @property
    def starts(self) -> np.ndarray:
        return self.cuts

    @property
    def dtype(self) -> np.dtype:
        return self.kind

    @property
    def sparse(self) -> bool:
        return False

    @property
    def n_columns(self) -> int:
        return self.width

    def load(self, chunk: int) -> np.ndarray:
        first, last = int(self.cuts[chunk]), int(self.cuts[chunk + 1])
        shape = last - first, self.n_columns
        if not shape[0] or not shape[1]:
            return np.empty(shape, dtype=self.kind)
        offset = self.offset + first * self.n_columns * self.kind.itemsize
        mapped = np.memmap(self.path, dtype=self.kind, mode="r", offset=offset, shape=shape)
        if "MADV_WILLNEED" in vars(mmap):
            mapped._mmap.madvise(mmap.MADV_WILLNEED)  # type: ignore[attr-defined]
        return np.require(mapped, requirements="A").view(np.ndarray)


@dataclass(frozen=True, eq=False)
class ParquetRows(ChunkedRows):
    """Numeric columns of Parquet files; a chunk is a row group."""

    groups: tuple[tuple[str, int], ...]
    """(file, row group) of each chunk."""
    cuts: np.ndarray
    names: tuple[str, ...]
    kind: np.dtype

    @classmethod
    def of(cls, path: Path, columns: Iterable[str] | None = None) -> ParquetRows:
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
        return cls(tuple(groups), np.cumsum(sizes), chosen, kind)

    @property
    def starts(self) -> np.ndarray:
        return self.cuts

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.names

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def dtype(self) -> np.dtype:
        return self.kind

    @property
    def sparse(self) -> bool:
        return False

    def load(self, chunk: int) -> np.ndarray:
        import pyarrow.parquet as pq

        path, group = self.groups[chunk]
        table = pq.ParquetFile(path).read_row_group(group, columns=list(self.names), use_threads=False)
        X = np.empty((table.num_rows, self.n_columns), dtype=self.kind)
        for j, name in enumerate(self.names):
            X[:, j] = table.column(name).to_numpy()
        return X


@dataclass(frozen=True, eq=False)
class GeneratedRows(ChunkedRows):
    """Blocks that a function makes anew in every pass, in the same order."""

    make: Callable[[], Iterator[Any]]
    cuts: np.ndarray
    width: int
    kind: np.dtype
    compressed: bool

    @classmethod
    def of(cls, make: Callable[[], Iterator[Any]]) -> GeneratedRows:
        """The first pass counts the rows."""
        sizes, columns, kinds = [0], set(), set()
        for block in make():
            block = aligned(block)
            sizes.append(block.shape[0])
            columns.add(block.shape[1])
            kinds.add((block.dtype, sp.issparse(block)))
        if len(columns) != 1 or len(kinds) != 1:
            raise ValueError(
                f"The blocks have {sorted(columns) or 'no'} columns and {len(kinds)} types: blocks of one width, all "
                "float32, all float64 or all sparse are needed."
            )
        (kind, sparse), *_ = kinds
        return cls(make, np.cumsum(sizes), columns.pop(), kind, sparse)

    @property
    def starts(self) -> np.ndarray:
        return self.cuts

    @property
    def dtype(self) -> np.dtype:
        return self.kind

    @property
    def n_columns(self) -> int:
        return self.width

    @property
    def sparse(self) -> bool:
        return self.compressed

    def load(self, chunk: int) -> Block:
        for place, block in enumerate(self.make()):
            if place == chunk:
                return aligned(block)
        raise self._changed(chunk)

    def loaders(self, wanted: np.ndarray | None = None) -> Iterator[tuple[slice, Callable[[], Block]]]:
        chosen = None if wanted is None else set(wanted.tolist())
        place = -1
        for place, block in enumerate(self.make()):
            if place + 1 >= len(self.cuts) or block.shape[0] != self.cuts[place + 1] - self.cuts[place]:
                raise self._changed(place)
            if chosen is None or place in chosen:
                yield slice(int(self.cuts[place]), int(self.cuts[place + 1])), _Loaded(block)
        if place + 2 != len(self.cuts):
            raise self._changed(place + 1)

    def _changed(self, place: int) -> ValueError:
        return ValueError(
            f"Block {place} of the generator is not the one of the first pass: a function is needed that returns the "
            "same blocks every time it is called."
        )


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A block that is there already."""

    block: Any

    def __call__(self) -> Block:
        return aligned(self.block)


def parquet_files(path: Path) -> list[Path]:
    """The file, or the Parquet files of a folder by name."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(f"{path} holds no .parquet file and at least one is needed.")
    return files


def _row_bytes(X: Any) -> int:
    n = max(1, X.shape[0])
    return (X.data.nbytes + X.indices.nbytes) // n if sp.issparse(X) else X.nbytes // n
