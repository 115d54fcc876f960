"""Text collections, as tf-idf rows of unit length or as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from semisvm.datasets.dataset import Dataset
from semisvm.datasets.storage import data_files, read_arrays, read_lines

Features = Literal["tfidf", "text"]
_PARTS = ("train", "train_subset", "dev", "test")


def load_newsgroups(classes: Sequence[str] | None = None, features: Features = "tfidf") -> Dataset:
    """20 Newsgroups by date: 18846 posts with headers, training part first.

    ``classes=("comp.sys.mac.hardware", "comp.os.ms-windows.misc")`` keeps a pair of groups.
    """
    return _load("newsgroups", "20newsgroups_bydate.jsonl.gz", features, "posts of 20 newsgroups", keep=classes)


def load_reuters(classes: Sequence[str] | None = None, features: Features = "tfidf") -> Dataset:
    """Reuters R52: 9100 news wires with one topic each, 52 topics."""
    return _load("reuters", "reuters_r52.jsonl.gz", features, "Reuters news wires with one topic", keep=classes)


def load_ag_news(features: Features = "tfidf") -> Dataset:
    """AG news: 8000 training and 7600 test items on four subjects; only the test items have their titles."""
    return _load("ag_news", "ag_news_subset.jsonl.gz", features, "news on four subjects")


def load_webkb(features: Features = "tfidf") -> Dataset:
    """WebKB: 3143 stemmed pages of university sites; the training part is shorter than the published one."""
    return _load("webkb", "webkb_4class_stemmed.jsonl.gz", features, "stemmed pages of university sites")


def load_trec(features: Features = "tfidf") -> Dataset:
    """TREC: 5952 questions by the kind of answer they ask for."""
    kinds = ("description", "entity", "abbreviation", "human", "location", "number")
    return _load("trec", "trec_questions.jsonl.gz", features, "questions by kind of answer", names=kinds)


def load_sst2(features: Features = "tfidf") -> Dataset:
    """SST-2: 70042 phrases from film reviews, negative or positive; training, development and test part."""
    return _load("sst2", "sst2_glue.jsonl.gz", features, "phrases from film reviews", names=("negative", "positive"))


def load_sst_fine(features: Features = "tfidf") -> Dataset:
    """SST-5: 11855 sentences from film reviews in five grades; training, development and test part."""
    grades = ("very negative", "negative", "neutral", "positive", "very positive")
    return _load("sst_fine", "sst_fine.jsonl.gz", features, "sentences from film reviews in five grades", names=grades)


def load_movie_reviews(features: Features = "tfidf") -> Dataset:
    """Rotten Tomatoes: 10662 sentences from film reviews, negative or positive."""
    file = "movie_review_rt_polarity.jsonl.gz"
    return _load("movie_reviews", file, features, "sentences from film reviews", names=("negative", "positive"))


def load_imdb(features: Literal["tfidf", "text", "glove"] = "tfidf") -> Dataset:
    """IMDB: 25000 training and 25000 test reviews, negative or positive.

    ``features="glove"`` gives averaged word vectors (100 columns, unit rows) of these reviews and, behind them,
    of 50000 more without a label (``y`` is -1 there).
    """
    if features != "glove":
        return _load("imdb", "imdb_labelled.jsonl.gz", features, "film reviews", names=("negative", "positive"))
    arrays = read_arrays("imdb_glove100.npz")
    X = np.concatenate([arrays["X_train"], arrays["X_test"], arrays["X_unlabelled"]]).astype(np.float32)
    labels = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.int64)
    return Dataset(
        name="imdb_glove",
        X=X,
        y=np.concatenate([labels, np.full(len(X) - len(labels), -1)]),
        classes=np.array(["negative", "positive"]),
        description="film reviews as averaged word vectors; training, test and unlabeled part",
        license=data_files()["imdb_glove100.npz"].license,
        n_train=len(arrays["y_train"]),
    )


def load_pcmac() -> Dataset:
    """PCMAC: 1943 posts on PC (1) and Mac (0) hardware as sparse word counts; ``with_unit_rows()`` scales them.

    Not the Text set of the survey, which is ``load_text``.
    """
    arrays = read_arrays("pcmac.npz")
    parts = (arrays["data"].astype(np.float32), arrays["indices"], arrays["indptr"])
    return Dataset(
        name="pcmac",
        X=sparse.csr_array(parts, shape=tuple(arrays["shape"])),
        y=(arrays["y"] > 0).astype(np.int64),
        classes=np.array(["mac", "pc"]),
        description="word counts of posts on PC and Mac hardware",
        license=data_files()["pcmac.npz"].license,
    )


def _load(
    name: str,
    file: str,
    features: str,
    description: str,
    names: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
) -> Dataset:
    if features not in ("tfidf", "text"):
        raise ValueError(f'features={features!r} was given: load_{name} offers "tfidf" and "text".')
    lines = list(read_lines(file))
    lines.sort(key=lambda line: _PARTS.index(line.get("split", "train")))
    part = np.array([line.get("split", "train") for line in lines])
    collection = Dataset(
        name=name,
        X=np.array([_text_of(line) for line in lines], dtype=object),
        y=np.array([line["label"] for line in lines]),
        classes=np.array(_names_of(lines) if names is None else names),
        description=description,
        license=data_files()[file].license,
        n_train=int(np.count_nonzero(np.char.startswith(part, "train"))) if "split" in lines[0] else None,
        row_info={"part": part},
    )
    if keep is not None:
        collection = collection.only(*keep)
    return collection if features == "text" else _as_tfidf(collection)


def _text_of(line: dict[str, Any]) -> str:
    return f"{line['title']}\n{line['text']}" if "title" in line else line["text"]


def _names_of(lines: list[dict[str, Any]]) -> list[str]:
    names = {line["label"]: line["class"] for line in lines}
    return [names[label] for label in sorted(names)]


def _as_tfidf(collection: Dataset) -> Dataset:
    """Words that occur in two texts or more, (1 + log count) x idf over all rows, rows of unit length."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(min_df=2, sublinear_tf=True, dtype=np.float32)
    return replace(collection, X=sparse.csr_array(words.fit_transform(collection.X)))
