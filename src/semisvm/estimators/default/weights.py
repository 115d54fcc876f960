"""How much each label-free kernel is trusted: what it would have said of every label without seeing it."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

RIDGE = 0.02
FEW_LABELS = 10
"""Up to so many labels all kernels count the same: leave-one-out says too little."""
SHARPNESS = 0.5
LEAST_WEIGHT = 0.02
MOST_LABELS = 500
"""Labels that are left out in turn; where there are more, every second, third, ... takes part."""


def left_out_residuals(K: np.ndarray, y: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Mean squared leave-one-out residual of ridge regression on the labels +-1, for every set of labels.

    K is the kernel among the labeled rows, `kept` a mask of the labels for each set. With Q = K + 1 1' + ridge over the
    labels of a set the residual of row i without itself is [Q^-1 y]_i / [Q^-1]_ii.
    """
    step = -(-len(K) // MOST_LABELS)
    K, y, kept = K[::step, ::step], y[::step], kept[:, ::step]
    Q = K + 1.0
    Q[np.diag_indices(len(Q))] += RIDGE
    found = np.empty(len(kept))
    for place, rows in enumerate(kept):
        inverse = _inverse(Q[np.ix_(rows, rows)])
        found[place] = np.mean(((inverse @ y[rows]) / inverse.diagonal()[:, None]) ** 2)
    return found


def _inverse(Q: np.ndarray) -> np.ndarray:
    """Q^-1; eigenvalues that rounding took below the ridge, for equal rows have none of their own, are raised to it."""
    try:
        return cho_solve(cho_factor(Q, lower=True), np.eye(len(Q)))
    except LinAlgError:
        w, V = eigh(Q)
        return (V / np.maximum(w, RIDGE)) @ V.T


def kernel_weights(residuals: np.ndarray, n_labeled: int) -> np.ndarray:
    """exp(-1/2 (l - 10)+ (q - min q)), summing to one; weights below a fiftieth are 0."""
    return without_small(np.exp(-SHARPNESS * max(0, n_labeled - FEW_LABELS) * (residuals - residuals.min())))


def without_small(w: np.ndarray) -> np.ndarray:
    """Weights that sum to one, those below a fiftieth 0."""
    w = w / w.sum()
    w[w < min(LEAST_WEIGHT, w.max())] = 0.0
    return w / w.sum()
