"""The clock: a rim around two hands, the toy set of the primal Laplacian SVM paper (Melacci and Belkin, Figure 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

_HOUR_TIP = 0.45 * np.array([np.cos(5 * np.pi / 6), np.sin(5 * np.pi / 6)])
_MINUTE_TIP = 0.7 * np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])


def make_clock(n_samples: int = 300, noise: float = 0.0, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The rim of a clock (class 0) and its hour and minute hand (class 1), evenly dense along all lines.

    Returns ``X`` and ``y``.  **Rows 0 and 1 are the labeled pair**: the rim at twelve o'clock and the tip of the
    minute hand, both free of noise; ``hide_labels(y, [0, 1])`` gives the labels to train on.  The paper shows the
    set but prints no numbers: the rim has radius 1, the hands show ten past ten with lengths 0.45 and 0.7.
    """
    if n_samples < 10:
        raise ValueError(f"n_samples={n_samples} was given: a clock needs at least 10 points.")
    random = check_random_state(random_state)
    lengths = np.array([2 * np.pi, np.linalg.norm(_HOUR_TIP), np.linalg.norm(_MINUTE_TIP)])
    n_hour, n_minute = np.maximum(2, np.round(n_samples * lengths[1:] / lengths.sum())).astype(int)
    n_rim = n_samples - n_hour - n_minute
    a = np.pi / 2 + 2 * np.pi * np.arange(n_rim) / n_rim
    rim = np.column_stack([np.cos(a), np.sin(a)])
    minute = np.linspace(1, 0, n_minute)[:, None] * _MINUTE_TIP
    hour = np.linspace(1, 0, n_hour, endpoint=False)[:, None] * _HOUR_TIP
    X = np.concatenate([rim[:1], minute[:1], rim[1:], minute[1:], hour])
    X[2:] += random.normal(scale=noise, size=X[2:].shape)
    y = np.repeat([0, 1, 0, 1], [1, 1, n_rim - 1, n_minute - 1 + n_hour])
    return X, y
