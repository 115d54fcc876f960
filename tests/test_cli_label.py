"""`semisvm label`: what it fills in, what it refuses, and that nothing is written half."""

import json
import os
import sys
import weakref

import numpy as np
import pandas as pd
import pytest

from semisvm.cli import labeling
from semisvm.cli.filling import Filling
from semisvm.cli.labeling import label_table
from semisvm.cli.sampling import Request, gather
from semisvm.report import for_machines
from semisvm.tables import TableFile

ADDED = ["kind_predicted", "kind_confidence", "kind_suggest", "kind_origin"]


def blobs(n=60, labels=4):
    """Two clouds far apart, a number written with a blank, an identifier; `labels` rows are labeled."""
    random = np.random.default_rng(0)
    truth = np.arange(n) % 2
    X = random.normal(size=(n, 2)) + 6 * truth[:, None]
    frame = pd.DataFrame({"name": [f"row{k}" for k in range(n)], "a": X[:, 0].round(6), "b": X[:, 1].round(6)})
    frame["kind"] = [("cat", "dog")[t] if k < labels else None for k, t in enumerate(truth)]
    frame.loc[n - 1, "a"] = None
    return frame, np.array(["cat", "dog"])[truth]


WRITERS = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
    "t.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "t.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "t.feather": lambda frame, path: frame.to_feather(path),
    "t.xlsx": lambda frame, path: frame.to_excel(path, index=False),
}
READERS = {
    "t.csv": pd.read_csv,
    "t.tsv": lambda path: pd.read_csv(path, sep="\t"),
    "t.parquet": pd.read_parquet,
    "t.jsonl": lambda path: pd.read_json(path, lines=True),
    "t.csv.gz": pd.read_csv,
    "t.feather": pd.read_feather,
    "t.xlsx": pd.read_excel,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_comes_back_with_four_columns(call, tmp_path, name):
    frame, truth = blobs()
    WRITERS[name](frame, tmp_path / name)
    result = call("label", name, "--label", "kind", "--method", "gradient", "--id", "name")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    out = READERS[name](tmp_path / name.replace("t.", "t.labeled."))
    assert list(out.columns) == [*frame.columns, *ADDED]
    pd.testing.assert_frame_equal(out[["a", "b"]].astype(float), frame[["a", "b"]])
    assert out["kind"].notna().sum() == 4
    assert (out["kind_predicted"] == truth).all()
    assert (out["kind_confidence"][:4] == 1).all()
    assert out["kind_confidence"][4:].between(0.5, 1).all()
    assert sorted(out["kind_suggest"].dropna()) == list(range(1, 21))
    assert out["kind_suggest"][:4].isna().all()
    assert out["kind_origin"].tolist() == ["given"] * 4 + ["filled"] * 56
    assert "blank cells were filled in: a (1)" in result.stdout
    page = (tmp_path / "t.labeled.html").read_text()
    assert "row59" in page or "row5" in page


def test_cells_of_a_text_file_are_written_as_they_were_read(call, tmp_path):
    frame, _ = blobs()
    frame["a"] = [f"{value:+.3e}" for value in frame["a"].fillna(0)]
    frame["note"] = 'said "yes", twice'
    frame.to_csv(tmp_path / "t.csv", index=False)
    call("label", "t.csv", "--label", "kind", "--method", "supervised")
    before = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)
    after = pd.read_csv(tmp_path / "t.labeled.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(after[before.columns], before)


def test_json_for_machines(call, tmp_path):
    frame, _ = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient", "--json", "--out", "o.csv")
    shown = json.loads(result.stdout)
    assert (shown["n_rows"], shown["n_labeled"], shown["n_filled"]) == (60, 4, 56)
    assert dict(zip(shown["classes"], shown["obtained"], strict=True)) == {"cat": 28, "dog": 28}
    assert [one["kind"] for one in shown["columns"]] == ["left out", "numeric", "numeric"]
    assert len(shown["suggestions"]) == 20
    assert shown["path"][-1]["objective"] > 0
    assert (tmp_path / "o.html").is_file()


@pytest.mark.parametrize("between", [",", ";"])
def test_the_python_call_of_the_page_gives_the_same_labels(call, tmp_path, between):
    frame, _ = blobs()
    frame["kind"] = frame["kind"].replace({"cat": " Köter ", "dog": "Hund"})
    frame.to_csv(tmp_path / "t.csv", index=False, sep=between, encoding="cp1252")
    shown = json.loads(call("label", "t.csv", "--label", "kind", "--method", "gradient", "--json").stdout)
    names: dict = {}
    exec(shown["python"], names)
    labeled = pd.read_csv(tmp_path / "t.labeled.csv", sep=between, encoding="cp1252")
    assert set(labeled["kind_predicted"]) == {"Köter", "Hund"}
    assert (names["table"]["predicted"] == labeled["kind_predicted"]).all()


def test_a_table_of_another_encoding_is_labeled_in_its_own_bytes(call, tmp_path):
    frame, truth = blobs()
    frame.assign(note="déjà vu").to_csv(tmp_path / "t.csv", index=False, encoding="utf-16")
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient")
    assert "t.csv is not UTF-8 text: it is read as UTF-16 and written back in the same bytes." in result.stdout
    labeled = pd.read_csv(tmp_path / "t.labeled.csv", encoding="utf-16")
    assert (labeled["kind_predicted"] == truth).all()
    assert (labeled["note"] == "déjà vu").all()


def with_labels(values):
    frame, _ = blobs(max(2, len(values)))
    return frame.head(len(values)).assign(kind=values)


REFUSED = {
    "one class": (
        with_labels(["cat"] * 3 + [None] * 9),
        "Column 'kind' of t.csv holds one class only, 'cat': labels of at least two are needed, or five of one for "
        "semisvm label.\n",
    ),
    "all blank": (
        with_labels([None] * 12),
        "Column 'kind' of t.csv is blank in all 12 rows: write a class into a few of them, two per class.\n",
    ),
    "many classes": (
        with_labels([f"c{k}" for k in range(12)] + [None] * 6),
        "Column 'kind' of t.csv holds 12 classes in 12 labeled rows: label two rows of each, name a column of classes, "
        "or say --classes.\n",
    ),
    "no rows": (
        with_labels([]),
        "t.csv has no rows: a line of column names and rows below it are needed.\n",
    ),
    "no column to learn from": (
        with_labels(["cat", "cat", "dog", "dog", None, None])[["name", "kind"]],
        "No column can be learned from (name: nearly every cell is different, as names and identifiers are): a column "
        "of numbers, categories, dates or texts is needed.\n",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_tables_that_cannot_be_learned_from_are_refused_in_one_line(call, tmp_path, case):
    frame, message = REFUSED[case]
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)
    assert os.listdir(tmp_path) == ["t.csv"]


def test_what_the_command_line_gets_wrong_is_reported_in_one_line(call, tmp_path):
    blobs()[0].to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "mixed.csv").write_bytes("kind,a\ncat,é\n".encode() + "dog,é\n".encode("latin1"))
    (tmp_path / "empty.csv").touch()
    for words, message in {
        ("none.csv", "--label", "kind"): "none.csv does not exist: name a .csv, .tsv, .jsonl, .parquet, "
        ".feather or .xlsx file.",
        ("t.csv", "--label", "king"): "t.csv has no column 'king' (--label), did you mean 'kind'? Its "
        "columns are name, a, b, kind.",
        ("t.csv", "--label", "kind", "--id", "x"): "t.csv has no column 'x' (--id): its columns are name, a, b, kind.",
        ("t.csv", "--label", "kind", "--text", "x"): "t.csv has no column 'x' (--text): its columns are name, "
        "a, b, kind.",
        ("t.xls", "--label", "kind"): "t.xls ends in '.xls': a .csv, .tsv, .jsonl, .parquet, .feather or .xlsx file is "
        "needed.",
        ("mixed.csv", "--label", "kind"): "mixed.csv is not UTF-8 text (byte 0xe9): save it as UTF-8, with iconv -f "
        "latin1 -t utf-8 for instance.",
        ("empty.csv", "--label", "kind"): "empty.csv has no rows: a line of column names and rows below it are needed.",
        ("t.csv", "--label", "kind", "--out", "no/o.csv"): "The folder no of o.csv does not exist: make it first.",
        ("t.csv", "--label", "kind", "--report", "no/o.html"): "The folder no of o.html does not exist: make it first.",
        ("t.csv", "--label", "kind", "--folds", "1"): "--folds 1 was given: 0 for none, or 2 and more.",
        ("t", "--label", "kind"): "t has no ending: a .csv, .tsv, .jsonl, .parquet, .feather or .xlsx file is needed.",
    }.items():  # fmt: skip
        result = call("label", *words)
        assert (result.exit_code, result.stdout, result.stderr) == (1, "", message + "\n")
    unknown = call("label", "t.csv", "--label", "kind", "--method", "magic")
    assert unknown.exit_code == 1
    assert "magic" in unknown.stderr
    assert unknown.stderr.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["empty.csv", "mixed.csv", "t.csv"]
    assert call("label", "t.csv").exit_code == 2


@pytest.mark.parametrize("labels", [["cat", "dog"], ["a", "b", "c"], ["a", "b", "c", "a", "b"]])
def test_one_label_for_each_class_is_enough(call, tmp_path, labels):
    with_labels([*labels, *[None] * 18]).to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind", "--method", "supervised", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["classes"] == sorted(set(labels))


def test_a_semicolon_table_with_decimal_commas_is_read_and_comes_back_alike(call, tmp_path):
    frame, truth = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient", "--json")
    shown = json.loads(result.stdout)
    assert [one["kind"] for one in shown["columns"]] == ["left out", "numeric", "numeric"]
    assert shown["columns"][2]["use"] == "as it is, read with a decimal comma"
    out = pd.read_csv(tmp_path / "t.labeled.csv", sep=";", decimal=",")
    assert list(out.columns) == [*frame.columns, *ADDED]
    assert (out["kind_predicted"] == truth).all()
    pd.testing.assert_frame_equal(out[["a", "b"]], frame[["a", "b"]])


def test_folds_are_cross_validated_when_asked_for(call, tmp_path):
    frame, _ = blobs(labels=8)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("label", "t.csv", "--label", "kind", "--method", "gradient", "--folds", "2")
    assert "cross-validated error of gradient: 0.0% (standard error 0.0%)" in call(*words).stdout
    shown = json.loads(call(*words, "--json").stdout)
    assert [one["method"] for one in shown["folds"]] == ["supervised", "gradient"]
    assert shown["n_filled"] == 52


def test_a_table_may_come_back_in_another_format(call, tmp_path):
    frame, truth = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind", "--method", "gradient", "--out", "o.parquet")
    assert result.exit_code == 0, result.stderr
    assert (pd.read_parquet(tmp_path / "o.parquet")["kind_predicted"] == truth).all()


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_a_missing_extra_is_named(call, tmp_path, monkeypatch, package):
    blobs()[0].to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, package, None)
    result = call("label", "t.parquet", "--label", "kind")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"This needs {package}: install it with  pip install 'semisvm[table]'.\n"


