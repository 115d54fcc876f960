"""`semisvm fit`, `predict` and `compare`: a model keeps its preparation, and a file that asks for more is refused."""

import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from typer.testing import CliRunner

import semisvm
from semisvm.cli.model_file import load_model


@pytest.fixture
def truth(tmp_path):
    """A table of mixed kinds in t.csv with a label in every fifth row; returns all labels."""
    random = np.random.default_rng(0)
    n = 60
    kind = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n) + 5 * kind,
            "color": np.where(kind, "red", random.choice(["blue", "green"], n)),
            "said": [f"{'bark loud bark now' if k else 'meow soft meow now'} {j % 7}" for j, k in enumerate(kind)],
            "kind": [("cat", "dog")[k] if j % 5 == 0 else None for j, k in enumerate(kind)],
        }
    )
    frame.loc[3, ["size", "color"]] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    return np.array(["cat", "dog"])[kind]


def test_a_saved_model_carries_its_preparation(call, truth, tmp_path):
    shown = call("fit", "t.csv", "--label", "kind", "--method", "gradient", "--text", "said", "--out", "m.skops")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.splitlines()[-1] == "model: m.skops"
    kinds = {one.name: one.kind for one in load_model(tmp_path / "m.skops").preparation.columns_}
    assert kinds == {"size": "numeric", "color": "categorical", "said": "text"}
    frame = pd.read_csv(tmp_path / "t.csv").drop(columns="kind")
    frame.to_json(tmp_path / "new.jsonl", orient="records", lines=True)
    shown = call("predict", "m.skops", "new.jsonl", "--json")
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["counts"] == {
        "cat": int((truth == "cat").sum()),
        "dog": int((truth == "dog").sum()),
    }
    out = pd.read_json(tmp_path / "new.predicted.jsonl", lines=True)
    assert (out["kind_predicted"] == truth).all()
    assert out["kind_confidence"].between(0.5, 1).all()


def test_fit_as_json_is_json_by_its_standard(call, truth):
    shown = call("fit", "t.csv", "--label", "kind", "--method", "gradient", "--json").stdout
    assert "NaN" not in shown
    read = json.loads(shown)
    assert read["kernels"][0]["left_out_residual"] is None
    assert (read["classes"], read["n_labeled"], read["model"]) == (["cat", "dog"], 12, "t.skops")


def test_a_file_with_foreign_types_is_not_loaded(call, truth, tmp_path):
    skops.io.dump({"label": np.random.default_rng, "classes": CliRunner()}, tmp_path / "bad.skops")
    result = call("predict", "bad.skops", "t.csv")
    assert result.exit_code == 1
    assert "CliRunner" in result.stderr
    assert result.stderr.endswith("which no model of semisvm holds: it is not loaded.\n")


def test_files_that_are_no_models(call, truth, tmp_path):
    (tmp_path / "text.skops").write_text("hello")
    skops.io.dump({"label": 1}, tmp_path / "other.skops")
    for name, message in {
        "none.skops": "none.skops does not exist: name a file that semisvm fit wrote.\n",
        "text.skops": "text.skops is not a model: name a file that semisvm fit wrote.\n",
        "other.skops": "other.skops holds no model of a table: name a file that semisvm fit wrote.\n",
    }.items():
        result = call("predict", name, "t.csv")
        assert (result.exit_code, result.stderr) == (1, message)


def test_a_table_that_lacks_a_column_is_refused(call, truth, tmp_path):
    call("fit", "t.csv", "--label", "kind", "--method", "supervised")
    pd.DataFrame({"size": [1.0]}).to_csv(tmp_path / "new.csv", index=False)
    result = call("predict", "t.skops", "new.csv")
    assert result.stderr == "The table lacks color, said, which the model was trained with.\n"
    assert not list(tmp_path.glob("*predicted*"))


