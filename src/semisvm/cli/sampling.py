"""The first pass over a table: every labeled row and as many others as a model is trained on."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.tables import TableFile, TablePreparation, blank_cells, table_file
from semisvm.tables.preparation import listed

if TYPE_CHECKING:
    import pandas as pd

TRAINING_ROWS = 2500
"""Unlabeled rows a model is trained on; more are labeled by prediction."""


@dataclass(frozen=True)
class Request:
    """What to label and how."""

    table: Path
    label: str
    method: str = "auto"
    text: tuple[str, ...] = ()
    id: str | None = None
    training_rows: int = TRAINING_ROWS

    @property
    def added(self) -> tuple[str, str, str]:
        """The columns that are added; left over from an earlier run they are replaced."""
        return f"{self.label}_predicted", f"{self.label}_confidence", f"{self.label}_suggest"

    def preparation(self) -> TablePreparation:
        identifier = () if self.id is None else (self.id,)
        return TablePreparation(text=self.text, leave_out=(self.label, *self.added, *identifier))


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to train on: every labeled one and some of the others; codes are -1 where there is no label."""

    rows: "pd.DataFrame"
    codes: np.ndarray
    classes: list
    n_rows: int
    n_labeled: int

    @property
    def n_blank(self) -> int:
        return self.n_rows - self.n_labeled


class NothingToFill(Exception):
    """Every row has a label."""


def gather(request: Request) -> Sample:
    """The rows to train on; every error of a table that cannot be learned from is raised here."""
    return _learnable(_drawn(request), request)


def gather_to_fill(request: Request) -> Sample:
    """The same of a table with blank labels; `NothingToFill` where there is none, whatever the labels are."""
    sample = _drawn(request)
    if sample.n_blank == 0:
        where = f"Column {request.label!r} of {request.table}"
        raise NothingToFill(f"{where} has a class in all {sample.n_rows:,} rows: nothing to fill.")
    return _learnable(sample, request)


def _drawn(request: Request) -> Sample:
    file = table_file(request.table)
    kept, values, n_rows, n_labeled = _first_pass(file, request)
    if n_rows == 0:
        raise ValueError(f"{request.table} has no rows: a line of column names and rows below it are needed.")
    if n_labeled == 0:
        where = f"Column {request.label!r} of {request.table}"
        raise ValueError(f"{where} is blank in all {n_rows:,} rows: write a class into a few of them, two per class.")
    classes = _in_order({value for value in values if value is not None})
    place = {value: code for code, value in enumerate(classes)}
    codes = np.array([-1 if value is None else place[value] for value in values])
    return Sample(kept, codes, classes, n_rows, n_labeled)


def _learnable(sample: Sample, request: Request) -> Sample:
    """The sample; refused where its labels are too few or too many."""
    where, classes = f"Column {request.label!r} of {request.table}", sample.classes
    if len(classes) == 1:
        raise ValueError(f"{where} holds one class only, {classes[0]!r}: labels of at least two are needed.")
    # one label for each of two classes is little, but a beginning; many classes with one label each are no classes
    if len(classes) > max(2, sample.n_labeled / 2):
        raise ValueError(
            f"{where} holds {len(classes):,} classes in {sample.n_labeled:,} labeled rows: two labels per class are "
            "needed, so label more rows or name a column of classes."
        )
    return sample


def _first_pass(file: TableFile, request: Request) -> "tuple[pd.DataFrame, list, int, int]":
    import pandas as pd

    random = np.random.default_rng(0)
    labeled: list[pd.DataFrame] = []
    others: list[pd.DataFrame] = []
    keys = np.zeros(0)
    n_rows = n_labeled = 0
    for chunk in file.chunks():
        if n_rows == 0:
            _check_columns(file.names(), chunk, request)
        n_rows += len(chunk)
        blank = blank_cells(chunk[request.label]) if request.label in chunk else np.ones(len(chunk), dtype=bool)
        n_labeled += int(np.count_nonzero(~blank))
        labeled.append(chunk[~blank])
        # a row is drawn if its key is among the smallest of all: a uniform draw, whatever the chunks
        drawn = random.random(int(blank.sum()))
        hopeful = drawn < (keys.max() if len(keys) == request.training_rows else np.inf)
        others.append(chunk.iloc[np.flatnonzero(blank)[hopeful]])
        keys = np.concatenate([keys, drawn[hopeful]])
        if len(keys) > request.training_rows:
            best = np.sort(np.argpartition(keys, request.training_rows)[: request.training_rows])
            others, keys = [pd.concat(others).iloc[best]], keys[best]
    if n_rows == 0:
        return pd.DataFrame(), [], 0, 0
    rows = pd.concat([*labeled, *others]).sort_index()
    return rows, label_values(rows[request.label]), n_rows, n_labeled


def _check_columns(given: list[str], chunk: "pd.DataFrame", request: Request) -> None:
    asked = [("--label", request.label), ("--id", request.id), *(("--text", name) for name in request.text)]
    for option, name in asked:
        if name is not None and name not in chunk.columns:
            raise ValueError(
                f"{request.table} has no column {name!r} ({option}): its columns are {listed(chunk.columns)}."
            )
        if name is not None and given.count(name) > 1:
            raise ValueError(
                f"{request.table} has {given.count(name)} columns named {name!r} ({option}): rename all but one."
            )


def label_values(cells: "pd.Series") -> list:
    """The classes of the cells, None where blank; numbers that are whole are whole."""
    blank = blank_cells(cells)
    return [None if nothing else _class_of(cell) for cell, nothing in zip(cells, blank, strict=True)]


def _class_of(cell: Any) -> Any:
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, str):
        return cell.strip()
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _in_order(values: set) -> list:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
