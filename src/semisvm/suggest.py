"""Which rows to label next: those the model is least sure of, spread over the data.

    gain(j) = u_j^(1 - diversity) * min_{i chosen or labeled} d(j, i)^diversity,    u_j = exp(-margin_j / typical one)

The margin is |z| for two classes and the distance between the two largest scores for more. Rows are chosen one by one.

Before there is a model, rows in the middle of clusters are suggested: the largest cluster first, then clusters far from
the rows chosen before.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.utils import check_array, check_random_state

from semisvm.estimators.default.preparation import preparations
from semisvm.estimators.labels import unlabeled_rows
from semisvm.estimators.parameters import share, whole
from semisvm.geometry.distances import Points, squared_distances

POOL = 2000
"""Rows of the smallest margins among which the choice is made, or 20 for each that is asked for where that is more."""

FIRST_POOL = 5000
"""Rows among which first ones are looked for."""
SMALL = 4
"""A cluster is small if it has less than 1 / SMALL of the mean size."""


def suggest_labels(
    model: Any, X: Any, k: int, *, y: Any = None, diversity: float = 0.5, unlabeled: Any = -1
) -> np.ndarray:
    """Indices of the k rows of X whose labels would teach the model most, the best first.

    Parameters
    ----------
    model : fitted classifier
        Anything with a `decision_function`, such as a pipeline.
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


def suggest_first_labels(X: Any, k: int, *, random_state: Any = 0) -> np.ndarray:
    """Indices of k rows to label before there is a model: typical ones, spread over the data, no labels needed.

    The rows are scaled as `S3VM` scales them first, cut into k clusters by k-means, and the row closest to the middle
    of each is taken. The order is such that any number of leading rows is spread: by the root of the size of the
    cluster times the distance from all rows before.

    Parameters
    ----------
    X : array, sparse matrix or frame
        The rows to choose from; of more than 5,000, a draw of 5,000.
    k : int
        How many; all different rows where there are fewer.
    random_state
        Draws the rows and the first clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from semisvm import suggest_first_labels
    >>> X = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 20, axis=0)
    >>> sorted((suggest_first_labels(X, 3) // 20).tolist())
    [0, 1, 2]
    """
    whole("k", k)
    random = check_random_state(random_state)
    X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    n = X.shape[0]
    drawn = np.sort(random.choice(n, FIRST_POOL, replace=False)) if n > FIRST_POOL else np.arange(n)
    Z = preparations(X[drawn])[0].apply(X[drawn])
    different = _different_rows(Z)
    drawn, Z = drawn[different], Z[different]
    if len(drawn) <= k:
        return drawn
    seed = int(random.randint(2**31 - 1))
    clusters = KMeans(k, n_init=1, max_iter=20, random_state=seed).fit(Z)
    to_center = clusters.transform(Z)
    middle = np.array([_closest(to_center[:, one], clusters.labels_ == one) for one in range(k)])
    size = np.bincount(clusters.labels_, minlength=k)
    # clusters of hardly any rows are outliers, and come last; otherwise sqrt(size) stands for the uncertainty
    small = SMALL * size < len(drawn) / k
    points = Points.of(Z[middle])
    nothing = points.take(np.zeros(0, dtype=int))
    order = _spread(points, np.where(small, 0.0, np.sqrt(size / size.max())), nothing, k, 0.5)
    return drawn[middle[order]]


def margins_of(scores: np.ndarray) -> np.ndarray:
    """|z| for two classes, the distance of the two largest scores for more."""
    if scores.ndim == 1:
        return np.abs(scores)
    two = np.partition(scores, -2, axis=1)
    return two[:, -1] - two[:, -2]


def _different_rows(Z: Any) -> np.ndarray:
    """Places of the rows without those that repeat an earlier one."""
    seen: dict[Any, int] = {}
    for place in range(Z.shape[0]):
        if sp.issparse(Z):
            inside = slice(Z.indptr[place], Z.indptr[place + 1])
            seen.setdefault((Z.indices[inside].tobytes(), Z.data[inside].tobytes()), place)
        else:
            seen.setdefault(Z[place].tobytes(), place)
    return np.array(list(seen.values()))


def _closest(distance: np.ndarray, own: np.ndarray) -> int:
    """The row of a cluster that is closest to its middle."""
    return int(np.argmin(np.where(own, distance, np.inf)))


def _doubt(margins: np.ndarray) -> np.ndarray:
    """1 at the boundary, 1/e at a typical margin."""
    typical = np.median(margins)
    return np.exp(-margins / typical) if typical > 0 else (margins == 0).astype(float)


def _spread(pool: Points, doubt: np.ndarray, known: Points, k: int, diversity: float) -> np.ndarray:
    """Positions in the pool, chosen one by one by uncertainty and by the distance from all rows chosen before."""
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
