"""What the cells of the label column may hold: text, or the numbers of a typed column."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semisvm.annotate.request import AnnotateRequest
from semisvm.tables import table_file
from semisvm.tables.files import ParquetFile, ParquetFolder


@dataclass(frozen=True)
class KindOfClasses:
    """How a class that a person typed becomes a cell."""

    cell: Callable[[str], Any]
    what: str = "text"

    def refusal(self, name: str) -> str | None:
        """Why a name cannot be a class; None where it can."""
        if not name.strip():
            return "A class needs a name: type one."
        try:
            self.cell(name)
        except ValueError:
            return f"The column of classes holds {self.what} and {name!r} is none of them: type another name."
        return None


def kind_of_classes(request: AnnotateRequest) -> KindOfClasses:
    """By the type of the column in a Parquet file; text elsewhere. A column that can hold nothing is refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = table_file(request.table)
    if request.new or not isinstance(file, ParquetFile | ParquetFolder):
        return KindOfClasses(str)
    one = file.files()[0] if isinstance(file, ParquetFolder) else file
    kind = pq.read_schema(one.path).field(request.label).type
    if pa.types.is_null(kind):
        raise ValueError(
            f"Column {request.label!r} of {request.table} is blank and has no type, so no class fits into it: "
            "write it as a column of strings, or take it out and start it with --new."
        )
    if pa.types.is_integer(kind):
        return KindOfClasses(int, "whole numbers")
    if pa.types.is_floating(kind):
        return KindOfClasses(float, "numbers")
    if pa.types.is_boolean(kind):
        return KindOfClasses(_truth, "true and false")
    return KindOfClasses(str)


def _truth(name: str) -> bool:
    if name.strip().lower() not in ("true", "false"):
        raise ValueError(name)
    return name.strip().lower() == "true"
