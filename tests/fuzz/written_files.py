"""Tables as files of each format, with a few things done to them that spreadsheets, exports and people do."""

import datetime
import decimal
import io
import json

import numpy as np

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


def delimited(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
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


def json_lines(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
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


def arrow(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
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


def workbook(rng: np.random.Generator, names: list[str], rows: list[list[str]], ending: str) -> tuple[bytes, str]:
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
