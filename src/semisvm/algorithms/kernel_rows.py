"""Rows of the Gram matrix as the box QP reads them: the whole matrix, or as many rows as memory allows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semisvm.memory import available_bytes
from semisvm.optim.box_qp import FLOAT32_TOL, SMALL, BoxQPResult
from semisvm.optim.row_cache import RowCache
from semisvm.spaces import Full, Space

GRAM_SHARE = 0.75
"""Of the available memory that a Gram matrix, or a cache of its rows, may take."""


@dataclass(eq=False)
class KernelRows:
    """Kernel rows that serve every training, computed once; in float32 where the smallest tolerance allows it."""

    tol: float
    _kept: np.ndarray | RowCache | None = None
    """The Gram matrix, or as many of its rows as memory allows."""

    def of(self, space: Space) -> np.ndarray | RowCache:
        if self._kept is None and space.n_points <= SMALL:
            self._kept = np.asarray(space.gram(), dtype=np.float64)
        elif self._kept is None:
            single = self.tol >= FLOAT32_TOL
            source = space.in_single_precision() if single and isinstance(space, Full) else space
            self._kept = RowCache(source.block, space.n_points, dtype=None if single else np.float64)
        return self._kept


def gram_rows(space: Space, tol: float) -> np.ndarray | RowCache:
    """The Gram matrix where it fits into memory; else a cache of its rows as large as memory allows."""
    if gram_fits(space, tol):
        return space.gram()
    return cached_rows(space.block, space.n_points, tol)


def cached_rows(rows: Callable[[np.ndarray], np.ndarray], n: int, tol: float) -> RowCache:
    """A cache of rows as large as memory allows, in the precision that the tolerance of the QP asks for."""
    cache_bytes = int(GRAM_SHARE * available_bytes())
    return RowCache(rows, n, cache_bytes=cache_bytes, dtype=np.float64 if tol < FLOAT32_TOL else np.float32)


def gram_fits(space: Space, tol: float) -> bool:
    """Whether the QP takes the whole Gram matrix."""
    itemsize = space.block(np.arange(1), np.arange(1)).itemsize
    if itemsize < 8 and tol < FLOAT32_TOL:
        itemsize += 8  # the QP takes a copy in float64
    return itemsize * space.n_points**2 <= int(GRAM_SHARE * available_bytes())


def working_bytes() -> int:
    """Memory for the working sets of the QP."""
    return max(2**29, available_bytes() // 8)


def earlier(a: np.ndarray, outputs: np.ndarray) -> BoxQPResult | None:
    """The point and outputs of the last solve in the form a new one starts from."""
    if not a.any():
        return None
    nought = np.zeros(a.shape[1:])
    return BoxQPResult(a, outputs, outputs, nought, nought, (nought, nought), nought, 0, 0, False)
