"""Linear methods on sparse text (two newsgroups, 50 labels, the published splits), in LinearSVC fits with all labels.

C 1.25, the tolerance 0.01 (on one split tighter ones changed no error of three methods), C_unlabeled and everything
else at its default, the share of positives that of the unlabeled rows; the yardstick is LinearSVC(C=2.5,
fit_intercept=False). The ramp's peer was run with C = 2.5, so ours is run with it as well, in a row without a bar. All
ten splits, as for the peers: the first five are the harder ones. Fits take milliseconds: the fastest of several counts
for each split. Two rows have the weights and temperatures of SVMlin's authors and the tolerance 1e-6 of their program.
`S3VM()` is run with nothing said, on two splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.base import clone
from sklearn.svm import LinearSVC

from benchmarks.harness.contest import Contest, Draw, Entry, Fit
from benchmarks.harness.figure import Figure
from semisvm import CCCPS3VM, S3VM, AnnealingS3VM, GradientS3VM, LabelSwitchingS3VM, QuasiNewtonS3VM
from semisvm.datasets import load_text

TASK = "Text, linear"
FITS = "LinearSVC fits"
SPLITS, INNER = 10, 5


def with_ratio(model: Any) -> Fit:
    def fit(given: Draw) -> Any:
        share = float(given.y[given.hidden].mean())
        return clone(model).set_params(ratio=share).fit(given.X, given.labels)

    return fit


def entries() -> list[Entry]:
    settings: dict[str, Any] = {"kernel": "linear", "C": 1.25, "tol": 1e-2}
    switching = {"n_switches": "all", **settings}
    adaptive = LabelSwitchingS3VM(growth="adaptive", **switching)
    exact = {**settings, "tol": 1e-6}
    return [
        Entry("multi-switch, adaptive weights", with_ratio(adaptive), 10.0, "multi-switch"),
        Entry("multi-switch, published weights", with_ratio(LabelSwitchingS3VM(**switching)), None, "multi-switch"),
        Entry("quasi-Newton", with_ratio(QuasiNewtonS3VM(**settings)), 10.0, "quasi-Newton"),
        Entry("gradient", with_ratio(GradientS3VM(**settings)), 10.0),
        Entry("CCCP, squared hinge", with_ratio(CCCPS3VM(loss="squared_hinge", **settings)), 10.0),
        Entry("annealing, adaptive", with_ratio(AnnealingS3VM(cooling="adaptive", **settings)), 15.0, "annealing"),
        Entry("annealing, published cooling", with_ratio(AnnealingS3VM(**settings)), None, "annealing"),
        Entry(
            "multi-switch, published weights, tolerance 1e-6",
            with_ratio(LabelSwitchingS3VM(**{**switching, **exact})),
            None,
            "multi-switch",
        ),
        Entry("annealing, published cooling, tolerance 1e-6", with_ratio(AnnealingS3VM(**exact)), None, "annealing"),
        Entry("CCCP, ramp", with_ratio(CCCPS3VM(**settings)), 20.0, "CCCP ramp"),
        Entry("CCCP, ramp, C 2.5", with_ratio(CCCPS3VM(**{**settings, "C": 2.5})), None, "CCCP ramp"),
    ]


def supervised(given: Draw) -> LinearSVC:
    return LinearSVC(C=2.5, fit_intercept=False).fit(given.X, given.y)


def figures() -> Iterator[Figure]:
    text = load_text()
    draws = [Draw(text.X, text.y, text.partial_labels(split)) for split in range(SPLITS)]
    yield from Contest(TASK, {FITS: supervised}, entries(), inner=INNER).figures(draws[0], draws)
    default = Entry("S3VM()", lambda given: S3VM().fit(given.X, given.labels))
    yield from Contest(TASK, {FITS: supervised}, [default]).figures(draws[0], draws[:2])
