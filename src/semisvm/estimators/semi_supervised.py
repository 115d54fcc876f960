"""What all semi-supervised methods share: weights of the unlabeled rows, the class ratio, and how it is held."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from semisvm.algorithms import Algorithm, Candidate, Continuation, DualHinge, Minimize, OffsetSearch
from semisvm.balance import Balance, ExactCount, MeanOutput, NoBalance, SmoothCount, positive_counts
from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.joint_counts import assign_shares
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import TrainingSet, codes_of
from semisvm.estimators.parameters import UnlabeledWeighting, one_of, whole
from semisvm.estimators.probabilities import class_scores
from semisvm.estimators.share_choice import ShareChoice
from semisvm.estimators.supervised import convex_minimizer
from semisvm.geometry.distances import Points
from semisvm.losses import Hinge, Loss
from semisvm.objective import Problem
from semisvm.optim import NewtonCG
from semisvm.spaces import Predictor


@dataclass(eq=False, repr=False, kw_only=True)
class SemiSupervised(ShareChoice, UnlabeledWeighting):
    """A method with labeled and unlabeled losses; it supplies both, its balance and its algorithm.

    joint_counts=True: `transduction_` gives every class a count of the unlabeled rows within the interval of its share,
    all classes at once; exactly the share where `ratio` gives it.
    """

    balance: str = "soft"
    n_stages: int | None = None
    joint_counts: bool = False

    balances: ClassVar[tuple[str, ...]] = ("exact", "soft", "none")

    @abstractmethod
    def _losses(self) -> tuple[Loss, Loss]:
        """(labeled loss, unlabeled loss)."""

    @abstractmethod
    def _held(self, ratio: np.ndarray) -> Balance:
        """How the ratio of positives is held while training."""

    @abstractmethod
    def _method(self, problem: Problem) -> Algorithm:
        """The algorithm, where there are unlabeled rows."""

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        self._check_shares()
        one_of("balance", self.balance, self.balances)
        if self.n_stages is not None:
            whole("n_stages", self.n_stages)
        one_of("joint_counts", self.joint_counts, (False, True))

    # ---------------------------------------------------------------- the problem

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        self._warn_if_all_labeled(labels, "trains as a supervised method")
        return TrainingSet(points, points, labels, weights)

    def _problem(self, training: TrainingSet) -> Problem:
        labels = training.labels
        y, k = labels.signs(), labels.n_columns
        labeled, unlabeled = labels.labeled, labels.unlabeled
        weights = training.weights.copy()
        weights[labeled] *= self.C
        weights[unlabeled] *= self._weight_of_unlabeled(len(labeled), len(unlabeled))
        points = self._exact_enough(training.points, weights)
        space = self._space(points, training.every_point, self._randomness())
        labeled_loss, unlabeled_loss = self._losses()
        self._settle_shares(training, space)
        bias = self._fixed_bias(k)
        if len(unlabeled):
            space, held = self._held(self.ratio_).apply(space, unlabeled)
            bias = bias if held is None else held
        return Problem(
            space=space,
            y=y,
            labeled=labeled,
            unlabeled=unlabeled,
            labeled_loss=labeled_loss,
            unlabeled_loss=unlabeled_loss,
            weights=np.repeat(weights[:, None], k, axis=1),
            bias=bias,
        )

    def _check_intercept(self) -> None:
        if not isinstance(self.fit_intercept, np.bool_):
            one_of("fit_intercept", self.fit_intercept, (True, False, "ratio"))

    def _fixed_bias(self, n_columns: int) -> np.ndarray | None:
        if self.fit_intercept == "ratio":
            # the mean of labels +-1 of which a share r is positive
            return 2.0 * self.ratio_ - 1.0
        return None if self.fit_intercept else np.zeros(n_columns)

    def _algorithm(self, problem: Problem) -> Algorithm:
        if len(problem.unlabeled):
            return self._method(problem)
        if isinstance(problem.labeled_loss, Hinge):
            return DualHinge(self.tol)
        exact = problem.labeled_loss.piecewise_quadratic
        return Minimize(convex_minimizer(problem, self.tol) if exact else NewtonCG(self.tol))

    # ---------------------------------------------------------------- what the shares are used for

    @property
    def _C_of_labels(self) -> float:
        return self.C

    def _expected_shares(self, labels: Labels) -> ClassShares | None:
        return None if self.balance == "none" or not len(labels.unlabeled) else self._shares

    def _transduction(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        labels, codes = training.labels, training.labels.codes.copy()
        if not len(labels.unlabeled):
            return labels.classes[codes]
        # one column: the method's own assignment; several: the largest raw score decides
        own = self._assigned(training, candidate) if labels.n_columns == 1 else None
        scores = self._unlabeled_scores(training, candidate, predictor) if own is None else own
        if self.joint_counts:
            codes[labels.unlabeled] = assign_shares(class_scores(scores), self._shares)
        else:
            codes[labels.unlabeled] = codes_of(scores)
        return labels.classes[codes]

    def _assigned(self, training: TrainingSet, candidate: Candidate) -> np.ndarray | None:
        """Labels +-1 of the unlabeled rows, (u, 1), where the method assigns them itself."""
        return candidate.labels

    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        return candidate.point.scores[training.labels.unlabeled]


@dataclass(eq=False, repr=False, kw_only=True)
class Continuous(SemiSupervised):
    """Methods that descend on a continuous objective with a held bias.

    balance="soft" holds the mean output of the unlabeled rows; "smooth" meets the share by mean_U tanh(2 z) = 2 r - 1
    between the stages, which does not fill a rare class beyond it; "exact" searches the offset that gives the right
    count; "none" leaves the bias free.
    """

    balances: ClassVar[tuple[str, ...]] = ("exact", "soft", "smooth", "none")

    @abstractmethod
    def _descent(self, problem: Problem) -> Algorithm:
        """The algorithm for one offset."""

    def _held(self, ratio: np.ndarray) -> Balance:
        return NoBalance() if self.balance == "none" else MeanOutput(ratio)

    def _method(self, problem: Problem) -> Algorithm:
        descent = self._descent(problem)
        if self.balance == "smooth":
            assert isinstance(descent, Continuation)
            return replace(descent, balance=SmoothCount(self.ratio_))
        if self.balance != "exact":
            return descent
        return OffsetSearch(descent, positive_counts(self.ratio_, len(problem.unlabeled)))


@dataclass(eq=False, repr=False, kw_only=True)
class Combinatorial(SemiSupervised):
    """Methods that assign labels themselves: the count of positives is exact by nature, the bias free."""

    balance: str = "exact"

    def _held(self, ratio: np.ndarray) -> Balance:
        match self.balance:
            case "exact":
                return ExactCount(ratio)
            case "soft":
                return MeanOutput(ratio)
        return NoBalance()
