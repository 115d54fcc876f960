"""Gaussian classes: g50c (Chapelle and Zien 2005) and the two sets of the QN-S3VM paper (Gieseke et al. 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state


def make_g50c(
    n_samples: int = 550, n_features: int = 50, bayes_error: float = 0.05, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Two unit Gaussians whose means lie on the diagonal, so far apart that no classifier beats ``bayes_error``.

    Returns ``X`` and ``y`` (0 or 1, half each, in random order).
    """
    if not 0 < bayes_error < 0.5:
        raise ValueError(f"bayes_error={bayes_error} was given: it has to lie between 0 and 0.5, both excluded.")
    random = check_random_state(random_state)
    y = random.permutation(np.arange(n_samples) % 2)
    # x = s Phi^-1(1 - error)/sqrt(d) 1 + N(0, I),  s = -1 or +1:  the means are Phi^-1(1 - error) from the boundary
    shift = -ndtri(bayes_error) / np.sqrt(n_features)
    return (2 * y - 1)[:, None] * shift + random.normal(size=(n_samples, n_features)), y


def make_gaussian2c(
    n_samples: int = 500, n_features: int = 500, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian2C: N(m, I) with m = (-2.5, 0, ..., 0) for class 0 and (+2.5, 0, ..., 0) for class 1, half each."""
    return _clusters(n_samples, n_features, np.array([[-2.5], [2.5]]), random_state)


def make_gaussian4c(
    n_samples: int = 500, n_features: int = 500, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian4C: two clusters per class, which only the first column separates.

    The means are (-2.5, -5) and (-2.5, +5) for class 0, (+2.5, -5) and (+2.5, +5) for class 1, zeros elsewhere;
    the wide gap along the second column misleads.
    """
    means = np.array([[-2.5, -5.0], [2.5, -5.0], [-2.5, 5.0], [2.5, 5.0]])
    return _clusters(n_samples, n_features, means, random_state)


def _clusters(n_samples: int, n_features: int, means: np.ndarray, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Equal shares of N(m_i, I) in random order; the clusters belong to classes 0, 1, 0, 1, ... in turn."""
    if n_features < means.shape[1]:
        raise ValueError(f"n_features={n_features} was given: the class means need at least {means.shape[1]}.")
    random = check_random_state(random_state)
    cluster = random.permutation(np.arange(n_samples) % len(means))
    X = random.normal(size=(n_samples, n_features))
    X[:, : means.shape[1]] += means[cluster]
    return X, cluster % 2
