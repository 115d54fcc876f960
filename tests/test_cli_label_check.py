"""The label column before anything is learned: blank cells, slips, and values that are not classes."""

import os
from functools import partial
from pathlib import Path

import pytest

from semisvm.cli.label_check import edits, slips_of
from semisvm.cli.request import Request
from semisvm.cli.sampling import gather
from tests.two_clouds import labeled, write_two_clouds


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Writes t.csv into the current folder."""
    monkeypatch.chdir(tmp_path)
    return partial(write_two_clouds, tmp_path)


# ---------------------------------------------------------------- what is blank


def test_words_that_mean_nothing_are_blank_and_that_is_said(call, table):
    table(["cat", "dog", "NA", "?", "cat", "dog", "#N/A", "null"])
    shown, out = labeled(call)
    assert shown.startswith(
        "Blank in 'kind': 'NA' (1), '?' (1), '#N/A' (1), 'null' (1) (--keep VALUE makes a class of one).\n"
    )
    assert set(out["kind_predicted"]) == {"cat", "dog"}
    assert out["kind_origin"][:8].tolist() == ["given"] * 2 + ["filled"] * 2 + ["given"] * 2 + ["filled"] * 2


def test_a_word_may_be_kept_and_another_blanked(call, table):
    table(["cat", "NA", "none", "cat", "NA", "none"])
    shown, out = labeled(call, "--keep", "NA")
    assert "Taken as classes of 'kind': 'none' (2) (--unlabeled VALUE blanks one)." in shown
    assert sorted(set(out["kind_predicted"].fillna("NA"))) == ["NA", "cat", "none"]
    shown, out = labeled(call, "--keep", "NA", "--unlabeled", "none", "--unlabeled", "missing")
    assert "Blank in 'kind': 'none' (2)" in shown
    assert "No cell of 'kind' holds missing (--unlabeled)." in shown
    assert sorted(set(out["kind_predicted"].fillna("NA"))) == ["NA", "cat"]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["0", "1", "-1", "0", "1"], ["0", "1"]),
        (["-1", "1", "-1", "1"], ["-1", "1"]),
        (["a", "b", "-1", "a"], ["-1", "a", "b"]),
        (["0", "1", "-1", "-2"], ["-1", "-2", "0", "1"]),
        (["Na", "Cl", "Na", "Cl"], ["Cl", "Na"]),
    ],
)
def test_minus_one_is_blank_beside_whole_numbers_only(table, labels, classes):
    table(labels)
    assert gather(Request(Path("t.csv"), "kind")).classes == classes


def test_minus_one_as_a_number_of_a_typed_file(table):
    table([0.0, 1.0, -1.0, 1.0], name="t.parquet")
    sample = gather(Request(Path("t.parquet"), "kind"))
    assert (sample.classes, sample.n_labeled) == ([0, 1], 3)


# ---------------------------------------------------------------- slips


def test_slips_are_named_with_counts_and_merged_when_asked(call, table):
    table(["setosa", "virginica", "setosa", "virginica", "Setosa", "virginca", "set osa", "virginica"])
    shown, _ = labeled(call)
    assert (
        "Classes of 'kind' that look alike: 'Setosa' (1), did you mean 'setosa' (2)?, 'virginca' (1), did you mean "
        "'virginica' (3)?, 'set osa' (1), did you mean 'setosa' (2)? (--merge-labels makes one of each pair).\n"
    ) in shown
    assert "Classes of 'kind' with one label: Setosa, virginca, set osa. A second one each would help.\n" in shown
    shown, out = labeled(call, "--merge-labels")
    assert "Merged in 'kind': 'Setosa' into 'setosa', 'virginca' into 'virginica', 'set osa' into 'setosa'." in shown
    assert set(out["kind_predicted"]) == {"setosa", "virginica"}
    # the cells themselves stay as they are
    assert out["kind"][4:7].tolist() == ["Setosa", "virginca", "set osa"]


@pytest.mark.parametrize(
    ("names", "merged"),
    [
        (["café", "cafe", "cafe"], {"café": "cafe"}),
        (["New York", "new  york", "New York"], {"new  york": "New York"}),
        (["class1", "class2"], {}),
        (["cat", "car"], {}),
        (["male", "female"], {}),
        (["A+", "A-", "A"], {}),
        (["positive", "psoitive"], {"psoitive": "positive"}),
        (["benign", "malign"], {}),
        ([1, 11], {}),
    ],
)
def test_what_is_a_slip_and_what_are_two_classes(names, merged):
    counts: dict = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    assert slips_of(counts) == merged


def test_edits_count_letters():
    pairs = {("", "abc"): 3, ("kitten", "sitting"): 3, ("abcd", "abdc"): 1, ("same", "same"): 0}
    assert {pair: edits(*pair) for pair in pairs} == pairs


# ---------------------------------------------------------------- no classes


def test_measurements_are_no_classes_unless_said_so(call, table):
    table([f"{k}.5" for k in range(12)] * 2)
    result = call("label", "t.csv", "--label", "kind")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Column 'kind' of t.csv holds 12 different numbers in 24 labeled rows: these look like measurements, so name a "
        "column of classes, or say --classes.\n"
    )
    assert os.listdir() == ["t.csv"]
    labeled(call, "--classes")


@pytest.mark.parametrize("labels", [[str(k) for k in range(20)] * 2, [f"kind {k}" for k in range(20)] * 2])
def test_twenty_classes_in_codes_or_words_are_classes(table, labels):
    table(labels, n=60)
    assert len(gather(Request(Path("t.csv"), "kind")).classes) == 20


def test_lists_are_no_classes(call, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "kind": [1]}\n{"a": 2, "kind": null}\n')
    result = call("label", "t.jsonl", "--label", "kind")
    assert result.stderr == (
        "Column 'kind' holds lists or objects: a class is a word or a number, so name another column.\n"
    )


def test_messages_show_no_types(call, table):
    table([1.0, 1.0, 1.0], name="t.parquet")
    result = call("label", "t.parquet", "--label", "kind")
    assert "holds one class only, 1: labels" in result.stderr
