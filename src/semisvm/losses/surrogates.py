"""Surrogates: losses after a decision about the unlabeled points, for the convex subproblems of outer algorithms.

`Fixed`: the labels are held (label switching, branch and bound). `Mixed`: the probabilities of the labels are held
(deterministic annealing). `Tangent`: the concave part is replaced by its tangent (the concave-convex procedure).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from semisvm.losses.labeled import Hinge, SquaredHinge
from semisvm.losses.loss import (
    EXAMPLE_POINTS,
    Floats,
    Loss,
    Rows,
    SplitLoss,
    mirrored,
    per_point,
    take_columns,
    take_rows,
)
from semisvm.losses.unlabeled import SymmetricRamp, SymmetricSquaredHinge


@dataclass(frozen=True, eq=False)
class Fixed(Loss):
    """V(y t) with one label y = +-1 per point."""

    loss: Loss
    y: float | Floats

    @property
    def convex(self) -> bool:
        return self.loss.convex

    @property
    def piecewise_quadratic(self) -> bool:
        return self.loss.piecewise_quadratic

    @property
    def differentiable(self) -> bool:
        return self.loss.differentiable

    @property
    def pointwise(self) -> bool:
        return self.loss.pointwise

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Those of the given labels."""
        y, of_loss = np.asarray(self.y), self.loss.breakpoints
        return tuple(sorted({sign * b for sign in (-1.0, 1.0) if np.any(y == sign) for b in of_loss}))

    def bind(self, t: Floats, norms: Floats) -> "Fixed":
        return self if self.pointwise else replace(self, loss=self.loss.bind(per_point(self.y, t) * t, norms))

    def take(self, rows: Rows) -> "Fixed":
        return Fixed(self.loss.take(rows), take_rows(self.y, rows))

    def columns(self, chosen: Rows) -> "Fixed":
        return Fixed(self.loss.columns(chosen), take_columns(self.y, chosen))

    def value(self, t: Floats) -> Floats:
        return self.loss.value(per_point(self.y, t) * t)

    def slope(self, t: Floats) -> Floats:
        y = per_point(self.y, t)
        # d/dt V(y t) = y V'(y t)
        return y * self.loss.slope(y * t)

    def curvature(self, t: Floats) -> Floats:
        # y^2 V''(y t), y^2 = 1
        return self.loss.curvature(per_point(self.y, t) * t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        y = per_point(self.y, t)
        value, slope = self.loss.value_and_slope(y * t)
        return value, y * slope

    @classmethod
    def examples(cls) -> list[Self]:
        y = np.where(np.arange(EXAMPLE_POINTS) % 3 == 0, -1.0, 1.0)
        return [cls(Hinge(), y), cls(SquaredHinge(), y), cls(SquaredHinge(), -1.0)]


@dataclass(frozen=True, eq=False)
class Mixed(Loss):
    """p V(t) + (1 - p) V(-t) with the probability p of the positive label, one per point."""

    loss: Loss
    p: float | Floats

    @property
    def convex(self) -> bool:
        return self.loss.convex

    @property
    def piecewise_quadratic(self) -> bool:
        return self.loss.piecewise_quadratic

    @property
    def differentiable(self) -> bool:
        return self.loss.differentiable

    @property
    def pointwise(self) -> bool:
        return self.loss.pointwise

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return mirrored(self.loss.breakpoints)

    def bind(self, t: Floats, norms: Floats) -> "Mixed":
        return self if self.pointwise else replace(self, loss=self.loss.bind(t, norms))

    def take(self, rows: Rows) -> "Mixed":
        return Mixed(self.loss.take(rows), take_rows(self.p, rows))

    def columns(self, chosen: Rows) -> "Mixed":
        return Mixed(self.loss.columns(chosen), take_columns(self.p, chosen))

    def value(self, t: Floats) -> Floats:
        p = per_point(self.p, t)
        return p * self.loss.value(t) + (1 - p) * self.loss.value(-t)

    def slope(self, t: Floats) -> Floats:
        p = per_point(self.p, t)
        # p V'(t) - (1 - p) V'(-t)
        return p * self.loss.slope(t) - (1 - p) * self.loss.slope(-t)

    def curvature(self, t: Floats) -> Floats:
        p = per_point(self.p, t)
        return p * self.loss.curvature(t) + (1 - p) * self.loss.curvature(-t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        p = per_point(self.p, t)
        value, slope = self.loss.value_and_slope(t)
        mirror_value, mirror_slope = self.loss.value_and_slope(-t)
        return p * value + (1 - p) * mirror_value, p * slope - (1 - p) * mirror_slope

    @classmethod
    def examples(cls) -> list[Self]:
        p = np.linspace(0.0, 1.0, EXAMPLE_POINTS)
        return [cls(Hinge(), p), cls(SquaredHinge(), p), cls(SquaredHinge(), 0.3)]


@dataclass(frozen=True, eq=False)
class Tangent(Loss):
    """The convex part of a split loss plus the tangent of its concave part at `at`, one place per point.

    Convex, never below the split loss, and equal to it at t = at.
    """

    loss: SplitLoss
    at: float | Floats

    convex = True

    @property
    def piecewise_quadratic(self) -> bool:
        return self._convex_part.piecewise_quadratic

    @property
    def differentiable(self) -> bool:
        return self._convex_part.differentiable

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return self._convex_part.breakpoints

    @cached_property
    def _convex_part(self) -> Loss:
        return self.loss.convex_part()

    @cached_property
    def tilt(self) -> Floats:
        """The slope of the tangent, one per point."""
        return self.loss.concave_slope(np.asarray(self.at))

    @cached_property
    def _lift(self) -> Floats:
        # concave(at) - tilt at: the height of the tangent at t = 0
        return self.loss.concave_value(np.asarray(self.at)) - self.tilt * self.at

    def take(self, rows: Rows) -> "Tangent":
        return Tangent(self.loss, take_rows(self.at, rows))

    def columns(self, chosen: Rows) -> "Tangent":
        return Tangent(self.loss, take_columns(self.at, chosen))

    def value(self, t: Floats) -> Floats:
        return self._convex_part.value(t) + per_point(self.tilt, t) * t + per_point(self._lift, t)

    def slope(self, t: Floats) -> Floats:
        return self._convex_part.slope(t) + per_point(self.tilt, t)

    def curvature(self, t: Floats) -> Floats:
        return self._convex_part.curvature(t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        value, slope = self._convex_part.value_and_slope(t)
        tilt = per_point(self.tilt, t)
        return value + tilt * t + per_point(self._lift, t), slope + tilt

    @classmethod
    def examples(cls) -> list[Self]:
        at = np.linspace(-1.7, 2.3, EXAMPLE_POINTS)
        return [cls(SymmetricSquaredHinge(), at), cls(SymmetricRamp(), at), cls(SymmetricRamp(s=0.0), 0.0)]
