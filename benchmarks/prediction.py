"""Kernel prediction of 100,000 rows by about 1,900 support vectors, in predictions of scikit-learn-intelex, one thread.

Normal rows with labels drawn at random, so that nearly all of 2,000 training rows are support vectors; both programs
are trained on the same rows, in the precision of the rows they predict. Where scikit-learn-intelex is not installed
there is no such figure. A single row is counted in predictions of SVC, with 100 training rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.harness.contest import Contest, Draw, Entry, Fit
from benchmarks.harness.figure import Figure
from semisvm import SupervisedSVM

ROWS, TRAINING, SEEDS = 100_000, 2_000, 3
MANY, SINGLE = "scikit-learn-intelex predictions", "SVC predictions"
AGAIN = 1_000
"""Predictions of a single row that are timed together."""


def intelex() -> type | None:
    """The classifier of scikit-learn-intelex on one thread, where it is installed."""
    try:
        import sklearnex.svm
        from daal4py import daalinit
    except ImportError:
        return None
    daalinit(1)
    return sklearnex.svm.SVC


def draws(d: int, dtype: type, n_training: int, n_rows: int, peer: Any) -> Iterator[Draw]:
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        X, rows = (rng.normal(size=(n, d)).astype(dtype) for n in (n_training, n_rows))
        y = rng.integers(2, size=n_training)
        ours = SupervisedSVM(loss="hinge", gamma=0.5 / d, unlabeled=None).fit(X, y)
        made = {"ours": ours, "peer": peer(gamma=0.5 / d).fit(X, y)}
        yield Draw(rows, np.zeros(n_rows, dtype=int), np.zeros(n_rows, dtype=int), made)


def predicting(which: str, again: int = 1) -> Fit:
    def predict(given: Draw) -> Any:
        for _ in range(again):
            answers = given.made[which].predict(given.X)
        return answers

    return predict


def figures() -> Iterator[Figure]:
    accelerated = intelex()
    if accelerated is not None:
        for d in (50, 768):
            for dtype in (np.float32, np.float64):
                entry = Entry(f"prediction, {np.dtype(dtype).name}", predicting("ours"), 1.1, labels_rows=False)
                contest = Contest(f"100,000 rows, {d} columns", {MANY: predicting("peer")}, [entry])
                warm_up = next(draws(d, dtype, 100, 100, accelerated))
                yield from contest.figures(warm_up, draws(d, dtype, TRAINING, ROWS, accelerated))
    entry = Entry("prediction, float64", predicting("ours", AGAIN), 1.0, labels_rows=False)
    contest = Contest("One row, 50 columns", {SINGLE: predicting("peer", AGAIN)}, [entry])
    one = list(draws(50, np.float64, 100, 1, SVC))
    yield from contest.figures(one[0], one)
