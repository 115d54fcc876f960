"""The share of every class among the unlabeled rows: given, that of the labels, or estimated from labels and scores.

Only labels that were drawn at random show how frequent a class is; the other labels show what its rows look like.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betaincinv
from sklearn.linear_model import LogisticRegression

from semisvm.estimators.labels import Labels

COVERAGE = 0.8
"""Of the intervals of estimated shares."""
IMAGINED = 2.0
"""Pseudo-labels, of all classes together, that are added to the real ones."""
WORTH_OF_UNLABELED = 0.5
"""Labels that all unlabeled rows together are worth for an estimated share, as a part of those that are real."""
STEPS, PRECISION = 500, 1e-9
SAME = 1e-5
"""Scores that vary less than this, relative to their size, count as the same."""


@dataclass(frozen=True, eq=False)
class ClassShares:
    """What is known of the shares of the classes among the unlabeled rows, and how many rows this is worth."""

    shares: np.ndarray
    worth: float
    imagined: float = 0.0
    """Pseudo-rows that the intervals add, spread evenly over the classes."""
    given: bool = False
    """Whether the shares were given: their intervals are points."""

    @property
    def ratio(self) -> np.ndarray:
        """Share of positives of each binary problem: one for two classes, one per class beyond."""
        return self.shares[1:] if len(self.shares) == 2 else self.shares

    @property
    def interval(self) -> np.ndarray:
        """(classes, 2): 80 % interval of each share, from a beta distribution worth as many rows."""
        if self.given:
            return np.stack([self.shares, self.shares], axis=1)
        k = len(self.shares)
        a = np.maximum(self.worth * self.shares + self.imagined / k, 1e-6)
        b = np.maximum(self.worth * (1.0 - self.shares) + self.imagined * (k - 1) / k, 1e-6)
        ends = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
        return betaincinv(a[:, None], b[:, None], ends[None])

    @property
    def ratio_interval(self) -> np.ndarray:
        """(binary problems, 2)."""
        return self.interval[1:] if len(self.shares) == 2 else self.interval

    def counts(self, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Fewest and most of n rows that each class may have, in whole numbers."""
        low, high = self.interval.T * n_rows
        return np.floor(low + 1e-9).astype(int), np.ceil(high - 1e-9).astype(int)


@dataclass(frozen=True, eq=False)
class LeftOutScores:
    """Scores, (rows, classes): of labeled rows by models that had not seen the label, and of unlabeled rows."""

    labeled: np.ndarray
    codes: np.ndarray
    unlabeled: np.ndarray


def shares_of_labels(codes: np.ndarray, n_classes: int, imagined: float) -> ClassShares:
    """(n_c + m / k) / (l + m) with m pseudo-labels, spread evenly: the mean of a Dirichlet distribution."""
    counts = np.bincount(codes, minlength=n_classes)
    return ClassShares((counts + imagined / n_classes) / (counts.sum() + imagined), counts.sum() + imagined)


def expected_shares(
    ratio: Any, labels: Labels, labeled: Callable[[], ClassShares], scores: Callable[[], LeftOutScores]
) -> ClassShares:
    """What `ratio` means: "labeled" and the scores for "estimated" are the estimator's own."""
    if isinstance(ratio, ClassShares):
        return ratio
    if isinstance(ratio, str) and ratio == "labeled":
        return labeled()
    if isinstance(ratio, str) and ratio == "estimated":
        if not len(labels.unlabeled):
            return shares_of_labels(labels.drawn_codes, len(labels.classes), IMAGINED)
        return estimated_shares(scores(), labels.drawn_codes)
    return given_or_uniform(ratio, labels)


def given_or_uniform(ratio: Any, labels: Labels) -> ClassShares:
    """Shares that need no estimate."""
    worth, k = float(max(1, len(labels.unlabeled))), len(labels.classes)
    if isinstance(ratio, str) and ratio == "uniform":
        return ClassShares(np.full(k, 1.0 / k), worth, given=True)
    return ClassShares(given_shares(ratio, labels), worth, given=True)


WORDS = '"labeled", "estimated", "uniform", a number or one per class'


def as_among_the_labels(labels: Labels, *, with_prior: bool = False) -> ClassShares:
    """n_c / l of the drawn labels, as the papers have it; with pseudo-labels where a class has none of them."""
    counts = np.bincount(labels.drawn_codes, minlength=len(labels.classes))
    if with_prior or not counts.all():
        return shares_of_labels(labels.drawn_codes, len(labels.classes), IMAGINED)
    return ClassShares(counts / counts.sum(), float(counts.sum()), imagined=IMAGINED)


