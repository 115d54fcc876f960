"""Linear functions x'w on dense or sparse rows, without a Gram matrix: theta = w, K = X X'."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from semisvm.spaces.predictor import LinearPredictor
from semisvm.spaces.space import EVERY_ROW, Pointwise, Rows, Space

BLOCK_BYTES = 2**20


@dataclass(frozen=True, eq=False)
class Linear(Space):
    """Rows X of shape (n, d), dense or CSR; sparse rows are never densified."""

    X: np.ndarray | sp.csr_array
    by_rows: ClassVar[bool] = True

    @property
    def n_points(self) -> int:
        return self.X.shape[0]

    @property
    def dimension(self) -> int:
        return self.X.shape[1]

    @property
    def work(self) -> int:
        return self.X.nnz if sp.issparse(self.X) else self.X.size

    @cached_property
    def transposed(self):
        """X' as the product needs it: a view."""
        return self.X.T

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        return _product(self.X, theta)

    def represent(self, v: np.ndarray) -> np.ndarray:
        return _product(self.transposed, v)

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        product = self.X[rows] @ self.X[cols].T
        return product.toarray() if sp.issparse(product) else product

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        if sp.issparse(self.X):
            return np.asarray(self.X.multiply(self.X).sum(axis=1), dtype=np.float64).ravel()
        return np.einsum("ij,ij->i", self.X, self.X, dtype=np.float64)

    @cached_property
    def blocks(self) -> list[tuple[slice, np.ndarray | sp.csr_array]]:
        """Cache-sized groups of rows; views, not copies."""
        n, X = self.n_points, self.X
        row_bytes = (X.data.nbytes + X.indices.nbytes if sp.issparse(X) else X.nbytes) / max(1, n)
        size = max(1, int(BLOCK_BYTES / max(1.0, row_bytes)))
        return [(slice(i, min(i + size, n)), _rows(X, i, min(i + size, n))) for i in range(0, n, size)]

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        k = theta.shape[1]
        outputs, slope = np.empty((self.n_points, k)), np.empty((self.n_points, k))
        value, gradient = np.zeros(k), np.zeros((self.dimension, k))
        for rows, X in self.blocks:
            outputs[rows] = _product(X, theta)
            loss, slope[rows] = f(rows, outputs[rows])
            value += loss
            gradient += _product(X.T, slope[rows])
        return value, outputs, slope, gradient

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> LinearPredictor:
        return LinearPredictor(theta, bias)


def _product(A, v: np.ndarray) -> np.ndarray:
    """A v with v in the precision of A (a mixed product would copy A), the result in float64."""
    return np.asarray(A @ v.astype(A.dtype, copy=False), dtype=np.float64)


def _rows(X, start: int, stop: int):
    if not sp.issparse(X):
        return X[start:stop]
    lo, hi = X.indptr[start], X.indptr[stop]
    parts = (X.data[lo:hi], X.indices[lo:hi], X.indptr[start : stop + 1] - lo)
    return sp.csr_array(parts, shape=(stop - start, X.shape[1]), copy=False)
