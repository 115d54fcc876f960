"""Which rows to label next: those the model is least sure of, spread over the data.

    gain(j) = u_j^(1 - diversity) * min_{i chosen or labeled} d(j, i)^diversity,    u_j = exp(-margin_j / typical one)

The margin is |z| for two classes and the distance between the two largest scores for more. Rows are chosen one by one.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from semisvm.estimators.labels import unlabeled_rows
from semisvm.estimators.parameters import share, whole
from semisvm.geometry.distances import Points, squared_distances

POOL = 2000
"""Rows of the smallest margins among which the choice is made, or 20 for each that is asked for where that is more."""


def suggest_labels(
    model: Any, X: Any, k: int, *, y: Any = None, diversity: float = 0.5, unlabeled: Any = -1
) -> np.ndarray:
    """Indices of the k rows of X whose labels would teach the model most, the best first.

    Parameters
    ----------
    model : fitted classifier
        Anything with a `decision_function`, a pipeline say.
    X : array, sparse matrix or frame
        The rows to choose from.
    k : int
        How many; all unlabeled rows where there are fewer.
    y : array, optional
        Labels of the rows of X: labeled rows are not suggested, nor rows close to them.
    diversity : float
        From 0, the smallest margins alone, to 1, the rows farthest apart among those of small margins.
    unlabeled
        The marker of unlabeled rows in y.

    Examples
    --------
    >>> from semisvm import GradientS3VM, suggest_labels
    >>> from semisvm.datasets import make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> y[20:] = -1
    >>> rows = suggest_labels(GradientS3VM(gamma="median").fit(X, y), X, 5, y=y)
    >>> len(rows)
    5
    """
    whole("k", k)
    share("diversity", diversity)
    margins = margins_of(np.asarray(model.decision_function(X)))
    open_rows = np.arange(len(margins)) if y is None else np.flatnonzero(unlabeled_rows(y, unlabeled))
    if y is not None and len(y) != len(margins):
        raise ValueError(f"X has {len(margins):,} rows and y has {len(y):,}: the same number is needed.")
    pool = open_rows[np.argsort(margins[open_rows], kind="stable")[: max(POOL, 20 * k)]]
    if diversity == 0 or len(pool) <= 1:
        return pool[:k]
    points = Points.of(check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32)))
    known = np.setdiff1d(np.arange(len(margins)), open_rows)
    return pool[_spread(points.take(pool), _doubt(margins[pool]), points.take(known), min(k, len(pool)), diversity)]


def margins_of(scores: np.ndarray) -> np.ndarray:
    """|z| for two classes, the distance of the two largest scores for more."""
    if scores.ndim == 1:
        return np.abs(scores)
    two = np.partition(scores, -2, axis=1)
    return two[:, -1] - two[:, -2]


def _doubt(margins: np.ndarray) -> np.ndarray:
    """1 at the boundary, 1/e at a typical margin."""
    typical = np.median(margins)
    return np.exp(-margins / typical) if typical > 0 else (margins == 0).astype(float)


def _spread(pool: Points, doubt: np.ndarray, known: Points, k: int, diversity: float) -> np.ndarray:
    """Places in the pool, chosen one after the other by doubt and by distance from all chosen before."""
    distance = np.full(len(pool), np.inf)
    if len(known):
        distance = np.sqrt(np.maximum(squared_distances(pool, known).min(axis=1), 0.0)).astype(np.float64)
    chosen: list[int] = []
    for _ in range(k):
        far = distance if np.isfinite(distance).all() else np.ones(len(pool))
        gain = doubt ** (1 - diversity) * far**diversity
        gain[chosen] = -1.0
        chosen.append(int(np.argmax(gain)))
        latest = squared_distances(pool, pool.take(np.array([chosen[-1]])))[:, 0]
        distance = np.minimum(distance, np.sqrt(np.maximum(latest, 0.0)))
    return np.array(chosen)
