"""The one way through `fit` and `predict` that all classifiers share.

fit:      rows and labels -> space -> balance -> problem -> run(algorithm) -> fitted attributes
predict:  scores of the stored predictor -> class
"""

from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from semisvm._compat import CallbackSupportMixin, check_sample_weight, take_rows, with_callbacks
from semisvm.algorithms import Algorithm, Candidate, Interrupted, Solution, Status, run
from semisvm.algorithms.algorithm import Watcher
from semisvm.distances import Points
from semisvm.estimators.folds import warn_inside_cross_validation
from semisvm.estimators.labels import Labels, labeled_part, read_labels, with_marker
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import KernelChoice, Running, class_weights, share
from semisvm.estimators.probabilities import Calibration, ClassShares, class_scores
from semisvm.estimators.progress import CallbackBridge, TerminalLine, Together, logger
from semisvm.estimators.row_sources import by_blocks, points_of, read_source, row_source
from semisvm.problem import Point, Problem
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor

DTYPES = (np.float64, np.float32)


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The rows an estimator trains on: all of them, or the labeled ones."""

    points: Points
    every_point: Points
    labels: Labels
    weights: np.ndarray
    """Weight of each row's loss relative to C: sample weight times class weight."""

    @property
    def n_rows(self) -> int:
        return len(self.points)