def test_a_scheduler_without_dask_names_the_extra(call, tmp_path, monkeypatch):
    blobs()[0].to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = call("label", "t.csv", "--label", "kind", "--scheduler", "tcp://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "This needs distributed: install it with  pip install 'semisvm[dask]'.\n"


def test_nothing_to_fill(call, tmp_path):
    frame, truth = blobs()
    frame.assign(kind=truth).to_csv(tmp_path / "t.csv", index=False)
    result = call("label", "t.csv", "--label", "kind")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Column 'kind' of t.csv has a class in all 60 rows: nothing to fill.\n"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_failure_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    frame, _ = blobs()
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "o.csv").write_text("old")

    def torn(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(Filling, "_answered", torn)
    with pytest.raises(OSError, match="no space left"):
        label_table(Request(tmp_path / "t.csv", "kind", "supervised"), tmp_path / "o.csv", None)
    assert (tmp_path / "o.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["o.csv", "t.csv"]


def test_a_large_table_is_trained_on_a_sample_with_every_label(tmp_path, monkeypatch):
    frame, truth = blobs(400, labels=0)
    frame.loc[390:, "kind"] = truth[390:]
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(TableFile.chunks, "__defaults__", (37,))
    request = Request(tmp_path / "t.csv", "kind", "gradient", sample=50)
    sample = gather(request)
    assert (sample.n_rows, sample.n_labeled, len(sample.rows)) == (400, 10, 60)
    assert set(range(390, 400)) <= set(sample.rows.index)
    # a uniform draw reaches all parts of the file
    assert len({row // 100 for row in sample.rows.index}) == 4
    story = label_table(request, tmp_path / "o.csv", None)
    out = pd.read_csv(tmp_path / "o.csv")
    assert (out["kind_predicted"] == truth).all()
    assert len(out) == 400
    assert any("50 of the 390 others" in note for note in story.notes)


def test_the_default_is_trained_on_all_rows_that_fit():
    request = Request("t.csv", "kind")
    assert request.most_others(10, width=50) == 100_000
    # rows of many numbers are held several times
    assert request.most_others(10, width=768) == 50_000_000 // 768
    assert Request("t.csv", "kind", sample=2500).most_others(10, width=50) == 2500
    assert Request("t.csv", "kind", "gradient").most_others(10, width=50) == 2500
    assert Request("t.csv", "kind", "sdp", sample=2500).most_others(10) == 70


def test_labels_that_are_numbers_come_back_as_they_are(tmp_path):
    frame, truth = blobs()
    frame["kind"] = [float(t == "dog") - 1 if k < 4 else None for k, t in enumerate(truth)]
    frame.to_parquet(tmp_path / "t.parquet")
    label_table(Request(tmp_path / "t.parquet", "kind", "gradient"), tmp_path / "o.parquet", None)
    predicted = pd.read_parquet(tmp_path / "o.parquet")["kind_predicted"]
    assert predicted.tolist() == [0 if t == "dog" else -1 for t in truth]


def test_labeling_holds_a_few_chunks_at_a_time_however_long_the_table(tmp_path, monkeypatch):
    frame, truth = blobs(600, labels=6)
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = TableFile.chunks
    alive, most = set(), 0

    def watched(self, rows=50):
        nonlocal most
        for number, chunk in enumerate(read(self, rows)):
            alive.add(number)
            weakref.finalize(chunk, alive.discard, number)
            most = max(most, len(alive))
            yield chunk
            del chunk

    monkeypatch.setattr(TableFile, "chunks", watched)
    request = Request(tmp_path / "t.csv", "kind", "gradient", sample=100)
    sample = gather(request)
    trained = labeling.train(request, sample)
    assert most <= 3
    assert sum(labeling.predict_table(trained.model, tmp_path / "t.csv", tmp_path / "o.csv")) == 600
    assert most <= 3
    label_table(request, tmp_path / "p.csv", None)
    assert most <= 3
    for name in ("o.csv", "p.csv"):
        assert (pd.read_csv(tmp_path / name)["kind_predicted"] == truth).all()


def test_demo_does_the_main_job(tmp_path, capsys):
    from semisvm.cli.demo import labeled_digits

    done = labeled_digits(tmp_path, rows=150)
    shown = capsys.readouterr().out
    machine = json.loads(for_machines(done.as_dict()))
    assert machine["error"] < machine["supervised_error"]
    assert machine["label"]["n_filled"] == machine["n_hidden"] == 130
    supervised, ours = (float(line.split()[-1].rstrip("%")) for line in shown.splitlines() if line.startswith("  s"))
    assert ours < supervised
    assert shown.splitlines()[-1] == f"report: {tmp_path / 'digits.labeled.html'}"
    assert (tmp_path / "digits.labeled.html").is_file()
