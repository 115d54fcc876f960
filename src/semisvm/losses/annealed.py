"""The unlabeled loss of deterministic annealing, with the class balance met exactly by a multiplier.

Sindhwani, Keerthi and Chapelle, "Deterministic annealing for semi-supervised kernel machines" (2006). With p_i the
probability that point i is positive and V the labeled loss, annealing at the temperature T minimizes over p

    sum_i C_star_i [p_i V(z_i) + (1 - p_i) V(-z_i)] + T sum_i [p_i log p_i + (1 - p_i) log(1 - p_i)]

subject to sum_i p_i = n_positive. The minimum is at p_i = 1 / (1 + exp((g_i - nu) / T)) with the gaps
g_i = C_star_i (V(z_i) - V(-z_i)) and one multiplier nu. The alternating method asks `probabilities` for this p; the
gradient method descends on the minimum itself, `Annealed`.

Units: the problem multiplies every loss by C_star, so `Annealed` takes the temperature *divided by C_star*, one number
or, where C_star differs between points, one per point. Inside, everything is unit-free: a_i = g_i / T and mu = nu / T.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr, expit

from semisvm.losses.labeled import Hinge, SquaredHinge
from semisvm.losses.loss import (
    EXAMPLE_POINTS,
    Floats,
    Loss,
    Rows,
    mirrored,
    per_point,
    precision,
    take_columns,
    take_rows,
)

Count = float | npt.NDArray[Any] | None
"""Positives among the unlabeled points, one for all columns or one each; None holds no count (nu = 0)."""


def probabilities(gaps: Floats, temperature: float | Floats, n_positive: Count) -> Floats:
    """p_i = expit((nu - gaps_i) / temperature) with nu such that every column of p sums to n_positive.

    gaps: (u,) or (u, k), in the units of the temperature; temperature: one number or one per point; n_positive: one
    count or one per column. Always float64; the sums hold to about 1e-13 u.
    """
    a = _over_temperature(np.asarray(gaps, dtype=np.float64), temperature)
    reference, offset = _thresholds(a, n_positive)
    probabilities: Floats = expit((reference - a) + offset)
    return probabilities


def entropy(p: Floats) -> Floats:
    """The entropy of the labels in nats, summed over the points: a number for (u,), one per column for (u, k)."""
    p = np.asarray(p, dtype=np.float64)
    total: Floats = np.sum(entr(p) + entr(1 - p), axis=0)
    return total


@dataclass(frozen=True, eq=False)
class Annealed(Loss):
    """The minimum over p of the annealing objective, for V, the temperature (over C_star) and the count of positives.

    The multiplier ties all points together, so `bind` needs the scores of all unlabeled points and is called again
    at every new iterate; value, slope and curvature take t as the scores of all points. Summed with the weights C_star,
    the bound loss has the value and the gradient of the constrained minimum at the scores it was bound to (the
    slope is that with p held, by the envelope theorem) and is never above it. Its curvature holds nu fixed.
    """

    loss: Loss
    temperature: float | Floats
    n_positive: Count

    pointwise = False

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return mirrored(self.loss.breakpoints)

    @property
    def differentiable(self) -> bool:
        return self.loss.differentiable

    def __post_init__(self) -> None:
        _refuse_cold(self.temperature)

    def bind(self, t: Floats, norms: Floats) -> "FrozenAnnealed":
        bound = self if self.loss.pointwise else replace(self, loss=self.loss.bind(t, norms))
        return bound._freeze(t)

    def take(self, rows: Rows) -> Loss:
        raise ValueError("Annealed ties all unlabeled points together and was asked for some of them; bind it first.")

    def columns(self, chosen: Rows) -> "Annealed":
        temperature = take_columns(self.temperature, chosen)
        return Annealed(self.loss.columns(chosen), temperature, _take_column(self.n_positive, chosen))

    def _freeze(self, t: Floats) -> "FrozenAnnealed":
        z = np.asarray(t, dtype=np.float64)
        # a = (V(z) - V(-z)) / (T / C_star)
        a = _over_temperature(self.loss.value(z) - self.loss.value(-z), self.temperature)
        return self.frozen(*_thresholds(a, self.n_positive), len(z))

    def frozen(self, reference: float | Floats, offset: float | Floats, n_points: int) -> "FrozenAnnealed":
        """The loss of so many points with the multiplier T (reference + offset)."""
        # with nu = 0 the share does not matter
        share = np.asarray(0.5 if self.n_positive is None else self.n_positive / np.float64(max(n_points, 1)))
        return FrozenAnnealed(self.loss, self.temperature, reference, offset, share)

    def value(self, t: Floats) -> Floats:
        return self._freeze(t).value(t)

    def slope(self, t: Floats) -> Floats:
        return self._freeze(t).slope(t)

    def curvature(self, t: Floats) -> Floats:
        return self._freeze(t).curvature(t)

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        return self._freeze(t).value_and_slope(t)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(SquaredHinge(), 0.5, 2),
            cls(Hinge(), 0.1, 3),
            cls(SquaredHinge(), 1.0, 0),
            cls(SquaredHinge(), 1.0, EXAMPLE_POINTS),
            cls(SquaredHinge(), np.linspace(0.2, 3.0, EXAMPLE_POINTS), 4),
        ]


@dataclass(frozen=True, eq=False)
class FrozenAnnealed(Loss):
    """min_p [p V(t) + (1 - p) V(-t) + T (p log p + (1 - p) log(1 - p)) - nu (p - share)] with T and nu given.

    nu = T (reference + offset), two numbers (per column), because their sum loses the digits of p when T is small.
    share = n_positive / u spreads nu n_positive evenly over the points; with share 0, nu = -inf leaves V(-t), and
    with share 1, nu = +inf leaves V(t). Works in float64 inside, because a small T magnifies rounding.
    """

    loss: Loss
    temperature: float | Floats
    reference: float | Floats
    offset: float | Floats
    share: float | Floats

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return mirrored(self.loss.breakpoints)

    @property
    def differentiable(self) -> bool:
        return self.loss.differentiable

    def __post_init__(self) -> None:
        _refuse_cold(self.temperature)

    def take(self, rows: Rows) -> "FrozenAnnealed":
        return replace(self, loss=self.loss.take(rows), temperature=take_rows(self.temperature, rows))

    def columns(self, chosen: Rows) -> "FrozenAnnealed":
        return FrozenAnnealed(
            self.loss.columns(chosen),
            take_columns(self.temperature, chosen),
            _take_column(self.reference, chosen),
            _take_column(self.offset, chosen),
            _take_column(self.share, chosen),
        )

    def probabilities(self, t: Floats) -> Floats:
        """p at the scores t, in float64."""
        z = np.asarray(t, dtype=np.float64)
        probabilities: Floats = expit(self._log_odds(z, self.loss.value(z), self.loss.value(-z)))
        return probabilities

    def value(self, t: Floats) -> Floats:
        z = np.asarray(t, dtype=np.float64)
        plus, minus = self.loss.value(z), self.loss.value(-z)
        return self._minimum(z, plus, minus, self._log_odds(z, plus, minus)).astype(precision(t))

    def slope(self, t: Floats) -> Floats:
        return self.value_and_slope(t)[1]

    def curvature(self, t: Floats) -> Floats:
        z = np.asarray(t, dtype=np.float64)
        (plus, plus_slope), (minus, minus_slope) = self.loss.value_and_slope(z), self.loss.value_and_slope(-z)
        x = self._log_odds(z, plus, minus)
        p, q = expit(x), expit(-x)
        # p V''(t) + (1 - p) V''(-t) - p (1 - p) g'(t)^2 / T,  g'(t) = V'(t) + V'(-t)
        bend = p * q * np.square(plus_slope + minus_slope) / per_point(self.temperature, z)
        curvature: Floats = (p * self.loss.curvature(z) + q * self.loss.curvature(-z) - bend).astype(precision(t))
        return curvature

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        z = np.asarray(t, dtype=np.float64)
        (plus, plus_slope), (minus, minus_slope) = self.loss.value_and_slope(z), self.loss.value_and_slope(-z)
        x = self._log_odds(z, plus, minus)
        # p V'(t) - (1 - p) V'(-t)
        slope = expit(x) * plus_slope - expit(-x) * minus_slope
        return self._minimum(z, plus, minus, x).astype(precision(t)), slope.astype(precision(t))

    def _log_odds(self, z: Floats, plus: Floats, minus: Floats) -> Floats:
        # x = (nu - g) / T = (reference - a) + offset
        return (self.reference - (plus - minus) / per_point(self.temperature, z)) + self.offset

    def _minimum(self, z: Floats, plus: Floats, minus: Floats, x: Floats) -> Floats:
        T = per_point(self.temperature, z)
        share = np.asarray(self.share)
        mu = np.add(self.reference, self.offset)
        # mu (1 - share) and mu share, where inf 0 = 0
        plus_lift = np.where(share < 1, mu, 0) * (1 - share)
        minus_lift = np.where(share > 0, mu, 0) * share
        # min(V(t) - nu (1 - share), V(-t) + nu share) - T log(1 + exp(-|x|))
        value: Floats = np.minimum(plus - T * plus_lift, minus + T * minus_lift) - T * np.log1p(np.exp(-np.abs(x)))
        return value

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(SquaredHinge(), 0.5, 0.3, -0.8, 0.4),
            cls(SquaredHinge(), np.linspace(0.2, 3.0, EXAMPLE_POINTS), 0.0, 0.7, 0.5),
        ]


def _refuse_cold(temperature: float | Floats) -> None:
    if not np.all(np.asarray(temperature) > 0):
        raise ValueError(f"Annealing was given the temperature {np.min(temperature)}; it needs one above 0, like 1e-8.")


def _over_temperature(gaps: Floats, temperature: float | Floats) -> Floats:
    _refuse_cold(temperature)
    return gaps / per_point(temperature, gaps)


def _take_column(a: Any, chosen: Rows) -> Any:
    """The entries of a (k,), or a itself where all columns share it."""
    return a if a is None or np.size(a) <= 1 else np.asarray(a)[chosen]


def _thresholds(a: Floats, n_positive: Count) -> tuple[Floats, Floats]:
    """The reference and the offset of `_threshold`, one each per column of a (u,) or (u, k)."""
    u, rest = len(a), a.shape[1:]
    if n_positive is None:
        return np.zeros(rest), np.zeros(rest)
    counts = np.broadcast_to(np.asarray(n_positive, dtype=np.float64), rest).ravel()
    if not np.all((counts >= 0) & (counts <= u)):
        raise ValueError(f"n_positive is {n_positive} for {u} unlabeled points; it needs a count between 0 and {u}.")
    pairs = [_threshold(column, n) for column, n in zip(a.reshape(u, len(counts)).T, counts.tolist(), strict=True)]
    reference, offset = np.array(pairs).reshape(len(counts), 2).T
    return reference.reshape(rest), offset.reshape(rest)


def _threshold(a: Floats, n_positive: float) -> tuple[float, float]:
    """Solve sum_i expit(reference + offset - a_i) = n_positive.

    The reference is the last a that temperature zero would call positive: differences from it keep the digits that
    decide p.
    """
    u = len(a)
    if n_positive in (0, u):
        return 0.0, next(offset_trials(n_positive, u, 0.0, 0.0))
    ranks = ranks_beside(n_positive, u)
    last, first = np.partition(a, ranks)[ranks].tolist()
    a = a - last
    trials = offset_trials(n_positive, u, last, first)
    offset = next(trials)
    try:
        while True:
            p = expit(offset - a)
            offset = trials.send((float(p.sum()), float(np.vecdot(p, p))))
    except StopIteration as ended:
        return last, ended.value


def ranks_beside(n_positive: float, u: int) -> list[int]:
    """Ranks of the last of u gaps that temperature zero would call positive, and of the first that it would not."""
    low, high = math.ceil(n_positive), math.floor(n_positive) + 1
    return [min(max(low - 1, 0), u - 1), min(high - 1, u - 1)]


def offset_trials(n_positive: float, u: int, last: float, first: float) -> Generator[float, tuple[float, float], float]:
    """Offsets to try, each to be answered by (sum p, sum p^2) at it; returns the one at which sum p = n_positive.

    `last` and `first` are the gaps of `ranks_beside`. Newton on the log-odds of the mean p, linear where all gaps
    agree, inside a bracket.
    """
    if n_positive in (0, u):
        offset = -math.inf if n_positive == 0 else math.inf
        yield offset
        return offset
    low, high = math.ceil(n_positive), math.floor(n_positive) + 1
    # u - low + 1 points have a >= last, and at the lower end their 1 - p alone sum to u - n_positive;
    # `high` points have a <= first, and at the upper end their p alone sum to n_positive
    below = -math.log((u - n_positive) / (n_positive - (low - 1)))
    above = first - last + math.log(n_positive / (high - n_positive))
    offset, miss = (first - last) / 2, math.inf
    wanted = math.log(n_positive / (u - n_positive))
    for _ in range(200):
        positive, squares = yield offset
        # 1 - p is 0 where p rounds to 1: a sum of them is only used to choose the next trial
        negative = max(u - positive, 1e-300)
        miss, miss_before = abs(positive - n_positive), miss
        if miss <= 1e-13 * u:
            break
        below, above = (offset, above) if positive < n_positive else (below, offset)
        # log(positive / negative) = log(n_positive / (u - n_positive)), of derivative sum(p q) u / (positive negative)
        error = math.log(max(positive, 1e-300) / negative) - wanted
        newton = offset - error * positive * negative / (u * max(positive - squares, 1e-300))
        middle = (below + above) / 2
        trial = newton if below <= newton <= above and miss < miss_before / 2 else middle
        if trial == offset:
            break
        offset = trial
    return offset
