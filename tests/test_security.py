"""Every numbered line of docs/security.md, held against what happens."""

import os
import pickle
import re
import socket
import subprocess
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import skops.io

PAGE = Path(__file__).parent.parent / "docs" / "security.md"
EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'
QUICK = ("--label", "kind", "--method", "supervised")


def lines():
    return {int(number) for number in re.findall(r"^(\d+)\. ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)}


def test_every_line_of_the_page_has_a_test():
    here = Path(__file__)
    source = "".join(file.read_text(encoding="utf-8") for file in (here, here.parent / "annotate" / "test_server.py"))
    named = {
        int(number) for found in re.findall(r"def test_line_([\d_]+?)_[a-z]", source) for number in found.split("_")
    }
    assert named == lines()


@pytest.fixture
def table(tmp_path):
    """A table whose cells and names would do harm if they were anything but text."""
    marker = tmp_path / "marker"
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me")
    cells = [f"=cmd|'/C touch {marker}'!A1", f"__import__('os').system('touch {marker}')", str(secret), EVIL]
    frame = pd.DataFrame({EVIL: [k % 5 for k in range(24)], "note": cells * 6})
    frame["kind"] = [EVIL if k % 2 else "=1+1" for k in range(8)] + [None] * 16
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame


def test_line_1_3_cells_are_neither_run_nor_opened(call, table, tmp_path):
    result = call("label", "t.csv", *QUICK, "--text", "note", "--explain", "--probabilities")
    assert result.exit_code == 0, result.stderr
    assert not (tmp_path / "marker").exists()
    written = "".join(one.read_text() for one in tmp_path.glob("t.labeled.*"))
    assert "do not read me" not in written


def test_line_2_11_pages_escape_what_stands_in_a_table_and_load_nothing(call, table, tmp_path):
    assert call("label", "t.csv", *QUICK, "--id", "note").exit_code == 0
    page = (tmp_path / "t.labeled.html").read_text()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"https?://|src=(?!x onerror)|@import|url\(", page)


def test_line_4_5_the_table_stays_and_a_failure_leaves_nothing(call, table, tmp_path, monkeypatch):
    from semisvm.cli import labeling

    before = (tmp_path / "t.csv").read_bytes()
    names = set(os.listdir(tmp_path))

    def broken(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(labeling, "write_page", broken)
    result = call("label", "t.csv", *QUICK)
    assert (result.exit_code, result.stderr) == (1, "the disk is full\n")
    assert set(os.listdir(tmp_path)) == names
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert call("label", "t.csv", *QUICK).exit_code == 0
    assert (tmp_path / "t.csv").read_bytes() == before


def test_line_6_a_page_takes_the_place_of_no_table(call, table, tmp_path):
    for place in ("t.csv", "other.parquet"):
        assert call("label", "t.csv", *QUICK, "--report", place).exit_code == 1
    assert not (tmp_path / "t.labeled.csv").exists()


def test_line_7_text_is_no_formula_in_a_workbook(call, table, tmp_path):
    assert call("label", "t.csv", *QUICK, "--out", "o.xlsx").exit_code == 0
    sheet = openpyxl.load_workbook(tmp_path / "o.xlsx").active
    types = {cell.data_type for row in sheet.iter_rows() for cell in row if str(cell.value).startswith("=")}
    assert types == {"s"}


class Harm:
    def __reduce__(self):
        return os.system, ("touch harm",)


def test_line_8_9_pickles_and_foreign_types_are_not_loaded(call, table, tmp_path):
    (tmp_path / "m.skops").write_bytes(pickle.dumps(Harm()))
    result = call("predict", "m.skops", "t.csv")
    assert (result.exit_code, result.stderr) == (1, "m.skops is not a model: name a file that semisvm fit wrote.\n")
    skops.io.dump({"label": subprocess.Popen, "classes": []}, tmp_path / "m.skops")
    result = call("predict", "m.skops", "t.csv")
    assert result.exit_code == 1
    assert "subprocess.Popen, which no model of semisvm holds: it is not loaded." in result.stderr
    assert not (tmp_path / "harm").exists()


def test_line_10_a_damaged_model_is_refused_in_one_line(call, table, tmp_path):
    assert call("fit", "t.csv", *QUICK, "--out", "m.skops").exit_code == 0
    whole = (tmp_path / "m.skops").read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:200] + bytes(50) + whole[250:], b""):
        (tmp_path / "m.skops").write_bytes(broken)
        result = call("predict", "m.skops", "t.csv")
        assert result.exit_code == 1
        assert result.stderr.startswith("m.skops ")
        assert result.stderr.count("\n") == 1


def test_line_20_no_connection_is_opened(table, tmp_path):
    code = (
        "import socket, sys\n"
        "def refused(*arguments): raise SystemExit('a connection was opened')\n"
        "socket.socket.connect = socket.create_connection = refused\n"
        "import semisvm\n"
        "from semisvm.cli import application\n"
        "application()(sys.argv[1:])"
    )
    words = [sys.executable, "-c", code, "label", "t.csv", *QUICK]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_line_21_a_model_of_texts_is_not_downloaded(call, table, monkeypatch):
    def refused(*arguments, **named):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    result = call("label", "t.csv", *QUICK, "--embed", "minishlab/potion-base-8M")
    assert result.exit_code == 1
    assert result.stderr.endswith("is not a folder: name one that holds a model; none is downloaded.\n")
