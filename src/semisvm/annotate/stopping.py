"""The expected benefit of more labels, and when to stop.

Labels have two effects. They change the model, and they replace its guesses on the rows that are asked. After each fit
both effects are estimated by the probabilities of the model. Its classes are compared with those of the model twenty
labels earlier:

    gain = mean over the rows of  p(class now) - p(class then)

The gain is zero where no class changed, and small where only doubtful rows changed. Twenty more labels are expected to
gain a little less than the last twenty. The suggested rows are more doubtful than the others. Their answers lower the
error of the rest by

    answered = sum over the suggested of the next twenty rows of  (u - mean u) / (open rows - 20),    u = 1 - p(class).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semisvm.annotate.asking import ONE_IN
from semisvm.annotate.evidence import ENOUGH, Estimate

STEP = 20
"""Labels between the two models that are compared. All fits within so many labels have to agree on stopping."""
FEWEST = 60
"""The least number of labels for a statement about stopping."""
LITTLE = 0.0075
"""A smaller expected gain counts as none."""


@dataclass(frozen=True)
class CurvePoint:
    """What was known after a fit."""

    n_labels: int
    changed: float
    """Share of the rows whose class the fit changed."""
    gain: float | None = None
    """Gain over the model `STEP` labels earlier; None where there is none."""
    answered: float = 0.0
    """Gain of the answers to the next rows by themselves."""
    estimate: Estimate | None = None
    unsettled: bool = False
    """Whether a class is new, or has only one label."""

    def as_dict(self) -> dict:
        record = {"n_labels": self.n_labels, "changed": self.changed, "gain": self.gain, "answered": self.answered}
        record["unsettled"] = self.unsettled
        return record if self.estimate is None else {**record, **self.estimate.as_dict()}

    @classmethod
    def of(cls, record: dict) -> "CurvePoint":
        """From a line of the decisions."""
        estimate = Estimate(*(record[name] for name in ("error", "low", "high", "n"))) if "error" in record else None
        return cls(
            record["n_labels"],
            record["changed"],
            gain=record.get("gain"),
            answered=record.get("answered", 0.0),
            estimate=estimate,
            unsettled=bool(record.get("unsettled")),
        )


def put_right_by_answers(doubt: np.ndarray, is_open: np.ndarray, suggested: np.ndarray) -> float:
    """The decrease of the error by the answers to the next rows, without what the model learns from them.

    With e the mean doubt of the n open rows and w the doubt of the k suggested ones among the next STEP,
    e - (n e - w - (STEP - k) e) / (n - STEP) = (w - k e) / (n - STEP).
    """
    n, mean = int(is_open.sum()), float(doubt[is_open].mean()) if is_open.any() else 0.0
    if n <= STEP:
        return mean
    first = suggested[: STEP - STEP // ONE_IN]
    return max(0.0, float(doubt[first].sum()) - len(first) * mean) / (n - STEP)


def expected_gain(point: CurvePoint) -> float | None:
    """The expected gain of this many more labels."""
    if point.gain is None:
        return None
    gain = point.gain * point.n_labels / (point.n_labels + STEP) + point.answered
    return gain if point.estimate is None else min(gain, point.estimate.error)


def settled(points: Sequence[CurvePoint]) -> bool:
    """Whether more labels no longer change the result, by all fits within the last `STEP` labels, at least two."""
    if len(points) < 2 or points[-1].n_labels < FEWEST:
        return False
    recent = [one for one in points if one.n_labels >= points[-1].n_labels - STEP]
    return all(_settled(one) for one in (recent if len(recent) > 1 else points[-2:]))


def _settled(point: CurvePoint) -> bool:
    gain = expected_gain(point)
    return gain is not None and gain <= LITTLE and point.estimate is not None and not point.unsettled


def sentence(points: Sequence[CurvePoint], estimate: Estimate | None, n_counted: int) -> str:
    """The sentence for the person."""
    if estimate is None:
        known = f"How many rows are wrong is not known yet: {n_counted} of {ENOUGH} drawn rows were guessed so far"
    else:
        error, low, high = (f"{100 * share:.0f}" for share in (estimate.error, estimate.low, estimate.high))
        known = f"About {error} % ({low} to {high}) wrong"
    if settled(points):
        return f"{known}; more labels no longer change the result."
    gain = expected_gain(points[-1]) if points else None
    if gain is None or estimate is None:
        return f"{known}."
    saved = (
        f"about {100 * gain:.0f} point{'s' if round(100 * gain) != 1 else ''}" if gain >= 0.01 else "less than 1 point"
    )
    return f"{known}; {STEP} more labels should save {saved}."
