"""Two interleaved half circles, in many dimensions (2moons of the survey) or in the plane (QN-S3VM)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def make_two_moons(
    n: int = 200,
    noise: float = 0.05,
    angle: float = 0.2 * np.pi,
    nuisance: int = 100,
    random_state: Any = None,
    nuisance_noise: float = 0.01,
) -> tuple[np.ndarray, np.ndarray]:
    """Two moons with ``nuisance`` further columns of small noise, as in the survey of Chapelle et al. (2008).

    Returns ``X`` and ``y`` (0 or 1, half each).  **Rows 0 and 1 are the labeled pair**, one of each class: they
    do not depend on the random numbers, carry no noise, and mirror each other in the center of the figure at
    ``angle`` (radians) from the inner tips of the moons, so ``hide_labels(y, [0, 1])`` gives the labels to train
    on.  At angle 0 the pair sits on the tips, where every local method fails; between 0.17 pi and 0.2 pi a
    plain SVM has about the error the survey prints (45 and 38 % where 44.4 % is printed), which does not say how its
    pair was chosen.
    """
    if n < 2:
        raise ValueError(f"n={n} was given: the labeled pair alone needs 2 rows.")
    random = check_random_state(random_state)
    y = np.concatenate([[0, 1], random.permutation(np.arange(n - 2) % 2)])
    X = np.zeros((n, 2 + nuisance))
    X[2:, :2] = _on_moons(random.uniform(0, np.pi, n - 2), y[2:])
    X[2:, :2] += random.normal(scale=noise, size=(n - 2, 2))
    X[2:, 2:] = random.normal(scale=nuisance_noise, size=(n - 2, nuisance))
    X[:2, :2] = _on_moons(np.full(2, angle), y[:2])
    return X, y


def make_moons_qn(n_samples: int = 500, noise: float = 0.1, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Moons of the QN-S3VM paper: the two half circles in the plane.

    The paper shows three slightly different sets and prints no parameters; ``noise`` is ours to choose.
    """
    random = check_random_state(random_state)
    y = random.permutation(np.arange(n_samples) % 2)
    X = _on_moons(random.uniform(0, np.pi, n_samples), y)
    return X + random.normal(scale=noise, size=(n_samples, 2)), y


def _on_moons(a: np.ndarray, y: np.ndarray) -> np.ndarray:
    # class 0: (cos a, sin a),  class 1: (1 - cos a, 1/2 - sin a),  its mirror image in the point (1/2, 1/4)
    upper = np.column_stack([np.cos(a), np.sin(a)])
    return np.where(y[:, None] == 0, upper, np.array([1.0, 0.5]) - upper)
