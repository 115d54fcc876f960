"""Figures of the records that pages quote: filled in by a command, and found where no record is named.

A page names the cell behind its figures: `6.5 / 8.2<!-- record: TABLE / DATA SET / METHOD -->`, ours before the stroke
and the published one behind it, or ours alone.  Both keep the digits that stand there.  A paragraph, or a line of a
table, whose figures come from elsewhere says so: `<!-- no record: REASON -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from semisvm_papers.agreement import Cell

_FIGURE = r"\d+(?:\.\d+)?"
_QUOTE = re.compile(rf"(?P<ours>{_FIGURE})(?: / (?P<theirs>{_FIGURE}))?<!-- record: (?P<cell>.+?) -->")
_NO_RECORD = re.compile(r"<!-- no record: \S.*? -->", re.DOTALL)
_MEASURED = re.compile(rf"{_FIGURE} / {_FIGURE}|{_FIGURE} ± {_FIGURE}|published:? {_FIGURE}")
"""What only figures of papers look like: ours / published, mean ± deviation, published 6.2."""


def filled(text: str, cells: Iterable[Cell]) -> str:
    """The page with the figures of today's records in all places that name one."""
    known = {f"{cell.table} / {cell.dataset} / {cell.method}": cell for cell in cells}

    def quote(found: re.Match[str]) -> str:
        cell = known.get(found["cell"])
        if cell is None or cell.mean is None:
            raise ValueError(
                f"A page quotes the record {found['cell']!r}, and no record holds it: name TABLE / DATA SET / METHOD "
                "as in the report."
            )
        figures = _with_digits_of(found["ours"], cell.mean)
        if found["theirs"] is not None:
            if cell.published is None:
                raise ValueError(f"A page quotes a published figure of {found['cell']!r}, which has none: quote ours.")
            figures += f" / {_with_digits_of(found['theirs'], cell.published.mean)}"
        return f"{figures}<!-- record: {found['cell']} -->"

    return _QUOTE.sub(quote, text)


def without_record(text: str) -> list[str]:
    """The figures beside published ones, or with a deviation, of which the page names no record."""
    found: list[str] = []
    for block in _blocks(text):
        if not _NO_RECORD.search(block):
            found += _MEASURED.findall(_QUOTE.sub("", block))
    return found


def _with_digits_of(printed: str, value: float) -> str:
    """The value with as many decimals as what was printed; 19.65 is 19.7 and not the 19.6 of its binary digits."""
    decimals = len(printed.partition(".")[2])
    return str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _blocks(text: str) -> list[str]:
    """Paragraphs, and the lines of tables one by one; code is left out."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^ {4}.*$", "", prose, flags=re.MULTILINE)
    return re.split(r"\n\s*\n|\n(?=\|)", prose)
