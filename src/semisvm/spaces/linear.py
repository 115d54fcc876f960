"""Linear functions x'w on dense or sparse rows, without a Gram matrix: theta = w, K = X X'."""

import functools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from semisvm.geometry.distances import squared_norms
from semisvm.objective import GramObjective, Problem
from semisvm.objective.row_sweeps import over_features
from semisvm.objective.rows import EVERY_ROW, Pointwise, Rows
from semisvm.spaces.predictor import LinearPredictor
from semisvm.spaces.row_passes import RowPasses, in_threads
from semisvm.spaces.space import Space


@dataclass(frozen=True, eq=False)
class Linear(Space):
    """Rows X of shape (n, d), dense or CSR; sparse rows are never densified."""

    X: np.ndarray | sp.csr_array

    @property
    def by_rows(self) -> bool:
        return True

    def objective(self, problem: Problem) -> GramObjective:
        return over_features(problem)

    @property
    def n_points(self) -> int:
        return int(self.X.shape[0])

    @property
    def dimension(self) -> int:
        return int(self.X.shape[1])

    @property
    def work(self) -> int:
        return self.X.size

    @cached_property
    def passes(self) -> RowPasses:
        return RowPasses.over(self.X)

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        w = _as_columns(theta)
        outputs = np.empty((self.n_points, w.shape[1]))
        in_threads(lambda rows: self.passes.outputs(rows, w, outputs), self.passes.ranges(w.shape[1]))
        return outputs.reshape(self.n_points, *theta.shape[1:])

    def represent(self, v: np.ndarray) -> np.ndarray:
        columns = _as_columns(v)
        ranges = self.passes.ranges(columns.shape[1])
        sums = {rows.start: np.zeros((self.dimension, columns.shape[1])) for rows in ranges}
        in_threads(lambda rows: self.passes.adjoint(rows, columns, sums[rows.start]), ranges)
        return _total(sums, (self.dimension, columns.shape[1])).reshape(self.dimension, *v.shape[1:])

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        product = self.X[rows].astype(np.float64, copy=False) @ self.X[cols].astype(np.float64, copy=False).T
        return product if isinstance(product, np.ndarray) else product.toarray()

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        return squared_norms(self.X)

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """In blocks that stay in the cache from one pass to the other, where one thread does all of it.

        Several threads go over the rows twice: the losses between the passes are computed by the interpreter, for whose
        lock the threads would wait at every block.
        """
        shape, ranges = (self.n_points, theta.shape[1]), self.passes.ranges(theta.shape[1])
        blocks = self.passes.blocks(ranges[0]) if len(ranges) == 1 else []
        if len(blocks) <= 1:
            return super().sweep(theta, f)
        w, outputs, slope = _as_columns(theta), np.empty(shape), np.empty(shape)
        value, represented = np.zeros(theta.shape[1]), np.zeros(theta.shape)
        for rows in blocks:
            self.passes.outputs(rows, w, outputs)
            loss, slope[rows] = f(rows, outputs[rows])
            value += loss
            self.passes.adjoint(rows, slope, represented)
        return value, outputs, slope, represented

    def feature_matrix(self) -> np.ndarray | sp.csr_array:
        return self.X

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> LinearPredictor:
        return LinearPredictor(theta, bias)


def _as_columns(a: np.ndarray) -> np.ndarray:
    """(m, k) float64 in C order, as the passes read it."""
    return np.ascontiguousarray(a.reshape(len(a), -1), dtype=np.float64)


def _total(parts: dict[int, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The sum over threads, in the order of their rows; zero where there are no rows."""
    return functools.reduce(np.add, parts.values()) if parts else np.zeros(shape)
