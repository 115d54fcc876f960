"""Which row is asked next: one in five is drawn at random, the others are the most informative ones.

Drawn rows measure the error, so their guess is hidden until they are answered. Before there is a model, rows that are
spread over the table take the place of suggested ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from semisvm.annotate.decisions import Decision
from semisvm.annotate.labels import RowLabels

ONE_IN = 5
FIRST_LABELS, MOST_FIRST_LABELS = 10, 40
"""Spread rows are asked until there are this many labels, and longer while new classes appear."""
SINCE_NEW_CLASS = 5


@dataclass(frozen=True)
class Question:
    row: int
    why: str
    """drawn, suggested, spread, or wanted by the person."""

    @property
    def drawn(self) -> bool:
        return self.why == "drawn"


@dataclass(eq=False)
class Asking:
    """The rows that wait to be asked."""

    seed: int
    pool: np.ndarray | None = None
    """The rows that the model is trained on, drawn at random; all rows where nothing was drawn."""
    spread: list[int] = field(default_factory=list)
    suggested: list[int] = field(default_factory=list)

    def next(self, labels: RowLabels) -> Question | None:
        """The next row, or None where every row has been seen. It stays the same until a decision is made."""
        answers = [one for one in labels.decided if one.kind == "answer"]
        skipped = {row for rows in labels.skipped for row in rows}
        unseen = labels.open.copy()
        unseen[list(skipped)] = False
        wanted = _first((row for rows in reversed(labels.asked_for) for row in rows), unseen)
        if wanted is not None:
            return Question(wanted, "wanted")
        if len(answers) % ONE_IN:
            spread = _first(self.spread, unseen)
            suggested = _first(self.suggested, unseen)
            if spread is not None and (suggested is None or _still_spread(labels, answers)):
                return Question(spread, "spread")
            if suggested is not None:
                return Question(suggested, "suggested")
        rows = self._drawn_from(unseen)
        if not len(rows):
            rows = np.flatnonzero(labels.open)  # skipped rows are asked once more
        if not len(rows):
            return None
        random = np.random.default_rng([self.seed, len(labels.decided)])
        return Question(int(rows[random.integers(len(rows))]), "drawn")

    def _drawn_from(self, unseen: np.ndarray) -> np.ndarray:
        """Draw from the pool: it was drawn at random from the whole table."""
        if self.pool is not None:
            rows = self.pool[unseen[self.pool]]
            if len(rows):
                return rows
        return np.flatnonzero(unseen)


def _first(rows: Iterable[int], unseen: np.ndarray) -> int | None:
    return next((row for row in rows if unseen[row]), None)


def _still_spread(labels: RowLabels, answers: list[Decision]) -> bool:
    """Whether there are still few labels, or new classes keep appearing."""
    n = len(labels.known)
    if not FIRST_LABELS <= n < MOST_FIRST_LABELS:
        return n < FIRST_LABELS
    before = {*labels.in_file, *(one.label for one in answers[:-SINCE_NEW_CLASS])}
    return any(one.label not in before for one in answers[-SINCE_NEW_CLASS:])
