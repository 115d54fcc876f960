"""Rows of an array or a sparse matrix in memory, cut into chunks."""

from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp

from semisvm.spaces.chunked.features import Block
from semisvm.spaces.chunked.in_process import CHUNK_BYTES, ChunkedRows
from semisvm.spaces.chunked.row_source import RowLayout, aligned


@dataclass(frozen=True, eq=False)
class ArrayRows(ChunkedRows):
    """An array or CSR matrix in memory, cut at the given rows."""

    layout: RowLayout
    matrix: Block

    @classmethod
    def of(cls, X: Any, chunk_rows: int | None = None) -> "ArrayRows":
        X = aligned(X)
        if chunk_rows is None:
            chunk_rows = max(1, CHUNK_BYTES // max(1, _row_bytes(X)))
        return cls(RowLayout.evenly(X.shape[0], chunk_rows, X.shape[1], X.dtype, sp.issparse(X)), X)

    def load(self, chunk: int) -> Block:
        return self.matrix[self.layout.span(chunk)]


def _row_bytes(X: Any) -> int:
    n = max(1, X.shape[0])
    n_bytes = X.data.nbytes + X.indices.nbytes if sp.issparse(X) else X.nbytes
    return int(n_bytes // n)
