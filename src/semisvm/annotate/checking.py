"""Labels to check: those that the model doubts when left out, classes that look alike, classes with one label."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np

from semisvm.annotate.labels import RowLabels

DOUBTED = 0.2
"""A label is doubted where its class has less than this probability and another class more than one half."""
ALIKE = 0.8
"""Share of the letters that two names have in common."""
MOST_COMPARED = 150
"""With more classes than this, only names that differ by case and blanks are found."""


@dataclass(frozen=True)
class Doubt:
    """A label, and the prediction of a model that had not seen it."""

    row: int
    code: int
    probability: float
    """The probability of the class of the label."""
    instead: int
    probability_instead: float


@dataclass(frozen=True)
class Finding:
    """A label or class to confirm or to correct."""

    kind: str
    """doubt, alike or single."""
    key: str
    """The name under which it is dismissed."""
    row: int | None
    label: str
    instead: str | None = None
    probability: float | None = None

    def as_dict(self) -> dict:
        return {name: getattr(self, name) for name in ("kind", "key", "row", "label", "instead", "probability")}


def findings(labels: RowLabels, doubts: Sequence[Doubt]) -> list[Finding]:
    """What is left to check, the most doubtful first."""
    names, counts = labels.classes, labels.counts()
    found = []
    for a, b in alike_classes(labels, counts):
        found.append(Finding("alike", f"alike {names[a]} {names[b]}", None, names[a], names[b]))
    for one in sorted(doubts, key=lambda doubt: doubt.probability - doubt.probability_instead):
        if labels.codes[one.row] == one.code and max(one.code, one.instead) < len(names):
            key = f"doubt {one.row} {names[one.code]}"
            found.append(Finding("doubt", key, one.row, names[one.code], names[one.instead], one.probability_instead))
    for code in np.flatnonzero(counts == 1):
        row = int(labels.known[labels.codes[labels.known] == code][0])
        found.append(Finding("single", f"single {names[code]}", row, names[code]))
    looked_at = set(labels.dismissed)
    return [one for one in found if one.key not in looked_at]


def alike_classes(labels: RowLabels, counts: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of classes whose names look like typos of one another, the rarer first."""
    there = [code for code in range(len(labels.classes)) if code not in labels.merged and counts[code] > 0]
    pairs = []
    for place, a in enumerate(there):
        for b in there[place + 1 :]:
            if alike(labels.classes[a], labels.classes[b], letters=len(there) <= MOST_COMPARED):
                pairs.append((a, b) if counts[a] <= counts[b] else (b, a))
    return pairs


@lru_cache(maxsize=50_000)
def alike(a: str, b: str, *, letters: bool = True) -> bool:
    """Whether two names differ by case and blanks alone, or by few letters; names with other digits never do."""
    a, b = (" ".join(name.casefold().split()) for name in (a, b))
    if a == b:
        return True
    if not letters or min(len(a), len(b)) < 4 or [c for c in a if c.isdigit()] != [c for c in b if c.isdigit()]:
        return False
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= ALIKE
