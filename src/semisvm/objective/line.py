"""The objective along a line, from the scores of its two ends."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from semisvm.losses.loss import Loss
from semisvm.objective.objective import Evaluation
from semisvm.objective.vectors import Point, dots

if TYPE_CHECKING:
    from semisvm.objective.products import Products

STRAY = 1e-6
"""A negative |f|^2 below minus this share of the losses is not rounding."""


@dataclass(frozen=True, eq=False)
class ScoreLine:
    """s -> J(point + s direction), column by column: O(n) per trial, no product."""

    objective: "Products"
    evaluation: Evaluation
    """The objective at s = 0."""
    direction: Point
    penalty: tuple[np.ndarray, np.ndarray, np.ndarray]
    """Constant, linear and quadratic coefficient of 1/2 |f + s d|^2 + 1/2 (o + s e)'G(o + s e)."""
    scores: np.ndarray
    """Of all rows with a loss, at s = 0; the entries of other rows are arbitrary."""
    rates: np.ndarray
    """Of the scores, in s."""
    graph_product: np.ndarray | float = 0.0

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        return self.evaluation.value, dots(self.evaluation.slope, self.rates) + self.penalty[1]

    @cached_property
    def _trials(self) -> dict[bytes, tuple[np.ndarray, ...]]:
        """What the latest trial has computed."""
        return {}

    def losses(self, s: np.ndarray) -> tuple[np.ndarray, ...]:
        """(loss, slope of every row)."""
        key = s.tobytes()
        if key not in self._trials:
            self._trials.clear()
            self._trials[key] = self._computed(s)
        return self._trials[key]

    def _computed(self, s: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.objective.losses(self.scores + s * self.rates)

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = self.losses(s)
        return self.with_penalty(s, value, dots(slope, self.rates))

    def with_penalty(self, s: np.ndarray, value: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Losses and their derivative, with those of the penalty."""
        constant, linear, square = self.penalty
        penalty = constant + s * linear + 0.5 * s**2 * square
        # no function has |f|^2 < 0: the cause is rounding of K, or a K that is not positive semidefinite
        stray = penalty < -STRAY * np.abs(value)
        return np.where(stray, np.inf, value + penalty), slope + linear + s * square

    def arrive(self, s: np.ndarray) -> Evaluation:
        point, objective = self.evaluation.point.step(self.direction, s), self.objective
        graph_product = (
            0.0 if isinstance(self.graph_product, float) else self.evaluation.graph_product + s * self.graph_product
        )
        value, slope = self.losses(s)
        return objective.evaluation(point, value, slope, graph_product, objective.represent(slope + graph_product))

    def curvature(self, s: np.ndarray) -> np.ndarray:
        curvature = self.objective.curvature(self.scores + s * self.rates)
        second: np.ndarray = np.einsum("ij,ij,ij->j", curvature, self.rates, self.rates) + self.penalty[2]
        return second

    @cached_property
    def _loaded(self) -> list[tuple[Loss, np.ndarray, np.ndarray, np.ndarray]]:
        """(loss, arguments t, rates r of t, weights times r) of the points that carry a pointwise loss."""
        parts = []
        for group in self.objective.problem.groups:
            rates = group.arguments(np.asarray(self.rates))
            parts.append((group.loss, group.arguments(np.asarray(self.scores)), rates, group.weights * rates))
        return parts

    def slope(self, s: np.ndarray) -> np.ndarray:
        _, linear, square = self.penalty
        slope: np.ndarray = linear + s * square
        for loss, t, rates, weighted_rates in self._loaded:
            slope = slope + dots(weighted_rates, loss.slope(t + s * rates))
        return slope

    def slopes(self, steps: np.ndarray) -> np.ndarray:
        _, linear, square = self.penalty
        slopes: np.ndarray = linear + steps * square
        for loss, t, rates, weighted_rates in self._loaded:
            slopes = slopes + np.einsum("ij,qij->qj", weighted_rates, loss.slope(t + steps[:, None] * rates))
        return slopes

    def breakpoints(self) -> np.ndarray:
        knots = [np.full((1, len(self.penalty[0])), np.inf)]
        with np.errstate(divide="ignore", invalid="ignore"):
            # t + s r = b
            knots += [(b - t) / rates for loss, t, rates, _ in self._loaded for b in loss.breakpoints]
        steps = np.concatenate(knots)
        return np.where(steps > 0, steps, np.inf)
