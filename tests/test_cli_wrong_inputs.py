"""What the command line is given by mistake: one line that helps, exit status 1, and nothing is left behind."""

import os

import numpy as np
import pandas as pd
import pytest

from semisvm.cli import labeling, sampling
from semisvm.tables import check_place


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    kinds = [("cat", "dog")[k % 2] if k < 6 else None for k in range(30)]
    frame = pd.DataFrame({"a": random.normal(size=30) + 5 * (np.arange(30) % 2), "kind": kinds})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame


NO_TABLES = {
    "folder": (
        lambda path: path.mkdir(),
        "t.csv is a folder without .parquet files: name a table, or a folder of them.",
    ),
    "binary": (
        lambda path: path.write_bytes(b"PK\x03\x04\0\0\xff\xfe" * 99),
        "t.csv is not text: a table with cells in UTF-8 is needed.",
    ),
    "header alone": (
        lambda path: path.write_text("a,kind\n"),
        "t.csv has no rows: a line of column names and rows below it are needed.",
    ),
    "one row": (
        lambda path: path.write_text("a,kind\n1,\n"),
        "Column 'kind' of t.csv is blank in all 1 rows: write a class into a few of them, two per class.",
    ),
    "label twice": (
        lambda path: path.write_text("a,kind,kind\n1,x,x\n2,y,y\n3,,x\n"),
        "t.csv has 2 columns named 'kind' (--label): rename all but one.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", ["label", "fit", "compare"])
@pytest.mark.parametrize("case", NO_TABLES)
def test_what_is_no_table_to_learn_from(call, tmp_path, case, command):
    make, message = NO_TABLES[case]
    make(tmp_path / "t.csv")
    result = call(command, "t.csv", "--label", "kind")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{message}\n")
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("command", ["label", "fit", "compare"])
def test_a_dot_is_a_folder_like_any_other(call, tmp_path, table, command):
    result = call(command, ".", "--label", "kind")
    assert result.exit_code == 1
    assert result.stderr == ". is a folder without .parquet files: name a table, or a folder of them.\n"


def test_results_of_a_folder_go_beside_it(call, tmp_path, monkeypatch, table):
    (tmp_path / "parts.2024").mkdir()
    table.to_parquet(tmp_path / "parts.2024" / "one.parquet")
    monkeypatch.chdir(tmp_path / "parts.2024")
    result = call("label", ".", "--label", "kind", "--method", "supervised")
    assert result.exit_code == 0, result.stderr
    assert {"parts.2024.labeled.parquet", "parts.2024.labeled.html"} <= set(os.listdir(tmp_path))


def test_places_that_cannot_be_written_are_refused_before_anything_is_read(call, tmp_path, monkeypatch, table):
    (tmp_path / "place").mkdir()
    monkeypatch.setattr(labeling, "gather_to_fill", lambda request: pytest.fail("the table was read"))
    monkeypatch.setattr(sampling, "gather", lambda request: pytest.fail("the table was read"))
    for option in ("--out", "--report"):
        result = call("label", "t.csv", "--label", "kind", option, "place")
        assert (result.exit_code, result.stderr) == (1, "place is a folder: name a file to write.\n")
    for words in (
        ("fit", "t.csv", "--label", "kind", "--out", "place"),
        ("compare", "t.csv", "--label", "kind", "--picture", "place"),
    ):
        result = call(*words)
        assert (result.exit_code, result.stderr) == (1, "place is a folder: name a file to write.\n")
    assert sorted(os.listdir(tmp_path)) == ["place", "t.csv"]


def test_a_folder_of_others_is_named(tmp_path, monkeypatch):
    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refused)
    with pytest.raises(OSError, match=r"o.csv cannot be written \(Permission denied\): name a place where you may"):
        check_place(tmp_path / "o.csv")


@pytest.mark.parametrize("command", ["label", "fit"])
def test_a_method_that_is_none_is_refused_before_anything_is_read(call, command):
    result = call(command, "none.csv", "--label", "kind", "--method", "magic")
    assert result.exit_code == 1
    assert result.stderr.startswith("There is no method 'magic': the methods are supervised, auto, gradient,")


def test_no_blanks_means_nothing_to_fill_even_with_one_class(call, tmp_path):
    (tmp_path / "t.csv").write_text("a,kind\n1,cat\n2,cat\n")
    result = call("label", "t.csv", "--label", "kind")
    assert result.exit_code == 0
    assert result.stdout == "Column 'kind' of t.csv has a class in all 2 rows: nothing to fill.\n"
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_other_columns_may_have_one_name(call, tmp_path, name):
    random = np.random.default_rng(0)
    truth = np.arange(30) % 2
    cells = [random.normal(size=30) + 5 * truth, random.normal(size=30)]
    frame = pd.DataFrame(dict(zip("ab", cells, strict=True)))
    frame["kind"] = [("cat", "dog")[t] if k < 6 else None for k, t in enumerate(truth)]
    if name == "t.csv":
        frame.rename(columns={"b": "a"}).to_csv(tmp_path / name, index=False)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pandas(frame).rename_columns(["a", "a", "kind"]), tmp_path / name)
    result = call("label", name, "--label", "kind", "--method", "supervised", "--json")
    assert result.exit_code == 0, result.stderr
    assert '"name": "a.1"' in result.stdout


@pytest.mark.parametrize(("error", "shown"), [(RuntimeError("No solution."), "No solution.\n"), (RecursionError, None)])
def test_a_method_without_a_solution_is_one_line_and_a_mistake_of_the_program_is_not(
    call, tmp_path, table, monkeypatch, error, shown
):
    def fails(*_):
        raise error

    monkeypatch.setattr(labeling, "train", fails)
    if shown is None:
        with pytest.raises(RecursionError):
            raise call("label", "t.csv", "--label", "kind").exception
        return
    result = call("label", "t.csv", "--label", "kind")
    assert (result.exit_code, result.stderr) == (1, shown)
    assert os.listdir(tmp_path) == ["t.csv"]
