"""What both methods for positive and unlabeled rows share: labels of one class, the share of positives, and its cut."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import clone

from semisvm._compat import take_rows
from semisvm.algorithms import Candidate
from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.classifier import Classifier
from semisvm.estimators.labels import Labels, read_positives, unlabeled_rows
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import Weighting
from semisvm.estimators.positive_share import FOLDS, PositiveShare
from semisvm.estimators.row_sources import RowSource
from semisvm.geometry.distances import Points
from semisvm.losses import SquaredHinge, Zero
from semisvm.objective import Point, Problem
from semisvm.objective.vectors import Vector
from semisvm.spaces import Predictor

ESTIMATION_ROWS = 3000
"""Unlabeled rows that the estimate of their share of positives uses; drawn at random where there are more."""

SHARE_OUTWEIGHS = 100
"""Rows that the share of positives is worth in the calibration, per unlabeled row."""


@dataclass(eq=False, repr=False, kw_only=True)
class FromPositives(Classifier, Weighting):
    """Learns from rows of one class, the positive one, and unlabeled rows of both.

    prior is the share of positives among the unlabeled rows; None estimates it.
    """

    prior: Any = None
    C: float = 10.0

    @abstractmethod
    def _risk(self, problem: Problem, training: TrainingSet) -> Problem:
        """The problem with its losses and weights, `prior_` being settled."""

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight={self.class_weight!r} was given and None is needed, because one class alone has labels: "
                "prior says how frequent it is."
            )
        if self.prior is None:
            return
        number = isinstance(self.prior, Real) and not isinstance(self.prior, bool)
        if not number or not 0 < float(self.prior) < 1:
            raise ValueError(
                f"prior={self.prior!r} was given and the share of positives among the unlabeled rows, a number above 0 "
                "and below 1, is needed, or None to estimate it."
            )

    def _read_labels(self, y, drawn) -> Labels:
        return read_positives(y, self.unlabeled, drawn)

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        if not weights[labels.unlabeled].any():
            raise ValueError(
                f"All {len(labels.unlabeled):,} unlabeled rows have zero weight (sample_weight), so that rows of one "
                "class are left, and at least one positive weight is needed."
            )
        return TrainingSet(points, points, labels, weights)

    @property
    def _needs_definite_kernel(self) -> bool:
        return True

    # ---------------------------------------------------------------- the problem

    def _problem(self, training: TrainingSet) -> Problem:
        labels, randomness = training.labels, self._randomness()
        bare = Problem(
            space=self._space(training.points, training.every_point, randomness),
            y=labels.signs(),
            labeled=labels.labeled,
            unlabeled=labels.unlabeled,
            labeled_loss=SquaredHinge(),
            unlabeled_loss=Zero(),
            weights=training.weights[:, None],
            bias=None if self.fit_intercept else np.zeros(1),
        )
        self._settle_prior(bare, training, randomness)
        return self._risk(bare, training)

    def _settle_prior(self, bare: Problem, training: TrainingSet, randomness: np.random.RandomState) -> None:
        if self.prior is not None:
            self.prior_ = float(self.prior)
            self.prior_interval_ = np.array([self.prior_, self.prior_])
            return
        found = PositiveShare.of(self._for_estimation(bare, training, randomness), randomness)
        self.prior_, self.prior_interval_ = found.share, np.array([found.low, found.high])

    def _for_estimation(self, bare: Problem, training: TrainingSet, randomness: np.random.RandomState) -> Problem:
        """The problem on the rows that count, or on as many of them as an estimate needs."""
        counted = [rows[training.weights[rows] > 0] for rows in (bare.labeled, bare.unlabeled)]
        few = [np.sort(randomness.permutation(rows)[:ESTIMATION_ROWS]) for rows in counted]
        # rows on disk or on a cluster would be visited many times: those that are used are fetched
        if len(few[1]) == len(counted[1]) and not isinstance(training.points, RowSource):
            return bare.replace(labeled=counted[0], unlabeled=counted[1])
        chosen = np.sort(np.concatenate(few))
        points = training.points.take(chosen)
        return bare.replace(
            space=self._space(points, points, randomness),
            y=bare.y[chosen],
            weights=bare.weights[chosen],
            labeled=np.searchsorted(chosen, few[0]),
            unlabeled=np.searchsorted(chosen, few[1]),
        )

    # ---------------------------------------------------------------- threshold and calibration

    def _attributes(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> dict[str, Any]:
        if self.fit_intercept:
            candidate = replace(candidate, point=self._cut(candidate.point, training))
        return super()._attributes(problem, training, candidate)

    def _cut(self, point: Point, training: TrainingSet) -> Point:
        """The same ranking with the bias at which the expected share of the unlabeled rows is positive."""
        unlabeled = training.labels.unlabeled
        scores, weights = np.asarray(point.scores)[unlabeled, 0], training.weights[unlabeled]
        order = np.argsort(-scores, kind="stable")
        scores, weights = scores[order], weights[order]
        # the middle of each row on the scale of weights: rows of equal weight are counted and the count is rounded
        middles = np.cumsum(weights) - 0.5 * weights
        count = int(np.searchsorted(middles, self.prior_ * weights.sum()))
        count = min(max(count, 1), len(scores) - 1)
        # a single row is predicted as not positive
        shift = -0.5 * (scores[count - 1] + scores[count]) if count else -scores[0]
        vector = point.vector
        return Point(Vector(vector.theta, vector.bias + shift, vector.metric), point.outputs)

    def _expected_shares(self, labels: Labels) -> ClassShares | None:
        # labels of one class show how positives score and not how frequent they are: the share outweighs them
        worth = SHARE_OUTWEIGHS * len(labels.unlabeled)
        return ClassShares(np.array([1.0 - self.prior_, self.prior_]), float(worth))

    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        return np.asarray(candidate.point.scores)[training.labels.unlabeled]

    def prior_sensitivity(self, X, y, factors=(0.5, 1.0, 2.0)) -> list[dict[str, float]]:
        """What other shares of positives would change: one fit of these rows for each factor of `prior_`.

        Each entry has `prior`, `n_positive` (unlabeled rows that are taken for positive), `rank_correlation`
        (Spearman's, of the scores of the unlabeled rows with those of this model) and `top_agreement` (of the unlabeled
        rows that this model takes for positive, the share that is as high up in the other ranking).
        """
        blank = unlabeled_rows(y, self.unlabeled)
        own = self.decision_function(X)[blank]
        top = own > 0
        table = []
        for factor in factors:
            prior = min(factor * self.prior_, 1.0 - 1e-3)
            other = clone(self).set_params(prior=prior).fit(X, y).decision_function(X)[blank]
            as_high = np.argsort(-other, kind="stable")[: np.count_nonzero(top)]
            table.append(
                {
                    "prior": prior,
                    "n_positive": int(np.count_nonzero(other > 0)),
                    "rank_correlation": float(spearmanr(own, other).statistic),
                    "top_agreement": float(np.mean(top[as_high])) if len(as_high) else 1.0,
                }
            )
        return table

    def left_out_recall(self, X, y, shares=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5)) -> np.ndarray:
        """Of the positive rows, those that are found where these shares of the unlabeled rows are taken from the top.

        A fifth of the positive rows is left out in turn and ranked among the unlabeled rows by a model of the others,
        with the share `prior_`. Needs five positive rows.
        """
        blank = unlabeled_rows(y, self.unlabeled)
        positives, unlabeled = np.flatnonzero(~blank), np.flatnonzero(blank)
        if len(positives) < FOLDS:
            raise ValueError(f"{len(positives)} positive rows were given and {FOLDS} are needed to leave some out.")
        fold = self._randomness().permutation(len(positives)) % FOLDS
        depth = np.empty(len(positives))
        for number in range(FOLDS):
            held, kept = positives[fold == number], np.union1d(positives[fold != number], unlabeled)
            model = clone(self).set_params(prior=self.prior_).fit(take_rows(X, kept), take_rows(y, kept))
            above = np.sort(-model.decision_function(take_rows(X, unlabeled)))
            depth[fold == number] = np.searchsorted(above, -model.decision_function(take_rows(X, held)))
        return np.array([np.mean(depth < share * len(unlabeled)) for share in shares])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
