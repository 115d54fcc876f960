"""`semisvm label` on broken files: every cell is in the output, or one line says what is wrong and nothing is written.

A case is a small table in one of the formats, with a few things done to it that spreadsheets, exports and people do.
What comes out is read by other means than the command has: the csv module, json, Arrow and openpyxl.
"""

import csv
import datetime
import decimal
import gzip
import io
import json
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LABELS = (
    ["cat", "dog"], ["a", "b", "c"], ["0", "1"], ["-1", "1"], ["0", "1", "-1"], ["cat", "dog", "NA"], ["x", "?", "y"],
    ["Cat", "cat ", "dog", "DOG"], ["none", "some"], ["1.5", "2.5", "3.25"], ["yes", "no"], ["é", "e", "ü"],
    ["=1+1", "@x"], ["a,b", 'say "hi"'], ["[1, 2]", "{}"], ["true", "false"], ["only"], ["line\nbreak", "tab\there"],
    ["2024-01-01", "0001-01-01"], ["😀", "\u202eback"], ["np.int64(0)", "nan"], ["x" * 3000, "y" * 3000],
)  # fmt: skip
CELLS = (
    "", " ", "NA", "1e400", "-1e999", "1" + "0" * 400, "inf", "-inf", "nan", "0x1F", "1_000", "1,5", "1.234,5", "½",
    "2024-02-30", "0001-01-01", "9999-12-31", "0000-00-00", "31.12.1999", "12/31/1999", "24:00", "2024-01-01T00:00:00Z",
    "2024-01-01 00:00:00+14:00", "[1, 2]", "[1, [2]]", "[" * 3000, "{", "true", "<b>", "=SUM(A1)", "\u0000", "\ufeff",
    "a b c d e", "\u2028", "\u0085", "'", "\\", "%s", "{0}", "-", "x" * 5000, "1e-320", "5e-324",
    "1.7976931348623157e308", "١٢",
)  # fmt: skip
OPTIONS = (
    ["--explain"], ["--probabilities"], ["--min-confidence", "0.7"], ["--merge-labels"], ["--classes"], ["--json"],
    ["--suggest", "3"], ["--drop", "c0"], ["--text", "c1"], ["--id", "c2"], ["--unlabeled", "cat"], ["--keep", "NA"],
    ["--seed", "7"], ["--ratio", "uniform"], ["--ratio", "0.5"], ["--time-limit", "1"],
)  # fmt: skip
FORMATS = ("csv", "tsv", "csv.gz", "txt", "jsonl", "jsonl.gz", "parquet", "feather", "xlsx")


def warm() -> None:
    """All modules, and a first table."""
    import tempfile

    import openpyxl  # noqa: F401
    import pyarrow.feather
    import pyarrow.parquet  # noqa: F401

    from semisvm.cli import application

    application()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            table = "a,kind\n" + "".join(f"{k % 7},{('cat', 'dog')[k % 2] if k < 6 else ''}\n" for k in range(20))
            Case("t.csv", table.encode(), ["--method", "supervised", "--explain"], "a first table").check()
        finally:
            os.chdir(here)


