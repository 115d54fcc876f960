"""What a table in a file is, whatever its format: chunks of rows from top to bottom, and a writer that takes them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd

CHUNK_ROWS = 10_000


class Append(Protocol):
    """Takes the next rows of a table."""

    def __call__(self, rows: "pd.DataFrame", /) -> None: ...


@dataclass(frozen=True)
class TableFile(ABC):
    """A table in a file."""

    path: Path

    def chunks(self, rows: int = CHUNK_ROWS) -> "Iterator[pd.DataFrame]":
        """The table from top to bottom, so many rows at a time, numbered from 0."""
        if not self.path.is_file():
            what = "is a folder, not a table" if self.path.is_dir() else "does not exist"
            raise FileNotFoundError(f"{self.path} {what}: name a .csv, .tsv, .parquet or .jsonl file.")
        try:
            yield from self._read(rows)
        except UnicodeDecodeError as error:
            if b"\0" in error.object:
                raise ValueError(f"{self.path} is not text: a table with cells in UTF-8 is needed.") from error
            raise ValueError(
                f"{self.path} is not UTF-8 text (byte 0x{error.object[error.start]:02x}): save it as UTF-8, "
                f"with  iconv -f latin1 -t utf-8  for instance."
            ) from error

    def read(self) -> "pd.DataFrame":
        """The whole table."""
        import pandas as pd

        parts = list(self.chunks())
        return pd.concat(parts) if parts else pd.DataFrame()

    def names(self) -> list[str]:
        """Names of the columns as they stand in the file, repeated ones too; none where they are known row by row."""
        return []

    @abstractmethod
    def _read(self, rows: int) -> "Iterator[pd.DataFrame]": ...

    @abstractmethod
    def writer(self, path: Path, source: "TableFile") -> AbstractContextManager[Append]:
        """What takes the chunks of a table for this path, in this format; `source` is where they come from."""


def different(names: list[str]) -> list[str]:
    """a, a becomes a, a.1, and a column without a name gets one, as pandas has it."""
    seen: dict[str, int] = {}
    told: list[str] = []
    for place, name in enumerate(names):
        name = name or f"Unnamed: {place}"
        one = name
        while one in told:
            seen[name] = seen.get(name, 0) + 1
            one = f"{name}.{seen[name]}"
        told.append(one)
    return told
