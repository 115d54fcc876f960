"""The objective along a line: what a search for the step asks of it, from what is known of its two ends."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from semisvm.losses.loss import Loss
from semisvm.row_losses import PartLosses
from semisvm.spaces.chunked.vectors import RemoteOutputs
from semisvm.vectors import Point, Vector, dots


@dataclass(frozen=True, eq=False)
class Line:
    """s -> J(point + s direction), column by column."""

    problem: Any
    evaluation: Any
    """The objective at s = 0."""
    vector: Vector
    penalty: tuple[np.ndarray, np.ndarray, np.ndarray]
    known: Point | None = None
    """The direction with its outputs, where they are known already."""
    tension: np.ndarray | float = 0.0
    """G e, the change of G o for s = 1."""
    full: Any = None
    """The objective at s = 1, where it is known already."""

    @cached_property
    def direction(self) -> Point:
        return self.known or self.problem.complete(self.vector)

    @cached_property
    def scores(self) -> np.ndarray:
        return self.problem.at_hand(self.evaluation.point.scores)

    @cached_property
    def rates(self) -> np.ndarray:
        return self.problem.at_hand(self.direction.scores)

    @cached_property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        """Value and slope at s = 0, the slope by the same sum as at the first trial."""
        if self.full is not None:
            return self.evaluation.value, self.evaluation.gradient.inner(self.vector)
        nothing = np.zeros(len(self.penalty[0]))
        if self._away:
            along = self._sums(nothing)[1]
        else:
            # slopes of rows that live elsewhere are computed anew from the scores at hand
            here = not self.problem.space.remote
            along = dots(self.evaluation.slope if here else self._losses(nothing)[1], self.rates)
        return self.evaluation.value, along + self.penalty[1]

    @cached_property
    def _trials(self) -> dict[bytes, tuple[np.ndarray, ...]]:
        """What the latest trial has computed."""
        return {}

    def _losses(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(loss, slope of every row)."""
        key = s.tobytes()
        if key not in self._trials:
            self._trials.clear()
            self._trials[key] = self.problem.losses(self.scores + s * self.rates)
        value, slope = self._trials[key]
        return value, slope

    def _sums(self, s: np.ndarray) -> tuple[np.ndarray, ...]:
        """(loss, first and second derivative) where the scores stay with their rows."""
        key = s.tobytes()
        if key not in self._trials:
            self._trials.clear()
            losses = self.problem.bound(self.scores + s * self.rates).row_losses(np.zeros(len(s)))
            both: Any = [self.scores, self.rates]
            self._trials[key] = both[0].away.reduced(PartLosses.along, losses, both, s)
        return self._trials[key]

    @property
    def _away(self) -> bool:
        return isinstance(self.scores, RemoteOutputs)

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        constant, linear, square = self.penalty
        if self.full is not None and np.all(s == 1.0):
            return self.full.value, self.full.gradient.inner(self.vector)
        if self._away:
            value, along, _ = self._sums(s)
        else:
            value, slope = self._losses(s)
            along = dots(slope, self.rates)
        return value + constant + s * linear + 0.5 * s**2 * square, along + linear + s * square

    def arrive(self, s: np.ndarray) -> Any:
        """The objective at the end of the step, from what its trial has computed."""
        if self.full is not None and np.all(s == 1.0):
            return self.full
        point, problem = self.evaluation.point.step(self.direction, s), self.problem
        if problem.one_pass and problem.space.remote:
            return problem.at(point.theta, point.bias)
        tension = 0.0 if problem.graph is None else self.evaluation.tension + s * self.tension
        value, slope = self._losses(s)
        pulled = problem.space.represent(slope + tension)
        return problem.evaluation(point, value, slope, tension, pulled)

    def curvature(self, s: np.ndarray) -> np.ndarray:
        if self._away:
            return self._sums(s)[2] + self.penalty[2]
        curvature = self.problem.curvature(self.scores + s * self.rates)
        return np.einsum("ij,ij,ij->j", curvature, self.rates, self.rates) + self.penalty[2]

    @cached_property
    def _loaded(self) -> list[tuple[Loss, np.ndarray, np.ndarray, np.ndarray]]:
        """(loss, arguments t, rates r of t, weights times r) of the points that carry a pointwise loss."""
        parts = []
        for group in self.problem._members:
            rates = group.arguments(np.asarray(self.rates))
            parts.append((group.loss, group.arguments(np.asarray(self.scores)), rates, group.weights * rates))
        return parts

    def slope(self, s: np.ndarray) -> np.ndarray:
        """The derivative alone, for pointwise losses: it costs the points with a loss, not all of them."""
        _, linear, square = self.penalty
        slope = linear + s * square
        for loss, t, rates, pull in self._loaded:
            slope = slope + dots(pull, loss.slope(t + s * rates))
        return slope

    def slopes(self, steps: np.ndarray) -> np.ndarray:
        """`slope` at many steps (q, k) at once."""
        _, linear, square = self.penalty
        slopes = linear + steps * square
        for loss, t, rates, pull in self._loaded:
            slopes = slopes + np.einsum("ij,qij->qj", pull, loss.slope(t + steps[:, None] * rates))
        return slopes

    def breakpoints(self) -> np.ndarray:
        """(m, k) steps s > 0 at which some loss changes its piece, t + s r = b; infinity for those behind."""
        knots = [np.full((1, len(self.penalty[0])), np.inf)]
        with np.errstate(divide="ignore", invalid="ignore"):
            knots += [(b - t) / rates for loss, t, rates, _ in self._loaded for b in loss.breakpoints]
        steps = np.concatenate(knots)
        return np.where(steps > 0, steps, np.inf)
