"""The interface that all classifiers share: input before training, predictions for new rows after it.

fit:      rows and labels -> training set -> what the method learns from it: a predictor and a calibration
predict:  scores of the predictor -> class, or probabilities by the calibration
"""

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from semisvm._compat import CallbackSupportMixin, take_rows, with_callbacks
from semisvm.estimators.folds import warn_inside_cross_validation
from semisvm.estimators.labels import Labels, labeled_part, read_labels, with_marker
from semisvm.estimators.notices import notice
from semisvm.estimators.parameters import Running, class_weights, share
from semisvm.estimators.probabilities import Calibration, class_scores
from semisvm.estimators.reading import read_rows, read_weights
from semisvm.estimators.row_sources import by_blocks, points_of
from semisvm.estimators.whole_fits import a_solution_needed, all_or_nothing
from semisvm.geometry.distances import Points


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
class Learner(Running, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Reads rows and labels and predicts; a subclass supplies the training."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse invalid parameters, each in one sentence."""

    @abstractmethod
    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        """Which rows take part."""

    @abstractmethod
    def _learn(self, training: TrainingSet, X, y) -> KeyboardInterrupt | None:
        """Store predictor, calibration and all other fitted attributes; X and y as callbacks see them.

        Returns the exception that cut training short, if any: it is raised once everything is stored.
        """

    @property
    def _takes_kernel_values(self) -> bool:
        """Whether rows are kernel values against the training rows."""
        return False

    def _warn_if_all_labeled(self, labels: Labels, instead: str) -> None:
        if not len(labels.unlabeled) and self.unlabeled is not None:
            notice(
                f"{type(self).__name__} was given no unlabeled rows (unlabeled={self.unlabeled!r} marks them) and "
                f"{instead}."
            )

    # ---------------------------------------------------------------- fit

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, drawn=None):
        """Train on the rows of X; rows whose label is `unlabeled` (or missing) are unlabeled.

        X_val, y_val are not trained on: where they are given, probabilities are calibrated on them instead of on the
        labeled rows of X, each without its own label.

        drawn is a mask of the rows whose labels were drawn at random; None means all of them. Labels that were chosen,
        because a model suggested the rows or to have as many of each class, do not show how frequent a class is: shares
        of the classes, and the expected error on other rows, use the drawn labels alone.
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("One of X_val and y_val was given and both, or neither, are needed.")
        with all_or_nothing(self):
            self._check_parameters()
            X = self._read_rows(X, reset=True)
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
            interrupt = self._fit_labels(X, y, sample_weight, X_val=X_val, y_val=y_val, drawn=drawn)
        if interrupt is not None:
            raise interrupt
        return self

    def _fit_labels(self, X, y, sample_weight, *, X_val=None, y_val=None, drawn=None) -> KeyboardInterrupt | None:
        """Train on rows that were read already; returns the Ctrl-C that ended it, if any."""
        labels = self._read_labels(y, drawn)
        if len(labels.codes) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]:,} rows and y has {len(labels.codes):,}: the same number is needed.")
        training = self._training_set(points_of(X), labels, self._row_weights(labels, sample_weight, X))
        self.classes_ = labels.classes
        with self._limited_threads():
            with a_solution_needed(self):
                interrupt = self._learn(training, X, y)
            if X_val is not None and interrupt is None:
                self.calibration_ = self._calibrated_on(X_val, y_val)
        return interrupt

    def _read_labels(self, y, drawn) -> Labels:
        return read_labels(y, self.unlabeled, drawn)

    def _read_rows(self, X, *, reset: bool):
        return read_rows(self, X, reset=reset, square=self._takes_kernel_values)

    def _row_weights(self, labels: Labels, sample_weight, X) -> np.ndarray:
        weights = read_weights(sample_weight, X.shape[0])
        rows, codes = labels.labeled, labels.codes[labels.labeled]
        weights[rows] *= class_weights(self.class_weight, labels.classes, codes)[codes]
        if not weights[rows].any():
            raise ValueError(
                f"All {len(rows):,} labeled rows have zero weight (sample_weight times class_weight) and at least one "
                "positive weight is needed."
            )
        return weights

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
        order = np.argsort(self.classes_)
        codes = order[np.searchsorted(self.classes_, known, sorter=order)]
        return replace(self.calibration_, labeled=class_scores(scores[rows]), codes=codes, weights=np.ones(len(codes)))

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
        among the unlabeled rows: see :mod:`semisvm.estimators.probabilities`. With few labels they are cautious: with
        two labels of each of two classes no probability of a labeled row exceeds 3/4.
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
        tags.input_tags.pairwise = self._takes_kernel_values
        return tags


def codes_of(scores: np.ndarray) -> np.ndarray:
    """Class codes: the sign of one score, or the place of the largest of several."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (scores.ravel() > 0).astype(np.intp)
    return np.argmax(scores, axis=1)
