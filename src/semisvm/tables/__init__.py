"""Table files, read and written in chunks, and columns of many kinds turned into numbers.

Modules that need NumPy are imported at their first use, so that a file can be refused before NumPy is loaded.
"""

from typing import TYPE_CHECKING

from semisvm.tables.files import atomic_path, check_place, ending_of, table_file
from semisvm.tables.table_file import TableFile

if TYPE_CHECKING:
    from semisvm.tables.columns import Column, blank_cells, column_of
    from semisvm.tables.preparation import TablePreparation

__all__ = [
    "Column",
    "TableFile",
    "TablePreparation",
    "atomic_path",
    "blank_cells",
    "check_place",
    "column_of",
    "ending_of",
    "table_file",
]

# hidden from type checkers, which read the imports above and would take any name for granted otherwise
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        home = "preparation" if name == "TablePreparation" else "columns"
        found = getattr(import_module(f"semisvm.tables.{home}"), name)
        globals()[name] = found
        return found