def draw(rng: np.random.Generator) -> "Case":
    """One file and the words of the command."""
    ending = str(rng.choice(FORMATS))
    n, d = int(rng.integers(3, 40)), int(rng.integers(1, 6))
    rows, done = _rows(rng, n, d)
    names = [f"c{k}" for k in range(d)] + ["kind"]
    place = int(rng.integers(0, d + 1))
    names = names[:-1][:place] + ["kind"] + names[:-1][place:]
    rows = [row[:-1][:place] + [row[-1]] + row[:-1][place:] for row in rows]
    make = {"jsonl": _json_lines, "parquet": _arrow, "feather": _arrow, "xlsx": _workbook}.get(
        ending.removesuffix(".gz"), _delimited
    )
    data, more = make(rng, names, rows, ending)
    if rng.random() < 0.06:
        data, more = _torn(rng, data), f"{more}, torn"
    if ending.endswith(".gz"):
        data = gzip.compress(data) if rng.random() < 0.9 else data
        if rng.random() < 0.1:
            data, more = data[: len(data) // 2], f"{more}, half a gzip"
    method = str(rng.choice(["supervised", "supervised", "supervised", "gradient", "cccp", "auto"]))
    words = ["--method", method]
    for k in rng.choice(len(OPTIONS), int(rng.integers(0, 4)), replace=False):
        option, *value = OPTIONS[k]
        words += [option, *value] if option not in ("--id", "--text", "--drop") or value[0] in names else []
    return Case(f"t.{ending}", data, words, f"{n} rows, {done}, {more}")


@dataclass(frozen=True)
class Case:
    name: str
    data: bytes
    words: list[str]
    shown: str

    def __str__(self) -> str:
        return f"{self.name} ({self.shown}) {' '.join(self.words)}\n{self.data[:1500]!r}"

    def check(self) -> str:
        from typer.testing import CliRunner

        from semisvm.cli import application

        path = Path(self.name)
        path.write_bytes(self.data)
        before = set(os.listdir())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = CliRunner().invoke(application(), ["label", self.name, "--label", "kind", *self.words])
        leaked = [str(one.message) for one in caught if "numpy" in str(one.filename) or one.category is RuntimeWarning]
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert not leaked, f"a warning leaks: {leaked[0]}"
        assert path.read_bytes() == self.data, "the table itself was changed"
        assert "np." not in result.stderr.replace("np.int64(0)", "", 1), f"a message shows a type: {result.stderr}"
        if result.exit_code == 1:
            assert result.stderr.count("\n") == 1, f"not one line: {result.stderr!r}"
            assert len(result.stderr) > 20, f"a line that does not help: {result.stderr!r}"
            assert len(result.stderr) < 2000, f"an endless line: {result.stderr[:300]!r}"
            assert set(os.listdir()) == before, "something was written"
            return "refused"
        assert result.exit_code == 0, f"exit status {result.exit_code}: {result.stderr}"
        assert result.stderr == "", f"standard error says {result.stderr!r}"
        ending = self.name.removeprefix("t.")
        out = Path(f"t.labeled.{ending}")
        if not out.exists():
            assert "nothing to fill" in result.stdout or '"n_filled": 0' in result.stdout, result.stdout
            return "nothing to fill"
        assert set(os.listdir()) == before | {out.name, "t.labeled.html"}, os.listdir()
        _same_cells(path, out, ending)
        return "labeled"


# ---------------------------------------------------------------- tables


def _rows(rng: np.random.Generator, n: int, d: int) -> tuple[list[list[str]], str]:
    """Cells as text, the label last; and what was done to them."""
    classes = LABELS[rng.integers(len(LABELS))]
    truth = rng.integers(0, len(classes), n)
    known = rng.random(n) < rng.choice([0.15, 0.4, 0.7, 1.0], p=[0.3, 0.45, 0.2, 0.05])
    if rng.random() < 0.8:
        truth[: len(classes)], known[: len(classes)] = np.arange(min(n, len(classes))), True
    cells = rng.normal(size=(n, d)).round(3) + truth[:, None]
    rows = [
        [*(str(cell) for cell in cells[k]), classes[truth[k]] if known[k] else str(rng.choice(["", "", " ", "NA"]))]
        for k in range(n)
    ]
    done = [f"labels {classes[0][:20]!r}..."]
    for _ in range(int(rng.integers(0, 4))):
        k, j = int(rng.integers(n)), int(rng.integers(d))
        rows[k][j] = CELLS[rng.integers(len(CELLS))]
        done.append(f"cell {rows[k][j][:20]!r}")
    if rng.random() < 0.15:
        j, cell = int(rng.integers(d)), CELLS[rng.integers(len(CELLS))]
        for row in rows:
            row[j] = cell
        done.append(f"a column of {cell[:20]!r}")
    if rng.random() < 0.1:
        j = int(rng.integers(d))
        for row in rows:
            row[j] = CELLS[rng.integers(len(CELLS))]
        done.append("a column of anything")
    return rows, ", ".join(done)


HEADERS = {
    "twice": lambda names: ["c0" if name != "kind" else name for name in names],
    "label twice": lambda names: ["kind" for _ in names],
    "without a name": lambda names: ["" if name != "kind" else name for name in names],
    "blanks around": lambda names: [f" {name} " for name in names],
    "a long one": lambda names: ["x" * 140_000 if name != "kind" else name for name in names],
    "an earlier run": lambda names: [*names[:-1], names[-1] if names[-1] == "kind" else "kind_predicted"],
    "no label": lambda names: [name.replace("kind", "king") for name in names],
    "odd": lambda names: ['a "b"' if name == "c0" else name for name in names],
}


def _delimited(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
    between = "\t" if ending == "tsv" else str(rng.choice([",", ",", ";", "\t", "|"]))
    end = str(rng.choice(["\n", "\n", "\r\n", "\r"]))
    done = [f"between {between!r}", f"end {end!r}"]
    if rng.random() < 0.3:
        kind = str(rng.choice(list(HEADERS)))
        names = HEADERS[kind](names)
        done.append(f"header {kind}")
    style = str(rng.choice(["needed", "needed", "all", "careless"]))
    lines = [between.join(_written(rng, cell, between, style) for cell in row) for row in [names, *rows]]
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        kind = str(rng.choice(list(LINES)))
        k = int(rng.integers(0, len(lines)))
        lines[k : k + 1] = LINES[kind](lines[k], between)
        done.append(f"line {k} {kind}")
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    if rng.random() < 0.1:
        text = text.replace(end, "\n", 3)
        done.append("mixed line ends")
    mark = b"\xef\xbb\xbf" * int(rng.choice([0, 0, 0, 1, 2], p=[0.4, 0.2, 0.2, 0.17, 0.03]))
    encoding = str(rng.choice(["utf-8"] * 12 + ["latin1", "utf-16"]))
    return mark + text.encode(encoding, errors="replace"), ", ".join([*done, f"quotes {style}", encoding])


LINES = {
    "one cell more": lambda line, between: [line + between + "stray"],
    "many cells more": lambda line, between: [line + (between + "x") * 5],
    "a delimiter at the end": lambda line, between: [line + between],
    "cells missing": lambda line, between: [between.join(line.split(between)[:1])],
    "blank before": lambda line, between: ["", line],
    "blanks before": lambda line, between: ["   ", line],
    "two blank before": lambda line, between: ["", "", line],
    "delimiters alone": lambda line, between: [between * line.count(between), line],
    "an open quote": lambda line, between: [line.replace(between, between + '"', 1)],
    "a quote inside": lambda line, between: [line.replace(between, 'x"y' + between, 1)],
    "a quote at the end": lambda line, between: [line + '"'],
    "text behind a quote": lambda line, between: ['"q"rest' + line],
    "gone": lambda line, between: [],
    "twice": lambda line, between: [line, line],
    "a comment": lambda line, between: ["# a comment", line],
    "long": lambda line, between: [line + "z" * 200_000],
}


def _written(rng: np.random.Generator, cell: str, between: str, style: str) -> str:
    special = any(mark in cell for mark in (between, '"', "\n", "\r"))
    if style == "all" or (special and style == "needed"):
        return '"' + cell.replace('"', '""') + '"'
    return cell.replace("\n", " ") if style == "careless" else cell


def _json_lines(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
    lines = []
    for row in rows:
        members = [f"{json.dumps(name)}: {_json_value(rng, cell)}" for name, cell in zip(names, row, strict=True)]
        if rng.random() < 0.1:
            members.pop(int(rng.integers(len(members))))
        lines.append("{" + str(rng.choice([", ", ",", " , "])).join(members) + "}")
    done = []
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        kind = str(rng.choice(list(OBJECTS)))
        k = int(rng.integers(0, len(lines)))
        lines[k : k + 1] = OBJECTS[kind](lines[k])
        done.append(f"line {k} {kind}")
    end = str(rng.choice(["\n", "\n", "\r\n"]))
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + text.encode(), ", ".join(done) or "whole lines"


def _json_value(rng: np.random.Generator, cell: str) -> str:
    try:
        float(cell)
        number = cell if json.loads(cell) is not None else '""'
    except ValueError:
        number = json.dumps(cell)
    return number if rng.random() < 0.9 else json.dumps(cell)


OBJECTS = {
    "a list": lambda line: ["[1, 2]"],
    "no JSON": lambda line: [line[:-3]],
    "blank": lambda line: ["", "  ", line],
    "deep": lambda line: ['{"c0": ' + "[" * 100_000 + "]" * 100_000 + "}"],
    "a long number": lambda line: ['{"c0": 1' + "0" * 400 + ', "kind": "cat"}'],
    "too long a number": lambda line: ['{"c0": 1' + "0" * 5000 + ', "kind": "cat"}'],
    "a list as a label": lambda line: ['{"c0": 1, "kind": [1]}'],
    "an object as a label": lambda line: ['{"c0": 1, "kind": {"a": 1}}'],
    "half a letter": lambda line: ['{"c0": "\\ud800", "kind": "\\udfff"}'],
    "NaN": lambda line: ['{"c0": NaN, "kind": "cat", "c1": Infinity}'],
    "a name twice": lambda line: ['{"c0": 1, "c0": 2, "kind": "cat", "kind": "dog"}'],
    "an earlier run": lambda line: [line[:-1] + ', "kind_predicted" : {"a": [1, "}"]}, "kind_origin":"drawn"}'],
    "names of nothing": lambda line: ['{"": 1, "kind": "cat"}'],
    "empty": lambda line: ["{}", line],
    "a boolean": lambda line: ['{"c0": true, "kind": false}'],
    "nested": lambda line: ['{"c0": {"a": {"b": [1, null]}}, "kind": null}', line],
}


def _arrow(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns, done = [], []
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        kind = str(rng.choice(list(TYPES))) if rng.random() < (0.3 if name == "kind" else 0.5) else "text"
        try:
            columns.append(TYPES[kind](rng, list(cells)))
            done.append(f"{name} {kind}")
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError, OverflowError):
            columns.append(pa.array(cells))
    if rng.random() < 0.05:
        names = ["c0" if name != "kind" else name for name in names]
    table = pa.table(columns, names=names)
    held = io.BytesIO()
    if ending == "parquet":
        try:
            pq.write_table(table, held)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            held = io.BytesIO()
            pq.write_table(pa.table([pa.array(["a", "b"])], names=["kind"]), held)
    else:
        with pa.ipc.new_file(held, table.schema) as file:
            file.write_table(table, max_chunksize=int(rng.integers(2, 30)))
    return held.getvalue(), ", ".join(done)


def _numbers(cells: list[str]) -> list[float | None]:
    found: list[float | None] = []
    for cell in cells:
        try:
            found.append(float(cell))
        except ValueError:
            found.append(None)
    return found


def _typed(kind, make):
    def column(rng, cells):
        import pyarrow as pa

        return pa.array([make(k, cell) for k, cell in enumerate(cells)], kind(pa))

    return column


DAYS = (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29), None)
TIMES = (datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23), datetime.datetime(2024, 1, 2, 3, 4, 5), None)
TYPES = {
    "text": _typed(lambda pa: pa.string(), lambda k, cell: cell or None),
    "large text": _typed(lambda pa: pa.large_string(), lambda k, cell: cell or None),
    "words": lambda rng, cells: __import__("pyarrow").array(cells).dictionary_encode(),
    "numbers": lambda rng, cells: __import__("pyarrow").array(_numbers(cells)),
    "float32": lambda rng, cells: __import__("pyarrow").array(_numbers(cells), __import__("pyarrow").float32()),
    "whole": _typed(lambda pa: pa.int8(), lambda k, cell: k % 3 if k % 4 else None),
    "unsigned": _typed(lambda pa: pa.uint64(), lambda k, cell: 2**64 - 1 - k % 3),
    "boolean": _typed(lambda pa: pa.bool_(), lambda k, cell: (True, False, None)[k % 3]),
    "days": _typed(lambda pa: pa.date32(), lambda k, cell: DAYS[k % 4]),
    "seconds": _typed(lambda pa: pa.timestamp("s"), lambda k, cell: TIMES[k % 4]),
    "microseconds": _typed(lambda pa: pa.timestamp("us", tz="UTC"), lambda k, cell: TIMES[k % 4]),
    "nanoseconds": _typed(lambda pa: pa.timestamp("ns"), lambda k, cell: TIMES[2]),
    "far": _typed(lambda pa: pa.timestamp("s"), lambda k, cell: 10**15 * (k % 2)),
    "times": _typed(lambda pa: pa.time64("us"), lambda k, cell: datetime.time(k % 24)),
    "spans": _typed(lambda pa: pa.duration("us"), lambda k, cell: datetime.timedelta(days=k)),
    "decimals": _typed(lambda pa: pa.decimal128(38, 4), lambda k, cell: decimal.Decimal(k) / 4),
    "bytes": _typed(lambda pa: pa.binary(), lambda k, cell: b"\xff\0" + cell.encode()),
    "lists": _typed(lambda pa: pa.list_(pa.float64()), lambda k, cell: [float(k), 1.0] if k % 3 else None),
    "uneven lists": _typed(lambda pa: pa.list_(pa.int64()), lambda k, cell: list(range(k % 4))),
    "objects": _typed(lambda pa: pa.struct([("a", pa.int64())]), lambda k, cell: {"a": k}),
    "maps": _typed(lambda pa: pa.map_(pa.string(), pa.int64()), lambda k, cell: [(cell, k)]),
    "nothing": _typed(lambda pa: pa.null(), lambda k, cell: None),
}


def _workbook(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    top = int(rng.choice([1, 1, 1, 3]))
    for k, row in enumerate([names, *rows]):
        for j, cell in enumerate(row):
            plain = "".join(letter for letter in cell if letter >= " " or letter in "\n\t") or None
            value = _numbers([cell])[0] if rng.random() < 0.7 else None
            finite = value is not None and np.isfinite(value)
            sheet.cell(top + k, 1 + j).value = value if finite and k else plain and plain[:30_000]
    done = [f"header in row {top}"]
    for _ in range(int(rng.choice([0, 1, 2]))):
        kind = str(rng.choice(list(SHEETS)))
        SHEETS[kind](book, sheet, top + 1 + int(rng.integers(len(rows))), 1 + int(rng.integers(len(names))))
        done.append(kind)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue(), ", ".join(done)


def _put(value):
    def put(book, sheet, row, column):
        sheet.cell(row, column).value = value

    return put


SHEETS = {
    "a formula": _put("=A2+1"),
    "a date": _put(datetime.datetime(2024, 1, 2)),
    "a time": _put(datetime.time(3, 4)),
    "a boolean": _put(True),
    "an error": _put("#N/A"),
    "a blank": _put(None),
    "a cell too many": lambda book, sheet, row, column: _put("stray")(book, sheet, row, 30),
    "another sheet": lambda book, sheet, row, column: book.create_sheet("more").append(["x", 1]),
    "merged cells": lambda book, sheet, row, column: sheet.merge_cells(f"A{row}:B{row}"),
    "a blank row": lambda book, sheet, row, column: sheet.insert_rows(row),
    "bold": lambda book, sheet, row, column: setattr(
        sheet.cell(row, column), "font", __import__("openpyxl").styles.Font(bold=True)
    ),
    "a filter": lambda book, sheet, row, column: setattr(sheet.auto_filter, "ref", "A1:B3"),
}


def _torn(rng: np.random.Generator, data: bytes) -> bytes:
    """A part of the bytes is lost, or some are others."""
    if not data or rng.random() < 0.4:
        return data[: int(rng.integers(0, len(data) + 1))]
    held = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        held[int(rng.integers(len(held)))] = int(rng.integers(256))
    return bytes(held)


# ---------------------------------------------------------------- cells


def _same_cells(path: Path, out: Path, ending: str) -> None:
    """Every cell of the table stands in the other one, as it was."""
    if ending.endswith(".gz"):
        given, made = gzip.decompress(path.read_bytes()), gzip.decompress(out.read_bytes())
    else:
        given, made = path.read_bytes(), out.read_bytes()
    kind = ending.removesuffix(".gz")
    if kind == "jsonl":
        _same_objects(given, made)
    elif kind in ("parquet", "feather"):
        _same_columns(path, out, kind)
    elif kind == "xlsx":
        _same_sheets(path, out)
    else:
        _same_lines(given, made, kind)


def _same_lines(given: bytes, made: bytes, kind: str) -> None:
    csv.field_size_limit(sys.maxsize)
    assert made[:3] == given[:3] or given[:3] != b"\xef\xbb\xbf", "the byte order mark is gone"
    texts = [one.decode("utf-8-sig") for one in (given, made)]
    header = next(line for line in texts[1].splitlines() if "kind_confidence" in line)
    between = header.split("kind_confidence")[1].lstrip('"')[0]
    tables = [list(csv.reader(io.StringIO(text, newline=""), delimiter=between)) for text in texts]
    assert len(tables[0]) == len(tables[1]), f"{len(tables[0])} lines became {len(tables[1])}"
    n_columns = len(next(row for row in tables[1] if row))
    for k, (before, after) in enumerate(zip(*tables, strict=True)):
        assert not before or len(after) == n_columns, f"record {k}: {len(after)} cells, not {n_columns}"
        kept = [one for one, name in zip(before, tables[0][0], strict=False) if not _added(name)]
        there = [one for one, name in zip(after, tables[0][0], strict=False) if not _added(name)]
        assert there[: len(kept)] == kept, f"record {k}: {kept} became {there}"
        assert not any(there[len(kept) :]), f"record {k}: {there[len(kept) :]} came out of nothing"
    for mark in (b"\r", b"\n"):
        assert made.count(mark) >= given.count(mark), "line ends are gone"


def _added(name: str) -> bool:
    return name.strip().startswith("kind_")


def _same_objects(given: bytes, made: bytes) -> None:
    before, after = given.split(b"\n"), made.split(b"\n")
    assert len(before) == len(after), f"{len(before)} lines became {len(after)}"
    for one, other in zip(before, after, strict=True):
        if not one.decode("utf-8-sig").strip():
            assert one == other
            continue
        if b"kind_" not in one:
            body = one.rstrip()[:-1].rstrip()
            assert other.startswith(body), f"{one[:200]!r} became {other[:200]!r}"
        old, new = (json.loads(text.decode("utf-8-sig")) for text in (one, other))
        for name, value in old.items():
            if not _added(name):
                assert repr(new[name]) == repr(value), f"{name}: {value!r} became {new[name]!r}"


def _same_columns(path: Path, out: Path, kind: str) -> None:
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    before, after = (
        pq.ParquetFile(one).read() if kind == "parquet" else feather.read_table(one) for one in (path, out)
    )
    names = [name for name in before.column_names if not _added(name)]
    assert after.column_names[: len(before.column_names)] == before.column_names
    for k, name in enumerate(before.column_names):
        if name in names:
            assert after.schema.field(k).type == before.schema.field(k).type, f"{name} changed its type"
            same = after.column(k).equals(before.column(k)) or str(after.column(k)) == str(before.column(k))
            assert same, f"{name} changed"


def _same_sheets(path: Path, out: Path) -> None:
    import openpyxl

    before, after = openpyxl.load_workbook(path), openpyxl.load_workbook(out)
    assert before.sheetnames == after.sheetnames
    for name in before.sheetnames:
        for row in before[name].iter_rows():
            for cell in row:
                if cell.value is not None:
                    there = after[name][cell.coordinate].value
                    assert there == cell.value, f"{cell.coordinate}: {cell.value!r} became {there!r}"
