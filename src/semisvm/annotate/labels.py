"""What is known about every row: its class and the origin of the class.

Decisions are applied one by one. Each one records what it changed, so that any number of them can be undone. Rows with
the same cells are twins: the class of one of them fills those without a class of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from semisvm.annotate.decisions import Decision

ORIGINS = ("filled", "given", "drawn", "suggested", "accepted", "duplicate")
"""Where a class comes from: the model; the table; a row that was asked, drawn at random or suggested; a group that was
accepted; a twin."""
FILLED, GIVEN, DRAWN, SUGGESTED, ACCEPTED, DUPLICATE = range(len(ORIGINS))
BY_PEOPLE = np.isin(np.arange(len(ORIGINS)), (GIVEN, DRAWN, SUGGESTED))
"""Whether a label of each origin was given to that very row by a person."""
FAIR = np.isin(np.arange(len(ORIGINS)), (GIVEN, DRAWN))
"""Whether labels of each origin count as a random draw. Suggested labels do not; for given ones it is unknown."""
OPEN = np.isin(np.arange(len(ORIGINS)), (FILLED, ACCEPTED))
"""Whether rows of each origin were not looked at one by one."""


class Twins:
    """Groups of rows with the same cells; none until they are set."""

    def __init__(self, groups: np.ndarray | None = None):
        self._groups = groups
        if groups is not None:
            self._order = np.argsort(groups, kind="stable")
            self._begin = np.searchsorted(groups[self._order], np.arange(groups.max() + 2))

    def of(self, row: int) -> np.ndarray:
        """The row and its twins."""
        if self._groups is None:
            return np.array([row])
        group = self._groups[row]
        return self._order[self._begin[group] : self._begin[group + 1]]

    def groups_of_many(self) -> list[np.ndarray]:
        """Every group of two rows and more."""
        if self._groups is None:
            return []
        sizes = np.diff(self._begin)
        return [self._order[self._begin[g] : self._begin[g + 1]] for g in np.flatnonzero(sizes > 1)]


@dataclass(frozen=True, eq=False)
class Change:
    """What was there before a decision."""

    rows: np.ndarray
    codes: np.ndarray
    origins: np.ndarray
    n_classes: int


@dataclass(eq=False)
class RowLabels:
    """Classes by name, and a code and an origin for every row; code -1 where no class was given."""

    in_file: list[str | None]
    """The class of each row in the table before any decision."""
    origins_in_file: Sequence[str] = ()
    """Their origins, as written by an earlier run; empty without one."""
    twins: Twins = field(default_factory=Twins)
    classes: list[str] = field(init=False)
    codes: np.ndarray = field(init=False)
    origins: np.ndarray = field(init=False)
    merged: set[int] = field(init=False)
    """Classes that were merged into another one."""
    skipped: list[tuple[int, ...]] = field(init=False)
    dismissed: list[str] = field(init=False)
    asked_for: list[tuple[int, ...]] = field(init=False)
    """Rows that the person asked for, the latest last."""

    def __post_init__(self) -> None:
        self.replay([])

    def replay(self, decisions: Iterable[Decision]) -> None:
        """Start from the table and apply these decisions."""
        given = self.in_file
        self.classes = in_order({name for name in given if name is not None})
        place = {name: code for code, name in enumerate(self.classes)}
        self.codes = np.array([-1 if name is None else place[name] for name in given], dtype=np.int32)
        self.origins = np.where(self.codes >= 0, GIVEN, FILLED).astype(np.uint8)
        for row, name in enumerate(self.origins_in_file):
            if self.codes[row] >= 0 and name in ("drawn", "suggested"):
                self.origins[row] = ORIGINS.index(name)
        self.merged, self.skipped, self.dismissed, self.asked_for = set(), [], [], []
        self._changes: list[tuple[Decision, Change]] = []
        for group in self.twins.groups_of_many():
            known = np.unique(self.codes[group[self.codes[group] >= 0]])
            if len(known) == 1:
                self._fill_twins(group, int(known[0]))
        for one in decisions:
            self.apply(one)

    def apply(self, decision: Decision) -> None:
        """Change the rows of the decision, and record their previous state."""
        rows = self._touched(decision)
        held = Change(rows, self.codes[rows].copy(), self.origins[rows].copy(), len(self.classes))
        label = decision.label or ""
        if decision.kind == "answer":
            code, asked = self.code_of(label), list(decision.rows)
            self._fill_twins(rows, code)
            self.codes[asked], self.origins[asked] = code, DRAWN if decision.drawn else SUGGESTED
        elif decision.kind == "mend":
            self.codes[rows] = self.code_of(label)
        elif decision.kind == "accept":
            for name, part in decision.parts.items():
                self.codes[part], self.origins[part] = self.code_of(name), ACCEPTED
        elif decision.kind == "merge":
            self.codes[rows] = self.code_of(decision.to or "")
            self.merged.add(self.code_of(label))
        elif decision.kind == "class":
            self.code_of(label)
        elif decision.kind == "skip":
            self.skipped.append(decision.rows)
        elif decision.kind == "ask":
            self.asked_for.append(decision.rows)
        elif decision.kind == "dismiss":
            self.dismissed.append(label)
        self._changes.append((decision, held))

    def _touched(self, decision: Decision) -> np.ndarray:
        """Rows whose class or origin may change."""
        if decision.kind == "answer":
            return np.unique(np.concatenate([self.twins.of(row) for row in decision.rows]))
        if decision.kind == "accept":
            return np.array([row for part in decision.parts.values() for row in part], dtype=int)
        if decision.kind == "merge":
            return np.flatnonzero(self.codes == self.code_of(decision.label or ""))
        return np.array(decision.rows if decision.kind == "mend" else (), dtype=int)

    def take_back(self) -> Decision:
        """Undo the last decision."""
        decision, held = self._changes.pop()
        self.codes[held.rows], self.origins[held.rows] = held.codes, held.origins
        if decision.kind == "merge":
            self.merged.discard(self.code_of(decision.label or ""))
        elif decision.kind == "skip":
            self.skipped.pop()
        elif decision.kind == "ask":
            self.asked_for.pop()
        elif decision.kind == "dismiss":
            self.dismissed.pop()
        del self.classes[held.n_classes :]
        return decision

    def code_of(self, name: str) -> int:
        """The code of a class; a new name gets a new code."""
        if name not in self.classes:
            self.classes.append(name)
        return self.classes.index(name)

    @property
    def decided(self) -> list[Decision]:
        """The decisions that were not undone."""
        return [decision for decision, _ in self._changes]

    @property
    def known(self) -> np.ndarray:
        """Rows that a person labeled one by one."""
        return np.flatnonzero(BY_PEOPLE[self.origins])

    @property
    def open(self) -> np.ndarray:
        """Which rows no person has seen one by one: those of the model and of accepted groups."""
        return OPEN[self.origins]

    def counts(self) -> np.ndarray:
        """Labels of every class that people gave one by one."""
        return np.bincount(self.codes[self.known], minlength=len(self.classes))

    def _fill_twins(self, group: np.ndarray, code: int) -> None:
        blank = group[np.isin(self.origins[group], (FILLED, ACCEPTED, DUPLICATE))]
        self.codes[blank], self.origins[blank] = code, DUPLICATE


def in_order(names: set[str]) -> list[str]:
    """Sorted classes: numbers by size where all are numbers."""
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names)
