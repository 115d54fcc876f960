"""What is written back is what was read: the same bytes with cells added, the same types, the same formulas."""

import csv
import gzip
import io
import json
from decimal import Decimal

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semisvm.tables import table_file
from semisvm.tables.json_lines import with_members
from semisvm.tables.records import Dialect, records

NEW = ["new", "other"]


def copied(path, out, rows_at_a_time=2, written=NEW):
    """Write the table to another file with two columns more; returns what the first of them holds."""
    held = []
    source = table_file(path)
    with table_file(out).writer(out, source, written) as append:
        for chunk in source.chunks(rows_at_a_time):
            held += (cells := [f"n{row}" for row in chunk.index])
            append(chunk.assign(**{written[0]: cells, written[1]: 'q"'}))
    return held


# ---------------------------------------------------------------- delimited text

LETTERS = list("ab ,;|\t\"\r\n'é=")
ENCODINGS = {
    "utf-8": [*LETTERS, *"😀\u2028\x85\x00"],
    "utf-16-le": [*LETTERS, *"😀\u2028\x85\x00"],
    "utf-16-be": [*LETTERS, *"😀\u2028\x85\x00"],
    "cp1252": [*LETTERS, "ß"],
}
"""With the letters of cells. The bytes of é and ß in Windows-1252 are never UTF-8."""
blank_line = st.sampled_from([0, 0, 0, 0, 1, 2])


def as_written(text, delimiter, style):
    special = any(mark in text for mark in (delimiter, '"', "\r", "\n"))
    return '"' + text.replace('"', '""') + '"' if special or style == "all" else text


@st.composite
def files(draw):
    """(text with its byte order mark, encoding, delimiter, rows) of a table with a header, as programs write them."""
    encoding = draw(st.sampled_from(sorted(ENCODINGS)))
    cell = st.text(st.sampled_from(ENCODINGS[encoding]), max_size=6)
    delimiter, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    style, n_columns = draw(st.sampled_from(["needed", "all"])), draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(cell, min_size=n_columns, max_size=n_columns), min_size=1, max_size=6))
    text = delimiter.join(f"c{k}" for k in range(n_columns)) + end
    for row in rows:
        text += end * draw(blank_line)
        text += delimiter.join(as_written(one, delimiter, style) for one in row) + end
    text = text if draw(st.booleans()) else text.removesuffix(end)
    marked = encoding.startswith("utf-16") or (encoding == "utf-8" and draw(st.booleans()))
    return "\ufeff" * marked + text, encoding, delimiter, rows


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files(), st.integers(1, 4))
def test_a_table_comes_back_byte_for_byte_with_cells_added(tmp_path, file, step):
    text, encoding, delimiter, rows = file
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_bytes(text.encode(encoding))
    new = copied(path, out, step)
    assert len(new) == len(rows)
    # taken out again, the added cells leave the bytes as they were
    made, dialect, kept = out.read_bytes().decode(encoding), Dialect(delimiter.encode()), b""
    for record in records(io.BytesIO(made.removeprefix("\ufeff").encode()), dialect):
        cells = record.raw_cells(dialect)
        kept += dialect.delimiter.join(cells[:-2]) + record.end
    assert ("\ufeff" * made.startswith("\ufeff") + kept.decode()).encode(encoding) == path.read_bytes()
    # and other readers find every cell
    shown = list(csv.reader(io.StringIO(made.removeprefix("\ufeff"), newline=""), delimiter=delimiter))
    shown = [row for row in shown if row]
    assert [row[:-2] for row in shown[1:]] == rows
    assert shown[0][-2:] == NEW
    assert [row[-2:] for row in shown[1:]] == [[one, 'q"'] for one in new]


