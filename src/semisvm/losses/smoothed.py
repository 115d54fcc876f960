"""Losses averaged over Gaussian noise, for the continuation method.

Chapelle, Chi and Zien, "A continuation method for semi-supervised SVMs" (2006): the objective is convolved with the
density (pi gamma)^(-d/2) exp(-|w|^2 / gamma) of the weights. The output at a point of squared norm k(x, x) then carries
Gaussian noise of variance v = gamma k(x, x) / 2, so each loss is replaced by its mean under that noise. `bind` supplies
the norms k(x, x); until then they count as 1, their value for the RBF kernel. gamma = 0 gives the plain losses exactly.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import ndtr

from semisvm.losses.loss import EXAMPLE_POINTS, Floats, Loss, Rows, per_point, take_rows


def _refuse_negative(name: str, gamma: float) -> None:
    if not gamma >= 0:
        raise ValueError(f"{name} was given gamma={gamma}; it needs gamma >= 0, where 0 means no smoothing.")


def _variance(gamma: float, norms: float | Floats | None, t: Floats) -> Floats:
    # v = gamma k(x, x) / 2
    return gamma / 2 * per_point(1.0 if norms is None else norms, t)


@dataclass(frozen=True, eq=False)
class SmoothedGaussian(Loss):
    """The mean of exp(-s (t + noise)^2): (1 + 2 s v)^(-1/2) exp(-s t^2 / (1 + 2 s v)), v = gamma norms / 2."""

    s: float = 5.0
    gamma: float = 0.0
    norms: float | Floats | None = None

    def __post_init__(self) -> None:
        if not self.s > 0:
            raise ValueError(f"SmoothedGaussian was given s={self.s}; it needs a positive s, such as 5.")
        _refuse_negative("SmoothedGaussian", self.gamma)

    def bind(self, t: Floats, norms: Floats) -> "SmoothedGaussian":
        return replace(self, norms=norms) if self.norms is None else self

    def take(self, rows: Rows) -> "SmoothedGaussian":
        return self if self.norms is None else replace(self, norms=take_rows(self.norms, rows))

    @property
    def pointwise(self) -> bool:
        return self.norms is not None

    def _widening(self, t: Floats) -> Floats:
        # q = 1 + 2 s v
        return 1 + 2 * self.s * _variance(self.gamma, self.norms, t)

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        q = self._widening(t)
        # (4 s^2 t^2 / q^2 - 2 s / q) q^(-1/2) exp(-s t^2 / q)
        x = self.s * t * t / q
        return 2 * self.s * (2 * x - 1) * np.exp(-x) / (q * np.sqrt(q))

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        q = self._widening(t)
        # q^(-1/2) exp(-s t^2 / q)
        value = np.exp(-self.s * t * t / q) / np.sqrt(q)
        # -2 s t / q times the value
        return value, -2 * self.s * t * value / q

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(s=3.0, gamma=0.7), cls(gamma=0.4, norms=np.linspace(0.0, 4.0, EXAMPLE_POINTS))]


@dataclass(frozen=True, eq=False)
class SmoothedSquaredHinge(Loss):
    """The mean of max(0, 1 - t - noise)^2, whose variance is v = gamma norms / 2.

    With m = 1 - t it is (m^2 + v) Phi(m / sqrt v) + m sqrt(v) phi(m / sqrt v). Where v = 0, the curvature at t = 1 is
    that of the squared hinge, 0.
    """

    gamma: float = 0.0
    norms: float | Floats | None = None

    convex = True

    def __post_init__(self) -> None:
        _refuse_negative("SmoothedSquaredHinge", self.gamma)

    def bind(self, t: Floats, norms: Floats) -> "SmoothedSquaredHinge":
        return replace(self, norms=norms) if self.norms is None else self

    def take(self, rows: Rows) -> "SmoothedSquaredHinge":
        return self if self.norms is None else replace(self, norms=take_rows(self.norms, rows))

    @property
    def pointwise(self) -> bool:
        return self.norms is not None

    @property
    def breakpoints(self) -> tuple[float, ...]:
        noise_free = self.gamma == 0 or bool(np.any(np.asarray(1.0 if self.norms is None else self.norms) == 0))
        return (1.0,) if noise_free else ()

    def _moments(self, t: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """m, v, Phi(m / sqrt v) and sqrt(v) phi(m / sqrt v), with their limits where v = 0."""
        m = 1 - t
        v = _variance(self.gamma, self.norms, t)
        sd = np.sqrt(v)
        # a noise-free point has Phi = 1[m > 0] and sqrt(v) phi = 0; beyond 40 both are at their limits in any precision
        r = np.clip(m / np.where(v > 0, sd, 1), -40, 40)
        Phi = np.where(v > 0, ndtr(r), m > 0)
        sd_phi = sd * np.exp(-r * r / 2) / math.sqrt(2 * math.pi)
        return m, v, Phi, sd_phi

    def value(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[0]

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        # 2 Phi(m / sqrt v)
        return 2 * self._moments(t)[2]

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        m, v, Phi, sd_phi = self._moments(t)
        # -2 (m Phi + sqrt(v) phi)
        return (m * m + v) * Phi + m * sd_phi, -2 * (m * Phi + sd_phi)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(gamma=0.7), cls(gamma=0.4, norms=np.linspace(0.0, 4.0, EXAMPLE_POINTS))]
