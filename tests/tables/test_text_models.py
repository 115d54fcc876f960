"""Texts through a model of a folder: looked up here, never downloaded."""

import json

import numpy as np
import pandas as pd
import pytest

from semisvm.tables import TablePreparation, column_of
from semisvm.tables.text_models import embedded


@pytest.fixture
def folder(tmp_path):
    """A model of four words, two numbers each."""
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": 0, "cat": 1, "meow": 2, "dog": 3, "bark": 4}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array([[0, 0], [1, 0], [1, 0.2], [0, 1], [0.2, 1]], dtype=np.float32)
    model2vec.StaticModel(vectors, tokenizer, normalize=False).save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


SAID = ["the cat said meow again", "dog and bark all day", "", "cat cat cat and cat"] * 10


def test_texts_become_the_mean_of_their_words(folder):
    found = column_of(pd.Series(SAID, name="said"), text=True, embed=str(folder))
    assert (found.kind, found.description) == ("text", f"2 numbers by the model in {folder}")
    X = found.numbers(pd.Series(SAID[:4]))
    assert X.shape == (4, 2)
    assert X[2].tolist() == [0, 0]
    assert X[0, 0] > X[0, 1]
    assert X[1, 1] > X[1, 0]
    assert column_of(pd.Series(SAID, name="said"), text=True).description.startswith("tf-idf of")


def test_a_table_is_labeled_through_a_model(folder, call, tmp_path):
    texts = ["the cat said meow again", "dog and bark all day long", "meow is what it says", "bark at the moon again"]
    kinds = ["cat", "dog"] * 3 + [None] * 34
    pd.DataFrame({"said": texts * 10, "kind": kinds}).to_csv(tmp_path / "t.csv", index=False)
    words = (
        "label",
        "t.csv",
        "--label",
        "kind",
        "--method",
        "supervised",
        "--text",
        "said",
        "--embed",
        str(folder),
        "--json",
    )
    result = call(*words)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["columns"][0]["use"] == f"2 numbers by the model in {folder}"
    out = pd.read_csv(tmp_path / "t.labeled.csv")
    assert (out["kind_predicted"] == ["cat", "dog"] * 20).all()


def test_a_folder_without_a_model_is_refused(tmp_path):
    pytest.importorskip("model2vec")
    with pytest.raises(ValueError, match="holds no model that can be read: one that model2vec"):
        embedded(str(tmp_path), ["x"])
    with pytest.raises(OSError, match="is not a folder: name one that holds a model; none is downloaded"):
        embedded(str(tmp_path / "missing"), ["x"])


def test_a_preparation_says_which_model_it_uses(folder):
    preparation = TablePreparation(text=["said"], embed=folder)
    X = preparation.fit_transform(pd.DataFrame({"said": SAID, "n": np.arange(40.0) ** 2}))
    assert X.shape == (40, 3)
    assert preparation.feature_columns_ == ["said", "said", "n"]
