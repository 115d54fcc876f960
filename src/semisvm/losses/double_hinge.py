"""Losses of positive and unlabeled rows, whose difference between the two labels is linear: D(t) - D(-t) = -t.

A positive row costs D(z), an unlabeled row D(-z), as if it were negative. This charges positive rows among the
unlabeled ones too much, so the same loss is subtracted at the labeled positive rows. D(z) - D(-z) is linear, so the
result is convex: du Plessis, Niu and Sugiyama, "Convex formulation for learning from positive and unlabeled data"
(2015).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semisvm.losses.loss import Floats, Loss, constant, step


@dataclass(frozen=True)
class DoubleHinge(Loss):
    """max(0, (1 - t) / 2, -t) with the middle piece replaced by (1 - t)^2 / 4, which rounds both corners; C^1.

    At |t| = 1 the curvature is 0.
    """

    convex = True
    piecewise_quadratic = True
    breakpoints = (-1.0, 1.0)

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        # -1 up to t = -1, -(1 - t) / 2 up to t = 1, then 0
        return -np.clip((1 - t) / 2, 0, 1)

    def curvature(self, t: Floats) -> Floats:
        return step(np.abs(t) < 1, 0.5, t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        slope = self.slope(t)
        # slope^2 up from t = -1, and 1 + (-1 - t) = -t below
        return slope * slope + np.maximum(-1 - t, 0), slope


@dataclass(frozen=True)
class CorrectedDoubleHinge(Loss):
    """D(t) - share D(-t) = (1 - share) D(t) - share t: a positive row's loss, less a share of its loss as a negative.

    With share = 1 it is the line -t, with share = 0 the `DoubleHinge`.
    """

    share: float = 1.0

    convex = True
    piecewise_quadratic = True

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"CorrectedDoubleHinge was given share={self.share}; it needs a share from 0 to 1.")

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return DoubleHinge.breakpoints if self.share < 1 else ()

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        if self.share == 1:
            return constant(0, t)
        return (1 - self.share) * DoubleHinge().curvature(t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        if self.share == 1:
            return -1.0 * t, constant(-1, t)
        value, slope = DoubleHinge().value_and_slope(t)
        return (1 - self.share) * value - self.share * t, (1 - self.share) * slope - self.share

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(share=0.0), cls(share=0.4)]
