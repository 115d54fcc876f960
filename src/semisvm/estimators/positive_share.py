"""The share of positives among unlabeled rows, estimated from positive rows and unlabeled rows alone.

The unlabeled rows are a mixture, share x positives + (1 - share) x negatives, and the positive rows show what positives
look like. That bounds the share from above only: negatives may look like positives. All estimators therefore assume a
region where there are no negatives. They look for it along one number per row, the score of an SVM that takes the
unlabeled rows for negative ones and has not trained on the row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from semisvm.algorithms import Minimize, run
from semisvm.losses import Fixed, SquaredHinge
from semisvm.objective import Problem
from semisvm.optim import NewtonCG

NARROW_INTERVAL = 0.1
"""An estimated share whose 80 % interval is no wider is good enough to give classes."""
FOLDS = 5
LEAST_ROWS = FOLDS
"""Of either kind, one for each fold."""
ROW_WEIGHT = 0.1
"""C of the SVM whose scores are used."""
DOUBT = 0.3
"""Of the published bound of `best_bin`, which is so wide with hundreds of rows that thresholds are too low."""
REPEATS = 2
"""Ways to fold the rows, over which the estimate is averaged."""
BELOW, ABOVE = 3.5, 2.2
"""Deviations over resamples that the interval reaches down and up. Chosen on the sets for tuning, such that it holds
the truth in 80 % of the runs on a set that was left out. Resampling does not show that other positive rows
would give another SVM, nor that negatives may look like positives; therefore it reaches further down than up."""
RESAMPLES = 100
SMALLEST, LARGEST = 1e-3, 1.0 - 1e-3
"""Bounds of an estimate: with a share of 0 or 1 there is nothing to learn."""


@dataclass(frozen=True, eq=False)
class PositiveScores:
    """Scores of rows by SVMs that have not trained on them."""

    positive: np.ndarray
    unlabeled: np.ndarray

    @classmethod
    def of(cls, problem: Problem, rng: np.random.RandomState) -> "PositiveScores":
        """Rows of both kinds are folded, and those of each fold are scored by the SVM of the other folds."""
        positives, unlabeled = problem.labeled, problem.unlabeled
        if min(len(positives), len(unlabeled)) < LEAST_ROWS:
            raise ValueError(
                f"{len(positives):,} positive and {len(unlabeled):,} unlabeled rows were given and at least "
                f"{LEAST_ROWS} of each are needed to estimate the share of positives: label more rows, or set prior "
                'and a risk other than "weighted".'
            )
        of_positive, of_unlabeled = (rng.permutation(len(rows)) % FOLDS for rows in (positives, unlabeled))
        against = problem.replace(
            labeled_loss=SquaredHinge(),
            unlabeled_loss=Fixed(SquaredHinge(), -1.0),
            weights=np.full_like(problem.weights, ROW_WEIGHT),
        )
        scores, point = np.empty(len(problem.y)), None
        for fold in range(FOLDS):
            trained = against.replace(labeled=positives[of_positive != fold], unlabeled=unlabeled[of_unlabeled != fold])
            point = run(Minimize(NewtonCG(1e-3)), trained, point, max_iter=50).candidate.point
            held = np.concatenate([positives[of_positive == fold], unlabeled[of_unlabeled == fold]])
            scores[held] = np.asarray(point.scores)[held, 0]
        return cls(scores[positives], scores[unlabeled])

    def resampled(self, rng: np.random.RandomState) -> "PositiveScores":
        return PositiveScores(*(s[rng.randint(len(s), size=len(s))] for s in (self.positive, self.unlabeled)))


def best_bin(scores: PositiveScores, doubt: float = 1.0) -> float:
    """q_u / q_p at the threshold where its upper bound is least, q being shares of unlabeled and positive rows above.

    Garg, Wu, Smola, Balakrishnan and Lipton, "Mixture proportion estimation and PU learning: a modern approach" (2021).
    `doubt` scales the width of the bound: 1 is the published one.
    """
    p, u = np.sort(scores.positive)[::-1], np.sort(scores.unlabeled)
    of_positive, of_unlabeled = np.arange(1, len(p) + 1) / len(p), 1.0 - np.searchsorted(u, p) / len(u)
    # q_u / q_p + (1 + gamma) / q_p (sqrt(log(4 / delta) / 2 u) + sqrt(log(4 / delta) / 2 p)), gamma = 0.01, delta = 0.1
    width = 1.01 * sum(np.sqrt(np.log(4 / 0.1) / (2 * len(s))) for s in (p, u))
    best = np.argmin((of_unlabeled + doubt * width) / of_positive)
    return min(1.0, float(of_unlabeled[best] / of_positive[best]))


def elkan_noto(scores: PositiveScores) -> float:
    """By the mean c over positive rows of the probability that a row like this one is labeled.

    Elkan and Noto, "Learning classifiers from only positive and unlabeled data" (2008): c is the share of all positives
    that is labeled, so that there are p / c of them.
    """
    c = float(np.mean(expit(labeling_odds(scores)(scores.positive))))
    return min(1.0, (1.0 - c) / c * len(scores.positive) / len(scores.unlabeled))


def labeling_odds(scores: PositiveScores) -> Callable[[np.ndarray], np.ndarray]:
    """Log-odds that a row with this score is labeled: logistic regression on the score."""
    every = np.concatenate([scores.positive, scores.unlabeled])
    center, width = every.mean(), max(float(every.std()), 1e-100)
    signs = np.repeat([1.0, -1.0], [len(scores.positive), len(scores.unlabeled)])
    z = np.stack([(every - center) / width, np.ones(len(every))], axis=1)

    def loss(line: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (z @ line)
        # a little shrinkage keeps the line finite where the score separates the rows
        return float(np.logaddexp(0.0, -margins).sum() + line @ line), 2 * line - (signs * expit(-margins)) @ z

    slope, height = minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B").x
    return lambda s: slope * (s - center) / width + height


@dataclass(frozen=True, eq=False)
class PositiveShare:
    """An estimate and its 80 % interval."""

    share: float
    deviation: float
    """Over resamples."""

    @classmethod
    def of(cls, problem: Problem, rng: np.random.RandomState) -> "PositiveShare":
        """From the positive (labeled) and the unlabeled rows of a problem; its losses and weights do not matter."""
        folded = [PositiveScores.of(problem, rng) for _ in range(REPEATS)]
        share = np.mean([best_bin(scores, DOUBT) for scores in folded])
        others = [np.mean([best_bin(s.resampled(rng), DOUBT) for s in folded]) for _ in range(RESAMPLES)]
        return cls(_within(share), float(np.std(others)))

    @property
    def low(self) -> float:
        return _within(self.share - BELOW * self.deviation)

    @property
    def high(self) -> float:
        return _within(self.share + ABOVE * self.deviation)


def _within(share: Any) -> float:
    return float(np.clip(share, SMALLEST, LARGEST))
