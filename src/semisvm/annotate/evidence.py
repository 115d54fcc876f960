"""The expected error, from rows that were drawn at random and guessed before they were answered.

The guess on a drawn row was made by a model that had not seen its class, so the share of wrong ones among the latest
is an honest error, if a little old: earlier models knew less.

    wrong ~ Beta(w + 1/2, n - w + 1/2)       w wrong of the latest n drawn
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semisvm.annotate.labels import DRAWN, Labels

LATEST = 40
"""Drawn rows that count."""
ENOUGH = 5
"""Drawn rows from which something is said."""
INSIDE = 0.8
"""Share of the cases in which the interval holds the truth."""


@dataclass(frozen=True)
class Estimate:
    """An error as a share of the rows, its interval, and how many labels it rests on."""

    error: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict:
        return {"error": self.error, "low": self.low, "high": self.high, "n": self.n}


def guesses_on_drawn_rows(labels: Labels) -> list[tuple[str, str]]:
    """(guess, class) of every drawn row that was guessed, in the order of the answers; classes as they stand now."""
    asked = (one for one in labels.decided if one.kind == "answer" and one.drawn and one.guess is not None)
    return [(_now(labels, str(one.guess)), labels.classes[labels.codes[one.rows[0]]]) for one in asked]


def _now(labels: Labels, name: str) -> str:
    """A class by the name it has now: merged classes are one."""
    for one in labels.decided:
        if one.kind == "merge" and one.label == name:
            name = str(one.to)
    return name


def estimate_from(guesses: Sequence[tuple[str, str]]) -> Estimate | None:
    """From the latest of these; None where there are too few."""
    latest = guesses[-LATEST:]
    if len(latest) < ENOUGH:
        return None
    wrong = sum(guess != truth for guess, truth in latest)
    error, low, high = proportion(wrong, len(latest))
    return Estimate(error, low, high, len(latest))


def proportion(k: int, n: int) -> tuple[float, float, float]:
    """(mean, low, high) of a share of which k of n were seen."""
    from scipy.special import betaincinv

    a, b = k + 0.5, n - k + 0.5
    tail = (1 - INSIDE) / 2
    return a / (a + b), float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))


def shares_of_drawn_rows(labels: Labels) -> list[tuple[float, float, float]] | None:
    """(share, low, high) of every class among all rows; None where too few were drawn."""
    drawn = labels.codes[labels.origins == DRAWN]
    if len(drawn) < ENOUGH:
        return None
    counts = np.bincount(drawn, minlength=len(labels.classes))
    return [proportion(int(k), len(drawn)) for k in counts]
