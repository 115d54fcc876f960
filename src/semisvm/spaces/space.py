"""A space of functions: three linear maps between coefficients theta and outputs at the n training points.

    outputs(theta) = E theta       f at the n training points
    represent(v)   = E* v          sum_i v_i k(x_i, .) as coefficients
    metric(theta)  = R theta       <f, g> = theta_f' R theta_g

and the Gram matrix K = E E*. Coefficients may have k columns, one per one-vs-rest problem; every map then acts on all
of them at once.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from semisvm.memory import demand
from semisvm.objective import ArrayScores, GramObjective, Problem, Scores
from semisvm.objective.products import KernelProducts
from semisvm.objective.rows import EVERY_ROW, Pointwise, RowLosses, Rows
from semisvm.spaces.predictor import Predictor

__all__ = ["EVERY_ROW", "Rows", "Space"]


class Space(ABC):
    """What a problem, a minimizer and the compiled code ask of a space of functions."""

    @property
    def by_rows(self) -> bool:
        """Whether theta are weights of features (the metric is Euclidean) and `sweep` goes over the rows once."""
        return False

    @property
    def remote(self) -> bool:
        """Whether the rows are on disk or on a cluster: computing a number per row again is cheaper than sending it."""
        return False

    def objective(self, problem: Problem) -> GramObjective:
        """How the objective of a problem on this space is computed: the one place that asks where the rows are."""
        return KernelProducts(problem)

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
        """The space of these columns: this one, unless every column has functions of its own."""
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
        products: np.ndarray = np.sum(a * self.metric(b), axis=0)
        return products

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(loss, outputs, slope, E* slope) for (loss, slope) = f(E theta).

        Spaces made of rows do this in one pass over them, block by block.
        """
        outputs = self.outputs(theta)
        value, slope = f(slice(0, self.n_points), outputs)
        return value, outputs, slope, self.represent(slope)

    @abstractmethod
    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        """Entries of the Gram matrix K = E E*."""

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        """S (K_rr - c 1' - 1 c') S of some points, to be factored: S = diag(scale), c = less, both of these points.

        Entries above the diagonal are arbitrary.
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
