"""Cooling by steps of entropy: few temperatures where labels stay as they are, more where they are decided.

The entropy H(T) of the labels at scores held costs no pass over the rows. From one temperature to the next it falls by

    H(T) - H(T') <= step u log 2     at the scores reached at T,

a share of the largest entropy there is, and T' is the lowest temperature of which this is true, at least a factor 1.5
below T. While all labels are open, and again when nearly all are decided, that is a long way; in between it is short.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import final

import numpy as np

from semisvm.objective import Point, Problem
from semisvm.schedules import Cooling, Schedule, Stage, label_entropy

NARROW = np.log(1.07)
"""The interval in log T that is narrow enough to end the search for the next one."""
TRIALS = 7


@final
@dataclass(frozen=True)
class EntropyCooling(Schedule):
    step: float = 0.1
    published: Cooling = field(default_factory=Cooling)
    """First temperature, smallest factor, and the entropy that ends the path."""
    lowest: float = 1e-3
    """The smallest temperature, over C_star: labels are as certain as these scores allow."""

    def stages(self, problem: Problem) -> Generator[Stage, Point | None, None]:
        """To be driven by `send`: the next temperature follows from the point reached at the last one."""
        temperature = self.published.first
        while temperature > 0:
            stage = self.published.cooled(problem, temperature)
            point = yield {"temperature": temperature}, stage
            assert point is not None, "send the point reached at each temperature"
            temperature = self._next(problem, temperature, point)

    def finished(self, stage: Problem, point: Point) -> bool:
        return self.published.finished(stage, point)

    def _next(self, problem: Problem, temperature: float, point: Point) -> float:
        def entropies(log_T: float) -> np.ndarray:
            return label_entropy(self.published.cooled(problem, float(np.exp(log_T))), point)

        high = np.log(temperature / self.published.cooling)
        low = min(high, np.log(self.lowest))
        if high <= low:
            return 0.0
        floor = entropies(np.log(temperature)) - self.step * len(problem.unlabeled) * np.log(2.0)

        def excess(log_T: float) -> float:
            """Positive where the entropy of every column is above its floor."""
            return float(np.min(entropies(log_T) - floor))

        above = excess(high)
        below = excess(low) if above > 0 else -1.0
        if below >= 0:
            return float(np.exp(low))
        return float(np.exp(_crossing(excess, (low, below), (high, above)) if above > 0 else high))


def _crossing(excess: Callable[[float], float], lower: tuple[float, float], upper: tuple[float, float]) -> float:
    """Where a rising function crosses 0, from above and to `NARROW`: chords, the value of an end that stays halved."""
    (low, below), (high, above) = lower, upper
    for _ in range(TRIALS):
        if high - low <= NARROW:
            break
        chord = (low * above - high * below) / (above - below)
        # not near the ends, so that the interval shrinks from both sides
        trial = float(np.clip(chord, low + 0.5 * NARROW, high - 0.5 * NARROW))
        value = excess(trial)
        if value >= 0:
            high, above, below = trial, value, 0.5 * below
        else:
            low, below, above = trial, value, 0.5 * above
    return high
