"""The default estimator: it averages many models instead of choosing one."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semisvm.estimators.class_shares import ClassShares, given_or_uniform
from semisvm.estimators.default.averaging import learn_by_averaging
from semisvm.estimators.default.label_free import LabelFreeKernels
from semisvm.estimators.default.last_members import LastMembers
from semisvm.estimators.default.learnt import Learnt
from semisvm.estimators.default.named import METHODS
from semisvm.estimators.default.preparation import scaled_by_much
from semisvm.estimators.default.report import ClassShare, Expectation, Report
from semisvm.estimators.default.settings import Settings
from semisvm.estimators.default.single import learn_by
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import Learner, TrainingSet
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import Weighting, one_of
from semisvm.estimators.progress import logger
from semisvm.estimators.row_sources import RowSource, refuse_pairs
from semisvm.estimators.space_store import SpaceStore, settings_of
from semisvm.estimators.whole_fits import all_or_nothing
from semisvm.geometry.distances import Points

COLUMNS = ("n_features_in_", "feature_names_in_")
"""What a fit learns about the columns; a refit keeps it."""


@dataclass(eq=False, repr=False, kw_only=True)
class S3VM(Weighting, Learner):
    """A semi-supervised classifier without anything to tune.

    Prepares the rows (scales columns, rows, or neither), builds kernels on all of them without a look at the labels
    (linear, two widths, three that follow a neighbor graph), and trains six families of models: S3VMs and SVMs on
    these kernels, an SVM on the labels alone, logistic regression, a random forest and extra trees. The prediction is
    their average, weighed by what each said of labels that it had not seen.

        P(x) = sum_f w_f p_f(x),      w_f ~ prior_f exp(-1/2 min(l, 30) L_f),      L_f: mean log-loss on left-out labels

    Up to 2,200 rows every row is a landmark of the kernels; beyond, 1,000 rows are, and memory grows with n, not n^2.
    Of more than 5,000 rows the sums over unlabeled rows are taken over 5,000 drawn ones. Beyond 20,000 rows neighbors
    are approximate, and kernels that follow their graph average features over neighbors. A method by its name also
    takes rows that are never held whole: Dask arrays and `chunked(X)`.

    Parameters
    ----------
    method : str
        "auto", or one method on one preparation with the median width: "cccp", "cccp-squared", "label-switching",
        "annealing", "gradient", "continuation", "newton", "quasi-newton", "mean", "laplacian-svm", "laplacian-rls",
        "branch-and-bound", "sdp", "supervised".
    C : float
        Weight of a labeled row's loss.
    ratio : "labeled", "estimated", "uniform", float or one number per class
        Share of the classes among the unlabeled rows; "labeled" takes it from the labels, shrunk a little towards
        equal shares, "estimated" from the labels and from what an SVM on them says of the unlabeled rows.
    threshold : {"auto", "share", "zero"}
        "share" moves the cut between the classes as far as the intervals of the shares demand, so that no class is
        filled beyond them; "zero" never moves it. "auto" moves it so that a class of one label among many gets no
        more rows than the upper end of its interval; for a method by name it is that method's own "auto".
    joint_counts : bool
        `transduction_` gives every class a count of the unlabeled rows within the interval of its share, all classes at
        once; exactly the share where `ratio` gives it.
    keep_kernels : bool
        Keep what does not depend on labels after the fit, for `refit`; it is never pickled.
    warm_start : bool
        A `refit` begins with the members of the last fit, where that shows no model a label that it is judged on.
    max_iter : int
        Iterations of each of the stages of each member (or of the named method).
    time_limit : float, optional
        Seconds after which no further member is begun; the most trusted kernels come first.
    random_state
        Draws the landmarks; None draws the same ones every time.

    Attributes
    ----------
    report_ : Report
        What was done, why, and what to expect of it: `verdict`, `expected_error`, `expected_interval`, `baselines`,
        `used`; `print(model.report_)`.
    evidence_ : Evidence
        What models that had not seen a label said of it: `rows`, `probabilities`; None where a method was named.
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
    threshold: str = "auto"
    joint_counts: bool = False
    keep_kernels: bool = True
    warm_start: bool = False
    tol: float = 1e-2
    max_iter: int = 30

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        one_of("method", self.method, ("auto", *METHODS))
        one_of("threshold", self.threshold, ("auto", "share", "zero"))
        one_of("joint_counts", self.joint_counts, (False, True))
        one_of("keep_kernels", self.keep_kernels, (False, True))
        one_of("warm_start", self.warm_start, (False, True))

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        if self.method != "supervised":
            self._warn_if_all_labeled(labels, "trains as a supervised method")
        return TrainingSet(points, points, labels, weights)

    # ---------------------------------------------------------------- refit

    def refit(self, y, sample_weight=None, *, drawn=None):
        """Train again on the rows of the last `fit`, with other labels; the result is that of a fresh `fit`.

        Everything that does not depend on labels is kept from the last `fit`: prepared rows, kernels, graphs and their
        leading directions. A new class is allowed.

        With `warm_start=True` S3VMs begin where those of the last fit ended and take the last of their stages alone;
        some rows then differ from a fresh `fit`, .7 to 6 % where it was measured. A model that leaves out the labels of
        a fold begins there only if none of these labels had been seen on the way. Otherwise it is trained as in a fresh
        fit, so that what is expected of the prediction comes from models that had not seen the label.
        """
        kept = getattr(self, "_kept", None)
        if kept is None:
            check_is_fitted(self)
            raise ValueError(
                "This S3VM holds no rows of a last fit and refit needs them: fit it with keep_kernels=True in this "
                "process first."
            )
        columns = {name: value for name, value in vars(self).items() if name in COLUMNS}
        with all_or_nothing(self):
            self._check_parameters()
            self.__dict__.update(columns)
            interrupt = self._fit_labels(kept.X, y, sample_weight, drawn=drawn)
        if interrupt is not None:
            raise interrupt
        return self

    def __getstate__(self):
        """The state without what is kept for `refit` or shared with other fits of a search."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_kept", "_space_store")}

    def _read_rows(self, X, *, reset: bool):
        if reset:
            self._kept: KeptRows | None = None
        return super()._read_rows(X, reset=reset)

    def _learn(self, training: TrainingSet, X, y) -> KeyboardInterrupt | None:
        began = time.monotonic()
        if self.method == "auto":
            refuse_pairs(
                training.points, "S3VM()", 'name a method that needs none, S3VM(method="gradient") for instance'
            )
        if self._kept is None and not isinstance(training.points, RowSource):
            self._warn_of_scales(training.points.X)
        settings, kernels = self._settings(training), None
        if self.method == "auto":
            kernels = self._label_free_kernels(settings)
            last = self._kept.members if self.warm_start and self._kept is not None else None
            learnt = learn_by_averaging(settings, kernels, last)
        else:
            learnt = learn_by(self.method, settings)
        self._kept = KeptRows(X, kernels, learnt.members if self.warm_start else None) if self.keep_kernels else None
        self._store(settings, learnt, time.monotonic() - began)
        logger.info("%s", self.report_.line())
        return learnt.interrupt

    def _label_free_kernels(self, settings: Settings) -> LabelFreeKernels:
        # a graph of labeled rows alone has nothing to add
        graphs = len(settings.training.labels.unlabeled) > 0
        if self._kept is not None and self._kept.kernels is not None and self._kept.kernels.graphs == graphs:
            return self._kept.kernels

        def make() -> LabelFreeKernels:
            return LabelFreeKernels.of(settings.X, settings.seed, graphs=graphs)

        # a search shares the kernels of its rows among all its fits
        store: SpaceStore | None = getattr(self, "_space_store", None)
        key = ("label-free kernels", settings_of(self.random_state), graphs)
        return make() if store is None else store.get(key, settings.training.points, make)

    def _store(self, settings: Settings, learnt: Learnt, seconds: float) -> None:
        labels = settings.training.labels
        self.ratio_, self.ratio_interval_ = learnt.shares.ratio, learnt.shares.ratio_interval
        self.threshold_ = learnt.threshold
        self.predictor_, self.calibration_ = learnt.predictor, learnt.calibration
        self.transduction_ = labels.classes[learnt.codes]
        self.objective_, self.stationarity_ = learnt.objective, learnt.stationarity
        self.n_iter_, self.path_, self.status_ = learnt.n_iter, learnt.path, learnt.status
        self.evidence_ = learnt.evidence
        self.report_ = self._report(labels, learnt, seconds)

    def _settings(self, training: TrainingSet) -> Settings:
        random = self._randomness()
        # the same landmarks and trees every time, unless asked otherwise
        seeds = (0, 0) if self.random_state is None else (int(random.randint(2**31 - 1)), random)
        return Settings(
            training=training,
            C=self.C,
            given=self._given_shares(training.labels),
            estimated=isinstance(self.ratio, str) and self.ratio == "estimated",
            threshold=self.threshold,
            joint_counts=self.joint_counts,
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
            seed=seeds[1],
            tree_seed=seeds[0],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _given_shares(self, labels: Labels) -> ClassShares | None:
        if isinstance(self.ratio, str) and self.ratio in ("labeled", "estimated"):
            return None
        return given_or_uniform(self.ratio, labels)

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

    def _report(self, labels: Labels, learnt: Learnt, seconds: float) -> Report:
        shares = learnt.shares
        evidence, filled = learnt.evidence, learnt.codes[labels.unlabeled]
        obtained = np.bincount(filled, minlength=len(labels.classes)) / max(1, len(filled))
        given = np.bincount(labels.codes[labels.labeled], minlength=len(labels.classes))
        return Report(
            method=self.method,
            n_labeled=len(labels.labeled),
            n_unlabeled=len(labels.unlabeled),
            classes=tuple(labels.classes.tolist()),
            shares=tuple(
                ClassShare(float(share), float(low), float(high), float(got), int(n))
                for share, (low, high), got, n in zip(shares.shares, shares.interval, obtained, given, strict=True)
            ),
            preparations=learnt.preparations,
            kernels=learnt.kernels,
            n_kernels=learnt.n_kernels,
            n_changed=learnt.n_changed,
            expectation=None if evidence is None else Expectation.of(evidence, float(shares.shares.max())),
            seconds=seconds,
        )


@dataclass(frozen=True, eq=False)
class KeptRows:
    """What a refit begins with: the rows as they were read and, for the average, label-free kernels and members."""

    X: Any
    kernels: LabelFreeKernels | None
    members: LastMembers | None
