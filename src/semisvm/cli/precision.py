"""--min-precision: from which confidence on a class is right often enough, by labels the model had not seen.

Of the labeled rows that were predicted as class c without their own label, with a confidence of t or more, h of n were
right.  The share expected to be right from t on is

    (h + m q) / (n + m) - s sqrt(q (1 - q) / (n + m)),       m = 2,  s = 1/2

with q the share that was right over all classes and confidences: few rows say little and count as cautiously as that.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

IMAGINED = 2.0
DEVIATIONS = 0.5


def thresholds(probabilities: np.ndarray, codes: np.ndarray, wanted: float) -> np.ndarray:
    """Per class the least confidence from which `wanted` is expected to be right; infinite where there is none.

    probabilities: (l, classes) of labeled rows by models that had not seen their labels, NaN where there are none;
    codes: their classes.
    """
    known = np.isfinite(probabilities).all(axis=1)
    P, codes = probabilities[known], codes[known]
    found = np.full(probabilities.shape[1], np.inf)
    if not len(P):
        return found
    guesses, confidence = P.argmax(axis=1), P.max(axis=1)
    right = guesses == codes
    usual = float(right.mean())
    for code in range(len(found)):
        mine = guesses == code
        found[code] = _threshold(confidence[mine], right[mine], usual, wanted)
    return found


def _threshold(confidence: np.ndarray, right: np.ndarray, usual: float, wanted: float) -> float:
    order = np.argsort(-confidence, kind="stable")
    confidence, n = confidence[order], np.arange(1, len(order) + 1)
    weight = n + IMAGINED
    mean = (np.cumsum(right[order]) + IMAGINED * usual) / weight
    expected = mean - DEVIATIONS * np.sqrt(np.maximum(mean * (1 - mean), usual * (1 - usual)) / weight)
    # rows of one confidence stand or fall together
    last = np.append(confidence[1:] < confidence[:-1], True) if len(order) else np.zeros(0, dtype=bool)
    enough = np.flatnonzero((expected >= wanted) & last)
    return float(confidence[enough[-1]]) if len(enough) else np.inf


def told(found: np.ndarray, classes: Sequence[Any], wanted: float) -> str:
    """The thresholds in a sentence."""
    parts = [
        f"{name}: none" if np.isinf(limit) else f"{name}: {limit:.0%}"
        for name, limit in zip(classes, found, strict=True)
    ]
    return f"Confidence from which {wanted:.0%} are expected to be right: {', '.join(parts)}. The rest stays blank."
