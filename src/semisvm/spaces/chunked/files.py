"""Rows of a file of numbers, `.npy` or any other that NumPy maps, of which a chunk is mapped while it is used."""

import mmap
from dataclasses import dataclass

import numpy as np

from semisvm.spaces.chunked.arrays import ArrayRows
from semisvm.spaces.chunked.in_process import CHUNK_BYTES, ChunkedRows
from semisvm.spaces.chunked.row_source import RowLayout


def rows_of_map(X: np.memmap, chunk_rows: int | None = None) -> ChunkedRows:
    """The rows of a memory map, chunk by chunk from its file where its layout is that of the compiled loops."""
    plain = X.ndim == 2 and X.flags.c_contiguous and X.dtype in (np.float32, np.float64) and X.dtype.isnative
    if not plain or X.mode == "c" or X.filename is None:
        return ArrayRows.of(X, chunk_rows)
    # a map begins at a multiple of the granularity; X begins this many bytes after it
    beginning = np.frombuffer(X._mmap, dtype=np.uint8).ctypes.data  # type: ignore[attr-defined]
    offset = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY + X.ctypes.data - beginning
    if chunk_rows is None:
        chunk_rows = max(1, CHUNK_BYTES // max(1, X.shape[1] * X.itemsize))
    return FileRows(RowLayout.evenly(X.shape[0], chunk_rows, X.shape[1], X.dtype), str(X.filename), offset)


@dataclass(frozen=True, eq=False)
class FileRows(ChunkedRows):
    """Numbers in a file, row after row; a chunk is mapped while it is used, and no longer."""

    layout: RowLayout
    path: str
    offset: int

    def load(self, chunk: int) -> np.ndarray:
        rows, width, kind = self.layout.span(chunk), self.layout.n_columns, self.layout.dtype
        shape = rows.stop - rows.start, width
        if not shape[0] or not shape[1]:
            return np.empty(shape, dtype=kind)
        offset = self.offset + rows.start * width * kind.itemsize
        mapped = np.memmap(self.path, dtype=kind, mode="r", offset=offset, shape=shape)
        if "MADV_WILLNEED" in vars(mmap):
            mapped._mmap.madvise(mmap.MADV_WILLNEED)  # type: ignore[attr-defined]
        rows_of_file: np.ndarray = np.require(mapped, requirements="A").view(np.ndarray)
        return rows_of_file
