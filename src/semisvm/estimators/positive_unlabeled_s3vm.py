"""The transductive SVM from positive and unlabeled rows: labels for unlabeled rows, a fixed count of them positive."""

from dataclasses import dataclass

import numpy as np

from semisvm.algorithms import Algorithm, GradientAnnealing
from semisvm.algorithms.entropy_cooling import EntropyCooling
from semisvm.balance import ExactCount, positive_counts
from semisvm.estimators.annealing import ON_THE_WAY
from semisvm.estimators.from_positives import FromPositives
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import UnlabeledWeighting
from semisvm.losses import Annealed, SquaredHinge
from semisvm.objective import Problem
from semisvm.optim import LBFGS
from semisvm.spaces import Centered

__all__ = ["PositiveUnlabeledS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class PositiveUnlabeledS3VM(FromPositives, UnlabeledWeighting):
    """Labels for the unlabeled rows, the count of positives among them held, by deterministic annealing.

        J(f, b, y) = 1/2 |f|^2 + C sum_{i in P} V(z_i) + C_unlabeled sum_{j in U} V(y_j z_j),   V(t) = max(0, 1 - t)^2

    P are the positive rows. Of the u labels y_j, round(prior u) are positive. They begin as probabilities, all equal to
    `prior`, and are cooled into labels.

    Labels are those of the positive class and the marker `unlabeled`. `predict` calls the rest 0, or "not fraud" where
    the positive class is "fraud"; `classes_[1]` is the positive class. `PositiveUnlabeledSVM` is the better choice
    unless both classes are clusters with few rows between them.

    Parameters
    ----------
    prior : float, optional
        Share of positives among the unlabeled rows. None estimates it, as `PositiveUnlabeledSVM` does.
    C : float
        Weight of a positive row's loss.
    C_unlabeled : float, "auto" or "equal"
        Weight of an unlabeled row's loss; "auto" is C p / u for p positive and u unlabeled rows, "equal" is C.

    Attributes
    ----------
    prior_, prior_interval_ : float, ndarray of shape (2,)
        The share of positives among the unlabeled rows, and an 80 % interval where it was estimated.

    References
    ----------
    Sindhwani, Keerthi and Chapelle, "Deterministic annealing for semi-supervised kernel machines", ICML 2006.

    Examples
    --------
    >>> from semisvm import PositiveUnlabeledS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> known = [row for row in range(100) if y[row] == 1]
    >>> model = PositiveUnlabeledS3VM(prior=0.45).fit(X, hide_labels(y, known))
    >>> bool((model.transduction_ == y).mean() > 0.9)
    True
    """

    max_iter: int = 10_000

    def _risk(self, problem: Problem, training: TrainingSet) -> Problem:
        # a row without weight has no label to decide: it would count as a positive in part at every temperature
        unlabeled = problem.unlabeled[training.weights[problem.unlabeled] > 0]
        weights = problem.weights.copy()
        weights[problem.labeled] *= self.C
        weights[unlabeled] *= self._weight_of_unlabeled(len(problem.labeled), len(unlabeled))
        # with a free bias the centered space holds the same functions, and the bias no longer competes with their mean
        space = Centered(problem.space, unlabeled) if problem.bias is None else problem.space
        counts = positive_counts(np.array([self.prior_]), len(unlabeled))
        loss = Annealed(SquaredHinge(), 1.0, counts)
        return problem.replace(space=space, weights=weights, unlabeled=unlabeled, unlabeled_loss=loss)

    def _algorithm(self, problem: Problem) -> Algorithm:
        balance = ExactCount(np.array([self.prior_]))
        return GradientAnnealing(balance, LBFGS(self.tol), LBFGS(max(self.tol, ON_THE_WAY)), EntropyCooling())
