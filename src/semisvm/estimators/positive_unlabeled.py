"""SVMs from positive and unlabeled rows; the risk defines the cost of an unlabeled row."""

from dataclasses import dataclass

import numpy as np

from semisvm.algorithms import Algorithm, Candidate, Minimize, NonNegative
from semisvm.algorithms.non_negative import posed
from semisvm.estimators.from_positives import FromPositives
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import one_of
from semisvm.estimators.positive_share import PositiveScores, labeling_odds
from semisvm.estimators.probabilities import Calibration
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import CorrectedDoubleHinge, DoubleHinge, Fixed, Mixed, SquaredHinge
from semisvm.objective import Problem

__all__ = ["PositiveUnlabeledSVM"]

RISKS = ("nonnegative", "unbiased", "weighted", "biased")


@dataclass(eq=False, repr=False, kw_only=True)
class PositiveUnlabeledSVM(FromPositives):
    """SVM from rows of one class and unlabeled rows.

        J(f, b) = 1/2 |f|^2 + C [prior sum_{i in P} D(z_i) + max(0, N)],   D(t) = max(0, (1 - t) / 2, -t), rounded off
        N       = p / u sum_{j in U} D(-z_j) - prior sum_{i in P} D(-z_i)

    There are p positive and u unlabeled rows, and `prior` is the share of positives among the unlabeled ones. N is the
    loss of the negative rows: that of all unlabeled rows, less that of the positives among them, which look like those
    in P. The bias is set last, such that the share `prior` of the unlabeled rows has a positive score.

    Labels are those of the positive class and the marker `unlabeled`. `predict` calls the rest 0, or "not fraud" where
    the positive class is "fraud"; `classes_[1]` is the positive class. The scores of `decision_function` rank the rows.

    Parameters
    ----------
    prior : float, optional
        Share of positives among the unlabeled rows. None estimates it, from five positive rows or more; see
        `prior_` and `prior_interval_` after the fit, and `prior_sensitivity` for what other shares would change.
    risk : {"nonnegative", "unbiased", "weighted", "biased"}
        "nonnegative": J above (Kiryo et al. 2017). "unbiased": N in place of max(0, N), which flexible functions
        overfit (du Plessis et al. 2015). "weighted": an unlabeled row counts as positive with its probability of being
        so and as negative with the rest (Elkan and Noto 2008). "biased": unlabeled rows are negative, and all
        positive rows together have the same weight (Liu et al. 2003). The last two have the loss max(0, 1 - t)^2.
    C : float
        Weight of the losses. 10 did well for "nonnegative", 3 for "unbiased", and 1 for "weighted" and "biased", with
        20 to 200 positive rows (docs/positive_unlabeled.md).

    Attributes
    ----------
    prior_, prior_interval_ : float, ndarray of shape (2,)
        The share of positives among the unlabeled rows, and an 80 % interval where it was estimated. The interval shows
        how much the given rows vary, and reaches further down than up because negatives may look like positives. With
        50 positive rows or fewer it holds the truth less often than that (docs/positive_unlabeled.md).

    References
    ----------
    Kiryo, Niu, du Plessis and Sugiyama, "Positive-unlabeled learning with non-negative risk estimator", NeurIPS 2017.
    du Plessis, Niu and Sugiyama, "Convex formulation for learning from positive and unlabeled data", ICML 2015.
    Elkan and Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008.
    Liu, Dai, Li, Lee and Yu, "Building text classifiers using positive and unlabeled examples", ICDM 2003.

    Examples
    --------
    >>> from semisvm import PositiveUnlabeledSVM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> known = [row for row in range(100) if y[row] == 1]
    >>> model = PositiveUnlabeledSVM(prior=0.45).fit(X, hide_labels(y, known))
    >>> bool((model.transduction_ == y).mean() > 0.9)
    True
    """

    risk: str = "nonnegative"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("risk", self.risk, RISKS)

    def _risk(self, problem: Problem, training: TrainingSet) -> Problem:
        positives, unlabeled, weights = problem.labeled, problem.unlabeled, self.C * problem.weights
        weights[unlabeled] *= weights[positives].sum() / weights[unlabeled].sum()
        if self.risk == "biased":
            return problem.replace(weights=weights, unlabeled_loss=Fixed(SquaredHinge(), -1.0))
        if self.risk == "weighted":
            p = self._probabilities_of_positives(problem)
            return problem.replace(weights=weights, unlabeled_loss=Mixed(SquaredHinge(), p))
        weights[positives] *= self.prior_
        return problem.replace(
            weights=weights, labeled_loss=CorrectedDoubleHinge(), unlabeled_loss=Fixed(DoubleHinge(), -1.0)
        )

    def _probabilities_of_positives(self, problem: Problem) -> np.ndarray:
        """Of each unlabeled row, by the odds g / (1 - g) that a row like it is labeled, seen without itself."""
        scores = PositiveScores.of(problem, self._randomness())
        # (1 - c) / c g / (1 - g), where c = p / (p + prior u) is the share of all positives that is labeled
        p, u = len(problem.labeled), len(problem.unlabeled)
        odds = np.log(self.prior_ * u / p) + labeling_odds(scores)(scores.unlabeled)
        return np.exp(np.minimum(odds, 0.0))

    def _algorithm(self, problem: Problem) -> Algorithm:
        minimizer = convex_minimizer(problem, self.tol)
        return NonNegative(minimizer, self.tol) if self.risk == "nonnegative" else Minimize(minimizer)

    def _calibration(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> Calibration:
        # the dual variable of a positive row is that of the convex problem that the solution minimizes
        share = candidate.facts.get("share")
        return super()._calibration(posed(problem, share) if isinstance(share, float) else problem, training, candidate)
