"""Functions by their coefficients: three linear maps between coefficients theta and outputs at the n training points.

    outputs(theta) = E theta       f at the n training points
    represent(v)   = E* v          sum_i v_i k(x_i, .) as coefficients
    metric(theta)  = R theta       <f, g> = theta_f' R theta_g

Coefficients may have k columns, one per one-vs-rest problem; every map then acts on all of them at once.
"""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from semisvm.objective import ArrayScores, Objective, Problem, Scores
from semisvm.objective.rows import Pointwise, RowLosses, Rows


class ColumnMaps(ABC):
    """What an objective asks of functions. Every column may have functions of its own."""

    @abstractmethod
    def objective(self, problem: Problem) -> Objective:
        """How the objective of a problem on these functions is computed: the one place that asks where the rows are."""

    def scores(self, every: np.ndarray, rows: np.ndarray) -> Scores:
        """The scores of some rows, ascending, from those of all."""
        return ArrayScores(every[rows])

    @property
    @abstractmethod
    def n_points(self) -> int:
        """Number of training points."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of theta."""

    @abstractmethod
    def outputs(self, theta: np.ndarray) -> np.ndarray:
        """E theta: the function at the training points."""

    @abstractmethod
    def represent(self, v: np.ndarray) -> np.ndarray:
        """E* v: coefficients of sum_i v_i k(x_i, .)."""

    @abstractmethod
    def metric(self, theta: np.ndarray) -> np.ndarray:
        """R theta."""

    def columns(self, chosen: np.ndarray | slice) -> Self:
        """The maps of these columns: these, unless every column has features of its own."""
        return self

    @property
    def work(self) -> int:
        """Multiplications of one product: what an iteration costs where a factorization would cost n^3 / 3."""
        return self.n_points * self.dimension

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        """E theta where R theta is known already; free in kernel spaces, where the two are the same."""
        return self.outputs(theta)

    def fetch_loaded(self, outputs: np.ndarray, losses: RowLosses) -> np.ndarray:
        """Outputs of the rows with a loss, in an array of all rows; fetched where the rows are not in memory."""
        return outputs

    def ready(self) -> None:  # noqa: B027  # most spaces need nothing
        """Compute now what every product needs, so that work before the first product can use it too."""

    def once(self, theta: np.ndarray) -> np.ndarray:
        """E theta for coefficients that are used once: no Gram matrix is formed for them."""
        return self.outputs(theta)

    def once_at(self, theta: np.ndarray, rows: Rows) -> np.ndarray:
        """The same at some of the points."""
        return self.once(theta)[rows]

    def inner(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """<a, b> = a' R b, for each column."""
        return np.sum(a * self.metric(b), axis=0)

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(loss, outputs, slope, E* slope) for (loss, slope) = f(E theta).

        Spaces made of rows do this in one pass over them, block by block.
        """
        outputs = self.outputs(theta)
        value, slope = f(slice(0, self.n_points), outputs)
        return value, outputs, slope, self.represent(slope)
