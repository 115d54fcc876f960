"""Linear methods on longer tables of text: 8,870 posts (comp.* against rec.*) and 50,000 film reviews, 200 labels.

C 1, the default tolerance, the share of positives that of the labels; the yardstick is LinearSVC() without an
intercept, all labels known. `S3VM()` is run on the posts, with nothing said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import LinearSVC

from benchmarks.harness.contest import Contest, Draw, Entry, Fit
from benchmarks.harness.figure import Figure
from semisvm import S3VM, AnnealingS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM
from semisvm.datasets import hide_labels, load_imdb, load_newsgroups

FITS = "LinearSVC fits"
LABELS, SEEDS = 200, 3


def draws(X: Any, y: np.ndarray) -> Iterator[Draw]:
    for seed in range(SEEDS):
        known = np.random.default_rng(seed).permutation(len(y))[:LABELS]
        yield Draw(X, y, hide_labels(y, known))


def small(X: Any, y: np.ndarray) -> Draw:
    """A few rows, for what is imported at first use."""
    rows = np.random.default_rng(0).permutation(len(y))[:300]
    return Draw(X[rows], y[rows], hide_labels(y[rows], np.arange(100)))


def fitting(model: Any) -> Fit:
    return lambda given: clone(model).fit(given.X, given.labels)


def supervised(given: Draw) -> LinearSVC:
    return LinearSVC(fit_intercept=False).fit(given.X, given.y)


def linear() -> list[Entry]:
    annealing = AnnealingS3VM(kernel="linear", cooling="adaptive")
    switching = LabelSwitchingS3VM(kernel="linear", n_switches="all", growth="adaptive")
    return [
        Entry("annealing, adaptive", fitting(annealing)),
        Entry("annealing, adaptive, no intercept", fitting(clone(annealing).set_params(fit_intercept=False))),
        Entry("annealing, adaptive, intercept by share", fitting(clone(annealing).set_params(fit_intercept="ratio"))),
        Entry("multi-switch, adaptive weights", fitting(switching)),
        Entry("multi-switch, hinge, adaptive weights", fitting(clone(switching).set_params(loss="hinge"))),
        Entry("quasi-Newton", fitting(QuasiNewtonS3VM(kernel="linear"))),
    ]


def posts() -> tuple[Any, np.ndarray]:
    groups = load_newsgroups()
    kind = np.array([str(name).split(".")[0] for name in groups.classes])[groups.y]
    rows = np.flatnonzero((kind == "comp") | (kind == "rec"))
    return groups.X[rows], (kind[rows] == "rec").astype(int)


def figures() -> Iterator[Figure]:
    X, y = posts()
    default = Entry("S3VM()", fitting(S3VM()), draws=1)
    contest = Contest(f"Posts, {len(y):,} rows", {FITS: supervised}, [*linear(), default])
    yield from contest.figures(small(X, y), draws(X, y))
    reviews = load_imdb()
    contest = Contest("Reviews, 50,000 rows", {FITS: supervised}, linear())
    yield from contest.figures(small(reviews.X, reviews.y), draws(reviews.X, reviews.y))
