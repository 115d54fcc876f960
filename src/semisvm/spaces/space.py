"""A space of functions: three linear maps (see `maps`) that all columns share, and the Gram matrix K = E E*."""

from abc import abstractmethod
from typing import Any

import numpy as np

from semisvm.memory import demand
from semisvm.objective import GramObjective, Problem
from semisvm.objective.products import KernelProducts
from semisvm.objective.rows import EVERY_ROW, Rows
from semisvm.spaces.maps import ColumnMaps
from semisvm.spaces.predictor import Predictor

__all__ = ["EVERY_ROW", "Rows", "Space"]


class Space(ColumnMaps):
    """What a problem, a minimizer and the compiled code ask of a space of functions."""

    @property
    def by_rows(self) -> bool:
        """Whether theta are weights of features (the metric is Euclidean) and `sweep` goes over the rows once."""
        return False

    @property
    def remote(self) -> bool:
        """Whether the rows live elsewhere: a number per row is cheaper computed again there than sent."""
        return False

    def objective(self, problem: Problem) -> GramObjective:
        return KernelProducts(problem)

    @abstractmethod
    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        """Entries of the Gram matrix K = E E*."""

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        """S (K_rr - c 1' - 1 c') S of some points, to be factored: S = diag(scale), c = less, both of these points.

        Above its diagonal may be anything.
        """
        triangle = np.array(self.block(rows, rows), dtype=np.float64)
        triangle -= less[:, None]
        triangle -= less
        triangle *= scale[:, None]
        triangle *= scale
        return triangle

    @abstractmethod
    def norms(self) -> np.ndarray:
        """k(x_i, x_i): the diagonal of the Gram matrix."""

    @abstractmethod
    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        """f + bias as a function of new rows, holding nothing that prediction does not need."""

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """R E* v where the outputs E E* v are known; free in kernel spaces, where the two are the same."""
        return self.metric(self.represent(v))

    def feature_matrix(self) -> Any:
        """phi of all points as one array or sparse matrix, where functions are linear in one; else None."""
        return None

    def gram(self) -> np.ndarray:
        """The Gram matrix, refused where it would not fit into memory."""
        n = self.n_points
        demand(8 * n * n, f"The Gram matrix of {n:,} rows", 'set n_components=500, or kernel="linear"')
        return self.block(EVERY_ROW, EVERY_ROW)
