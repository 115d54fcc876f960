"""Functions plus a constant that is penalized like any other weight: the bias as a column of ones (QN-S3VM).

    f + c v,   |(f, c)|^2 = |f|^2 + c^2,   K + v^2 1 1'

v is the value of the column. A large v makes the constant cheap and nears the free bias. Where theta are weights of
features the constant is one more of them; where theta are weights of the points it is v^2 sum(theta).
"""

from dataclasses import dataclass

import numpy as np

from semisvm.objective.rows import EVERY_ROW, Pointwise, Rows, moved
from semisvm.spaces.derived_space import DerivedSpace
from semisvm.spaces.predictor import Predictor
from semisvm.spaces.space import Space


def with_constant(space: Space, value: float) -> Space:
    """The functions of the space plus penalized constants."""
    return ConstantFeature(space, value) if space.by_rows else ConstantKernel(space, value)


@dataclass(frozen=True, eq=False)
class ConstantFeature(DerivedSpace):
    """theta = (weights of the features of `base`, c)."""

    value: float

    @property
    def dimension(self) -> int:
        return self.base.dimension + 1

    @property
    def work(self) -> int:
        return self.base.work + self.n_points

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = self.base.outputs(theta[:-1]) + self.value * theta[-1]
        return outputs

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self._extended(self.base.represent(v), v)

    def _extended(self, represented: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate([represented, self.value * np.reshape(v.sum(axis=0), (1, *v.shape[1:]))])

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return np.concatenate([self.base.metric(theta[:-1]), theta[-1:]])

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        return self.base.block(rows, cols) + self.value**2

    def norms(self) -> np.ndarray:
        return self.base.norms() + self.value**2

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        shift = self.value * theta[-1]
        loss, outputs, slope, represented = self.base.sweep(theta[:-1], moved(f, shift))
        return loss, outputs + shift, slope, self._extended(represented, slope)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.base.predictor(theta[:-1], bias + self.value * theta[-1])


@dataclass(frozen=True, eq=False)
class ConstantKernel(DerivedSpace):
    """theta = weights of the points, whose kernel functions are those of `base` plus v^2."""

    value: float

    def constant(self, theta: np.ndarray) -> np.ndarray:
        """v^2 sum(theta), one number per column."""
        constant: np.ndarray = self.value**2 * theta.sum(axis=0)
        return constant

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = self.base.outputs(theta) + self.constant(theta)
        return outputs

    def metric(self, theta: np.ndarray) -> np.ndarray:
        products: np.ndarray = self.base.metric(theta) + self.constant(theta)
        return products

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return metric

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def once(self, theta: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = self.base.once(theta) + self.constant(theta)
        return outputs

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        return self.base.block(rows, cols) + self.value**2

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        return self.base.scaled_triangle(rows, scale, less - 0.5 * self.value**2)

    def norms(self) -> np.ndarray:
        return self.base.norms() + self.value**2

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.base.predictor(theta, bias + self.constant(theta))