@dataclass(eq=False, repr=False, kw_only=True)
class Classifier(Running, KernelChoice, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Everything but the problem and the algorithm, which a method supplies."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse what cannot be meant, in one sentence each."""

    @abstractmethod
    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        """Which rows take part."""

    @abstractmethod
    def _problem(self, training: TrainingSet) -> Problem:
        """The objective on the training rows."""

    @abstractmethod
    def _algorithm(self, problem: Problem) -> Algorithm:
        """How it is minimised."""

    def _watchers(self, problem: Problem, training: TrainingSet) -> list[Watcher]:
        """What follows the run and may stop it early; nothing by default."""
        return []

    @abstractmethod
    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        """(u, k) scores, or labels +-1 where the method assigns them itself, of the unlabeled rows."""

    # ---------------------------------------------------------------- fit

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Train on the rows of X; rows whose label is `unlabeled` (or missing) are unlabeled.

        X_val, y_val are not trained on: where they are given, probabilities are calibrated on them instead of on the
        labeled rows of X, each without its own label.
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("One of X_val and y_val was given and both, or neither, are needed.")
        self._check_parameters()
        X = self._read_rows(X, reset=True)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        labels = read_labels(y, self.unlabeled)
        if len(labels.codes) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]:,} rows and y has {len(labels.codes):,}: the same number is needed.")
        training = self._training_set(points_of(X), labels, self._row_weights(labels, sample_weight, X))
        self.classes_ = labels.classes
        with nullcontext() if self.n_jobs is None else threadpool_limits(self._threads()):
            self._solve(training, X, y)
            if X_val is not None:
                self.calibration_ = self._calibrated_on(X_val, y_val)
        return self

    def _calibrated_on(self, X_val, y_val) -> Calibration:
        """The calibration with these labeled rows in place of those of training."""
        rows, known = labeled_part(y_val, self.unlabeled)
        strangers = np.setdiff1d(known, self.classes_)
        if len(strangers):
            raise ValueError(f"y_val contains {strangers.tolist()[0]!r} and the classes are {self.classes_.tolist()}.")
        scores = self.decision_function(X_val)
        if len(scores) != len(y_val) or not len(rows):
            raise ValueError(
                f"X_val has {len(scores):,} rows and y_val has {len(y_val):,}, of which {len(rows):,} are labels: the "
                "same number of rows and at least one label are needed."
            )
        codes = np.searchsorted(self.classes_, known)
        return replace(self.calibration_, labeled=class_scores(scores[rows]), codes=codes, weights=np.ones(len(codes)))

    def _solve(self, training: TrainingSet, X, y) -> None:
        problem = self._problem(training)
        line = TerminalLine(type(self).__name__)
        watchers: list = ([line] if self.verbose else []) + self._watchers(problem, training)
        context = self._init_callback_context(max_subtasks=None)
        if getattr(self, "_skl_callbacks", None):
            watchers.append(CallbackBridge(self, context, lambda c: self._attributes(problem, training, c), X, y))
        try:
            solution = run(
                self._algorithm(problem),
                problem,
                self._start(problem),
                max_iter=self.max_iter,
                time_limit=self.time_limit,
                watch=Together(watchers) if watchers else None,
            )
        except Interrupted as interrupt:
            self._store(problem, training, interrupt.solution)
            notice(
                f"{type(self).__name__} was interrupted after {interrupt.solution.n_iter} iterations and is left "
                "fitted with the best solution so far."
            )
            raise KeyboardInterrupt from interrupt
        finally:
            line.close()
        self._store(problem, training, solution)
        self._report(solution)

    def _start(self, problem: Problem) -> Point | None:
        """Where the last fit ended, if it is wanted and fits."""
        previous = getattr(self, "_last_point", None) if self.warm_start else None
        if previous is None or previous[0].shape != (problem.space.dimension, problem.n_columns):
            return None
        theta, bias = previous
        return problem.complete(problem.vector(theta, bias if problem.bias is None else problem.bias))

    def _store(self, problem: Problem, training: TrainingSet, solution: Solution) -> None:
        candidate = solution.candidate
        for name, value in self._attributes(problem, training, candidate).items():
            setattr(self, name, value)
        self.objective_ = candidate.value
        self.stationarity_ = candidate.stationarity
        self.n_iter_ = solution.n_iter
        self.path_ = solution.path
        self.status_ = solution.status.value
        if self.warm_start:
            self._last_point = candidate.point.theta, candidate.point.bias

    def _attributes(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> dict[str, Any]:
        """Everything that prediction needs."""
        predictor = problem.space.predictor(candidate.point.theta, candidate.point.bias)
        attributes: dict[str, Any] = {"predictor_": predictor}
        match predictor:
            case LinearPredictor():
                attributes["coef_"] = predictor.coef.T
            case KernelPredictor():
                attributes["dual_coef_"] = predictor.dual_coef.T
                attributes["support_"] = predictor.support_points.index
        if isinstance(predictor, LinearPredictor | KernelPredictor):
            attributes["intercept_"] = predictor.intercept
        attributes["classes_"] = training.labels.classes
        attributes["transduction_"] = self._transduction(training, candidate, predictor)
        attributes["calibration_"] = self._calibration(problem, training, candidate)
        return attributes

    def _calibration(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> Calibration:
        """How scores become probabilities; rows count by their sample weight, whatever their class weighs."""
        weights, labels = training.weights[problem.labeled], training.labels
        given = labels.codes[labels.codes >= 0]
        of_class = class_weights(self.class_weight, labels.classes, given)
        codes = labels.codes[problem.labeled] if training.n_rows == len(labels.codes) else given[problem.labeled]
        weights = np.divide(weights, of_class[codes], out=np.zeros(len(codes)), where=of_class[codes] > 0)
        return Calibration.of(problem, candidate.point, weights, self._expected_shares(labels))

    def _expected_shares(self, labels: Labels) -> ClassShares | None:
        """What is known of the classes of the unlabeled rows; nothing by default."""
        return None

    def _transduction(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        """The class of every row: the given one, or what the method says of it."""
        labels = training.labels
        codes = labels.codes.copy()
        if len(labels.unlabeled):
            codes[labels.unlabeled] = codes_of(self._unlabeled_scores(training, candidate, predictor))
        return labels.classes[codes]

    def _report(self, solution: Solution) -> None:
        worst = float(np.max(solution.candidate.stationarity))
        name = type(self).__name__
        logger.info(
            "%s: %s after %d iterations, %.2f s", name, solution.status.value, solution.n_iter, solution.seconds
        )
        if solution.status in (Status.MAX_ITER, Status.TIME_LIMIT) and worst > self.tol:
            bound = "max_iter" if solution.status is Status.MAX_ITER else "time_limit"
            notice(
                f"{name} {solution.status.value}={getattr(self, bound)} with stationarity {worst:.1e}, above "
                f"tol={self.tol:g}: raise {bound} or tol.",
                ConvergenceWarning,
            )

    # ---------------------------------------------------------------- reading

    def _read_rows(self, X, *, reset: bool):
        source = row_source(X)
        if source is not None:
            return read_source(self, source, reset=reset)
        try:
            X = validate_data(
                self, X, reset=reset, accept_sparse="csr", dtype=DTYPES, order="C", ensure_min_samples=2 if reset else 1
            )
        except ValueError as error:
            raise _name_the_column(error, X) from None
        if sp.issparse(X) and not isinstance(X, sp.csr_array):
            X = sp.csr_array(X)
        if reset and self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed kernel values have shape {X.shape} and a square matrix (training rows by training rows) "
                "is needed."
            )
        return X

    def _row_weights(self, labels: Labels, sample_weight, X) -> np.ndarray:
        weights = check_sample_weight(sample_weight, X, np.float64)
        labeled = labels.labeled
        weights[labeled] *= class_weights(self.class_weight, labels.classes, labels.codes[labeled])[
            labels.codes[labeled]
        ]
        return weights

    def _threads(self) -> int | None:
        """joblib's meaning of n_jobs: -1 is every core."""
        return None if self.n_jobs is None or self.n_jobs < 0 else self.n_jobs

    def _randomness(self) -> np.random.RandomState:
        return check_random_state(self.random_state)

    # ---------------------------------------------------------------- predict

    @by_blocks
    def decision_function(self, X):
        """Scores: (m,) for two classes, where positive means `classes_[1]`; (m, k) for more."""
        check_is_fitted(self)
        scores = self.predictor_.scores(self._read_rows(X, reset=False))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @by_blocks
    def predict_proba(self, X):
        """(m, classes) probabilities; the class that `predict` gives has the largest.

        Calibrated on the labeled rows, each scored without its own label, and on the expected shares of the classes
        among the unlabeled rows: see :mod:`semisvm.estimators.probabilities`. With few labels they are cautious: two
        labels of each of two classes claim no more than 3/4 of the rows they were calibrated on.
        """
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores)

    @by_blocks
    def predict(self, X, min_confidence=None):
        """The class of the largest score.

        Rows whose largest probability is below `min_confidence` get the marker `unlabeled` instead (None, where every
        label is a class), so that the answer can be the labels of a further fit.
        """
        scores = self.decision_function(X)
        classes = self.classes_[codes_of(scores)]
        if min_confidence is None:
            return classes
        share("min_confidence", min_confidence)
        doubtful = self.calibration_.probabilities(scores).max(axis=1) < min_confidence
        return with_marker(classes, doubtful, self.unlabeled)

    def score(self, X, y, sample_weight=None):
        """Accuracy over the labeled rows of y; unlabeled rows are left out."""
        if self.unlabeled is None:
            return super().score(X, y, sample_weight)
        rows, known = labeled_part(y, self.unlabeled)
        if len(rows) == len(y):
            return super().score(X, y, sample_weight)
        warn_inside_cross_validation()
        if not len(rows):
            raise ValueError(
                f"None of the {len(y):,} rows to score is labeled (unlabeled={self.unlabeled!r}): at least one label "
                "is needed."
            )
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        return super().score(take_rows(X, rows), known, weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def codes_of(scores: np.ndarray) -> np.ndarray:
    """Class codes: the sign of one score, or the place of the largest of several."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (scores.ravel() > 0).astype(np.intp)
    return np.argmax(scores, axis=1)


def _name_the_column(error: ValueError, X) -> ValueError:
    """scikit-learn's message with the column that holds the bad value."""
    message = str(error).split("\n")[0]
    if "contains" not in message or sp.issparse(X):
        return error
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return error
    bad = np.flatnonzero(~np.isfinite(values).all(axis=0)) if values.ndim == 2 else np.empty(0, dtype=int)
    if not len(bad):
        return error
    names = getattr(X, "columns", None)
    column = f"{names[bad[0]]!r}" if names is not None else f"{bad[0]}"
    others = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return ValueError(f"{message.rstrip('.')} in column {column}{others}: fill in or drop these values first.")
