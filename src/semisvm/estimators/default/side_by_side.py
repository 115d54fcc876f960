"""Several spaces of features trained as one: each has columns of its own, so one run serves all members.

An iteration on a few hundred rows costs less arithmetic than bookkeeping; side by side, all members share the latter.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.spaces import LinearPredictor
from semisvm.spaces.space import EVERY_ROW, Rows, Space


@dataclass(frozen=True, eq=False)
class SideBySide(Space):
    """f_v = Z_v w_v on `n_columns` columns each; shorter w_v are followed by zeros, which no gradient moves."""

    features: tuple[np.ndarray, ...]
    n_columns: int

    @property
    def by_rows(self) -> bool:
        return True

    @property
    def n_points(self) -> int:
        return len(self.features[0])

    @cached_property
    def dimension(self) -> int:
        return max(Z.shape[1] for Z in self.features)

    def columns_of(self, member: int) -> slice:
        return slice(member * self.n_columns, (member + 1) * self.n_columns)

    def part(self, member: int, theta: np.ndarray) -> np.ndarray:
        """w_v."""
        return theta[: self.features[member].shape[1], self.columns_of(member)]

    def together(self, parts: list[np.ndarray]) -> np.ndarray:
        """theta from all w_v."""
        theta = np.zeros((self.dimension, len(parts) * self.n_columns))
        for member, w in enumerate(parts):
            theta[: len(w), self.columns_of(member)] = w
        return theta

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        outputs = np.empty((self.n_points, theta.shape[1]))
        for member, Z in enumerate(self.features):
            outputs[:, self.columns_of(member)] = Z @ self.part(member, theta)
        return outputs

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self.together([Z.T @ v[:, self.columns_of(member)] for member, Z in enumerate(self.features)])

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        raise TypeError("Members side by side have a Gram matrix each: ask the space of one of them.")

    def norms(self) -> np.ndarray:
        raise TypeError("Members side by side have norms each: ask the space of one of them.")

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> LinearPredictor:
        raise TypeError("Members side by side have a predictor each: ask the space of one of them.")
