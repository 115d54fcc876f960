"""Finding, checking and fetching data files, on small stand-ins for the real ones."""

import gzip
import hashlib
import importlib
import io
import json
import logging
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from semisvm import datasets
from semisvm.datasets import origins, storage


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Empty data and cache folders, and a network that must not be touched."""
    monkeypatch.setenv("SEMISVM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SEMISVM_CACHE", str(tmp_path / "cache"))

    def refuse(*args, **kwargs):
        raise OSError("no network in tests")

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    (tmp_path / "data").mkdir()
    return tmp_path


@pytest.fixture
def table(monkeypatch):
    """A table of files that a test fills itself."""
    files = {}
    monkeypatch.setattr(storage, "data_files", lambda: files)
    monkeypatch.setattr(sys.modules["semisvm.datasets.catalog"], "data_files", lambda: files)
    for module in ("lds", "digits", "texts", "uci"):
        monkeypatch.setattr(importlib.import_module(f"semisvm.datasets.{module}"), "data_files", lambda: files)
    return files


def entry(name, whole=b"", **more):
    sha256 = hashlib.sha256(whole).hexdigest()
    return storage.DataFile(name, "load_it()", "CC0", "example.org/it", len(whole), sha256, **more)


def small_lds():
    rng = np.random.default_rng(0)
    y = np.array([-1, 1] * 6, dtype=np.int8)
    labeled = np.array([[0, 1], [2, 5]], dtype=np.uint16)
    unlabeled = np.array([np.setdiff1d(np.arange(12), rows) for rows in labeled], dtype=np.uint16)
    return {"X": rng.normal(size=(12, 3)), "y": y, "idx_labelled": labeled, "idx_unlabelled": unlabeled}


def packed(arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def test_a_file_is_found_in_the_data_folder_first(folders, table):
    content = packed(small_lds())
    table["lds_g50c.npz"] = entry("lds_g50c.npz", content)
    (folders / "cache").mkdir()
    (folders / "cache" / "lds_g50c.npz").write_bytes(content)
    assert storage.find_file("lds_g50c.npz") == folders / "cache" / "lds_g50c.npz"
    (folders / "data" / "lds_g50c.npz").write_bytes(content)
    assert storage.find_file("lds_g50c.npz") == folders / "data" / "lds_g50c.npz"
    loaded = datasets.load_g50c()
    assert loaded.X.shape == (12, 3)
    assert loaded.y.tolist() == [0, 1] * 6
    assert loaded.classes.tolist() == [-1, 1]
    assert loaded.partial_labels(1).tolist() == [-1, -1, 0, -1, -1, 1, -1, -1, -1, -1, -1, -1]
    assert loaded.license == "CC0"


def test_a_missing_file_is_explained_in_one_sentence(folders, table):
    table["lds_g50c.npz"] = entry("lds_g50c.npz")
    with pytest.raises(datasets.DataFileMissingError) as raised:
        datasets.load_g50c()
    assert str(raised.value) == (
        f"lds_g50c.npz is not in {folders / 'data'} nor {folders / 'cache'}: put the compact file there; "
        f"it is made from example.org/it (license: CC0)."
    )


def test_an_unset_data_folder_is_named(folders, table, monkeypatch):
    monkeypatch.delenv("SEMISVM_DATA")
    table["lds_g50c.npz"] = entry("lds_g50c.npz")
    with pytest.raises(datasets.DataFileMissingError, match=r"\(\$SEMISVM_DATA is not set\)"):
        datasets.load_g50c()


@pytest.mark.parametrize("name", ["lds_g50c.npz", "trec_questions.jsonl.gz"])
def test_a_changed_file_is_refused(folders, table, name):
    table[name] = entry(name, b"what was published")
    (folders / "data" / name).write_bytes(b"something else")
    load = datasets.load_g50c if name.endswith("npz") else datasets.load_trec
    with pytest.raises(datasets.DataFileDamagedError, match=r"is not the .* the loader knows") as raised:
        load()
    assert "example.org/it" in str(raised.value)


def test_original_is_fetched_checked_kept_and_found_again(folders, table, monkeypatch):
    arrays = small_lds()
    original = folders / "g50c.mat"
    counted_from_one = {"idxLabs": arrays["idx_labelled"] + 1.0, "idxUnls": arrays["idx_unlabelled"] + 1.0}
    savemat(original, {"X": arrays["X"], "y": arrays["y"][:, None].astype(float), **counted_from_one})
    table["lds_g50c.npz"] = entry(
        "lds_g50c.npz", format="lds", origins=(original.as_uri(),), content=origins.content_digest(arrays)
    )
    monkeypatch.undo()
    monkeypatch.setenv("SEMISVM_CACHE", str(folders / "cache"))
    monkeypatch.delenv("SEMISVM_DATA", raising=False)
    monkeypatch.setattr(storage, "data_files", lambda: table)
    fetched = storage.read_arrays("lds_g50c.npz")
    for name, array in arrays.items():
        np.testing.assert_array_equal(fetched[name], array)
    assert [path.name for path in (folders / "cache").iterdir()] == ["lds_g50c.npz"]
    original.unlink()
    np.testing.assert_array_equal(storage.read_arrays("lds_g50c.npz")["X"], arrays["X"])


def test_an_original_with_other_content_is_refused(folders, table, monkeypatch):
    monkeypatch.setattr(urllib.request, "urlopen", lambda url, timeout: io.BytesIO(b"not a mat file"))
    table["lds_g50c.npz"] = entry("lds_g50c.npz", format="lds", origins=("https://example.org/x",), content="0" * 64)
    with pytest.raises(datasets.DataFileDamagedError, match=r"https://example.org/x did not give the data of lds_g50c"):
        datasets.load_g50c()
    assert not (folders / "cache").exists()


def test_a_failed_download_says_why(folders, table):
    table["lds_g50c.npz"] = entry("lds_g50c.npz", format="lds", origins=("https://example.org/x",), content="0" * 64)
    with pytest.raises(datasets.DataFileMissingError, match=r"fetching it failed \(no network in tests\)") as refused:
        datasets.load_g50c()
    # one sentence, and no chain of tracebacks above it
    assert refused.value.__suppress_context__


def test_a_damaged_cache_of_a_fetched_file_is_refused(folders, table):
    arrays = small_lds()
    table["lds_g50c.npz"] = entry("lds_g50c.npz", format="lds", content=origins.content_digest(arrays))
    for content in (packed({**arrays, "X": arrays["X"] + 1}), b"PK torn", b""):
        (folders / "data" / "lds_g50c.npz").write_bytes(content)
        with pytest.raises(datasets.DataFileDamagedError):
            datasets.load_g50c()


def test_a_cache_that_cannot_be_written_is_no_error(folders, caplog):
    (folders / "cache").write_text("a file where a folder should be")
    with caplog.at_level(logging.WARNING):
        assert datasets.load_uci("wdbc").X.shape == (569, 30)
    assert "uci_wdbc.npz could not be kept" in caplog.text


def test_breast_cancer_needs_no_download(folders):
    patients = datasets.load_uci("wdbc")
    assert np.bincount(patients.y).tolist() == [212, 357]
    assert patients.classes.tolist() == ["malignant", "benign"]
    assert (folders / "cache" / "uci_wdbc.npz").is_file()


def test_texts_come_as_words_or_as_text(folders, table):
    lines = [
        {"split": "test", "label": 1, "text": "blue birds sing"},
        {"split": "train", "label": 0, "text": "red birds sing"},
    ]
    content = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    table["trec_questions.jsonl.gz"] = entry("trec_questions.jsonl.gz", content)
    (folders / "data" / "trec_questions.jsonl.gz").write_bytes(content)
    plain = datasets.load_trec(features="text")
    assert plain.X.tolist() == ["red birds sing", "blue birds sing"]
    assert plain.n_train == 1
    words = datasets.load_trec()
    assert words.X.shape == (2, 2)
    assert words.X.toarray() == pytest.approx(np.full((2, 2), np.sqrt(0.5)), abs=1e-6)
    with pytest.raises(ValueError, match=r"features='bert' was given: load_trec offers \"tfidf\" and \"text\"."):
        datasets.load_trec(features="bert")


def test_catalog_says_present_missing_and_damaged(folders, table):
    table["a.npz"] = entry("a.npz", b"whole")
    table["b.npz"] = entry("b.npz", b"whole")
    table["c.npz"] = entry("c.npz", b"whole")
    table["d.npz"] = entry("d.npz", format="lds", origins=("https://example.org/d",), content="0")
    (folders / "data" / "a.npz").write_bytes(b"whole")
    (folders / "data" / "b.npz").write_bytes(b"ha")
    a, b, c, d = datasets.catalog()
    assert a.present
    assert a.path == folders / "data" / "a.npz"
    assert not b.present
    assert b.status == "damaged: 2 bytes where 5 are expected"
    assert c.status.startswith("missing: no public home")
    assert d.status == "missing: fetched on first use"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/somewhere"}, "/somewhere/semisvm"),
        ("linux", {"HOME": "/home/me"}, "/home/me/.cache/semisvm"),
        ("darwin", {"HOME": "/home/me"}, "/home/me/Library/Caches/semisvm"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/semisvm/Cache"),
    ],
)
def test_cache_folder_follows_the_platform(monkeypatch, platform, variables, expected):
    for name in ("SEMISVM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert datasets.cache_folder() == Path(expected)


def test_every_loader_of_the_table_exists():
    calls = [call for file in storage.data_files().values() for call in file.loader.split("), ")]
    assert len(calls) >= 39
    for call in calls:
        assert call.split("(")[0] in datasets.__all__, call
    loaders = {name for name in datasets.__all__ if name.startswith("load_")}
    assert loaders == {call.split("(")[0] for call in calls}


def test_sets_that_are_not_to_be_had_have_reasons():
    names = {one.name for one in datasets.unavailable_sets()}
    assert {"FACEMIT", "ethn", "RCV1, CCAT against GCAT", "Isolet, speaker groups 2 to 4"} <= names
    assert all(one.reason and one.license and one.papers for one in datasets.unavailable_sets())
