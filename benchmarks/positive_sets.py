"""Sets with positive rows and others: those that are reported, and those that defaults are chosen on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from semisvm.datasets import load_mnist, load_newsgroups, load_reuters, load_table, load_uci, load_usps, load_webkb

SIZES = (20, 50, 200)
"""Positive rows that are labeled; at least as many stay hidden."""
ROWS, POSITIVES = 2000, 2 * SIZES[-1]
"""A set is so many of its rows, and more where fewer of these are positive."""
REPORTED_TABLES = (
    *("bands", "breast", "chess", "hypothyroid", "lymphography", "mammography", "monk-2", "pc1", "ring", "spectfheart"),
    "twonorm",
)
TUNING_TABLES = (
    *("adult", "banana", "banknote", "bupa", "crx", "haberman", "kc1", "mammographic", "oil-spill", "saheart"),
    "tic-tac-toe",
)
"""All two-class tables with 40 rows or more of the rarer class, which is positive, in even and odd places of the
alphabet."""
EVEN = (0, 2, 4, 6, 8)

PositiveSet = Callable[[], tuple[Any, np.ndarray]]
"""Gives rows, and which of them are positive."""


def drawn_rows(X: Any, positive: np.ndarray) -> tuple[Any, np.ndarray]:
    """The first rows of a random order that are enough, or all."""
    order = np.random.default_rng(0).permutation(len(positive))
    enough = np.searchsorted(np.cumsum(positive[order]), POSITIVES) + 1
    rows = order[: max(ROWS, enough)]
    return X[rows], positive[rows]


@cache
def loaded(load: Callable[..., Any], *names: str) -> Any:
    return load(*names)


def of_classes(classes: Sequence[int], load: Callable[..., Any], *names: str) -> tuple[Any, np.ndarray]:
    data = loaded(load, *names)
    return drawn_rows(data.X, np.isin(data.y, classes))


def of_topic(topic: str) -> tuple[Any, np.ndarray]:
    data = loaded(load_newsgroups)
    return drawn_rows(data.X, np.array([name.startswith(topic) for name in data.classes])[data.y])


def of_texts(place: int, load: Callable[[], Any]) -> tuple[Any, np.ndarray]:
    """The class in this place of their order by size, against the others."""
    data = loaded(load)
    return drawn_rows(data.X, data.y == np.argsort(-np.bincount(data.y), kind="stable")[place])


def of_table(name: str) -> tuple[Any, np.ndarray]:
    data = load_table(name)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    return drawn_rows(StandardScaler().fit_transform(X), data.y == np.bincount(data.y).argmin())


SETS: dict[str, PositiveSet] = {
    "MNIST, even": partial(of_classes, EVEN, load_mnist),
    "MNIST, 3": partial(of_classes, (3,), load_mnist),
    "MNIST, 8": partial(of_classes, (8,), load_mnist),
    "newsgroups, sci": partial(of_topic, "sci."),
    "newsgroups, rec": partial(of_topic, "rec."),
    "newsgroups, comp": partial(of_topic, "comp."),
    **{name: partial(of_table, name) for name in REPORTED_TABLES},
}
TUNING_SETS: dict[str, PositiveSet] = {
    "USPS, even": partial(of_classes, EVEN, load_usps),
    "USPS, 4": partial(of_classes, (4,), load_usps),
    "pendigits, even": partial(of_classes, EVEN, load_uci, "pendigits"),
    "pendigits, 5": partial(of_classes, (5,), load_uci, "pendigits"),
    "WebKB, 1st class": partial(of_texts, 0, load_webkb),
    "WebKB, 3rd class": partial(of_texts, 2, load_webkb),
    "Reuters, 1st class": partial(of_texts, 0, load_reuters),
    "Reuters, 2nd class": partial(of_texts, 1, load_reuters),
    **{name: partial(of_table, name) for name in TUNING_TABLES},
}


def known_rows(positive: np.ndarray, size: int, seed: int) -> np.ndarray | None:
    """Positive rows that are labeled, or None where fewer than half of all would stay hidden."""
    members = np.flatnonzero(positive)
    return None if 2 * size > len(members) else np.random.default_rng(seed).permutation(members)[:size]


def kernel_of(X: Any) -> dict[str, Any]:
    return {"kernel": "linear"} if hasattr(X, "tocsr") else {}
