"""The table in memory: cells as text, the classes, and whether its file has changed."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.annotate.class_cells import kind_of_classes
from semisvm.annotate.request import AnnotateRequest
from semisvm.tables import blank_cells, table_file

if TYPE_CHECKING:
    import pandas as pd

LONGEST_CELL = 20_000
"""Characters of a cell that are shown."""
SHORT_CELL = 90
"""Characters of a cell in a summary of its row."""
SUMMARY_CELLS = 4


@dataclass(eq=False)
class Sheet:
    """All cells of a table."""

    request: AnnotateRequest
    frame: "pd.DataFrame"
    fingerprint: str
    """Fingerprint of the bytes of the file."""
    shown: list[str] = field(init=False)
    """Visible columns: all but the label and those that an earlier run added."""
    used: list[str] = field(init=False)
    """Columns for summaries: those that are learned from, once they are known."""

    def __post_init__(self) -> None:
        self.shown = [str(name) for name in self.frame.columns if name not in self.request.left_out(self.frame.columns)]
        self.used = self.shown

    def __len__(self) -> int:
        return len(self.frame)

    def classes_in_file(self) -> list[str | None]:
        """The class in the cell of every row, None where it is blank."""
        if self.request.new:
            return [None] * len(self.frame)
        cells = self.frame[self.request.label]
        blank = blank_cells(cells)
        return [None if nothing else class_name(cell) for cell, nothing in zip(cells, blank, strict=True)]

    def cells_of_classes(self) -> dict[str, Any]:
        """One cell of the table for each of its classes."""
        if self.request.new:
            return {}
        cells = self.frame[self.request.label]
        return {class_name(cell): cell for cell in cells[~blank_cells(cells)].unique()}

    def origins_in_file(self) -> list[str]:
        """The origins of labels in the column that an earlier run wrote; blank without one."""
        origin = self.request.written[2]
        if origin not in self.frame.columns:
            return [""] * len(self.frame)
        return self.frame[origin].astype(str).tolist()

    def cells(self, row: int, most: int | None = None) -> list[tuple[str, str]]:
        """(column, text) of the first cells of a row."""
        return [(name, self.cell(row, name)) for name in self.shown[:most]]

    def cell(self, row: int, name: str) -> str:
        return as_text(self.frame[name].array[row])

    def summary(self, row: int) -> str:
        """A row in one line."""
        cells = [(name, self.cell(row, name)) for name in self.used[:SUMMARY_CELLS]]
        texts = [text for _, text in cells if len(text) > SHORT_CELL // 2]
        if texts:
            return short(texts[0], 2 * SHORT_CELL)
        return ", ".join(f"{name} {short(text)}" for name, text in cells if text)

    def image(self, row: int) -> Path | None:
        """The image of a row: a file below the folder of the table, and no other."""
        if self.request.image is None:
            return None
        name = self.cell(row, self.request.image).strip()
        if not name:
            return None
        folder = self.request.table.resolve().parent
        path = (folder / name).resolve()
        return path if path.is_relative_to(folder) and path.is_file() else None


def read_sheet(request: AnnotateRequest) -> Sheet:
    """Read the table. Raises an error for a file that is not a table, has no rows, or lacks a column."""
    file = table_file(request.table)
    fingerprint = fingerprint_of(request.table)
    frame = file.read()
    if not len(frame):
        raise ValueError(f"{request.table} has no rows: a line of column names and rows below it are needed.")
    request.check_columns([str(name) for name in frame.columns], file.names())
    kind_of_classes(request)
    return Sheet(request, frame, fingerprint)


def fingerprint_of(table: Path) -> str:
    """sha256 of the bytes of a file, or of the Parquet files of a folder."""
    found = hashlib.sha256()
    for path in sorted(table.glob("*.parquet")) if table.is_dir() else [table]:
        if table.is_dir():
            found.update(path.name.encode())
        for part in _parts(path):
            found.update(part)
    return found.hexdigest()


def _parts(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while part := file.read(2**20):
            yield part


def class_name(cell: Any) -> str:
    """A class as text; whole numbers have no decimal point."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def as_text(cell: Any) -> str:
    """A cell as text; blank for a missing value."""
    if isinstance(cell, np.ndarray | list | tuple):
        return f"a list of {len(cell):,} values: {', '.join(as_text(one) for one in list(cell)[:6])}, ..."
    if cell is None or cell != cell or str(cell) in ("<NA>", "NaT"):
        return ""
    if hasattr(cell, "isoformat"):
        return cell.isoformat(sep=" ").removesuffix(" 00:00:00") if hasattr(cell, "hour") else cell.isoformat()
    text = str(cell)
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]} ..."


def short(text: str, most: int = SHORT_CELL) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
