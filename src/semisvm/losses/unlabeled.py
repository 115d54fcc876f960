"""Losses of the unlabeled points, even functions of the score t = z that reward staying away from t = 0.

`SymmetricHinge`, `SymmetricSquaredHinge`, `Gaussian`, `FlatQuadratic`: Chapelle, Sindhwani and Keerthi, "Optimization
techniques for semi-supervised support vector machines" (2008). `SymmetricRamp`: Collobert, Sinz, Weston and Bottou,
"Large scale transductive SVMs" (2006). Wherever a sign is taken, sign(0) = +1.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semisvm.losses.loss import Floats, Loss, SplitLoss, constant, mirrored, signed, step


@dataclass(frozen=True)
class Zero(Loss):
    """0: the unlabeled points do not count."""

    convex = True
    piecewise_quadratic = True

    def value(self, t: Floats) -> Floats:
        return constant(0, t)

    def slope(self, t: Floats) -> Floats:
        return constant(0, t)

    def curvature(self, t: Floats) -> Floats:
        return constant(0, t)


@dataclass(frozen=True)
class SymmetricHinge(Loss):
    """max(0, 1 - |t|). At the kinks the slope is that of sign(0) = +1 for t = 0, and 0 for |t| = 1."""

    differentiable = False
    piecewise_quadratic = True
    breakpoints = (-1.0, 0.0, 1.0)

    def value(self, t: Floats) -> Floats:
        value: Floats = np.maximum(1 - np.abs(t), 0)
        return value

    def slope(self, t: Floats) -> Floats:
        # -sign(t) on |t| < 1
        return signed(t, step(np.abs(t) < 1, -1.0, t))

    def curvature(self, t: Floats) -> Floats:
        return constant(0, t)


@dataclass(frozen=True)
class SymmetricSquaredHinge(SplitLoss):
    """max(0, 1 - |t|)^2: the better of the squared hinges of the two labels.

    At the kink t = 0 the slope is that of sign(0) = +1 and the curvature is 2; at |t| = 1 the curvature is 0.
    Split as `Huber` (max(0, 1 - |t|)^2 + 2|t|) and -2|t|, whose tangent for the sign y of a point is, with t = y z:
    0 for t >= 1, (1 - t)^2 for |t| < 1, -4t for t <= -1.
    """

    differentiable = False
    piecewise_quadratic = True
    breakpoints = (-1.0, 0.0, 1.0)

    def value(self, t: Floats) -> Floats:
        m = np.maximum(1 - np.abs(t), 0)
        value: Floats = m * m
        return value

    def slope(self, t: Floats) -> Floats:
        # -2 sign(t) max(0, 1 - |t|)
        return signed(t, -2 * np.maximum(1 - np.abs(t), 0))

    def curvature(self, t: Floats) -> Floats:
        return step(np.abs(t) < 1, 2.0, t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        m = np.maximum(1 - np.abs(t), 0)
        return m * m, signed(t, -2 * m)

    def convex_part(self) -> Loss:
        return Huber()

    def concave_value(self, t: Floats) -> Floats:
        return -2 * np.abs(t)

    def concave_slope(self, t: Floats) -> Floats:
        # -2 sign(t)
        return signed(t, constant(-2, t))


@dataclass(frozen=True)
class Huber(Loss):
    """1 + t^2 for |t| < 1 and 2|t| beyond: the convex part of `SymmetricSquaredHinge`; C^1, curvature 0 at |t| = 1."""

    convex = True
    piecewise_quadratic = True
    breakpoints = (-1.0, 1.0)

    def value(self, t: Floats) -> Floats:
        # 2|t| + max(0, 1 - |t|)^2
        a = np.abs(t)
        m = np.maximum(1 - a, 0)
        value: Floats = 2 * a + m * m
        return value

    def slope(self, t: Floats) -> Floats:
        return 2 * np.clip(t, -1, 1)

    def curvature(self, t: Floats) -> Floats:
        return step(np.abs(t) < 1, 2.0, t)


@dataclass(frozen=True)
class SymmetricRamp(SplitLoss):
    """R_s(t) + R_s(-t) with the ramp R_s(t) = min(1 - s, max(0, 1 - t)), -1 < s <= 0.

    Equals (1 - s) + min(1 + s, max(0, 1 - |t|)): flat on |t| <= |s|, falling to 1 - s at |t| = 1. At the kinks the
    slope is 0. Split as `TwoSidedHinge` and -max(0, |t| - |s|), of slope -sign(t) where |t| > |s| and 0 elsewhere.
    """

    s: float = -0.3

    differentiable = False
    piecewise_quadratic = True

    def __post_init__(self) -> None:
        if not -1 < self.s <= 0:
            raise ValueError(f"SymmetricRamp was given s={self.s}; it needs -1 < s <= 0, such as -0.3.")

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return mirrored((abs(self.s), 1.0))

    def value(self, t: Floats) -> Floats:
        # (1 - s) + min(1 + s, max(0, 1 - |t|))
        value: Floats = (1 - self.s) + np.clip(1 - np.abs(t), 0, 1 + self.s)
        return value

    def slope(self, t: Floats) -> Floats:
        # -sign(t) on |s| < |t| < 1
        a = np.abs(t)
        return signed(t, step((a > -self.s) & (a < 1), -1.0, t))

    def curvature(self, t: Floats) -> Floats:
        return constant(0, t)

    def convex_part(self) -> Loss:
        return TwoSidedHinge()

    def concave_value(self, t: Floats) -> Floats:
        # -max(0, |t| - |s|)
        return -np.maximum(np.abs(t) + self.s, 0)

    def concave_slope(self, t: Floats) -> Floats:
        # -sign(t) 1[|t| > |s|]
        return signed(t, step(np.abs(t) > -self.s, -1.0, t))

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(s=0.0)]


@dataclass(frozen=True)
class TwoSidedHinge(Loss):
    """max(0, 1 - t) + max(0, 1 + t) = 1 + max(1, |t|): the convex part of `SymmetricRamp`; slope 0 at |t| = 1."""

    convex = True
    differentiable = False
    piecewise_quadratic = True
    breakpoints = (-1.0, 1.0)

    def value(self, t: Floats) -> Floats:
        return 1 + np.maximum(np.abs(t), 1)

    def slope(self, t: Floats) -> Floats:
        # sign(t) on |t| > 1
        return signed(t, step(np.abs(t) > 1, 1.0, t))

    def curvature(self, t: Floats) -> Floats:
        return constant(0, t)


@dataclass(frozen=True)
class Gaussian(Loss):
    """exp(-s t^2), the smooth unlabeled loss: s = 5 goes with the squared hinge, s = 3 with the hinge."""

    s: float = 5.0

    def __post_init__(self) -> None:
        if not self.s > 0:
            raise ValueError(f"Gaussian was given s={self.s}; it needs a positive s, such as 5.")

    def value(self, t: Floats) -> Floats:
        return np.exp(-self.s * t * t)

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        # (4 s^2 t^2 - 2 s) exp(-s t^2)
        x = self.s * t * t
        return 2 * self.s * (2 * x - 1) * np.exp(-x)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        value = self.value(t)
        # -2 s t exp(-s t^2)
        return value, -2 * self.s * t * value


@dataclass(frozen=True)
class FlatQuadratic(Loss):
    """A plateau of height 1, a smooth fall and zero, even and C^1: the loss of the Newton S3VM, 0 < t0 < t1 < t2 < t3.

    With h1 = t1 - t0, h2 = t3 - t2 and the steepest descent m = 1 / ((t2 - t1) + (h1 + h2) / 2): 1 up to t0, a parabola
    of curvature -m/h1 up to t1, a line of slope -m up to t2, a parabola of curvature m/h2 up to t3, 0 beyond. Only
    points with t0 < |t| < t1 or t2 < |t| < t3 have curvature, so Newton systems stay small. At breakpoints it is 0.
    """

    t0: float = 0.4
    t1: float = 0.5
    t2: float = 0.9
    t3: float = 1.0

    piecewise_quadratic = True

    def __post_init__(self) -> None:
        if not 0 < self.t0 < self.t1 < self.t2 < self.t3:
            raise ValueError(
                f"FlatQuadratic was given the breakpoints {(self.t0, self.t1, self.t2, self.t3)}; "
                "it needs 0 < t0 < t1 < t2 < t3, such as (0.4, 0.5, 0.9, 1.0)."
            )

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return mirrored((self.t0, self.t1, self.t2, self.t3))

    def _steps(self) -> tuple[float, float, float]:
        h1, h2 = self.t1 - self.t0, self.t3 - self.t2
        return h1, h2, 1 / ((self.t2 - self.t1) + (h1 + h2) / 2)

    def value(self, t: Floats) -> Floats:
        h1, h2, m = self._steps()
        a = np.abs(t)
        # 1 - m/(2 h1) (|t| - t0)^2 up to t1
        head = 1 - m / (2 * h1) * np.square(np.clip(a - self.t0, 0, h1))
        # - m (|t| - t1) up to t2
        line = head - m * np.clip(a - self.t1, 0, self.t2 - self.t1)
        # m/(2 h2) (t3 - |t|)^2 from there on
        tail = m / (2 * h2) * np.square(np.clip(self.t3 - a, 0, h2))
        return np.where(a < self.t2, line, tail)

    def slope(self, t: Floats) -> Floats:
        h1, h2, m = self._steps()
        a = np.abs(t)
        # -m sign(t) (the part of the first step that is behind |t|, less that of the second)
        return signed(t, -m * (np.clip((a - self.t0) / h1, 0, 1) - np.clip((a - self.t2) / h2, 0, 1)))

    def curvature(self, t: Floats) -> Floats:
        h1, h2, m = self._steps()
        a = np.abs(t)
        return step((a > self.t0) & (a < self.t1), -m / h1, t) + step((a > self.t2) & (a < self.t3), m / h2, t)
