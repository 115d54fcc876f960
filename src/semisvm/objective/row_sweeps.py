"""The objective by sweeps over rows in memory: outputs, losses and the gradient in one pass.

For functions of features whose losses are a sum over rows. An iteration whose full step is accepted is one sweep.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.objective.objective import Evaluation, Line
from semisvm.objective.problem import Problem
from semisvm.objective.products import FeatureProducts, Products
from semisvm.objective.row_losses import GroupLosses
from semisvm.objective.vectors import Point, Vector


def over_features(problem: Problem) -> Products:
    """The objective on features in memory: by sweeps, unless a term couples the rows."""
    return RowSweeps(problem) if problem.is_sum else FeatureProducts(problem)


@dataclass(frozen=True, eq=False)
class RowSweeps(FeatureProducts):
    """sum_i l_i(x_i'w + b), a block of rows after the other."""

    def row_losses(self, bias: np.ndarray) -> GroupLosses:
        """The losses as a function of outputs."""
        return GroupLosses(self.problem.groups, self.losses, bias)

    def at(self, theta: np.ndarray, bias: np.ndarray) -> Evaluation:
        value, outputs, slope, represented = self.space.sweep(theta, self.row_losses(bias))
        point = Point(Vector(theta, bias, self.space.metric(theta)), outputs)
        return self.evaluation(point, value, slope, 0.0, represented)

    def toward(self, evaluation: Evaluation, vector: Vector) -> Line:
        point = evaluation.point
        return SweptLine(self, evaluation, vector, self.at(point.theta + vector.theta, point.bias + vector.bias))


@dataclass(frozen=True, eq=False)
class SweptLine:
    """A line whose full step has been swept; any other step needs the outputs of the vector first."""

    objective: RowSweeps
    evaluation: Evaluation
    """At s = 0."""
    vector: Vector
    full: Evaluation
    """At s = 1."""
    graph_product: float = 0.0

    @cached_property
    def _line(self) -> Line:
        return self.objective.along(self.evaluation, self.objective.complete(self.vector))

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        return self.evaluation.value, self.evaluation.gradient.inner(self.vector)

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if np.all(s == 1.0):
            return self.full.value, self.full.gradient.inner(self.vector)
        return self._line.value_and_slope(s)

    def arrive(self, s: np.ndarray) -> Evaluation:
        return self.full if np.all(s == 1.0) else self._line.arrive(s)

    def curvature(self, s: np.ndarray) -> np.ndarray:
        return self._line.curvature(s)

    def slope(self, s: np.ndarray) -> np.ndarray:
        return self._line.slope(s)

    def slopes(self, steps: np.ndarray) -> np.ndarray:
        return self._line.slopes(steps)

    def breakpoints(self) -> np.ndarray:
        return self._line.breakpoints()
