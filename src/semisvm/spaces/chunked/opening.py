"""`chunked(X)`: rows of an array, a file of numbers, Parquet files or a generator, to be visited in chunks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.spaces.chunked.arrays import ArrayRows
from semisvm.spaces.chunked.files import rows_of_map
from semisvm.spaces.chunked.generated import GeneratedRows
from semisvm.spaces.chunked.in_process import ChunkedRows
from semisvm.spaces.chunked.parquet import ParquetRows


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
        return rows_of_map(np.load(path, mmap_mode="r"), chunk_rows)
    if isinstance(X, np.memmap):
        return rows_of_map(X, chunk_rows)
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return ArrayRows.of(X, chunk_rows)
    if callable(X):
        return GeneratedRows.of(X)
    raise TypeError(
        f"{type(X).__name__} was given and rows to read in chunks are needed: an array, a numpy.memmap, the path of a "
        ".npy file, of a .parquet file or of a folder of these, or a function that returns an iterator of blocks."
    )
