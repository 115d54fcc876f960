"""A table in a file of any format: it is read in chunks of rows from top to bottom, and written in chunks."""

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

if TYPE_CHECKING:
    import pandas as pd

CHUNK_ROWS = 10_000
KINDS = ".csv, .tsv, .jsonl, .parquet, .feather or .xlsx"
"""Endings of tables, as messages name them."""


class Append(Protocol):
    """Takes the next rows of a table."""

    def __call__(self, rows: "pd.DataFrame", /) -> None: ...


@dataclass(frozen=True)
class TableFile(ABC):
    """A table in a file."""

    path: Path

    def chunks(self, rows: int = CHUNK_ROWS) -> "Iterator[pd.DataFrame]":
        """The table from top to bottom, at most this many rows at a time, numbered from 0."""
        self.check_there()
        with self.readable():
            yield from self._read(rows)

    def read(self) -> "pd.DataFrame":
        """The whole table."""
        import pandas as pd

        parts = list(self.chunks())
        return pd.concat(parts) if parts else pd.DataFrame()

    def check_there(self) -> None:
        """Refuse a path without a file."""
        if not self.path.is_file():
            what = "is a folder, not a table" if self.path.is_dir() else "does not exist"
            raise FileNotFoundError(f"{self.path} {what}: name a {KINDS} file.")

    def names(self) -> list[str]:
        """Names of the columns as they stand in the file, repeated ones too; none where they are known row by row."""
        return []

    def notes(self) -> list[str]:
        """Notes about the file that are shown before training."""
        return []

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Bytes that are no text, or no archive, are refused in one sentence."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise ValueError(self._no_utf8(error)) from error
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{self.path} is not a whole gzip file: compress the table again.") from error

    @property
    def compressed(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    def opened(self, path: Path | None = None, mode: str = "rb") -> BinaryIO:
        """The bytes of this file, or of another that is compressed if this one is."""
        place = self.path if path is None else path
        return cast(BinaryIO, gzip.open(place, mode) if self.compressed else open(place, mode))

    def _no_utf8(self, error: UnicodeDecodeError) -> str:
        if error.encoding.startswith("utf-16"):
            return f"{self.path} begins as UTF-16 text and does not go on so: save it as UTF-8."
        if error.object[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return f"{self.path} is UTF-16 text: save it as UTF-8, with  iconv -f utf-16 -t utf-8  for instance."
        if b"\0" in error.object:
            return f"{self.path} is not text: a table with cells in UTF-8 is needed."
        return (
            f"{self.path} is not UTF-8 text (byte 0x{error.object[error.start]:02x}): save it as UTF-8, "
            f"with  iconv -f latin1 -t utf-8  for instance."
        )

    @abstractmethod
    def _read(self, rows: int) -> "Iterator[pd.DataFrame]": ...

    @abstractmethod
    def writer(
        self, path: Path, source: "TableFile", written: Sequence[str] | None = None
    ) -> AbstractContextManager[Append]:
        """What takes the chunks of a table for this path, in this format; `source` is where they come from.

        `written` names the columns whose cells are taken from the chunks: every other column of the source is copied
        as it stands in the file, where both are of one format. None takes all of them from the chunks.
        """


def different(names: list[str]) -> list[str]:
    """a, a becomes a, a.1, and a column without a name gets one, as pandas has it."""
    seen: dict[str, int] = {}
    used: set[str] = set()
    given: list[str] = []
    for place, name in enumerate(names):
        name = name or f"Unnamed: {place}"
        one = name
        while one in used:
            seen[name] = seen.get(name, 0) + 1
            one = f"{name}.{seen[name]}"
        used.add(one)
        given.append(one)
    return given
