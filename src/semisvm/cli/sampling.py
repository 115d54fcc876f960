"""The first pass over a table: every labeled row and as many others as a model is trained on."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.cli.label_check import LabelReading, checked, minus_one_is_blank
from semisvm.cli.request import MOST_ROWS, Request, check_columns
from semisvm.tables import table_file
from semisvm.tables.columns import as_list
from semisvm.tables.listing import named

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NothingToFill", "OnlyOneClass", "Request", "Sample", "gather", "gather_to_fill"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Training rows: every labeled one and some of the others. Codes are -1 where there is no label."""

    rows: "pd.DataFrame"
    codes: np.ndarray
    classes: list
    n_rows: int
    n_labeled: int
    reading: LabelReading
    said: tuple[str, ...] = ()
    """Remarks about the file and its labels."""
    blanks: tuple[str, ...] = ()
    """Words of the label column that count as blank."""

    @property
    def n_blank(self) -> int:
        return self.n_rows - self.n_labeled


class NothingToFill(Exception):
    """Every row has a label."""


class OnlyOneClass(ValueError):
    """All labels are of one class. `semisvm label` ranks the other rows by `sample`; other commands refuse."""

    def __init__(self, message: str, sample: Sample):
        super().__init__(message)
        self.sample = sample


def gather(request: Request) -> Sample:
    """The training rows. Errors of tables that cannot be learned from are raised here."""
    return _sample(request, _first_pass(request))


def gather_to_fill(request: Request) -> Sample:
    """The training rows of a table with blank labels; raises `NothingToFill` where no label is blank."""
    found = _first_pass(request)
    if found.n_rows and found.n_labeled == found.n_rows:
        where = f"Column {request.label!r} of {request.table}"
        raise NothingToFill(f"{where} has a class in all {found.n_rows:,} rows: nothing to fill.")
    return _sample(request, found)


@dataclass
class _Found:
    """What the first pass found."""

    reading: LabelReading
    n_rows: int = 0
    n_labeled: int = 0
    labeled: "list[pd.DataFrame]" = field(default_factory=list)
    others: "list[pd.DataFrame]" = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)
    """Labels of every class."""
    blanks: Counter = field(default_factory=Counter)
    """Cells of every word that counts as blank."""


def _first_pass(request: Request) -> _Found:
    found = _passed(request, LabelReading.of(request, minus_one=True))
    if found.blanks["-1"] and "-1" not in request.unlabeled and not minus_one_is_blank(found.counts, request):
        return _passed(request, LabelReading.of(request, minus_one=False))
    return found


def _sample(request: Request, found: _Found) -> Sample:
    import pandas as pd

    where = f"Column {request.label!r} of {request.table}"
    if found.n_rows == 0:
        raise ValueError(f"{request.table} has no rows: a line of column names and rows below it are needed.")
    if found.n_labeled == 0:
        raise ValueError(
            f"{where} is blank in all {found.n_rows:,} rows: write a class into a few of them, two per class."
        )
    check = checked(found.reading, found.counts, +found.blanks, request)
    if request.most_others(found.n_labeled) == 0:
        raise ValueError(
            f"{found.n_labeled:,} rows are labeled and method {request.method} learns from {MOST_ROWS[request.method]} "
            "rows at most: take --method gradient, or auto."
        )
    rows = pd.concat([*found.labeled, *found.others]).sort_index()
    values = check.reading.classes(rows[request.label])
    classes = _in_order({value for value in values if value is not None})
    place = {value: code for code, value in enumerate(classes)}
    codes = np.array([-1 if value is None else place[value] for value in values])
    blanks = tuple(+found.blanks)
    said = (*table_file(request.table).notes(), *check.said)
    sample = Sample(rows, codes, classes, found.n_rows, found.n_labeled, check.reading, said, blanks)
    if len(classes) == 1:
        only = f"{where} holds one class only, {named(classes[0])}"
        raise OnlyOneClass(f"{only}: labels of at least two are needed, or five of one for semisvm label.", sample)
    return sample


def _passed(request: Request, reading: LabelReading) -> _Found:
    import pandas as pd

    file = table_file(request.table)
    random = np.random.default_rng(request.seed)
    found = _Found(reading)
    keys, width = np.zeros(0), 1
    for chunk in file.chunks():
        if found.n_rows == 0:
            check_columns(request, file.names() or list(chunk.columns))
            width = max(1, sum(_n_numbers(chunk[name]) for name in chunk))
        found.n_rows += len(chunk)
        cells = chunk[request.label] if request.label in chunk else pd.Series([None] * len(chunk), chunk.index)
        blank = reading.blank(cells)
        found.n_labeled += int(np.count_nonzero(~blank))
        found.counts.update(reading.classes(cells[~blank]))
        places, words = reading.words(cells[blank])
        found.blanks.update(str(words[place]) for place in places if place >= 0)
        found.labeled.append(chunk[~blank])
        # a row is drawn if its key is among the smallest of all: a uniform draw that does not depend on the chunks
        most = request.most_others(found.n_labeled, width)
        drawn = random.random(int(blank.sum()))
        hopeful = drawn < (keys.max() if len(keys) >= most and len(keys) else np.inf)
        found.others.append(chunk.iloc[np.flatnonzero(blank)[hopeful]])
        keys = np.concatenate([keys, drawn[hopeful]])
        if len(keys) > most:
            best = np.sort(np.argpartition(keys, most)[:most])
            found.others, keys = [pd.concat(found.others).iloc[best]], keys[best]
    return found


def _n_numbers(column: "pd.Series") -> int:
    """The number of entries of a cell: those of a list, or one."""
    known = column.dropna()
    numbers = as_list(known.iloc[0]) if len(known) else None
    return 1 if numbers is None else len(numbers)


def _in_order(values: set[Any]) -> list:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
