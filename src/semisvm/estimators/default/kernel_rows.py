"""Numbers of every training row, m each: held in memory, or computed again whenever they are asked for.

Kernel values against landmarks need not be held where computing them costs little more than a product with them.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.memory import chunk_rows

STRIP_BYTES = 2 * 2**20
"""Kernel values that are computed at a time: a core's own cache."""
FEW_COLUMNS = 256
"""Columns of the rows up to which kernel values are computed again: as many as directions are wanted, or twice."""
HELD_BYTES = 512 * 2**20
"""Kernel values that are held of one preparation where rows have more columns."""


class NumbersOfRows(Protocol):
    @property
    def n_rows(self) -> int: ...

    def at(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Of these rows, as an array that may be changed."""
        ...

    def times(self, W: np.ndarray) -> np.ndarray:
        """Their products with (m, r) columns."""
        ...


@dataclass(frozen=True, eq=False)
class Held:
    """An array."""

    rows: np.ndarray

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def at(self, chosen: np.ndarray | slice) -> np.ndarray:
        part = self.rows[chosen]
        return part.copy() if isinstance(chosen, slice) else part

    def times(self, W: np.ndarray) -> np.ndarray:
        return self.rows @ W


@dataclass(frozen=True, eq=False)
class Computed:
    """exp(-|x - z|^2 / 2) against landmarks z, or its fourth power: the kernel four times as narrow."""

    points: Points
    landmarks: Points
    narrow: bool

    @property
    def n_rows(self) -> int:
        return len(self.points)

    def at(self, chosen: np.ndarray | slice) -> np.ndarray:
        return self._values(self.points.take(chosen))

    def times(self, W: np.ndarray) -> np.ndarray:
        products = np.empty((self.n_rows, W.shape[1]), dtype=W.dtype)
        step = chunk_rows(len(self.landmarks), self.points.dtype.itemsize, STRIP_BYTES)
        held = np.empty((step, len(self.landmarks)), dtype=self.points.dtype)
        for start in range(0, self.n_rows, step):
            strip = self.points.take(slice(start, start + step))
            np.matmul(self._values(strip, held[: len(strip)]), W, out=products[start : start + step])
        return products

    def _values(self, points: Points, out: np.ndarray | None = None) -> np.ndarray:
        values = RBF(0.5).block(points, self.landmarks, out)
        if self.narrow:
            fourth_power(values)
        return values


def fourth_power(K: np.ndarray) -> None:
    """exp(-4 gamma d^2) = exp(-gamma d^2)^4, in place: no second matrix of distances."""
    np.square(K, out=K)
    np.square(K, out=K)


def n_held(n_rows: int, n_landmarks: int, n_columns: int) -> int:
    """How many of two kernels are held, in float32: the narrow one, which graphs share, before the wide one."""
    return 0 if n_columns <= FEW_COLUMNS else min(2, HELD_BYTES // max(1, 4 * n_rows * n_landmarks))


def against_landmarks(
    points: Points, landmarks: Points, gamma: float, *, most_held: int = 2
) -> tuple[NumbersOfRows, NumbersOfRows]:
    """exp(-gamma d^2) and exp(-4 gamma d^2) of all rows and the landmarks, in float32."""
    if points.sparse:
        wide = RBF(gamma).block(points, landmarks).astype(np.float32)
    else:
        # distances in units of the width: their squares must not leave float32
        light = Points.of((np.sqrt(2 * gamma) * points.positions).astype(np.float32))
        some = light.take(landmarks.index)
        held = min(most_held, n_held(len(points), len(landmarks), points.n_features))
        if held == 0:
            return Computed(light, some, narrow=False), Computed(light, some, narrow=True)
        wide = RBF(0.5).block(light, some)
        if held == 1:
            fourth_power(wide)
            return Computed(light, some, narrow=False), Held(wide)
    narrow = wide.copy()
    fourth_power(narrow)
    return Held(wide), Held(narrow)
