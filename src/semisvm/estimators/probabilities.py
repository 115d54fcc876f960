"""Probabilities from scores, however few labels there are, that never contradict the predicted class.

    p_c  proportional to  exp(-a_c (max_d z_d - z_c))        one slope a_c > 0 per class

The class of the largest score has the largest probability whatever the slopes. They minimize

    sum_{i in L} w_i CE(t_i, p(x_i))  +  m KL(r, mean_{j in U} p(x_j))  +  q sum_c log(a_c / a)^2

with Platt's targets (1999), t = (n + 1) / (n + 2) for the given class and the rest spread evenly over the others, where
n = n_c k / 2: the labels of the class where there are two classes, and half of all labels where k classes have as many
each, since all of them settle the slopes. Two labels of each of two classes claim no more than 3/4. Scores of labeled
rows are those of a model that has not seen the row's label (closed form, unlabeled rows held); the only label of a
class keeps its own score. The second term holds the shares r of the classes among the unlabeled rows;
m is the number of labels where r is estimated from them, and the number of unlabeled rows where it is given.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from semisvm.estimators.class_shares import ClassShares
from semisvm.objective import Point, Problem

LEFT_OUT_ROWS = 1000
"""Up to this many labeled rows each is scored without its own label; beyond, their system of equations is too large."""
UNLABELED_ROWS = 5000
"""Unlabeled rows whose mean probability is held."""
LARGEST_LOG_SLOPE = 6.0
"""Slopes lie within exp(+-6) of one over a typical distance of scores."""
WEAK_PRIOR = 1e-3
"""q, the weight of the squared log slopes, small: it only decides what the data leave open."""
LOG_ODDS_PRIOR = 5.0
"""q where scores are logarithms of probabilities: the log slopes deviate by 0.3. From the tables for tuning."""
DOUBTED_LOG_ODDS_PRIOR = 0.5
"""The same where the scores did no better than guessing on labels that they had not seen: by 1."""

NO_DISTANCE = 1e-100
"""Scores that differ by less count as equal: a slope that separated them would overflow."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """What the slopes are found from. Scores have one column per class."""

    labeled: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    unlabeled: np.ndarray
    expected: ClassShares | None
    prior: float = WEAK_PRIOR
    """q"""

    @classmethod
    def of(cls, problem: Problem, point: Point, weights: np.ndarray, expected: ClassShares | None) -> "Calibration":
        """From the solution of a problem; `weights` are those of its labeled rows."""
        step = max(1, len(problem.unlabeled) // UNLABELED_ROWS)
        unlabeled = point.scores[problem.unlabeled[::step]]
        y = problem.y[problem.labeled]
        codes = (y[:, 0] > 0).astype(np.intp) if y.shape[1] == 1 else np.argmax(y, axis=1)
        labeled = class_scores(left_out_scores(problem, point, codes))
        return cls(labeled, codes, weights, class_scores(unlabeled), expected)

    def moved(self, by: np.ndarray) -> "Calibration":
        """For scores that are larger by these shifts in every column."""
        shift = class_scores(by[None])
        return replace(self, labeled=self.labeled + shift, unlabeled=self.unlabeled + shift)

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """(m, classes) from the (m,) or (m, k) scores of a decision function."""
        return _probabilities(_distances(class_scores(scores)), self.slopes)

    def _targets(self) -> np.ndarray:
        """What the probabilities of the labeled rows should be."""
        return platt_targets(self.codes, self.weights, self.labeled.shape[1])

    def _typical(self) -> float:
        """The typical distance of two scores of a row; the prior expects a slope of one over it."""
        every = np.concatenate([_distances(self.labeled), _distances(self.unlabeled)])
        apart = every[every > NO_DISTANCE]
        return float(np.median(apart)) if len(apart) else 1.0

    @cached_property
    def slopes(self) -> np.ndarray:
        """a_c, computed at the first use and not during training."""
        labeled, unlabeled = _distances(self.labeled), _distances(self.unlabeled)
        typical, targets = self._typical(), self._targets()

        def objective(log_slopes: np.ndarray) -> tuple[float, np.ndarray]:
            a = np.exp(log_slopes) / typical
            value, slope = _disagreement(labeled, a, targets, self.weights)
            if self.expected is not None and len(unlabeled):
                off, pull = _imbalance(unlabeled, a, self.expected.shares)
                value, slope = value + self.expected.worth * off, slope + self.expected.worth * pull
            return value + self.prior * log_slopes @ log_slopes, a * slope + 2 * self.prior * log_slopes

        k = labeled.shape[1]
        bounds = [(-LARGEST_LOG_SLOPE, LARGEST_LOG_SLOPE)] * k
        return np.exp(minimize(objective, np.zeros(k), jac=True, method="L-BFGS-B", bounds=bounds).x) / typical


@dataclass(frozen=True, eq=False)
class LogOddsCalibration(Calibration):
    """For scores that are logarithms of probabilities: the labels correct them as far as they give evidence.

    Slopes have a normal prior around one, and the labels themselves are the targets: the prior does what Platt's
    targets do elsewhere.
    """

    prior: float = LOG_ODDS_PRIOR

    def _targets(self) -> np.ndarray:
        return (self.codes[:, None] == np.arange(self.labeled.shape[1])).astype(np.float64)

    def _typical(self) -> float:
        return 1.0


def class_scores(scores: np.ndarray) -> np.ndarray:
    """One column per class: the scores as they are, or -z/2 and z/2 from the single score of two classes."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        z = scores.reshape(-1, 1)
        return np.concatenate([-z / 2, z / 2], axis=1)
    return scores


