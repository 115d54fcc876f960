"""The bagged cluster kernel of Weston, Leslie, Ie and Noble (2006): a Gaussian kernel times how often k-means agrees.

    K~_ij = exp(-|x_i - x_j|^2 / (2 sigma^2)) times the share of the runs of k-means that put i and j into one cluster

A plain SVM with K~ is trained on the labeled rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from semisvm.geometry.distances import Points
from semisvm.geometry.widths import width
from semisvm_papers.hashed_rows import HashedRows

N_FOLDS = 10


class BaggedKernelSVC(ClassifierMixin, BaseEstimator):
    """An SVM with the bagged cluster kernel; labels -1 are missing.

    ``n_clusters`` are numbers of clusters, ``widths`` are sigmas as multiples of the mean distance between the rows. Of
    several, ten-fold cross-validation on the labels takes the best pair, the first one among equals.
    """

    def __init__(
        self,
        C: float = 100.0,
        n_clusters: Sequence[int] = (10,),
        widths: Sequence[float] = (0.5,),
        n_bags: int = 20,
        random_state: int | None = None,
    ) -> None:
        self.C = C
        self.n_clusters = n_clusters
        self.widths = widths
        self.n_bags = n_bags
        self.random_state = random_state

    def fit(self, X: Any, y: np.ndarray) -> BaggedKernelSVC:
        rows, labeled = HashedRows(X), np.flatnonzero(y >= 0)
        pairs = list(product(self.n_clusters, self.widths))
        columns = [bagged_kernel(rows, k, sigma, self.n_bags)[:, labeled] for k, sigma in pairs]
        best = 0 if len(pairs) == 1 else int(np.argmax([self._accuracy(K[labeled], y[labeled]) for K in columns]))
        svc = self._svc().fit(columns[best][labeled], y[labeled])
        self.n_clusters_, self.width_ = pairs[best]
        self.classes_ = svc.classes_
        self.transduction_ = np.where(y >= 0, y, svc.predict(columns[best]))
        return self

    def _svc(self) -> SVC:
        return SVC(C=self.C, kernel="precomputed")

    def _accuracy(self, K: np.ndarray, y: np.ndarray) -> float:
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=self.random_state)
        return float(cross_val_score(self._svc(), K, y, cv=folds).mean())


@lru_cache(maxsize=16)
def bagged_kernel(rows: HashedRows, n_clusters: int, sigma: float, n_bags: int) -> np.ndarray:
    """K~ of the rows; run b of k-means has the seed b."""
    # exp(-|x - z|^2 / (2 (k sigma)^2)) with the mean distance as the unit sigma
    gaussian = rbf_kernel(rows.X, gamma=width("mean_distance", Points.of(rows.X)) / sigma**2)
    return gaussian * _shares(rows, n_clusters, n_bags)


@lru_cache(maxsize=8)
def _shares(rows: HashedRows, n_clusters: int, n_bags: int) -> np.ndarray:
    """The share of the runs of k-means that put two rows into one cluster."""
    runs = [KMeans(n_clusters, n_init=1, max_iter=30, random_state=bag).fit_predict(rows.X) for bag in range(n_bags)]
    return np.mean([labels[:, None] == labels for labels in runs], axis=0)
