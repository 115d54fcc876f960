"""Several spaces of features trained as one: each has columns of its own, so one run serves all members. It is no space
itself: there is no Gram matrix and no predictor that its columns share.

An iteration on a few hundred rows costs less arithmetic than bookkeeping; side by side, all members share the latter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from semisvm.objective import Objective, Problem
from semisvm.objective.row_sweeps import over_features
from semisvm.spaces.maps import ColumnMaps


@dataclass(frozen=True, eq=False)
class SideBySide(ColumnMaps):
    """f_v = Z_v w_v on `n_columns` columns each; shorter w_v are followed by zeros, which no gradient moves."""

    stack: np.ndarray
    """(members, n, dimension): all Z_v, narrow ones followed by zeros."""
    widths: tuple[int, ...]
    n_columns: int
    places: np.ndarray | None = None
    """Which of all columns there are; None: every one."""

    @classmethod
    def of(cls, features: Sequence[np.ndarray], n_columns: int) -> "SideBySide":
        widths = tuple(Z.shape[1] for Z in features)
        stack = np.zeros((len(features), len(features[0]), max(widths)), dtype=np.result_type(*features))
        for place, Z in zip(stack, features, strict=True):
            place[:, : Z.shape[1]] = Z
        return cls(stack, widths, n_columns)

    def objective(self, problem: Problem) -> Objective:
        return over_features(problem)

    @property
    def n_points(self) -> int:
        return self.stack.shape[1]

    @property
    def dimension(self) -> int:
        return self.stack.shape[2]

    def features(self, member: int) -> np.ndarray:
        """Z_v."""
        return self.stack[member, :, : self.widths[member]]

    def columns_of(self, member: int) -> slice:
        return slice(member * self.n_columns, (member + 1) * self.n_columns)

    def part(self, member: int, theta: np.ndarray) -> np.ndarray:
        """w_v."""
        return theta[: self.widths[member], self.columns_of(member)]

    def together(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """theta from all w_v."""
        theta = np.zeros((self.dimension, len(parts) * self.n_columns))
        for member, w in enumerate(parts):
            theta[: len(w), self.columns_of(member)] = w
        return theta

    def columns(self, chosen: np.ndarray | slice) -> Self:
        """Members without any of these columns are left out."""
        every = np.arange(len(self.stack) * self.n_columns) if self.places is None else self.places
        members, column = np.divmod(every[chosen], self.n_columns)
        kept, place = np.unique(members, return_inverse=True)
        places = place * self.n_columns + column
        whole = np.array_equal(places, np.arange(len(kept) * self.n_columns))
        widths = tuple(self.widths[member] for member in kept)
        return replace(self, stack=self.stack[kept], widths=widths, places=None if whole else places)

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        return self._joined(self.stack @ self._apart(theta))

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self._joined(self.stack.transpose(0, 2, 1) @ self._apart(v))

    def _apart(self, columns: np.ndarray) -> np.ndarray:
        """(rows, columns) -> (members, rows, k), in the precision of the features; zeros where there is no column."""
        if self.places is not None:
            every = np.zeros((len(columns), len(self.stack) * self.n_columns))
            every[:, self.places] = columns
            columns = every
        members = columns.reshape(len(columns), -1, self.n_columns).transpose(1, 0, 2)
        return np.ascontiguousarray(members, dtype=self.stack.dtype)

    def _joined(self, members: np.ndarray) -> np.ndarray:
        """(members, rows, k) -> (rows, columns), in double precision."""
        rows = members.transpose(1, 0, 2).reshape(members.shape[1], -1)
        if self.places is not None:
            rows = rows[:, self.places]
        return np.ascontiguousarray(rows, dtype=np.float64)

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta
