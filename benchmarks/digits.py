"""Kernel methods on 2,000 digits of MNIST, 3 against 8, 50 labels: a task where the width of the kernel matters.

C 10 and gamma 0.0128 for pixels from 0 to 1; C_unlabeled and everything else at its default, the share of positives
taken from the labels (25 of each class); `S3VM()` with nothing said. In SVC fits on the same rows, all labels known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC

from benchmarks.harness.contest import Contest, Draw, Entry, Fit
from benchmarks.harness.figure import Figure
from semisvm import CCCPS3VM, S3VM, AnnealingS3VM, GradientS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM
from semisvm.datasets import hide_labels, load_mnist

TASK = "MNIST 3 vs 8, 2,000 rows"
FITS = "SVC fits"
ROWS, LABELS, SEEDS = 2_000, 50, 3
SETTINGS: dict[str, Any] = {"C": 10.0, "gamma": 0.0128}


def draws(n_rows: int, seeds: int) -> Iterator[Draw]:
    mnist = load_mnist(classes=(3, 8))
    for seed in range(seeds):
        rows = np.random.default_rng(seed).permutation(mnist.n_train)[:n_rows]
        X, y = mnist.X[rows], (mnist.y[rows] == mnist.y.max()).astype(int)
        known = np.concatenate([np.flatnonzero(y == one)[: LABELS // 2] for one in (0, 1)])
        yield Draw(X, y, hide_labels(y, known))


def fitting(model: Any) -> Fit:
    return lambda given: clone(model).fit(given.X, given.labels)


def supervised(given: Draw) -> SVC:
    return SVC(**SETTINGS).fit(given.X, given.y)


def entries() -> list[Entry]:
    hinge = LabelSwitchingS3VM(n_switches="all", loss="hinge", **SETTINGS)
    return [
        Entry("CCCP, ramp", fitting(CCCPS3VM(**SETTINGS)), 6.0),
        Entry("quasi-Newton", fitting(QuasiNewtonS3VM(**SETTINGS)), 6.0),
        Entry("gradient", fitting(GradientS3VM(**SETTINGS)), 6.0),
        Entry("multi-switch, hinge", fitting(hinge), 10.0),
        Entry("gradient annealing", fitting(AnnealingS3VM(**SETTINGS)), 25.0),
        Entry("S3VM()", fitting(S3VM()), None, "any", draws=2),
    ]


def figures() -> Iterator[Figure]:
    contest = Contest(TASK, {FITS: supervised}, entries())
    yield from contest.figures(next(draws(300, 1)), draws(ROWS, SEEDS))
