"""Lines of a delimited text file as they stand in it: the bytes of each, and its cells where they are asked for.

A record is a row with its line end.  A cell that begins with a double quote ends at the next single one, so that it may
hold delimiters and line ends; a quote anywhere else is a letter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, NamedTuple

BLOCK_BYTES = 8 * 2**20
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Dialect:
    """What stands between cells."""

    delimiter: bytes

    @cached_property
    def cell(self) -> re.Pattern[bytes]:
        """One cell, and what ends it."""
        return re.compile(rb"(%s)(%s|\r\n|\r|\n|\Z)" % (self._cell, re.escape(self.delimiter)))

    @cached_property
    def record(self) -> re.Pattern[bytes]:
        """One record with its line end."""
        between = re.escape(self.delimiter)
        return re.compile(rb"%s(?:%s%s)*+(?:\r\n|\r|\n)" % (self._cell, between, self._cell))

    @property
    def _cell(self) -> bytes:
        plain = rb"[^%s\r\n]*+" % re.escape(self.delimiter)
        return rb'(?:"[^"]*+(?:""[^"]*+)*+"%s|(?!")%s)' % (plain, plain)


class TextRecord(NamedTuple):
    """The bytes of a row without its line end, the line end, and the number of its first line."""

    body: bytes
    end: bytes
    line: int

    def raw_cells(self, dialect: Dialect) -> list[bytes]:
        """The cells with their quotes; a line with nothing on it has none."""
        if not self.body:
            return []
        if b'"' not in self.body:
            return self.body.split(dialect.delimiter)
        cells, at = [], 0
        while True:
            found = dialect.cell.match(self.body, at)
            assert found is not None, "a record is made of cells"
            cells.append(found[1])
            if found.end(2) == found.start(2):
                return cells
            at = found.end()

    def cells(self, dialect: Dialect) -> list[str]:
        """The cells as text."""
        return [text_of(raw) for raw in self.raw_cells(dialect)]


class OpenQuote(Exception):
    """A double quote that is never closed; `line` is where its row begins."""

    def __init__(self, line: int):
        super().__init__(line)
        self.line = line


def text_of(raw: bytes) -> str:
    """The text of a cell: without the quotes around it, doubled quotes single."""
    if not raw.startswith(b'"'):
        return raw.decode()
    end = re.match(rb'"[^"]*+(?:""[^"]*+)*+"', raw)
    assert end is not None, "a quoted cell is closed"
    return (end[0][1:-1].replace(b'""', b'"') + raw[end.end() :]).decode()


def quoted(text: str, delimiter: str) -> bytes:
    """A cell with this text, in quotes where that is needed."""
    special = any(mark in text for mark in (delimiter, '"', "\r", "\n"))
    return ('"' + text.replace('"', '""') + '"' if special else text).encode()


def records(file: BinaryIO, dialect: Dialect, block: int = BLOCK_BYTES, *, begin: bytes = b"") -> Iterator[TextRecord]:
    """Every record of a file after its byte order mark, blank lines included; `begin` was read from it already."""
    match = dialect.record.match
    held, line, ended = begin, 1, False
    while not ended:
        more = file.read(block)
        ended = not more
        held += more
        at = 0
        # a line end that is the last byte may be half of one, and the cell before it may go on
        while (found := match(held, at)) is not None and (found.end() < len(held) or ended):
            raw = found[0]
            if b'"' not in raw:
                body = raw.rstrip(b"\r\n")
                yield TextRecord(body, raw[len(body) :], line)
                line += 1
            else:
                body = _without_end(raw)
                yield TextRecord(body, raw[len(body) :], line)
                line += raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")
            at = found.end()
        held = held[at:]
    if held:
        last = TextRecord(held, b"", line)
        if match(held + b"\n") is None:
            raise OpenQuote(line)
        yield last


def _without_end(raw: bytes) -> bytes:
    """The record without its own line end; one inside of quotes stays."""
    return raw[:-2] if raw.endswith(b"\r\n") else raw[:-1]
