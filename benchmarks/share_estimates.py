"""Ways to estimate the shares of the classes from left-out scores of labels and scores of unlabeled rows.

`ratio="estimated"` is the one that won; the others are here to be compared with it.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from semisvm.estimators.class_shares import LeftOutScores, class_odds, estimated_shares, shares_of_labels

MATCHED_ROWS = 400
"""Unlabeled rows whose distances are summed."""


def estimates(scores: LeftOutScores) -> dict[str, np.ndarray]:
    """Shares by every candidate, all labels taken as drawn at random."""
    k = scores.labeled.shape[1]
    return {
        "labels, 4 imagined": shares_of_labels(scores.codes, k, 4.0).shares,
        "labels, 2 imagined": shares_of_labels(scores.codes, k, 2.0).shares,
        "EM on scores": em_on_scores(scores),
        "confusion matrix": by_confusion(scores),
        "matched scores": by_matching(scores),
        "estimated": estimated_shares(scores, scores.codes).shares,
    }


def em_on_scores(scores: LeftOutScores, steps: int = 300) -> np.ndarray:
    """Saerens, Latinne and Decaestecker (2002): r <- mean_j of r_c p_jc / q_c, which sum to one in every row."""
    odds = class_odds(scores)
    shares = np.full(odds.shape[1], 1.0 / odds.shape[1])
    for _ in range(steps):
        p = shares * odds
        shares = np.mean(p / p.sum(axis=1, keepdims=True), axis=0)
    return shares


def by_confusion(scores: LeftOutScores) -> np.ndarray:
    """Lipton, Wang and Smola (2018): M r = share of every predicted class, M the confusion of left-out labels."""
    k = scores.labeled.shape[1]
    said = np.eye(k)[scores.labeled.argmax(axis=1)]
    # one imagined label of each class that is confused with all
    M = np.stack([(said[scores.codes == c].sum(axis=0) + 1 / k) / (np.sum(scores.codes == c) + 1) for c in range(k)], 1)
    filled = np.bincount(scores.unlabeled.argmax(axis=1), minlength=k) / len(scores.unlabeled)
    return _on_simplex(lambda r: float(np.sum((M @ r - filled) ** 2)), k)


def by_matching(scores: LeftOutScores) -> np.ndarray:
    """The mixture of the classes' left-out scores at the smallest energy distance from the unlabeled scores."""
    k = scores.labeled.shape[1]
    size = np.maximum(np.concatenate([scores.labeled, scores.unlabeled]).std(axis=0), 1e-100)
    rows = scores.unlabeled[:: max(1, len(scores.unlabeled) // MATCHED_ROWS)] / size
    classes = [scores.labeled[scores.codes == c] / size for c in range(k)]
    across = np.array([cdist(one, rows).mean() for one in classes])
    within = np.array([[_mean_distance(a, b) for b in classes] for a in classes])
    return _on_simplex(lambda r: float(2 * across @ r - r @ within @ r), k)


def _mean_distance(a: np.ndarray, b: np.ndarray) -> float:
    if a is not b:
        return float(cdist(a, b).mean())
    return float(cdist(a, a).sum() / max(1, len(a) * (len(a) - 1)))


def _on_simplex(loss, k: int) -> np.ndarray:
    sum_of_one = {"type": "eq", "fun": lambda r: r.sum() - 1}
    return minimize(loss, np.full(k, 1 / k), bounds=[(0, 1)] * k, constraints=sum_of_one, method="SLSQP").x