# ---------------------------------------------------------------- estimated from labels and scores


def estimated_shares(scores: LeftOutScores, drawn: np.ndarray) -> ClassShares:
    """Shares r that fit the drawn labels and, with half the weight, the scores of the unlabeled rows.

        max_r   sum_c (n_c + m/k) log r_c  +  l/2u sum_{j in U} log sum_c r_c p(c | x_j) / q_c

    n_c counts the drawn labels, l all labels, and q_c is the share of class c among all labels. p(c | x) is the
    logistic regression of the labels on left-out scores. Without the first sum this is the estimate of Saerens, Latinne
    and Decaestecker (2002); like theirs it is found by expectation-maximization.
    """
    return shares_by_odds(class_odds(scores), drawn, len(scores.codes))


def class_odds(scores: LeftOutScores) -> np.ndarray:
    """p(c | x_j) / q_c of the unlabeled rows."""
    among_labels = np.bincount(scores.codes, minlength=scores.labeled.shape[1]) / len(scores.codes)
    return _calibrated(scores) / np.where(among_labels > 0, among_labels, 1.0)


def shares_by_odds(odds: np.ndarray, drawn: np.ndarray, n_labels: int) -> ClassShares:
    """The estimate from the odds of the unlabeled rows."""
    k = odds.shape[1]
    counts = np.bincount(drawn, minlength=k) + IMAGINED / k
    return ClassShares(_maximized(odds, counts, WORTH_OF_UNLABELED * n_labels), float(counts.sum()))


def _calibrated(scores: LeftOutScores) -> np.ndarray:
    """p(c | scores) of the unlabeled rows."""
    labeled, unlabeled = scores.labeled, scores.unlabeled
    k = labeled.shape[1]
    if k == 2:
        labeled, unlabeled = (z[:, 1:] - z[:, :1] for z in (labeled, unlabeled))
    every = np.concatenate([labeled, unlabeled])
    spread, largest = every.std(axis=0), np.abs(every).max(axis=0)
    # scores that are equal for all rows hold no information; their rounding must not be magnified
    size = np.where(spread > SAME * largest, spread, np.maximum(largest, 1e-100))
    p = np.zeros((len(unlabeled), k))
    known = np.unique(scores.codes)
    if len(known) < 2:
        p[:, known] = 1.0
        return p
    p[:, known] = LogisticRegression(max_iter=STEPS).fit(labeled / size, scores.codes).predict_proba(unlabeled / size)
    return p


def _maximized(odds: np.ndarray, counts: np.ndarray, weight: float) -> np.ndarray:
    """argmax_r sum_c counts_c log r_c + weight mean_j log sum_c r_c odds_jc."""
    shares = counts / counts.sum()
    for _ in range(STEPS):
        p = shares * odds
        p /= p.sum(axis=1, keepdims=True)
        before, shares = shares, (counts + weight * p.mean(axis=0)) / (counts.sum() + weight)
        if np.abs(shares - before).max() < PRECISION:
            break
    return shares


# ---------------------------------------------------------------- given


def given_shares(ratio: Any, labels: Labels) -> np.ndarray:
    """A number for two classes, or one per class that sum to one."""
    n_classes = len(labels.classes)
    if isinstance(ratio, Real) and not isinstance(ratio, bool):
        if n_classes != 2:
            raise ValueError(f"ratio={ratio!r} was given for {n_classes} classes and one number per class is needed.")
        shares = np.array([1.0 - float(ratio), float(ratio)])
    elif isinstance(ratio, Sequence | np.ndarray) and not isinstance(ratio, str):
        try:
            shares = np.asarray(ratio, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"ratio={ratio!r} was given and one number per class is needed.") from None
        if shares.shape != (n_classes,):
            raise ValueError(
                f"ratio has shape {shares.shape} and one number for each of the {n_classes} classes that have a label "
                f"is needed: {labels.classes.tolist()}."
            )
    else:
        raise ValueError(f"ratio={ratio!r} was given and {WORDS} is needed.")
    if not (np.all(shares > 0) and np.all(shares < 1) and abs(shares.sum() - 1) <= 1e-6):
        raise ValueError(f"ratio={ratio!r} was given and shares between 0 and 1 that sum to 1 are needed.")
    return shares