def test_compare_names_a_missing_package_before_the_work(call, truth, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = call("compare", "t.csv", "--label", "kind", "--methods", "supervised", "--picture", "p.svg")
    assert result.exit_code == 1
    assert "pip install 'semisvm[plots]'" in result.stderr
    assert not result.stdout


def test_compare_says_how_each_method_does_on_labels_it_has_not_seen(call, truth, tmp_path):
    words = ("compare", "t.csv", "--label", "kind", "--methods", "supervised,gradient", "--folds", "3")
    result = call(*words, "--picture", "p.svg")
    assert result.exit_code == 0, result.stderr
    header, *lines = (line.split("\t") for line in result.stdout.splitlines())
    assert header == [
        "method", "error %", "standard error", "balanced error %", "F1 of the rarest class %", "seconds"
    ]  # fmt: skip
    # of 12 labels, the unlabeled rows save the one that the labels alone get wrong; sqrt(1/12 11/12 / 12) = 0.080
    shown = [["supervised", "8.3", "8.0"], ["gradient", "0.0", "0.0"], ["picture: p.svg"]]
    assert [line[:3] for line in lines] == shown
    assert "</svg>" in (tmp_path / "p.svg").read_text()
    scores = json.loads(call(*words, "--json").stdout)
    assert [(one["method"], round(one["error"], 3)) for one in scores] == [("supervised", 0.083), ("gradient", 0.0)]
    assert (scores[1]["balanced_error"], scores[1]["rarest_f1"]) == (0.0, 1.0)
    assert 0 < scores[0]["balanced_error"] < 0.2
    assert 0.7 < scores[0]["rarest_f1"] < 1
    unknown = call("compare", "t.csv", "--label", "kind", "--methods", "magic")
    assert unknown.stderr.startswith("There is no method 'magic': the methods are supervised, auto, gradient")


def test_compare_leaves_out_methods_for_smaller_tables():
    from semisvm.cli.compare import METHODS, chosen_methods

    assert chosen_methods(None, 50) == list(METHODS)
    assert set(METHODS) - set(chosen_methods(None, 1000)) == {"branch-and-bound", "sdp"}


def test_compare_knows_every_method_of_the_default():
    from semisvm.cli.compare import METHODS
    from semisvm.estimators.default.named import METHODS as NAMED

    assert set(METHODS) == {"auto", *NAMED}


@pytest.fixture
def parts(call, truth, tmp_path):
    """What a model file holds."""
    call("fit", "t.csv", "--label", "kind", "--method", "supervised", "--out", "m.skops")
    asked = skops.io.get_untrusted_types(file=tmp_path / "m.skops")
    return skops.io.load(tmp_path / "m.skops", trusted=asked)


def without(held, part, name):
    delattr(held[part], name)
    return held


def with_other(held, part, name, value):
    setattr(held[part], name, value)
    return held


DAMAGED = {
    "no version": (
        lambda held: {name: value for name, value in held.items() if name != "version"},
        "m.skops does not say which version wrote it: fit the model again.",
    ),
    "no predictor": (
        lambda held: without(held, "classifier", "predictor_"),
        "m.skops, written by version {version}, lacks classifier.predictor_: fit the model again.",
    ),
    "an attribute of that version": (
        lambda held: without(held, "classifier", "ratio_"),
        "m.skops, written by version {version}, lacks classifier.ratio_: fit the model again.",
    ),
    "a list as the classifier": (
        lambda held: {**held, "classifier": [1]},
        "m.skops, written by version {version}, lacks classifier, ",
    ),
    "fewer classes than were trained": (
        lambda held: {**held, "classes": held["classes"][:1]},
        "m.skops, written by version {version}, lacks classes: fit the model again.",
    ),
    "no classes of the classifier, and no record of them": (
        lambda held: {**without(held, "classifier", "classes_"), "attributes": {}},
        "m.skops, written by version {version}, lacks classifier.classes_: fit the model again.",
    ),
    "columns that are none": (
        lambda held: with_other(held, "preparation", "columns_", [1, "x"]),
        "m.skops, written by version {version}, lacks preparation.columns_: fit the model again.",
    ),
    "a number in place of a predictor": (
        lambda held: with_other(held, "classifier", "predictor_", 7.0),
        "m.skops, written by version {version}, lacks classifier.predictor_: fit the model again.",
    ),
    "a record of attributes that are no names": (
        lambda held: {**held, "attributes": {"classifier": [[1]]}},
        "m.skops is damaged (TypeError): fit the model again.",
    ),
    "scales of the wrong type": (
        lambda held: with_other(held, "preparation", "scales_", ["x"] * 3),
        "m.skops is damaged (",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_a_file_that_lacks_something_is_refused_in_one_line(call, parts, tmp_path, case):
    change, message = DAMAGED[case]
    skops.io.dump(change(parts), tmp_path / "m.skops")
    result = call("predict", "m.skops", "t.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith(message.format(version=semisvm.__version__))
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*predicted*"))


def test_a_file_with_other_types_inside_is_refused_in_one_line(call, parts, tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops") as archive:
        schema = json.loads(archive.read("schema.json"))
    for place, broken in enumerate(({}, [], {**schema, "content": 3}, {**schema, "__loader__": "NoLoader"})):
        with zipfile.ZipFile(tmp_path / "bad.skops", "w") as archive:
            archive.writestr("schema.json", json.dumps(broken))
        result = call("predict", "bad.skops", "t.csv")
        assert result.exit_code == 1, place
        assert result.stderr.startswith("bad.skops ")
        assert result.stderr.count("\n") == 1


def test_a_model_file_records_its_version_and_attributes(parts):
    assert parts["version"] == semisvm.__version__
    assert "columns_" in parts["attributes"]["preparation"]
    assert "predictor_" in parts["attributes"]["classifier"]
