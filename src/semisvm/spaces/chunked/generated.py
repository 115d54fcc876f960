"""Blocks of rows that a function makes anew in every pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.spaces.chunked.features import Block
from semisvm.spaces.chunked.in_process import ChunkedRows
from semisvm.spaces.chunked.row_source import RowLayout, aligned


@dataclass(frozen=True, eq=False)
class GeneratedRows(ChunkedRows):
    """Blocks that a function makes anew in every pass, in the same order."""

    layout: RowLayout
    make: Callable[[], Iterator[Any]]

    @classmethod
    def of(cls, make: Callable[[], Iterator[Any]]) -> "GeneratedRows":
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
        return cls(RowLayout(np.cumsum(sizes), columns.pop(), kind, sparse), make)

    def load(self, chunk: int) -> Block:
        for place, block in enumerate(self.make()):
            if place == chunk:
                return aligned(block)
        raise self._changed(chunk)

    def loaders(self, wanted: np.ndarray | None = None) -> Iterator[tuple[slice, Callable[[], Block]]]:
        chosen = None if wanted is None else set(wanted.tolist())
        place = -1
        for place, block in enumerate(self.make()):
            rows = self.layout.span(place) if place < self.layout.n_chunks else slice(0, -1)
            if block.shape[0] != rows.stop - rows.start:
                raise self._changed(place)
            if chosen is None or place in chosen:
                yield rows, _Loaded(block)
        if place + 1 != self.layout.n_chunks:
            raise self._changed(place + 1)

    def _changed(self, place: int) -> ValueError:
        return ValueError(
            f"Block {place} of the generator is not the one of the first pass: a function is needed that returns the "
            "same blocks every time it is called."
        )


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A block that is already loaded."""

    block: Any

    def __call__(self) -> Block:
        return aligned(self.block)
