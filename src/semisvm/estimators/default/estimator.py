"""The default for people who have labels, rows and no time to choose: average, don't choose."""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from semisvm.distances import Points
from semisvm.estimators.classifier import Classifier, TrainingSet, codes_of
from semisvm.estimators.default.average import AveragePredictor, PreparedPredictor, voices, weighed_by_agreement
from semisvm.estimators.default.members import Member, Task, fit_members, groups
from semisvm.estimators.default.named import METHODS, named
from semisvm.estimators.default.preparation import Preparation, preparations, scaled_by_much
from semisvm.estimators.default.report import Comparison, KernelShare, Report
from semisvm.estimators.default.views import GRAPHS, KernelView, kernel_views, rank_for
from semisvm.estimators.default.weights import kernel_weights, left_out_residual
from semisvm.estimators.labels import Labels
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import Weighting, class_weights, one_of
from semisvm.estimators.probabilities import Calibration, ClassShares, class_scores
from semisvm.estimators.progress import inner_fit, logger
from semisvm.estimators.semi_supervised import given_ratio
from semisvm.spaces import Predictor

PSEUDO_COUNTS = 4.0
"""Labels of every class together that are imagined besides the real ones when shares are estimated."""


@dataclass(eq=False, repr=False, kw_only=True)
class S3VM(Weighting, Classifier):
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
    tol: float = 1e-2
    max_iter: int = 30

    kernel: ClassVar[Any] = "rbf"  # type: ignore[misc]
    gamma: ClassVar[Any] = "median"  # type: ignore[misc]
    degree: ClassVar[int] = 3  # type: ignore[misc]
    coef0: ClassVar[float] = 0.0  # type: ignore[misc]
    n_components: ClassVar[int | None] = None  # type: ignore[misc]
    graph: ClassVar[Any] = None  # type: ignore[misc]
    deformation: ClassVar[float] = 1.0  # type: ignore[misc]
    fit_intercept: ClassVar[bool] = True  # type: ignore[misc]
    warm_start: ClassVar[bool] = False  # type: ignore[misc]

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        one_of("method", self.method, ("auto", *METHODS))

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        if not len(labels.unlabeled) and self.unlabeled is not None and self.method != "supervised":
            notice(
                f"S3VM was given no unlabeled rows (unlabeled={self.unlabeled!r} marks them) and trains as a "
                "supervised method."
            )
        return TrainingSet(points, points, labels, weights)

    def _solve(self, training: TrainingSet, X, y) -> None:
        began = time.monotonic()
        self._warn_of_scales(training.points.X)
        labels = training.labels
        self.ratio_ = self._settled_ratio(labels)
        if self.method == "auto":
            report = self._average(training, began)
        else:
            report = self._single(training, began)
        self.report_ = report
        logger.info("%s", report.line())

    # ---------------------------------------------------------------- many kernels

    def _average(self, training: TrainingSet, began: float) -> Report:
        X, labels = training.points.X, training.labels
        prepared = preparations(X)
        task = self._task(training)
        # a graph of labeled rows alone has nothing to add
        graphs = GRAPHS if len(task.unlabeled) else ()
        tried = list(kernel_views(X, prepared, self._seed(), graphs))
        residuals = np.array([left_out_residual(v.some_features(task.labeled), task.y[task.labeled]) for v in tried])
        weights = kernel_weights(residuals, len(task.labeled))
        order = [k for k in np.argsort(-weights, kind="stable") if weights[k] > 0]
        members, stopped = self._members(tried, weights, order, task, began)
        members = weighed_by_agreement(members, _reference(task))
        self._store_average(training, task, members)
        residual = {view.title: float(q) for view, q in zip(tried, residuals, strict=True)}
        kernels = tuple(KernelShare(m.view.title, float(m.weight), residual[m.view.title]) for m in members)
        comparison = self._comparison(training, task, members, prepared[0])
        report = self._told(labels, tuple(p.name for p in prepared), kernels, len(tried), comparison, began)
        if stopped is not None:
            self.report_ = report
            raise stopped
        return report

    def _members(
        self, tried: list[KernelView], weights: np.ndarray, order: list, task: Task, began: float
    ) -> tuple[list[Member], KeyboardInterrupt | None]:
        """The members, as many as time allows, with weights that sum to one; and what interrupted them."""
        members: list[Member] = []
        stopped: KeyboardInterrupt | None = None
        chosen = [tried[k] for k in order]
        # one by one where time is short, side by side elsewhere
        parts = groups(chosen, len(task.y)) if self.time_limit is None else [range(k, k + 1) for k in range(len(order))]
        self.status_ = "converged"
        try:
            for part in parts:
                if members and self.time_limit is not None and time.monotonic() - began > self.time_limit:
                    self.status_ = "stopped at time_limit"
                    break
                views = [chosen[k].leading(rank_for(chosen[k])) for k in part]
                fit = fit_members(views, [float(weights[order[k]]) for k in part], task, self.tol, self.max_iter)
                members += fit.members
                if fit.interrupt is not None:
                    raise fit.interrupt
        except KeyboardInterrupt as interrupt:
            if not members:
                raise
            self.status_, stopped = "interrupted", interrupt
            notice(f"S3VM was interrupted after {len(members)} of {len(order)} members and is left fitted with these.")
        total = sum(member.weight for member in members)
        return [member.with_weight(member.weight / total) for member in members], stopped

    def _task(self, training: TrainingSet) -> Task:
        labels = training.labels
        labeled = labels.labeled[training.weights[labels.labeled] > 0]
        return Task(
            y=labels.signs(),
            codes=labels.codes[labeled],
            labeled=labeled,
            unlabeled=labels.unlabeled,
            weights=self.C * training.weights,
            ratio=self.ratio_,
        )

    def _store_average(self, training: TrainingSet, task: Task, members: list[Member]) -> None:
        labels = training.labels
        heard = voices(members, _reference(task))
        scores = _sum([voice.on_training_rows() for voice in heard])
        self.predictor_: Predictor = AveragePredictor.of(heard)
        codes = labels.codes.copy()
        codes[labels.unlabeled] = codes_of(scores[labels.unlabeled])
        self.transduction_ = labels.classes[codes]
        of_class = class_weights(self.class_weight, labels.classes, task.codes)[task.codes]
        self.calibration_ = Calibration(
            labeled=class_scores(_sum([voice.left_out() for voice in heard])),
            codes=task.codes,
            weights=training.weights[task.labeled] / of_class,
            unlabeled=class_scores(scores[labels.unlabeled[:: max(1, len(labels.unlabeled) // 5000)]]),
            expected=self._known_shares(labels),
        )
        models = [voice.model for voice in heard]
        self.n_iter_ = sum(model.n_iter for model in models)
        self.objective_ = _sum([voice.share * voice.model.objective for voice in heard])
        self.stationarity_ = np.max([model.stationarity for model in models], axis=0)
        self.path_ = [
            {"kernel": member.view.title, "share": member.weight, **stage}
            for member in members
            for stage in (member.semi_supervised or member.supervised).path
        ]

    def _comparison(
        self, training: TrainingSet, task: Task, members: list[Member], preparation: Preparation
    ) -> Comparison:
        """Against an SVM that saw no unlabeled row: the supervised part of a graph's kernel would know them all."""
        ours = voices(members, _reference(task))
        baseline = self._fit_named("supervised", preparation.apply(training.points.X), training)

        def classes(parts: list[np.ndarray]) -> np.ndarray:
            return codes_of(_sum(parts))

        unlabeled = task.unlabeled
        return Comparison.of(
            classes([v.on_training_rows()[unlabeled] for v in ours]),
            baseline.transduction_[unlabeled],
            task.codes,
            (classes([v.left_out() for v in ours]), np.argmax(baseline.calibration_.labeled, axis=1)),
        )

    # ---------------------------------------------------------------- one method

    def _single(self, training: TrainingSet, began: float) -> Report:
        preparation = preparations(training.points.X)[0]
        X, labels = preparation.apply(training.points.X), training.labels
        model = self._fit_named(self.method, X, training)
        self.predictor_ = PreparedPredictor(preparation, model.predictor_)
        self.calibration_ = model.calibration_
        self.transduction_ = labels.classes[model.transduction_]
        self.objective_, self.stationarity_ = model.objective_, model.stationarity_
        self.n_iter_, self.path_, self.status_ = model.n_iter_, model.path_, model.status_
        unlabeled = labels.unlabeled
        ours = model.transduction_[unlabeled]
        baseline = model if self.method == "supervised" else self._fit_named("supervised", X, training)
        kernel = f"{model.kernel} on {preparation.name}"
        share = KernelShare(kernel, 1.0, float("nan"))
        comparison = Comparison.of(
            ours,
            baseline.transduction_[unlabeled],
            model.calibration_.codes,
            (np.argmax(model.calibration_.labeled, axis=1), np.argmax(baseline.calibration_.labeled, axis=1)),
        )
        return self._told(labels, (preparation.name,), (share,), 1, comparison, began)

    def _fit_named(self, method: str, X: Any, training: TrainingSet) -> Classifier:
        labels = training.labels
        of_class = class_weights(self.class_weight, labels.classes, labels.codes[labels.labeled])
        factor = np.ones(len(labels.codes))
        factor[labels.labeled] = of_class[labels.codes[labels.labeled]]
        weights = np.divide(training.weights, factor, out=np.zeros_like(factor), where=factor > 0)
        running = {
            "class_weight": dict(enumerate(of_class)),
            "unlabeled": -1 if len(labels.unlabeled) else None,
            "tol": self.tol,
            "max_iter": max(self.max_iter, 1000),
            "time_limit": self.time_limit,
            "random_state": self._seed(),
            "verbose": self.verbose,
        }
        ratio = float(self.ratio_[0]) if len(self.ratio_) == 1 else self.ratio_ / self.ratio_.sum()
        model = named(method, len(labels.codes), self.C, ratio, sparse=sp.issparse(X), running=running)
        with inner_fit():
            return model.fit(X, labels.codes, weights)

    # ---------------------------------------------------------------- shared

    def _seed(self) -> Any:
        return 0 if self.random_state is None else self._randomness()

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

    def _known_shares(self, labels: Labels) -> ClassShares | None:
        if not len(labels.unlabeled):
            return None
        worth = len(labels.labeled) if self.ratio == "labeled" else len(labels.unlabeled)
        return ClassShares(self._shares(), float(worth))

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

    def _told(
        self,
        labels: Labels,
        prepared: tuple[str, ...],
        kernels: tuple[KernelShare, ...],
        n_kernels: int,
        comparison: Comparison,
        began: float,
    ) -> Report:
        return Report(
            method=self.method,
            n_labeled=len(labels.labeled),
            n_unlabeled=len(labels.unlabeled),
            classes=tuple(labels.classes.tolist()),
            shares=tuple(self._shares().tolist()),
            preparations=prepared,
            kernels=kernels,
            n_kernels=n_kernels,
            comparison=comparison,
            seconds=time.monotonic() - began,
        )


def _reference(task: Task) -> np.ndarray:
    """Rows that settle the size of scores: the unlabeled ones, or all where there are none."""
    return task.unlabeled if len(task.unlabeled) else task.labeled


def _sum(parts: list[np.ndarray]) -> np.ndarray:
    return np.sum(parts, axis=0)