@pytest.mark.parametrize("block", [1, 2, 5, 1000])
def test_records_are_found_whatever_the_blocks(block):
    text = b'a,b\r\n\r\n1,"x\r\n""y"\r2,5" pipe\n"q"z,\n"",""\nlast,1'
    dialect = Dialect(b",")
    found = [(one.cells(dialect), one.end, one.line) for one in records(io.BytesIO(text), dialect, block)]
    assert found == [
        (["a", "b"], b"\r\n", 1), ([], b"\r\n", 2), (["1", 'x\r\n"y'], b"\r", 3), (["2", '5" pipe'], b"\n", 5),
        (["qz", ""], b"\n", 6), (["", ""], b"\n", 7), (["last", "1"], b"", 8),
    ]  # fmt: skip


def test_lines_that_end_early_get_blank_cells_before_the_new_ones(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text('a,b,c\n1,2,3\n4\n\n"5,5",6\n')
    copied(path, out)
    assert out.read_text() == (
        'a,b,c,new,other\n1,2,3,n0,"q"""\n4,,,n1,"q"""\n\n"5,5",6,,n2,"q"""\n'
    )  # fmt: skip


def test_columns_of_an_earlier_run_are_replaced_where_they_stand(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text('new,a,"b"\n"old, one",1,"x"\nolder,2,\n')
    copied(path, out)
    assert out.read_text() == 'new,a,"b",other\nn0,1,"x","q"""\nn1,2,,"q"""\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2,3\n4,5,6\n", "Line 2 of .* has 3 cells where the first line names 2 columns"),
        ("a,b\n1,2\n3,x,y\n", "Line 3 of .* has 3 cells where the first line names 2 columns"),
        ('a,b\n"1\n1",2\n3,x,y\n', "Line 4 of .* has 3 cells"),
        ('a,b\n1,2\n3,"x\n4,5\n', "Line 3 of .* opens a double quote that is never closed"),
    ],
)
def test_cells_without_a_column_are_refused_with_their_line(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        table_file(path).read()


def test_a_header_with_blanks_and_one_of_a_page(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"x, kind ,{'y' * 140_000}\n1, a,2\n")
    file = table_file(path)
    assert file.names()[:2] == ["x", "kind"]
    assert file.read()["kind"].tolist() == [" a"]


@pytest.mark.parametrize(
    ("data", "name", "cells"),
    [
        ("a;b\r\n1;Köln\r\n".encode("cp1252"), "Windows-1252", ["Köln"]),
        ("a,b\n1,\x81é\n".encode("latin-1"), "Latin-1", ["\x81é"]),
        ("a,b\n1,日本\n".encode("utf-16"), "UTF-16", ["日本"]),
        ("a,b\n1,é\n".encode() * 2**18 + b"2,z\n", None, None),
    ],
)
def test_a_file_that_is_not_utf8_is_named(tmp_path, data, name, cells):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(data))
    file = table_file(path)
    if name is None:
        assert file.notes() == []
        return
    assert file.notes() == [f"{path} is not UTF-8 text: it is read as {name} and written back in the same bytes."]
    assert file.read()["b"].tolist() == cells


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a,b\n1,é\n".encode() + "2,é\n".encode("latin-1"), r"is not UTF-8 text \(byte 0xe9\): save it as UTF-8"),
        (b"a,b\n1,\xe9\0\n", "is not text: a table with cells in UTF-8 is needed"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "begins as UTF-16 text and does not go on so: save it as UTF-8"),
    ],
    ids=["two encodings", "no text", "half a letter"],
)
def test_text_of_no_encoding_is_refused(tmp_path, data, message):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        table_file(path).read()


def test_lines_of_json_are_utf8(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-16")
    with pytest.raises(ValueError, match="is UTF-16 text: save it as UTF-8, with  iconv -f utf-16 -t utf-8"):
        table_file(path).read()


def test_compressed_tables_and_halves_of_them(tmp_path):
    path, out = tmp_path / "t.csv.gz", tmp_path / "o.csv.gz"
    frame = pd.DataFrame({"a": range(500), "b": "x"})
    frame.to_csv(path, index=False)
    copied(path, out, 100)
    assert pd.read_csv(out)[["a", "b"]].equals(frame)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ValueError, match=r"t.csv.gz is not a whole gzip file"):
        table_file(path).read()


# ---------------------------------------------------------------- JSON lines


