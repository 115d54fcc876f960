"""Losses of the labeled points, functions of the margin t = y z.

Hinge and squared hinge as in Chapelle, Sindhwani and Keerthi, "Optimization techniques for semi-supervised support
vector machines" (2008): the squared hinge carries no factor 1/2. The modified logistic loss is that of Gieseke, Airola,
Pahikkala and Kramer, "Fast and simple gradient-based optimization for semi-supervised support vector machines" (2014).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semisvm.losses.loss import Floats, Loss, constant, step


@dataclass(frozen=True)
class Hinge(Loss):
    """max(0, 1 - t). At the kink t = 1 the slope is 0."""

    convex = True
    differentiable = False
    piecewise_quadratic = True
    breakpoints = (1.0,)

    def value(self, t: Floats) -> Floats:
        return np.maximum(1 - t, 0)

    def slope(self, t: Floats) -> Floats:
        return step(t < 1, -1.0, t)

    def curvature(self, t: Floats) -> Floats:
        return constant(0, t)


@dataclass(frozen=True)
class HuberHinge(Loss):
    """The hinge rounded off by a parabola on |1 - t| <= width, at most width / 4 above it; C^1.

    Gives the plain hinge of Chapelle and Zien, "Semi-supervised classification by low density separation" (2005), a
    slope everywhere. At the breakpoints the curvature is 0.
    """

    width: float = 0.1

    convex = True
    piecewise_quadratic = True

    def __post_init__(self) -> None:
        if not self.width > 0:
            raise ValueError(f"HuberHinge was given width={self.width}; it needs a positive width, such as 0.1.")

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return (1 - self.width, 1 + self.width)

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        # -min(1, max(0, 1 + h - t) / (2 h))
        slope: Floats = -np.clip((1 + self.width - t) / (2 * self.width), 0, 1)
        return slope

    def curvature(self, t: Floats) -> Floats:
        # 1 / (2 h) on |1 - t| < h
        return step(np.abs(1 - t) < self.width, 1 / (2 * self.width), t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        slope = self.slope(t)
        # h slope^2 + max(0, 1 - h - t)
        return self.width * slope * slope + np.maximum(1 - self.width - t, 0), slope

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(width=0.5)]


@dataclass(frozen=True)
class SquaredHinge(Loss):
    """max(0, 1 - t)^2, C^1. At t = 1 the curvature is 0."""

    convex = True
    piecewise_quadratic = True
    breakpoints = (1.0,)

    def value(self, t: Floats) -> Floats:
        m = np.maximum(1 - t, 0)
        return m * m

    def slope(self, t: Floats) -> Floats:
        return -2 * np.maximum(1 - t, 0)

    def curvature(self, t: Floats) -> Floats:
        return step(t < 1, 2.0, t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        m = np.maximum(1 - t, 0)
        return m * m, -2 * m


@dataclass(frozen=True)
class Squared(Loss):
    """(1 - t)^2: with t = y z and y = +-1 it is the squared error (y - z)^2."""

    convex = True
    piecewise_quadratic = True

    def value(self, t: Floats) -> Floats:
        m = 1 - t
        return m * m

    def slope(self, t: Floats) -> Floats:
        return -2 * (1 - t)

    def curvature(self, t: Floats) -> Floats:
        return constant(2, t)


@dataclass(frozen=True)
class ModifiedLogistic(Loss):
    """(1/g) log(1 + exp(g (1 - t))) with the steepness g: a smooth hinge, at most log(2) / g above it."""

    steepness: float = 20.0

    convex = True

    def __post_init__(self) -> None:
        if not self.steepness > 0:
            raise ValueError(
                f"ModifiedLogistic was given steepness={self.steepness}; it needs a positive steepness, such as 20."
            )

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        # g e / (1 + e)^2 with e = exp(-|x|), the same for x and -x
        e = np.exp(-np.abs(self.steepness * (1 - t)))
        curvature: Floats = self.steepness * e / ((1 + e) * (1 + e))
        return curvature

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        # x = g (1 - t), log(1 + exp(x)) = max(x, 0) + log(1 + e) with e = exp(-|x|)
        x = self.steepness * (1 - t)
        e = np.exp(-np.abs(x))
        value = (np.maximum(x, 0) + np.log1p(e)) / self.steepness
        # -1 / (1 + exp(-x))
        return value, -np.where(x >= 0, 1, e) / (1 + e)
