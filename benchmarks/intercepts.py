"""Errors of annealing on texts with a free intercept, one that the share of positives sets, and none.

`python -m benchmarks.intercepts` prints the table of docs/parameters.md: three draws of 50 and of 200 labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.long_text import posts
from semisvm import AnnealingS3VM
from semisvm.datasets import (
    hide_labels,
    load_ag_news,
    load_imdb,
    load_movie_reviews,
    load_pcmac,
    load_reuters,
    load_text,
    load_webkb,
)

INTERCEPTS = (True, "ratio", False)
SEEDS = 3


def texts() -> Iterator[tuple[str, Any, np.ndarray]]:
    """(name, tf-idf rows, whether a row is positive)."""
    reviews = load_imdb()
    some = np.random.default_rng(5).permutation(len(reviews.y))[:10_000]
    yield "film reviews", reviews.X[some], reviews.y[some] == 1
    rows, kinds = posts()
    yield "newsgroups comp and rec", rows, kinds == 1
    for name, data in {
        "movie reviews of one sentence": load_movie_reviews(),
        "PCMAC": load_pcmac(),
        "Text": load_text(),
    }.items():
        yield name, data.X, data.y == 1
    news = load_ag_news()
    two = news.y < 2
    yield "AG News, two classes", news.X[two], news.y[two] == 1
    pages = load_webkb()
    by_size = np.bincount(pages.y).argsort()
    two = np.isin(pages.y, by_size[-2:])
    yield "WebKB, two classes", pages.X[two], pages.y[two] == by_size[-2]
    yield "WebKB, the rarest class", pages.X, pages.y == by_size[0]
    wire = load_reuters()
    yield "Reuters, the third class", wire.X, wire.y == np.bincount(wire.y).argsort()[-3]


def error(X: Any, positive: np.ndarray, n_labels: int, intercept: Any, seed: int) -> float:
    y = positive.astype(int)
    labels = hide_labels(y, np.random.default_rng(seed).permutation(len(y))[:n_labels])
    model = AnnealingS3VM(kernel="linear", cooling="adaptive", fit_intercept=intercept).fit(X, labels)
    hidden = labels < 0
    return 100 * float(np.mean(model.transduction_[hidden] != y[hidden]))


def main() -> None:
    print('| rows, share of positives | labels | free | `"ratio"` | `False` |\n|---|---|---|---|---|')
    for name, X, positive in texts():
        for n_labels in (50, 200):
            errors = [np.mean([error(X, positive, n_labels, one, s) for s in range(SEEDS)]) for one in INTERCEPTS]
            row = f"{name}, {len(positive):,}, {positive.mean():.2f}".replace("0.", ".") if n_labels == 50 else ""
            print(f"| {row} | {n_labels} | " + " | ".join(f"{one:.1f}" for one in errors) + " |", flush=True)


if __name__ == "__main__":
    main()