def test_lines_of_json_are_the_same_text_with_members_added(tmp_path):
    path, out = tmp_path / "t.jsonl", tmp_path / "o.jsonl"
    lines = ['\ufeff{"a": 1.50e3, "a": 2 , "b":[1 ,{"}": "{"}]  }', "", '  {"b": "\\u00e9"}\r', "{ }", '{"a": 1e999}']
    path.write_bytes("\n".join(lines).encode())
    copied(path, out)
    new = ', "new": "n{}", "other": "q\\""'
    shown = out.read_bytes().decode().split("\n")
    assert shown[0] == lines[0][:-3] + new.format(0) + "  }"
    assert shown[1:3] == ["", '  {"b": "\\u00e9"' + new.format(1) + "}\r"]
    assert shown[3:] == ['{"new": "n2", "other": "q\\"" }', '{"a": 1e999' + new.format(3) + "}"]


json_value = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=4) | st.sampled_from(["}", '"', "{,"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "new", "é", '"', "new ", "}"]), json_value), st.sampled_from([None, 0, 2]))
def test_members_of_an_earlier_run_are_replaced_and_no_other(row, indent):
    line = json.dumps(row, ensure_ascii=indent is None).replace("\n", " ") + "\n"
    shown = json.loads(with_members(line, {"new": '"new": 7', "other": '"other": null'}))
    assert shown == {**{name: value for name, value in row.items() if name != "new"}, "new": 7, "other": None}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "Line 1 of .* is nested too deeply"),
        ('{"a": 1' + "0" * 400 + "}", "Line 1 of .* holds a whole number beyond 64 bits in 'a': write it as text"),
        ('{"a": 1' + "0" * 5000 + "}", "Line 1 of .* holds a number of too many digits"),
        ('{"a": "\\ud800"}', r"Line 1 of .* holds half of a character \(\\ud800\)"),
    ],
)
def test_json_that_fits_no_table_is_refused_with_its_line(tmp_path, line, message):
    path = tmp_path / "t.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(ValueError, match=message):
        table_file(path).read()


# ---------------------------------------------------------------- columns of known types


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_every_type_comes_back(tmp_path, ending):
    table = pa.table(
        {
            "i": pa.array([1, None, 3], pa.int8()),
            "u": pa.array([2**64 - 1, 0, None], pa.uint64()),
            "d": pa.array([Decimal("1.5"), None, Decimal("2.25")], pa.decimal128(30, 4)),
            "t": pa.array([0, 10**9, None], pa.timestamp("ms", tz="Europe/Berlin")),
            "far": pa.array([-62135596800, 0, 253402300799], pa.timestamp("s")),
            "w": pa.array(["x", "y", None]).dictionary_encode(),
            "l": pa.array([[1, 2], None, []], pa.list_(pa.float32())),
            "s": pa.array([{"a": 1}, None, {"a": None}], pa.struct([("a", pa.int16())])),
            "b": pa.array([b"\xff", None, b""]),
            "n": pa.nulls(3),
        }
    ).replace_schema_metadata({"note": "kept"})
    path, out = tmp_path / f"t.{ending}", tmp_path / f"o.{ending}"
    if ending == "parquet":
        pq.write_table(table, path, store_schema=True)
        read = pq.read_table
    else:
        pa.feather.write_feather(table, path)
        read = pa.feather.read_table
    new = copied(path, out)
    made = read(out)
    assert made.column_names == [*table.column_names, *NEW]
    assert made.select(table.column_names).equals(read(path))
    assert made.schema.field("far").type == read(path).schema.field("far").type
    assert made["new"].to_pylist() == new
    assert made.schema.metadata[b"note"] == b"kept"


def test_files_of_a_folder_become_one_table_of_all_their_columns(tmp_path):
    folder, out = tmp_path / "parts", tmp_path / "o.parquet"
    folder.mkdir()
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]}), folder / "1.parquet")
    pq.write_table(pa.table({"a": pa.array([3], pa.int64()), "c": [True]}), folder / "2.parquet")
    copied(folder, out)
    made = pq.read_table(out)
    assert made["a"].to_pylist() == [1, 2, 3]
    assert (made["b"].to_pylist(), made["c"].to_pylist()) == (["x", "y", None], [None, None, True])


