"""The parameters `ratio` and `threshold`: what is expected of the classes, and whether predictions have to meet it."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.algorithms import Candidate, Minimize, run
from semisvm.estimators.class_shares import ClassShares, LeftOutScores, as_among_the_labels, expected_shares
from semisvm.estimators.classifier import Classifier
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import one_of
from semisvm.estimators.probabilities import UNLABELED_ROWS, class_scores, left_out_scores
from semisvm.estimators.progress import logger
from semisvm.estimators.thresholds import caps, mean_threshold, thresholds
from semisvm.losses import SquaredHinge, Zero
from semisvm.objective import Point, Problem
from semisvm.optim import NewtonCG
from semisvm.spaces import Predictor, Space

FEW_LABELS = 15
"""Below this many labels the scores of a graph method that gives all rows to one class are cut at their mean."""
PRECISION, STEPS = 1e-3, 200


@dataclass(eq=False, repr=False, kw_only=True)
class ShareChoice(Classifier):
    """ratio: share of the classes among the unlabeled rows. threshold: "zero" decides by the signs of the scores, or
    the largest of several; "share" moves this cut as far as the intervals of the shares demand; "auto" moves it where a
    graph method with fewer than 15 labels gives all rows to one of two classes, and where a class of one label among
    many gets more rows than the upper end of its interval.
    """

    ratio: Any = "labeled"
    threshold: str = "auto"

    def _check_shares(self) -> None:
        one_of("threshold", self.threshold, ("auto", "share", "zero"))

    @property
    @abstractmethod
    def _C_of_labels(self) -> float:
        """Weight of a labeled row in the SVM whose scores estimate the shares."""

    @property
    def _has_graph(self) -> bool:
        return self.graph is not None

    @property
    def _learns_from_unlabeled_rows(self) -> bool:
        return True

    # ---------------------------------------------------------------- ratio

    def _settle_shares(self, training: TrainingSet, space: Space) -> None:
        """`ratio_`: share of positives among the unlabeled rows for each binary problem, and its interval."""
        labels = training.labels
        # one label shows little of the share of its class: the prior counts too, except for the rule of the papers
        with_prior = self.threshold != "zero" and bool(self._single(labels).any())
        self._shares: ClassShares = expected_shares(
            self.ratio,
            labels,
            lambda: as_among_the_labels(labels, with_prior=with_prior),
            lambda: left_out_by_svm(training, space, self._C_of_labels),
        )
        self.ratio_, self.ratio_interval_ = self._shares.ratio, self._shares.ratio_interval
        for code in np.flatnonzero(self._single(labels)):
            low, high = self._shares.interval[code]
            logger.info(
                "%s: %s has one label of %d, and %.1f %% to %.1f %% of the unlabeled rows are expected to be of it",
                type(self).__name__, labels.classes[code], len(labels.labeled), 100 * low, 100 * high,
            )  # fmt: skip

    # ---------------------------------------------------------------- threshold

    def _thresholds(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        labels = training.labels
        zero, single = np.zeros(labels.n_columns), self._single(labels)
        by_mean = self._has_graph and labels.n_columns == 1 and len(labels.labeled) < FEW_LABELS
        if self.threshold == "zero" or not len(labels.unlabeled):
            return zero
        if self.threshold == "auto" and not by_mean and not single.any():
            return zero
        scores = np.asarray(self._unlabeled_scores(training, candidate, predictor))
        if self.threshold == "share":
            return thresholds(scores, self._shares, of_graph=self._has_graph)
        cut = mean_threshold(scores[:, 0], *self._shares.ratio_interval[0]) if by_mean else 0.0
        return caps(scores, self._shares, single) if cut == 0 else zero + cut

    def _single(self, labels: Labels) -> np.ndarray:
        """Classes of one label among many, where unlabeled rows could fill them without limit."""
        return labels.single & self._learns_from_unlabeled_rows


def left_out_by_svm(training: TrainingSet, space: Space, C: float) -> LeftOutScores:
    """Scores of an SVM on the labels in this space: of every label without itself, and of the unlabeled rows."""
    labels, k = training.labels, training.labels.n_columns
    labeled = np.flatnonzero((labels.codes >= 0) & (training.weights > 0))
    problem = Problem(
        space=space,
        y=labels.signs(),
        labeled=labeled,
        unlabeled=np.empty(0, dtype=np.intp),
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Zero(),
        weights=np.repeat(C * training.weights[:, None], k, axis=1),
    )
    point: Point = run(Minimize(NewtonCG(PRECISION)), problem, max_iter=STEPS).candidate.point
    codes = labels.codes[labeled]
    step = max(1, len(labels.unlabeled) // UNLABELED_ROWS)
    scores = problem.objective().scores(point, labels.unlabeled).some(np.arange(0, len(labels.unlabeled), step))
    return LeftOutScores(class_scores(left_out_scores(problem, point, codes)), codes, class_scores(scores))
