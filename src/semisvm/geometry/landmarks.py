"""A few points that stand for all: drawn from the rows, or the centers of clusters."""

import numpy as np
from sklearn.utils import check_random_state

from semisvm.geometry.distances import Points


def random_landmarks(points: Points, m: int, random_state) -> Points:
    """m training rows drawn without replacement."""
    rows = check_random_state(random_state).choice(len(points), size=min(m, len(points)), replace=False)
    return points.take(np.sort(rows))


def kmeans_landmarks(points: Points, m: int, random_state) -> Points:
    """The centers of m clusters of the training rows."""
    from sklearn.cluster import MiniBatchKMeans  # a slow import that few need

    seed = check_random_state(random_state).randint(2**31 - 1)
    clusters = MiniBatchKMeans(min(m, len(points)), random_state=seed, n_init=1, batch_size=max(1024, 3 * m))
    return Points.of(clusters.fit(points.X).cluster_centers_.astype(points.X.dtype, copy=False))
