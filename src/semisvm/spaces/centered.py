"""Functions minus their mean over the unlabeled points, which meets the mean-output balance exactly.

    outputs(theta) = E theta - mean_U(E theta)        represent(v) = E*(v - 1_U/u sum(v))
    K_c = K - k0 1' - 1 k0' + k00,   k0_i = mean_{j in U} K_ij,   k00 = mean_{i in U} k0_i

(survey, equation 13). K_c is singular by construction: 1_U spans its null space. Sparse rows stay sparse.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.objective.rows import EVERY_ROW, Pointwise, Rows, moved, span
from semisvm.spaces.derived_space import DerivedSpace
from semisvm.spaces.predictor import Predictor


@dataclass(frozen=True, eq=False)
class Centered(DerivedSpace):
    unlabeled: np.ndarray

    @cached_property
    def _span(self) -> np.ndarray | slice:
        """The unlabeled points, as a slice where they follow one another: a view instead of a gather."""
        return span(self.unlabeled)

    def center(self, outputs: np.ndarray) -> np.ndarray:
        """o - mean_U(o)."""
        centered: np.ndarray = outputs - outputs[self._span].sum(axis=0) / len(self.unlabeled)
        return centered

    def center_adjoint(self, v: np.ndarray) -> np.ndarray:
        """v - 1_U/u sum(v)."""
        v = v.copy()
        v[self._span] -= v.sum(axis=0) / len(self.unlabeled)
        return v

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        if self.base.remote:
            centered: np.ndarray = self.base.outputs(theta) - self.mean_output(theta)
            return centered
        return self.center(self.base.outputs(theta))

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self.base.represent(self.center_adjoint(v))

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return self.outputs(theta) if self.base.remote else self.center(self.base.complete(theta, metric))

    @cached_property
    def mean_function(self) -> np.ndarray:
        """Coefficients of the unlabeled mean, 1/u sum_{j in U} k(x_j, .)."""
        v = np.zeros(self.n_points)
        v[self.unlabeled] = 1.0 / len(self.unlabeled)
        return self.base.represent(v)

    @cached_property
    def mean_embedding(self) -> tuple[np.ndarray, float]:
        """(k0, k00): the kernel against the unlabeled mean, and its own mean there."""
        k0 = self.base.once(self.mean_function)
        return k0, float(k0[self.unlabeled].mean())

    def mean_output(self, theta: np.ndarray) -> np.ndarray:
        """mean_U(E theta), for each column: no product is needed where the mean is known as k0 or as coefficients."""
        mean: np.ndarray
        if self.base.by_rows:
            # <mean function, theta> = mean' R theta
            mean = self.mean_function @ self.base.metric(theta)
        else:
            # coefficients of a kernel space are weights of its points: sum_i theta_i mean_U k(x_i, .)
            mean = self.mean_embedding[0] @ theta
        return mean

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        if self.base.remote:
            # <mean function, k(x, .)> at these rows alone
            at = [self.base.once_at(self.mean_function, some) for some in (rows, cols)]
            k00 = float(self.mean_output(self.mean_function))
            block: np.ndarray = self.base.block(rows, cols) - at[0][:, None] - at[1][None, :] + k00
            return block
        k0, k00 = self.mean_embedding
        centered = self.base.block(rows, cols) - (k0[rows] - k00)[:, None]
        centered -= k0[cols]
        return centered

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        if self.base.remote:
            return super().scaled_triangle(rows, scale, less)
        # K_ij - k0_i - k0_j + k00 = K_ij - c_i - c_j,    c = k0 - k00 / 2
        k0, k00 = self.mean_embedding
        return self.base.scaled_triangle(rows, scale, less + k0[rows] - 0.5 * k00)

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        if self.base.by_rows:
            return super().metric_from(v, outputs)
        # K theta = K v - k0 1'v = K_c v + k0'v - k00 1'v
        k0, k00 = self.mean_embedding
        return self.base.metric_from(v, outputs + k0 @ v - k00 * v.sum(axis=0))

    def norms(self) -> np.ndarray:
        return self._norms

    @cached_property
    def _norms(self) -> np.ndarray:
        k0, k00 = self.mean_embedding
        norms = self.base.norms()
        # points at the unlabeled mean have no length, and rounding should not give them one
        rounding = 16 * np.finfo(np.float64).eps * (norms + abs(k00))
        centered = norms - 2 * k0 + k00
        return np.where(centered > rounding, centered, 0.0)

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        if not self.base.by_rows:
            return super().sweep(theta, f)
        # mean_U(E theta) = <mean function, theta>: known before the pass over the rows
        shift = self.mean_output(theta)
        value, outputs, slope, represented = self.base.sweep(theta, moved(f, -shift))
        return value, outputs - shift, slope, represented - self.mean_function[:, None] * slope.sum(axis=0)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.base.predictor(theta, bias - self.mean_output(theta))
