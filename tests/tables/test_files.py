"""Files in chunks, and writes that are whole or not there."""

import os

import pandas as pd
import pytest

from semisvm.tables import atomic_path, table_file


@pytest.fixture
def frame():
    return pd.DataFrame({"a": [1.5, None, 3.0, 4.0, 5.0], "b": ["x", "", "ü", "NA", 'q"t'], "l": [[1, 2]] * 5})


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_chunks_make_the_whole_and_come_back_when_written(tmp_path, frame, ending):
    path, copy = tmp_path / f"t.{ending}", tmp_path / f"copy.{ending}"
    if ending in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True, force_ascii=False)
    chunks = list(table_file(path).chunks(2))
    assert [list(chunk.index) for chunk in chunks] == [[0, 1], [2, 3], [4]]
    with table_file(copy).writer(copy, table_file(path)) as append:
        for chunk in chunks:
            append(chunk)
    whole, again = table_file(path).read(), table_file(copy).read()
    pd.testing.assert_frame_equal(whole, again, check_dtype=False)
    assert again["b"].tolist() == frame["b"].tolist()


def test_parquet_keeps_types_where_the_first_chunk_is_blank(tmp_path):
    path, copy = tmp_path / "t.parquet", tmp_path / "copy.parquet"
    pd.DataFrame({"s": [None, None, "x"], "n": pd.array([None, None, 3], dtype="Int64")}).to_parquet(path)
    with table_file(copy).writer(copy, table_file(path)) as append:
        for chunk in table_file(path).chunks(2):
            append(chunk)
    assert pd.read_parquet(copy)["s"].tolist()[2] == "x"
    assert pd.read_parquet(copy)["n"].tolist()[2] == 3


def test_a_table_may_be_written_in_another_format(tmp_path):
    path, copy = tmp_path / "t.jsonl", tmp_path / "copy.parquet"
    path.write_text('{"a": 1, "b": "x"}\n{"a": "two", "b": "y"}\n')
    chunk = table_file(path).read()
    with table_file(copy).writer(copy, table_file(path)) as append:
        append(chunk[["b"]])
    assert pd.read_parquet(copy)["b"].tolist() == ["x", "y"]
    with (
        pytest.raises(ValueError, match="does not fit a Parquet file"),
        table_file(copy).writer(copy, table_file(path)) as append,
    ):
        append(chunk)


def test_lines_that_are_not_json_are_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(ValueError, match=r"Line 2 of .*t.jsonl is not JSON"):
        table_file(path).read()
    path.write_text("[1]\n")
    with pytest.raises(ValueError, match=r"Line 1 of .*t.jsonl is not a JSON object"):
        table_file(path).read()
    (tmp_path / "t.parquet").write_text("hello, this is no table")
    with pytest.raises(ValueError, match=r"t.parquet is not a Parquet file"):
        table_file(tmp_path / "t.parquet").read()


def test_a_path_is_taken_whole_or_not_at_all(tmp_path):
    path = tmp_path / "o.txt"
    with atomic_path(path) as held:
        held.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"

    def torn():
        with atomic_path(path) as held:
            held.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        torn()
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["o.txt"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_first_line_and_kept(tmp_path, delimiter):
    path, copy = tmp_path / "t.csv", tmp_path / "copy.csv"
    text = (
        delimiter.join(["a", '"b,;|c"', "d"])
        + "\n"
        + delimiter.join(["1,5", '"x ""y""\nz"', ""]).replace("1,5", '"1,5"' if delimiter == "," else "1,5")
        + "\n"
    )
    path.write_text(text)
    frame = table_file(path).read()
    assert list(frame.columns) == ["a", "b,;|c", "d"]
    assert frame.iloc[0].tolist() == ["1,5", 'x "y"\nz', ""]
    with table_file(copy).writer(copy, table_file(path)) as append:
        append(frame)
    assert copy.read_text().splitlines()[1:] == text.splitlines()[1:]
    pd.testing.assert_frame_equal(table_file(copy).read(), frame)


def test_lines_that_end_early_are_filled_with_blanks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 5 + "2\n" + "3,y\n")
    chunks = list(table_file(path).chunks(3))
    assert [list(chunk.index) for chunk in chunks] == [[0, 1, 2], [3, 4, 5], [6]]
    whole = pd.concat(chunks)
    assert whole["a"].tolist() == ["1"] * 5 + ["2", "3"]
    assert whole["b"].tolist() == ["x"] * 5 + ["", "y"]
    path.write_text("a,b\n1,x\n2,y,z\n")
    with pytest.raises(ValueError, match=r"Line 3 of .*t.csv has 3 cells where the first line names 2 columns"):
        table_file(path).read()


def test_columns_of_one_name_get_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n\ufeff".strip("\n") + "\na,a,,a.1,a\n1,2,3,4,5\n")
    assert table_file(path).read().columns.tolist() == ["a", "a.1", "Unnamed: 2", "a.1.1", "a.2"]


def test_kinds_of_other_formats_are_written_as_text(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None], dtype="Int64"),
            "f": [0.25, float("nan")],
            "b": [True, False],
            "d": pd.to_datetime(["2024-02-03", None]),
            "l": [[1, 2], None],
        }
    )
    with table_file(path).writer(path, table_file(tmp_path / "t.parquet")) as append:
        append(frame)
    assert path.read_text() == 'n,f,b,d,l\n1,0.25,True,2024-02-03 00:00:00,"[1, 2]"\n,,False,,\n'


def test_a_column_alone_keeps_its_blank_cells(tmp_path):
    path = tmp_path / "t.csv"
    with table_file(path).writer(path, table_file(tmp_path / "t.jsonl")) as append:
        append(pd.DataFrame({"a": ["x", "", "y"]}))
    assert table_file(path).read()["a"].tolist() == ["x", "", "y"]