def platt_targets(codes: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
    """(n + 1) / (n + 2) for the given class of a row, n = n_c k / 2; the rest over the others; weights count rows."""
    n = 0.5 * n_classes * np.bincount(codes, weights=weights, minlength=n_classes)[codes, None]
    own = codes[:, None] == np.arange(n_classes)
    return np.where(own, n + 1.0, 1.0 / (n_classes - 1)) / (n + 2.0)


def left_out_scores(problem: Problem, point: Point, codes: np.ndarray) -> np.ndarray:
    """Scores of the labeled rows by a model that has not seen the row's own label, (l, k).

    At the solution every labeled row with a slope acts as in a weighted ridge, alpha_i = d_i (y_i - z_i), with the
    unlabeled rows held fixed. Leaving one out of a ridge has a closed form:

        y_i - z_i(left out) = alpha_i / [(K + D^-1)^-1]_ii       bordered by ones where the bias is free

    Rows with alpha_i = 0 keep their score, as do all rows where there are too many or a graph couples them.
    """
    rows = problem.labeled
    scores, y = point.scores[rows], problem.y[rows]
    if len(rows) > LEFT_OUT_ROWS or problem.graph is not None:
        return scores
    K = np.asarray(problem.space.block(rows, rows), dtype=np.float64)
    alpha = -problem.weights[rows] * y * problem.labeled_loss.slope(y * scores)
    residual = y - scores
    others = np.bincount(codes)[codes] > 1
    for column in range(y.shape[1]):
        pulls = np.flatnonzero(alpha[:, column] * residual[:, column] > 0)
        looseness = residual[pulls, column] / alpha[pulls, column]
        certainty = _inverse_diagonal(K[np.ix_(pulls, pulls)], looseness, free_bias=problem.bias is None)
        known = (certainty > 0) & others[pulls]
        changed = pulls[known]
        scores[changed, column] = y[changed, column] - alpha[changed, column] / certainty[known]
    return scores


def _inverse_diagonal(K: np.ndarray, looseness: np.ndarray, *, free_bias: bool) -> np.ndarray:
    """Diagonal of (K + diag(looseness))^-1, bordered by ones for a free bias; 0 where it is lost in rounding."""
    if not len(K):
        return np.empty(0)
    size = max(float(np.trace(K)) / len(K), 1e-300)
    A = K + np.diag(looseness + 1e-8 * size)
    try:
        half = np.tril(dpotri(cholesky(A, lower=True), lower=1)[0])
    except LinAlgError:
        return np.zeros(len(A))
    diagonal = half.diagonal().copy()
    least = 1e-10 * diagonal
    if free_bias:
        # [A 1; 1' 0]^-1 has the block A^-1 - A^-1 1 1'A^-1 / 1'A^-1 1
        ones = half.sum(axis=1) + half.sum(axis=0) - diagonal
        diagonal -= ones**2 / ones.sum()
    return np.where(diagonal > least, diagonal, 0.0)


def _distances(scores: np.ndarray) -> np.ndarray:
    """max_d z_d - z_c."""
    return scores.max(axis=1, keepdims=True) - scores if len(scores) else scores


def _probabilities(distances: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    p = np.exp(-slopes * distances)
    return p / p.sum(axis=1, keepdims=True)


def _disagreement(
    distances: np.ndarray, slopes: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> tuple[float, np.ndarray]:
    """sum_i w_i CE(t_i, p_i) and its derivative in the slopes, sum_i w_i (t_i - p_i) distance_i."""
    p = _probabilities(distances, slopes)
    log_p = -slopes * distances - np.log(np.exp(-slopes * distances).sum(axis=1, keepdims=True))
    return -float(np.sum(weights[:, None] * targets * log_p)), weights @ ((targets - p) * distances)


def _imbalance(distances: np.ndarray, slopes: np.ndarray, shares: np.ndarray) -> tuple[float, np.ndarray]:
    """KL(r, mean p) and its derivative in the slopes."""
    p = _probabilities(distances, slopes)
    mean = np.maximum(p.mean(axis=0), 1e-12)
    excess = shares / mean
    # d mean_c / d a_d = -mean_j p_jc (1[c = d] - p_jd) distance_jd
    slope = (p * distances * (excess - (p @ excess)[:, None])).mean(axis=0)
    return float(np.sum(shares * np.log(shares / mean))), slope
