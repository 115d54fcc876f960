"""The loss of points with a real-valued target, a function of the score t = z."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from semisvm.losses.loss import EXAMPLE_POINTS, Floats, Loss, Rows, constant, per_point, take_columns, take_rows


@dataclass(frozen=True, eq=False)
class SquaredError(Loss):
    """(t - target)^2 with one target per point (n,), or per point and column (n, k)."""

    target: float | Floats

    convex = True
    piecewise_quadratic = True

    def value(self, t: Floats) -> Floats:
        m = t - per_point(self.target, t)
        return m * m

    def slope(self, t: Floats) -> Floats:
        return 2 * (t - per_point(self.target, t))

    def curvature(self, t: Floats) -> Floats:
        return constant(2, t)

    def take(self, rows: Rows) -> "SquaredError":
        return replace(self, target=take_rows(self.target, rows))

    def columns(self, chosen: Rows) -> "SquaredError":
        return replace(self, target=take_columns(self.target, chosen))

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.5), cls(np.linspace(-2, 2, EXAMPLE_POINTS))]
