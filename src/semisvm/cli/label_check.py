"""Check the label column before anything is learned: blank cells, likely typing errors, values that are not classes."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.tables import blank_cells
from semisvm.tables.listing import listed, named

if TYPE_CHECKING:
    import pandas as pd

    from semisvm.cli.request import Request

BLANKS = frozenset(("NA", "na", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "NAN", "null", "NULL", "Null", "?", "<NA>"))
"""Words of the label column that count as blank. `Na` is not among them: it may be sodium."""
UNSURE = frozenset(
    (
        "none", "unknown", "unk", "missing", "undefined", "unlabeled", "unlabelled", "tbd", "todo", "nil", "-", "--",
        ".", "n.a.", "#value!", "#ref!", "not available", "not applicable", "not known", "don't know",
    )
)  # fmt: skip
"""Words, in upper or lower case, that are read as classes but may stand for a missing label."""
MANY = 10
"""A column with at most this many classes is not questioned."""
MANY_CODES = 30
"""Whole numbers that lie close together may be the codes of at most this many classes."""


@dataclass(frozen=True)
class LabelReading:
    """Which cells of a label column are blank, and the classes of the others."""

    label: str
    blanks: frozenset[str] = BLANKS
    merged: Mapping[Any, Any] = field(default_factory=dict)
    """Classes that are replaced by another one."""

    @classmethod
    def of(cls, request: "Request", *, minus_one: bool) -> "LabelReading":
        """`minus_one`: whether -1 marks a blank."""
        blanks = (BLANKS | ({"-1"} if minus_one else set())) - set(request.keep)
        return cls(request.label, frozenset(blanks | set(request.unlabeled)))

    def blank(self, cells: "pd.Series") -> np.ndarray:
        """Which cells hold no class."""
        return np.array([one is None for one in self.classes(cells)], dtype=bool)

    def classes(self, cells: "pd.Series") -> list:
        """The class of every cell, None where it is blank."""
        places, words = self.words(cells)
        known = [None if str(word) in self.blanks else self.merged.get(word, word) for word in words]
        known.append(None)  # an empty cell has the place -1
        return [known[place] for place in places]

    def words(self, cells: "pd.Series") -> tuple[np.ndarray, list]:
        """(place of every cell among the words, -1 where it is empty; the different words and numbers)."""
        import pandas as pd

        places = np.full(len(cells), -1)
        there = np.flatnonzero(~blank_cells(cells))
        try:
            places[there], values = pd.factorize(cells.iloc[there].astype(object))
        except TypeError as error:  # what has no hash
            raise ValueError(self._no_class) from error
        return places, [self.plain(value) for value in values]

    @property
    def _no_class(self) -> str:
        return f"Column {self.label!r} holds lists or objects: a class is a word or a number, so name another column."

    def plain(self, cell: Any) -> Any:
        """The class of a cell: text is stripped, and whole numbers become integers."""
        if isinstance(cell, np.generic):
            cell = cell.item()
        if isinstance(cell, str):
            return cell.strip()
        if isinstance(cell, list | tuple | dict | set | np.ndarray):
            raise ValueError(self._no_class)
        return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


@dataclass(frozen=True)
class LabelCheck:
    """How the label column is read, and the remarks about it."""

    reading: LabelReading
    said: tuple[str, ...]


def minus_one_is_blank(counts: Mapping[Any, int], request: "Request") -> bool:
    """Whether -1 marks a blank beside these other labels: all are whole, none is negative, two classes remain."""
    if "-1" in request.keep:
        return False
    numbers = [_whole(one) for one in counts]
    return len(numbers) >= 2 and all(number is not None and number >= 0 for number in numbers)


def checked(
    reading: LabelReading, counts: Mapping[Any, int], blanks: Mapping[str, int], request: "Request"
) -> LabelCheck:
    """`counts`: labels of every class, in the order of the table; `blanks`: cells of every word that counts as blank.

    Refuses a column that does not look like classes, unless it is said to hold them.
    """
    said = []
    if blanks:
        which = listed(f"{named(word)} ({n:,})" for word, n in blanks.items())
        hint = "" if set(blanks) <= set(request.unlabeled) else " (--keep VALUE makes a class of one)"
        said.append(f"Blank in {request.label!r}: {which}{hint}.")
    strange = [value for value in request.unlabeled if value not in blanks]
    if strange:
        said.append(f"No cell of {request.label!r} holds {listed(strange)} (--unlabeled).")
    unsure = [one for one in counts if str(one).lower() in UNSURE and str(one) not in request.keep]
    if unsure:
        said.append(
            f"Taken as classes of {request.label!r}: {_counted(unsure, counts)} (--unlabeled VALUE blanks one)."
        )
    slips = slips_of(counts)
    if slips and request.merge_labels:
        reading = replace(reading, merged=slips)
        merged = ", ".join(f"{named(one)} into {named(other)}" for one, other in slips.items())
        said.append(f"Merged in {request.label!r}: {merged}.")
        counts = _after(slips, counts)
    elif slips:
        pairs = ", ".join(
            f"{named(one)} ({counts[one]:,}), did you mean {named(other)} ({counts[other]:,})?"
            for one, other in slips.items()
        )
        said.append(f"Classes of {request.label!r} that look alike: {pairs} (--merge-labels makes one of each pair).")
    if not request.classes:
        _refuse_what_is_no_class(counts, request)
    single = [one for one, n in counts.items() if n == 1]
    if single:
        said.append(f"Classes of {request.label!r} with one label: {listed(single)}. A second one each would help.")
    return LabelCheck(reading, tuple(said))


def _counted(classes: Iterable[Any], counts: Mapping[Any, int]) -> str:
    return listed(f"{named(one)} ({counts[one]:,})" for one in classes)


def _after(slips: Mapping[Any, Any], counts: Mapping[Any, int]) -> dict[Any, int]:
    merged: dict[Any, int] = {}
    for one, n in counts.items():
        to = slips.get(one, one)
        merged[to] = merged.get(to, 0) + n
    return merged


def _refuse_what_is_no_class(counts: Mapping[Any, int], request: "Request") -> None:
    where = f"Column {request.label!r} of {request.table}"
    n_labeled = sum(counts.values())
    if len(counts) <= MANY:
        return
    numbers = [_number(one) for one in counts]
    if all(number is not None for number in numbers):
        values = np.array(numbers, dtype=float)
        codes = bool((values == np.round(values)).all()) and np.ptp(values) < 2 * len(values)
        if not codes or len(counts) > MANY_CODES:
            raise ValueError(
                f"{where} holds {len(counts):,} different numbers in {n_labeled:,} labeled rows: these look like "
                "measurements, so name a column of classes, or say --classes."
            )
    if len(counts) > n_labeled / 2:
        raise ValueError(
            f"{where} holds {len(counts):,} classes in {n_labeled:,} labeled rows: label two rows of each, name "
            "a column of classes, or say --classes."
        )


def _number(one: Any) -> float | None:
    if isinstance(one, bool):
        return None
    try:
        number = float(one)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _whole(one: Any) -> int | None:
    number = _number(one)
    return int(number) if number is not None and number.is_integer() else None


# ---------------------------------------------------------------- slips


def slips_of(counts: Mapping[Any, int]) -> dict[Any, Any]:
    """Classes that are likely misspellings, and of which class: the one with more labels, or the one that came first.

    Two names are alike if they differ by case, blanks, accents or marks only, or by a letter or two that are wrong,
    missing, too many or swapped. Names that differ in a digit are two classes.
    """
    words = [one for one in counts if isinstance(one, str)]
    place = {one: k for k, one in enumerate(words)}
    found: dict[Any, Any] = {}
    kept: list[str] = []
    for one in sorted(words, key=lambda word: (-counts[word], place[word])):
        other = next((known for known in kept if _alike(one, known)), None)
        if other is None:
            kept.append(one)
        else:
            found[one] = other
    return found


def _alike(one: str, other: str) -> bool:
    a, b = _bare(one), _bare(other)
    if a and a == b:
        return True
    if re.sub(r"\D", "", a) != re.sub(r"\D", "", b):
        return False
    shorter = min(len(a), len(b))
    allowed = 0 if shorter < 4 else 1 if shorter < 8 else 2
    return abs(len(a) - len(b)) <= allowed and 0 < edits(a, b) <= allowed


def _bare(word: str) -> str:
    """The letters, digits and comparison signs of a name, without case and accents."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalnum() or letter in "+-<>=")


def edits(a: str, b: str) -> int:
    """The number of letters to change, add, remove or swap with the next one to get from a to b."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        earlier, before, row = before, row, [i]
        for j, y in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
