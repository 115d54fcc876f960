"""Tables of people: files read and written in chunks, columns of many kinds made into numbers."""

from semisvm.tables.columns import Column, blank_cells, column_of
from semisvm.tables.files import atomic_path, check_place, table_file
from semisvm.tables.preparation import TablePreparation
from semisvm.tables.table_file import TableFile

__all__ = [
    "Column",
    "TableFile",
    "TablePreparation",
    "atomic_path",
    "blank_cells",
    "check_place",
    "column_of",
    "table_file",
]
