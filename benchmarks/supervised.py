"""Supervised SVMs against scikit-learn's, all rows labeled: the hinge against SVC, the squared hinge against LinearSVC.

MNIST 3 against 8 and 500 rows of it, at the tolerance 1e-3 of SVC; the ten digits of USPS with the kernel and the
squared hinge that nothing has to be said for, each program at its own tolerance; Text without an intercept, ours at a
tolerance whose objective is within one part in ten million of LinearSVC's (tests hold the objectives against each
other); Text and 8,870 posts with an intercept, each program as it is without a word: the intercept has no penalty here
and one in LinearSVC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC, LinearSVC

from benchmarks.harness.contest import Contest, Draw, Entry
from benchmarks.harness.figure import Figure
from benchmarks.long_text import posts
from benchmarks.prediction import intelex
from semisvm import SupervisedSVM
from semisvm.datasets import load_mnist, load_text, load_usps

C, GAMMA, TOL = 10.0, 0.0128, 1e-3
SEEDS = 3


def hinge(given: Draw) -> SupervisedSVM:
    return SupervisedSVM(loss="hinge", C=C, gamma=GAMMA, tol=TOL, unlabeled=None).fit(given.X, given.y)


def libsvm(given: Draw) -> SVC:
    return SVC(C=C, gamma=GAMMA, tol=TOL).fit(given.X, given.y)


def squared_hinge(given: Draw) -> SupervisedSVM:
    model = SupervisedSVM(kernel="linear", C=2.5, fit_intercept=False, tol=1e-2, unlabeled=None)
    return model.fit(given.X, given.y)


def liblinear(given: Draw) -> LinearSVC:
    return LinearSVC(C=2.5, fit_intercept=False).fit(given.X, given.y)


def linear_by_default(given: Draw) -> SupervisedSVM:
    return SupervisedSVM(kernel="linear", unlabeled=None).fit(given.X, given.y)


def liblinear_by_default(given: Draw) -> LinearSVC:
    return LinearSVC().fit(given.X, given.y)


def by_default(given: Draw) -> SupervisedSVM:
    return SupervisedSVM(gamma="scale", unlabeled=None).fit(given.X, given.y)


def libsvm_by_default(given: Draw) -> SVC:
    return SVC().fit(given.X, given.y)


def accelerated(**parameters: Any) -> list[Entry]:
    """SVC of scikit-learn-intelex, where it is installed."""
    found = intelex()
    if found is None:
        return []

    def fit(given: Draw) -> Any:
        return found(**parameters).fit(given.X, given.y)

    return [Entry("SVC (scikit-learn-intelex)", fit, labels_rows=False)]


def usps(n_rows: int) -> Iterator[Draw]:
    digits = load_usps()
    for seed in range(SEEDS):
        rows = np.random.default_rng(seed).permutation(len(digits.y))[:n_rows]
        yield Draw(digits.X[rows], digits.y[rows], digits.y[rows])


def digits(n_rows: int) -> Iterator[Draw]:
    mnist = load_mnist(classes=(3, 8))
    X, y = mnist.X[: mnist.n_train], mnist.y[: mnist.n_train]
    for seed in range(SEEDS):
        rows = np.random.default_rng(seed).permutation(len(y))[:n_rows]
        yield Draw(X[rows], y[rows], y[rows])


def figures() -> Iterator[Figure]:
    entries = [
        Entry("supervised, hinge", hinge, 1.0, labels_rows=False),
        *accelerated(C=C, gamma=GAMMA, tol=TOL),
    ]
    few = list(digits(500))
    yield from Contest("MNIST 3 vs 8, 500 rows", {"SVC fits": libsvm}, entries, inner=5).figures(few[0], few)
    yield from Contest("MNIST 3 vs 8, 6,000 rows", {"SVC fits": libsvm}, entries).figures(few[0], digits(6_000))
    entries = [Entry("supervised, squared hinge", by_default, 2.0, labels_rows=False), *accelerated()]
    yield from Contest("USPS, 7,000 rows", {"SVC fits": libsvm_by_default}, entries).figures(
        next(usps(500)), usps(7_000)
    )
    text = load_text()
    draws = [Draw(text.X, text.y, text.y)] * SEEDS
    entries = [Entry("supervised, squared hinge", squared_hinge, 1.1, labels_rows=False)]
    yield from Contest("Text, all labels", {"LinearSVC fits": liblinear}, entries, inner=9).figures(draws[0], draws)
    X, y = posts()
    entries = [Entry("supervised, squared hinge, intercept", linear_by_default, 1.1, labels_rows=False)]
    yardstick = {"LinearSVC fits": liblinear_by_default}
    yield from Contest("Text, all labels", yardstick, entries, inner=9).figures(draws[0], draws)
    draws = [Draw(X, y, y)] * SEEDS
    yield from Contest(f"Posts, {len(y):,} rows, all labels", yardstick, entries, inner=3).figures(draws[0], draws)
