"""What a block of rows gives to an objective: o = phi w, g = phi'v, or both in one go, for features phi of the rows.

    plain rows   phi(x) = x
    landmarks    phi(x) = k(x, M) A     with A of the reduced set: o = k(x, M) (A w),  g = A'(k(M, x) v)

Kernel values live for a few thousand rows at a time, and are not multiplied by A: the coefficients are, once per pass.
Chunks on disk and blocks on a cluster share these functions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from semisvm.geometry.distances import Points, squared_norms
from semisvm.geometry.kernels import Kernel
from semisvm.spaces.predictor import KernelPredictor, LinearPredictor, Predictor
from semisvm.spaces.reduced import whitening
from semisvm.spaces.row_passes import RowPasses

Block: TypeAlias = np.ndarray | sp.csr_array
"""Rows in memory: C-contiguous and aligned float32 or float64, or CSR."""

PART_BYTES = 8 * 2**20
"""Features visited at a time: they stay in the last cache from the first product to the second, and threads that take
longer for a part wait less often for the interpreter."""

LocalLoss = Callable[[slice, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""(rows of the block, their outputs) -> (loss of each column, slope of these rows)."""


class BlockFeatures(ABC):
    """Features of rows, seen a part of a block at a time."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of the coefficients theta."""

    @property
    @abstractmethod
    def n_values(self) -> int:
        """Numbers per row that a part holds."""

    @abstractmethod
    def values(self, block: Block) -> Block:
        """The numbers that are multiplied by `inward(theta)`."""

    @abstractmethod
    def inward(self, theta: np.ndarray) -> np.ndarray:
        """Weights of the values, from coefficients."""

    @abstractmethod
    def outward(self, g: np.ndarray) -> np.ndarray:
        """E* v, from the values' sum."""

    @abstractmethod
    def norms(self, values: Block) -> np.ndarray:
        """|phi(x)|^2 of every row."""

    @abstractmethod
    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        """phi(x)'theta + bias for new rows."""

    def parts(self, block: Block) -> Iterator[tuple[slice, Block]]:
        """(rows of the block, their values), as many as fit into the cache at a time; sparse rows are not cut."""
        m = block.shape[0]
        step = max(1, m) if sp.issparse(block) else max(1, PART_BYTES // max(1, self.n_values * block.itemsize))
        for start in range(0, m, step):
            rows = slice(start, min(start + step, m))
            yield rows, self.values(block if rows.stop - rows.start == m else block[rows])


@dataclass(frozen=True, eq=False)
class RowFeatures(BlockFeatures):
    """phi(x) = x."""

    n_columns: int

    @property
    def dimension(self) -> int:
        return self.n_columns

    @property
    def n_values(self) -> int:
        return self.n_columns

    def values(self, block: Block) -> Block:
        return block

    def inward(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def outward(self, g: np.ndarray) -> np.ndarray:
        return g

    def norms(self, values: Block) -> np.ndarray:
        return squared_norms(values)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return LinearPredictor(theta, bias)


@dataclass(frozen=True, eq=False)
class LandmarkFeatures(BlockFeatures):
    """phi(x) = k(x, M) A."""

    kernel: Kernel
    landmarks: Points
    A: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, landmarks: Points) -> "LandmarkFeatures":
        return cls(kernel, landmarks, whitening(kernel.gram(landmarks)))

    @property
    def dimension(self) -> int:
        return int(self.A.shape[1])

    @property
    def n_values(self) -> int:
        return len(self.landmarks)

    def values(self, block: Block) -> np.ndarray:
        return self.kernel.block(self.landmarks.beside(block), self.landmarks)

    def inward(self, theta: np.ndarray) -> np.ndarray:
        weights: np.ndarray = self.A @ theta
        return weights

    def outward(self, g: np.ndarray) -> np.ndarray:
        gradient: np.ndarray = self.A.T @ g
        return gradient

    def norms(self, values: Block) -> np.ndarray:
        return squared_norms(values @ self.A)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return KernelPredictor.sparse(self.kernel, self.landmarks, self.A @ theta, bias)


def block_outputs(features: BlockFeatures, block: Block, w: np.ndarray) -> np.ndarray:
    """o = values w."""
    o = np.empty((block.shape[0], w.shape[1]))
    for rows, values in features.parts(block):
        RowPasses.over(values).outputs(slice(0, rows.stop - rows.start), w, o[rows])
    return o


def block_adjoint(features: BlockFeatures, block: Block, v: np.ndarray, g: np.ndarray) -> None:
    """g += values' v."""
    v = np.ascontiguousarray(v, dtype=np.float64)
    for rows, values in features.parts(block):
        RowPasses.over(values).adjoint(slice(0, rows.stop - rows.start), v[rows], g)


def block_sweep(
    features: BlockFeatures, block: Block, w: np.ndarray, f: LocalLoss, o: np.ndarray, slope: np.ndarray, g: np.ndarray
) -> np.ndarray:
    """The loss of f(o), with o = values w and the slope of f filled in, and g += values' slope."""
    total = np.zeros(w.shape[1])
    for rows, values in features.parts(block):
        passes, local = RowPasses.over(values), slice(0, rows.stop - rows.start)
        passes.outputs(local, w, o[rows])
        loss, slope[rows] = f(rows, o[rows])
        total += loss
        passes.adjoint(local, slope[rows], g)
    return total


def block_sums(
    features: BlockFeatures, block: Block, w: np.ndarray, f: LocalLoss
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(loss, sum of the slopes, values' slope) of f(o), with o = values w, by parts that fit into the cache."""
    k = w.shape[1]
    value, total, g, o = np.zeros(k), np.zeros(k), np.zeros((features.n_values, k)), np.empty((0, k))
    for rows, values in features.parts(block):
        passes, local = RowPasses.over(values), slice(0, rows.stop - rows.start)
        o = o[local] if len(o) >= local.stop else np.empty((local.stop, k))
        passes.outputs(local, w, o)
        loss, slope = f(rows, o)
        value += loss
        total += slope.sum(axis=0)
        passes.adjoint(local, slope, g)
    return value, total, g
