"""The first sheet of an .xlsx workbook: formulas are read by their last values, and written back as formulas."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semisvm.tables.listing import listed
from semisvm.tables.table_file import Append, TableFile, different

if TYPE_CHECKING:
    import pandas as pd

LOST = {
    "xl/media/": "pictures",
    "xl/drawings/drawing": "drawings",
    "xl/charts/": "charts",
    "xl/embeddings/": "embedded files",
    "xl/ctrlProps/": "controls",
    "xl/slicers/": "slicers",
    "xl/timelines/": "timelines",
    "xl/threadedComments/": "threaded comments",
    "xl/vbaProject.bin": "macros",
    "xl/model/": "a data model",
    "xl/queryTables/": "queries",
    "customXml/": "custom data",
}
"""Parts of a workbook that would not be written back."""


@dataclass(frozen=True)
class WorkbookFile(TableFile):
    """The first sheet; its first row that is not blank names the columns."""

    def names(self) -> list[str]:
        for row in self._rows():
            if _holds_any(row):
                return [_title(cell) for cell in _trimmed(row)]
        raise ValueError(f"{self.path} has no rows: a line of column names and rows below it are needed.")

    def _read(self, rows: int) -> "Iterator[pd.DataFrame]":
        import pandas as pd

        names = different(self.names())
        held: list[list[Any]] = []
        number, begun = 0, False
        for place, row in enumerate(self._rows(), start=1):
            blank = not _holds_any(row)
            if not begun or blank:
                begun = begun or not blank
                continue
            held.append(self._cells(row, len(names), place))
            number += 1
            if len(held) == rows:
                yield pd.DataFrame(held, columns=names, index=range(number - rows, number), dtype=object)
                held = []
        if held:
            yield pd.DataFrame(held, columns=names, index=range(number - len(held), number), dtype=object)

    def _cells(self, row: tuple, n_columns: int, place: int) -> list[Any]:
        cells = _trimmed(row)
        if len(cells) > n_columns:
            raise ValueError(
                f"Row {place} of {self.path} has {len(cells)} cells where the first row names {n_columns} columns: "
                "name every column."
            )
        return cells + [None] * (n_columns - len(cells))

    def notes(self) -> list[str]:
        """Columns of formulas without a value: a program that computes formulas has not saved the workbook yet."""
        with zipfile.ZipFile(self.path) as archive:
            if not any(b"<f" in archive.read(part) for part in archive.namelist() if part.startswith("xl/worksheets/")):
                return []
        names: list[str] = []
        lacking: set[str] = set()
        for formulas, values in zip(self._rows(formulas=True), self._rows(), strict=False):
            if not names and _holds_any(values):
                names = different([_title(cell) for cell in _trimmed(values)])
            pairs = zip(names, formulas, values, strict=False)
            lacking |= {name for name, formula, value in pairs if value is None and formula is not None}
        if not lacking:
            return []
        which = listed(name for name in names if name in lacking)
        return [f"{self.path} holds formulas without values in {which}: open and save it in a spreadsheet program."]

    def _rows(self, *, formulas: bool = False) -> Iterator[tuple]:
        """The rows of the sheet as they were last computed, or with their formulas."""
        book = self._book(read_only=True, data_only=not formulas)
        try:
            sheet = book.worksheets[0]
            sheet.reset_dimensions()
            yield from sheet.iter_rows(values_only=True)
        finally:
            book.close()

    def _book(self, **how: bool) -> Any:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException

        try:
            book = openpyxl.load_workbook(self.path, **how)
        except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError, TypeError) as error:
            raise ValueError(f"{self.path} is not an .xlsx workbook: save the table as .xlsx or .csv.") from error
        if not book.worksheets:
            raise ValueError(f"{self.path} has no sheet of cells: a table in the first sheet is needed.")
        return book

    def lost(self) -> list[str]:
        """What the workbook holds that would not be written back."""
        with zipfile.ZipFile(self.path) as archive:
            parts = archive.namelist()
        return [what for start, what in LOST.items() if any(part.startswith(start) for part in parts)]

    @contextmanager
    def writer(self, path: Path, source: TableFile, written: Sequence[str] | None = None) -> Iterator[Append]:
        if isinstance(source, WorkbookFile) and written is not None:
            if lost := source.lost():
                raise ValueError(
                    f"{source.path} holds {', '.join(lost)}, which would not come back: name a .csv file with --out, "
                    "or take them out first."
                )
            book = source._book()
            # a row whose formulas have no values is blank, as it is where the table is read
            filled = [number for number, row in enumerate(source._rows(), start=1) if _holds_any(row)]
            append = _added_to(book.worksheets[0], filled, different(source.names()), list(written))
        else:
            import openpyxl

            book = openpyxl.Workbook()
            append = _new_rows(book.active)
        yield append
        book.save(path)


def _added_to(sheet: Any, filled: list[int], names: list[str], written: list[str]) -> Append:
    """Puts cells of these columns into the filled rows of a sheet, from top to bottom; the first has the names."""
    for row in sheet.iter_rows():
        for cell in row:
            if isinstance(cell.value, float) and abs(cell.value) == float("inf"):
                raise ValueError(f"Cell {cell.coordinate} holds a number that is too large to be written back.")
    header, *below = filled
    places = {name: names.index(name) + 1 for name in written if name in names}
    for name in written:
        if name not in places:
            places[name] = len(names) + 1 + sum(place > len(names) for place in places.values())
            sheet.cell(header, places[name], name)
    lines = iter(below)

    def append(rows: "pd.DataFrame") -> None:
        for row in rows[written].astype(object).to_dict("records"):
            line = next(lines)
            for name, value in row.items():
                _put(sheet.cell(line, places[name]), value)

    return append


def _new_rows(sheet: Any) -> Append:
    begun = False

    def append(rows: "pd.DataFrame") -> None:
        nonlocal begun
        if not begun:
            for place, name in enumerate(rows.columns, start=1):
                _put(sheet.cell(1, place), str(name))
            begun = True
        line = sheet.max_row
        for row in rows.astype(object).itertuples(index=False):
            line += 1
            for place, value in enumerate(row, start=1):
                _put(sheet.cell(line, place), value)

    return append


def _put(cell: Any, value: Any) -> None:
    """The value as it is: text that begins with = is text."""
    import numpy as np
    import pandas as pd

    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        cell.value = None
        return
    if isinstance(value, list | tuple | dict | np.ndarray):
        value = str(value.tolist() if isinstance(value, np.ndarray) else value)
    try:
        cell.value = value
    except ValueError as error:
        raise ValueError(f"{value!r} does not fit a workbook: write another kind of file.") from error
    if isinstance(value, str):
        cell.data_type = "s"


def _holds_any(row: tuple) -> bool:
    return any(cell is not None for cell in row)


def _trimmed(row: tuple) -> list[Any]:
    """The cells up to the last that is not blank."""
    cells = list(row)
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _title(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
