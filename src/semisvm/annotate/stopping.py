"""The expected benefit of more labels, and when to stop.

After each fit the classes of the model are compared with those of the model twenty labels earlier, by the probabilities
of the new model:

    gain = mean over the rows of  p(class now) - p(class then)

The gain is zero where no class changed, and small where only doubtful rows changed. Twenty more labels are expected to
gain a little less than the last twenty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from semisvm.annotate.evidence import ENOUGH, Estimate

STEP = 20
"""Labels between the two models that are compared."""
FEWEST = 40
"""The least number of labels for a statement about stopping."""
LITTLE = 0.005
"""A smaller gain counts as none."""
LITTLE_CHANGE = 0.01
"""A smaller share of changed rows counts as none."""


@dataclass(frozen=True)
class CurvePoint:
    """What was known after a fit."""

    n_labels: int
    changed: float
    """Share of the rows whose class the fit changed."""
    gain: float | None = None
    """Gain over the model `STEP` labels earlier; None where there is none."""
    moved: float | None = None
    """Share of the rows whose class changed since then."""
    estimate: Estimate | None = None
    unsettled: bool = False
    """Whether a class is new, or has only one label."""

    def as_dict(self) -> dict:
        record = {"n_labels": self.n_labels, "changed": self.changed, "gain": self.gain, "moved": self.moved}
        record["unsettled"] = self.unsettled
        return record if self.estimate is None else {**record, **self.estimate.as_dict()}

    @classmethod
    def of(cls, record: dict) -> "CurvePoint":
        """From a line of the decisions."""
        estimate = Estimate(*(record[name] for name in ("error", "low", "high", "n"))) if "error" in record else None
        kept = {name: record.get(name) for name in ("gain", "moved")}
        return cls(
            record["n_labels"], record["changed"], **kept, estimate=estimate, unsettled=bool(record.get("unsettled"))
        )


def expected_gain(point: CurvePoint) -> float | None:
    """The expected gain of this many more labels."""
    if point.gain is None:
        return None
    gain = point.gain * point.n_labels / (point.n_labels + STEP)
    return gain if point.estimate is None else min(gain, point.estimate.error)


def settled(points: Sequence[CurvePoint]) -> bool:
    """Whether more labels no longer change the result, by the last two fits."""
    return len(points) >= 2 and all(_settled(one) for one in points[-2:])


def _settled(point: CurvePoint) -> bool:
    if point.n_labels < FEWEST or point.gain is None or point.estimate is None or point.unsettled:
        return False
    return point.gain <= LITTLE or (point.moved is not None and point.moved <= LITTLE_CHANGE)


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
