"""Whether every cell of a table stands in the labeled one, read by other means than the command has."""

import codecs
import csv
import gzip
import io
import json
import re
import sys
from pathlib import Path


def same_cells(path: Path, out: Path, ending: str) -> None:
    """Every cell of the table stands in the other one, as it was."""
    if ending.endswith(".gz"):
        given, made = gzip.decompress(path.read_bytes()), gzip.decompress(out.read_bytes())
    else:
        given, made = path.read_bytes(), out.read_bytes()
    kind = ending.removesuffix(".gz")
    if kind == "jsonl":
        same_objects(given, made)
    elif kind in ("parquet", "feather"):
        same_columns(path, out, kind)
    elif kind == "xlsx":
        same_sheets(path, out)
    else:
        same_lines(given, made, kind)


def same_lines(given: bytes, made: bytes, kind: str) -> None:
    csv.field_size_limit(sys.maxsize)
    assert made[:3] == given[:3] or given[:3] != b"\xef\xbb\xbf", "the byte order mark is gone"
    texts = [one.decode(_encoding(given)) for one in (given, made)]
    # labels of one class give scores, others confidences; another column follows either
    found = re.search('kind_(?:confidence|score)"?(.)', texts[1])
    assert found is not None, "there is no header of a labeled table"
    between = found[1]
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


def _encoding(given: bytes) -> str:
    if given[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    try:
        given.decode()
    except UnicodeDecodeError:
        return "latin1"
    return "utf-8-sig"


def _added(name: str) -> bool:
    return name.strip().startswith("kind_")


def same_objects(given: bytes, made: bytes) -> None:
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


def same_columns(path: Path, out: Path, kind: str) -> None:
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


def same_sheets(path: Path, out: Path) -> None:
    import openpyxl

    before, after = openpyxl.load_workbook(path), openpyxl.load_workbook(out)
    assert before.sheetnames == after.sheetnames
    for name in before.sheetnames:
        for row in before[name].iter_rows():
            for cell in row:
                if cell.value is not None:
                    there = after[name][cell.coordinate].value
                    assert there == cell.value, f"{cell.coordinate}: {cell.value!r} became {there!r}"
