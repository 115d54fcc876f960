"""--min-precision: the confidence from which a class is right often enough, estimated from left-out labels.

A row that is put into class c with probability p is right with the chance

    q = sigmoid(a + b logit(p) + d_c)

whose coefficients are found from the labeled rows, each predicted without its own label, with normal priors around
a = 0, b = 1, d = 0: few labels leave the probabilities as they are. To be cautious, half a standard deviation of the
sum is subtracted. The rows of a class are filled in the order of their confidence, as long as the mean of their q is at
least the wanted precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

CAUTION = 0.5
OFFSET, SLOPE, CLASS = 1.0, 0.5, 0.5
"""Standard deviations of the priors of a, b and d."""
NEWTON_STEPS = 50
SURE = 1e-4
"""Probabilities are clipped to at least this distance from 0 and 1."""


@dataclass(frozen=True, eq=False)
class ChanceOfRight:
    """The coefficients (a, b, d_1, ..., d_k) and their covariance."""

    coefficients: np.ndarray
    covariance: np.ndarray

    @classmethod
    def of(cls, probabilities: np.ndarray, codes: np.ndarray) -> "ChanceOfRight":
        """Fit to probabilities of rows by models that had not seen their labels, and to their classes."""
        Z = _features(probabilities)
        right = probabilities.argmax(axis=1) == codes
        k = probabilities.shape[1]
        usual = np.concatenate([[0.0, 1.0], np.zeros(k)])
        weight = 1 / np.concatenate([[OFFSET, SLOPE], np.full(k, CLASS)]) ** 2
        w = usual.copy()
        for _ in range(NEWTON_STEPS):
            q = _sigmoid(Z @ w)
            hessian = (Z.T * (q * (1 - q))) @ Z + np.diag(weight)
            step = np.linalg.solve(hessian, Z.T @ (right - q) - weight * (w - usual))
            w = w + step / max(1.0, float(np.abs(step).max()))
            if np.abs(step).max() < 1e-9:
                break
        return cls(w, np.linalg.inv(hessian))

    def cautious(self, probabilities: np.ndarray) -> np.ndarray:
        """q of rows, less half a standard deviation."""
        Z = _features(probabilities)
        deviation = np.sqrt(np.einsum("ij,jk,ik->i", Z, self.covariance, Z))
        return _sigmoid(Z @ self.coefficients - CAUTION * deviation)


def thresholds(left_out: np.ndarray, codes: np.ndarray, rows: np.ndarray, wanted: float) -> np.ndarray:
    """The least confidence of each class from which the share `wanted` should be right; infinite where there is none.

    left_out: (l, classes) probabilities of labeled rows by models that had not seen their labels, NaN where there are
    none; codes: their classes; rows: (m, classes) probabilities of rows to be filled.
    """
    known = np.isfinite(left_out).all(axis=1)
    chance = ChanceOfRight.of(left_out[known], codes[known])
    guesses, confidence, q = rows.argmax(axis=1), rows.max(axis=1), chance.cautious(rows)
    found = np.full(rows.shape[1], np.inf)
    for code in range(len(found)):
        mine = np.flatnonzero(guesses == code)
        mine = mine[np.argsort(-confidence[mine], kind="stable")]
        mean = np.cumsum(q[mine]) / np.arange(1, len(mine) + 1)
        enough = np.flatnonzero(mean >= wanted)
        if len(enough):
            found[code] = confidence[mine[enough[-1]]]
    return found


def sentence(found: np.ndarray, classes: Sequence[Any], wanted: float) -> str:
    """The thresholds in a sentence."""
    parts = [
        f"{name}: never" if np.isinf(limit) else f"{name}: {limit:.0%}"
        for name, limit in zip(classes, found, strict=True)
    ]
    return f"Confidence from which {wanted:.0%} are expected to be right: {', '.join(parts)}. The rest stays blank."


def _features(probabilities: np.ndarray) -> np.ndarray:
    """(1, logit of the confidence, which class)."""
    p = np.clip(probabilities.max(axis=1), SURE, 1 - SURE)
    which = probabilities.argmax(axis=1)[:, None] == np.arange(probabilities.shape[1])
    return np.column_stack([np.ones(len(p)), np.log(p / (1 - p)), which.astype(float)])


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))
