"""The default for people who have labels, rows and no time to choose: average, don't choose."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.distances import Points
from semisvm.estimators.default.averaging import learn_by_averaging
from semisvm.estimators.default.job import Job, Learnt
from semisvm.estimators.default.named import METHODS
from semisvm.estimators.default.preparation import scaled_by_much
from semisvm.estimators.default.report import Report
from semisvm.estimators.default.single import learn_by
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import Learner, TrainingSet
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import Weighting, one_of
from semisvm.estimators.probabilities import ClassShares
from semisvm.estimators.progress import logger
from semisvm.estimators.semi_supervised import given_ratio

PSEUDO_COUNTS = 4.0
"""Labels of every class together that are imagined besides the real ones when shares are estimated."""


@dataclass(eq=False, repr=False, kw_only=True)
class S3VM(Weighting, Learner):
    """A semi-supervised classifier without anything to tune.

    Prepares the rows (scales columns, rows, or neither), builds kernels on all of them without a look at the labels
    (linear, two widths, three that follow a neighbour graph), trains a gradient S3VM and a supervised SVM on each, and
    averages their scores by how well each kernel predicts a label it has not seen, and by how often its models agree
    with the average.

        F = sum_k w_k [g(S3VM_k) + 1/2 g(SVM_k)] / (3/2)       g: scores in a common size, cut where they are large

    Up to 2,200 rows every row is a landmark of the kernels; beyond, 1,000 rows are, and memory grows with n, not n^2.

    Parameters
    ----------
    method : str
        "auto", or one method on one preparation with the median width: "cccp", "cccp-squared", "label-switching",
        "annealing", "gradient", "continuation", "newton", "quasi-newton", "mean", "laplacian-svm", "laplacian-rls",
        "branch-and-bound", "sdp", "supervised".
    C : float
        Weight of a labeled row's loss.
    ratio : "labeled", "uniform", float or one number per class
        Share of the classes among the unlabeled rows; "labeled" estimates it from the labels, pulled a little towards
        equal shares.
    joint_counts : bool
        `transduction_` gives every class its expected count of the unlabeled rows, all classes at once.
    max_iter : int
        Iterations of each of the stages of each member (or of the named method).
    time_limit : float, optional
        Seconds after which no further member is begun; the most trusted kernels come first.
    random_state
        Draws the landmarks; None draws the same ones every time.

    Attributes
    ----------
    report_ : Report
        What was done, why, and whether the unlabeled rows helped; `print(model.report_)`.
    path_ : list of dict
        How the model came about, one record per stage, and with "auto" per kernel and stage: `kernel`, its `share` of
        the average, `weight` of the unlabeled rows, `objective`, rows whose class `changed`, `seconds`.

    Examples
    --------
    >>> import numpy as np
    >>> from semisvm import S3VM
    >>> rows = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[-2, 0], [2, 0]], 30, axis=0)
    >>> labels = np.full(60, -1)
    >>> labels[[0, 1, 30, 31]] = 0, 0, 1, 1
    >>> model = S3VM().fit(rows, labels)
    >>> float((model.transduction_[30:] == 1).mean()) > 0.9
    True
    """

    method: str = "auto"
    C: float = 10.0
    ratio: Any = "labeled"
    joint_counts: bool = False
    tol: float = 1e-2
    max_iter: int = 30

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        one_of("method", self.method, ("auto", *METHODS))
        one_of("joint_counts", self.joint_counts, (False, True))

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        if self.method != "supervised":
            self._tell_if_all_is_labeled(labels, "trains as a supervised method")
        return TrainingSet(points, points, labels, weights)

    def _learn(self, training: TrainingSet, X, y) -> KeyboardInterrupt | None:
        began, labels = time.monotonic(), training.labels
        self._warn_of_scales(training.points.X)
        self.ratio_ = self._settled_ratio(labels)
        job = self._job(training)
        learnt = learn_by_averaging(job) if self.method == "auto" else learn_by(self.method, job)
        self.predictor_, self.calibration_ = learnt.predictor, learnt.calibration
        self.transduction_ = labels.classes[learnt.codes]
        self.objective_, self.stationarity_ = learnt.objective, learnt.stationarity
        self.n_iter_, self.path_, self.status_ = learnt.n_iter, learnt.path, learnt.status
        self.report_ = self._told(labels, learnt, time.monotonic() - began)
        logger.info("%s", self.report_.line())
        return learnt.interrupt

    def _job(self, training: TrainingSet) -> Job:
        return Job(
            training=training,
            C=self.C,
            ratio=self.ratio_,
            expected=self._expected_shares(training.labels),
            joint_counts=self.joint_counts,
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
            # the same landmarks every time, unless asked otherwise
            seed=0 if self.random_state is None else self._randomness(),
            verbose=self.verbose,
        )

    # ---------------------------------------------------------------- the shares of the classes

    def _settled_ratio(self, labels: Labels) -> np.ndarray:
        k = len(labels.classes)
        if isinstance(self.ratio, str):
            one_of("ratio", self.ratio, ("labeled", "uniform"))
            counts = np.bincount(labels.codes[labels.labeled], minlength=k)
            # (n_c + 4 / k) / (l + 4)
            shares = (counts + PSEUDO_COUNTS / k) / (counts.sum() + PSEUDO_COUNTS)
            if self.ratio == "uniform":
                shares = np.full(k, 1.0 / k)
            return shares[1:] if k == 2 else shares
        return given_ratio(self.ratio, labels)

    def _shares(self) -> np.ndarray:
        r = self.ratio_
        return np.array([1.0 - r[0], r[0]]) if len(r) == 1 else r / r.sum()

    def _expected_shares(self, labels: Labels) -> ClassShares | None:
        if not len(labels.unlabeled):
            return None
        estimated = isinstance(self.ratio, str) and self.ratio == "labeled"
        worth = len(labels.labeled) if estimated else len(labels.unlabeled)
        return ClassShares(self._shares(), float(worth))

    # ---------------------------------------------------------------- what it says

    def _warn_of_scales(self, X: Any) -> None:
        found = scaled_by_much(X)
        if found is None:
            return
        column, times = found
        names = getattr(self, "feature_names_in_", None)
        which = f"{names[column]!r}" if names is not None else f"{column}"
        notice(
            f"Column {which} varies {times:,.0f} times as much as the median column; all columns were scaled to one "
            "standard deviation: drop or transform it if it is an identifier or has a few huge values."
        )

    def _told(self, labels: Labels, learnt: Learnt, seconds: float) -> Report:
        return Report(
            method=self.method,
            n_labeled=len(labels.labeled),
            n_unlabeled=len(labels.unlabeled),
            classes=tuple(labels.classes.tolist()),
            shares=tuple(self._shares().tolist()),
            preparations=learnt.preparations,
            kernels=learnt.kernels,
            n_kernels=learnt.n_kernels,
            comparison=learnt.comparison,
            seconds=seconds,
        )