# ---------------------------------------------------------------- workbooks


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    sheet = made.active
    for row in ([None, None], ["a", "twice"], [1, "=A3*2"], [2, "=A4*2"]):
        sheet.append(row)
    sheet["A3"].font = openpyxl.styles.Font(bold=True)
    sheet.column_dimensions["A"].width = 33
    made.create_sheet("notes").append(["kept"])
    made.save(tmp_path / "t.xlsx")
    return tmp_path / "t.xlsx"


def test_formulas_styles_and_other_sheets_come_back(book, tmp_path):
    copied(book, tmp_path / "o.xlsx")
    made = openpyxl.load_workbook(tmp_path / "o.xlsx")
    sheet = made.worksheets[0]
    assert [cell.value for cell in sheet[2]] == ["a", "twice", *NEW]
    assert [cell.value for cell in sheet[3]] == [1, "=A3*2", "n0", 'q"']
    assert sheet["A3"].font.bold
    assert sheet.column_dimensions["A"].width == 33
    assert made["notes"]["A1"].value == "kept"


def test_the_last_values_of_formulas_are_read(book, tmp_path):
    # a spreadsheet program writes them beside the formula; here by hand
    import zipfile

    with zipfile.ZipFile(book) as given, zipfile.ZipFile(tmp_path / "v.xlsx", "w") as made:
        for name in given.namelist():
            text = given.read(name)
            if name.endswith("sheet1.xml"):
                text = text.replace(b"<f>A3*2</f><v />", b"<f>A3*2</f><v>2</v>").replace(
                    b"<f>A4*2</f><v />", b"<f>A4*2</f><v>4</v>"
                )
            made.writestr(name, text)
    assert table_file(tmp_path / "v.xlsx").read()["twice"].tolist() == [2, 4]


def test_formulas_without_values_are_named_and_rows_of_them_alone_are_blank(tmp_path):
    made = openpyxl.Workbook()
    for row in (["a", "twice"], [1, "=A2*2"], [None, "=SUM(A2:A2)"], [2, 4]):
        made.active.append(row)
    path, out = tmp_path / "t.xlsx", tmp_path / "o.xlsx"
    made.save(path)
    assert table_file(path).notes() == [
        f"{path} holds formulas without values in twice: open and save it in a spreadsheet program."
    ]
    copied(path, out)
    rows = [[cell.value for cell in row] for row in openpyxl.load_workbook(out).active]
    assert rows[1:] == [[1, "=A2*2", "n0", 'q"'], [None, "=SUM(A2:A2)", None, None], [2, 4, "n1", 'q"']]


def test_a_picture_that_would_be_lost_is_named(book, tmp_path):
    from openpyxl.drawing.image import Image
    from PIL import Image as Drawing

    png = io.BytesIO()
    Drawing.new("RGB", (2, 2)).save(png, "png")
    made = openpyxl.load_workbook(book)
    made.worksheets[0].add_image(Image(png), "F1")
    made.save(book)
    with pytest.raises(ValueError, match=r"t.xlsx holds pictures, drawings, which would not come back: name a .csv"):
        copied(book, tmp_path / "o.xlsx")
    copied(book, tmp_path / "o.csv")


def test_what_is_no_workbook(tmp_path):
    (tmp_path / "t.xlsx").write_text("hello")
    with pytest.raises(ValueError, match=r"t.xlsx is not an .xlsx workbook: save the table as .xlsx or .csv"):
        table_file(tmp_path / "t.xlsx").read()


def test_text_that_looks_like_a_formula_stays_text(tmp_path):
    (tmp_path / "t.csv").write_text("a\n=1+1\n")
    source = table_file(tmp_path / "t.csv")
    with table_file(tmp_path / "o.xlsx").writer(tmp_path / "o.xlsx", source) as append:
        append(source.read())
    cell = openpyxl.load_workbook(tmp_path / "o.xlsx").active["A2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")
