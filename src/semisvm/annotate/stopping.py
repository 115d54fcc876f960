"""What more labels would bring, and when they bring nothing any more.

After each fit the model says how much better its classes are than those of the model twenty labels earlier, by its own
probabilities:

    gain = mean over the rows of  p(class now) - p(class then)

It is zero where no class changed, and small where only doubtful rows did.  Twenty more labels will bring a little less
than the last twenty did.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from semisvm.annotate.evidence import ENOUGH, Estimate

STEP = 20
"""Labels between the two models that are compared."""
FEWEST = 40
"""Labels before which nothing is said about stopping."""
LITTLE = 0.005
"""A gain that is none."""
LITTLE_CHANGE = 0.01
"""A share of changed rows that is none, whatever the probabilities say."""


@dataclass(frozen=True)
class CurvePoint:
    """What was known after a fit."""

    n_labels: int
    changed: float
    """Share of the rows whose class the fit changed."""
    gain: float | None = None
    """Against the model so many labels earlier; None where there is none."""
    moved: float | None = None
    """Share of the rows whose class changed since then."""
    estimate: Estimate | None = None
    unsettled: bool = False
    """Whether a class turned up lately, or has one label only."""

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
    """Share of the rows that so many more labels should put right."""
    if point.gain is None:
        return None
    gain = point.gain * point.n_labels / (point.n_labels + STEP)
    return gain if point.estimate is None else min(gain, point.estimate.error)


def settled(points: Sequence[CurvePoint]) -> bool:
    """Whether more labels no longer change the result: the last two fits agree on that."""
    return len(points) >= 2 and all(_settled(one) for one in points[-2:])


def _settled(point: CurvePoint) -> bool:
    if point.n_labels < FEWEST or point.gain is None or point.estimate is None or point.unsettled:
        return False
    return point.gain <= LITTLE or (point.moved is not None and point.moved <= LITTLE_CHANGE)


def sentence(points: Sequence[CurvePoint], estimate: Estimate | None, n_counted: int) -> str:
    """What the person needs to know."""
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
