"""When to stop a descent whose precision is spent before its tolerance is met."""

import numpy as np

from semisvm.objective.objective import Evaluation

IDLE_STEPS = 3


class Patience:
    """Counts, column by column, steps that brought no new best: neither a lower value nor a clearly smaller gradient.

    Rounding makes the value of an exhausted descent waver, so that comparing neighboring steps would never stop it.
    """

    def __init__(self, evaluation: Evaluation):
        self.value = evaluation.value.copy()
        self.stationarity = evaluation.stationarity.copy()
        self.idle = np.zeros(len(self.value), dtype=int)

    def update(self, columns: np.ndarray, evaluation: Evaluation) -> None:
        """A step of these columns."""
        value, stationarity = self.value[columns], self.stationarity[columns]
        better = evaluation.value < value - 1e-14 * np.abs(value)
        better |= evaluation.stationarity < 0.5 * stationarity
        self.value[columns] = np.minimum(value, evaluation.value)
        self.stationarity[columns] = np.minimum(stationarity, evaluation.stationarity)
        self.idle[columns] = np.where(better, 0, self.idle[columns] + 1)

    @property
    def exhausted(self) -> np.ndarray:
        return self.idle >= IDLE_STEPS
