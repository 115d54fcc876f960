"""The expected error, from rows that were drawn at random and predicted before they were answered.

The model that guessed a drawn row had not seen its class, so the share of wrong guesses estimates the error of that
model without bias. Guesses of models that knew less than half of the present labels do not count.

    wrong ~ Beta(w + 1/2, n - w + 1/2)       w wrong of the n that count
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semisvm.annotate.labels import FAIR, RowLabels

ENOUGH = 5
"""The least number of drawn rows for an estimate."""
INSIDE = 0.8
"""Coverage of the interval."""


@dataclass(frozen=True)
class Estimate:
    """An error as a share of the rows, its interval, and the number of labels behind it."""

    error: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict:
        return {"error": self.error, "low": self.low, "high": self.high, "n": self.n}


def guesses_on_drawn_rows(labels: RowLabels) -> list[tuple[str, str]]:
    """(guess, class) of every drawn row whose guess counts; classes by their present names."""
    half = len(labels.known) / 2
    counts = [
        one
        for one in labels.decided
        if one.kind == "answer" and one.drawn and one.guess is not None and (one.learned_from or 0) >= half
    ]
    return [(_now(labels, str(one.guess)), labels.classes[labels.codes[one.rows[0]]]) for one in counts]


def _now(labels: RowLabels, name: str) -> str:
    """The present name of a class; merged classes are one."""
    for one in labels.decided:
        if one.kind == "merge" and one.label == name:
            name = str(one.to)
    return name


def estimate_from(guesses: Sequence[tuple[str, str]]) -> Estimate | None:
    """The share of wrong guesses; None where there are too few."""
    if len(guesses) < ENOUGH:
        return None
    wrong = sum(guess != truth for guess, truth in guesses)
    error, low, high = proportion(wrong, len(guesses))
    return Estimate(error, low, high, len(guesses))


def proportion(k: int, n: int) -> tuple[float, float, float]:
    """(mean, low, high) of a share, from k of n."""
    from scipy.special import betaincinv

    a, b = k + 0.5, n - k + 0.5
    tail = (1 - INSIDE) / 2
    # none of n is consistent with a share of zero
    low = 0.0 if k == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if k == n else float(betaincinv(a, b, 1 - tail))
    return a / (a + b), low, high


def shares_of_drawn_rows(labels: RowLabels) -> list[tuple[float, float, float]] | None:
    """(share, low, high) of every class among all rows, from drawn and given labels; None where there are too few."""
    drawn = labels.codes[FAIR[labels.origins]]
    if len(drawn) < ENOUGH:
        return None
    counts = np.bincount(drawn, minlength=len(labels.classes))
    return [proportion(int(k), len(drawn)) for k in counts]
