"""The cluster kernel of Chapelle, Weston and Schoelkopf (2003): its spectrum follows the clusters of the rows.

    L = D^-1/2 K D^-1/2 = sum_i l_i u_i u_i'      D_ii = sum_j K_ij,  l_1 >= l_2 >= ...
    L~ = sum_i phi_i u_i u_i'      phi_i = sqrt(l_i) for i <= k, l_i^2 beyond
    K~_ij = L~_ij / sqrt(L~_ii L~_jj)

A plain SVM with K~ is trained on the labeled rows.  k is the number of labels plus `extra`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from semisvm.geometry.distances import Points
from semisvm.geometry.widths import width
from semisvm_papers.hashed_rows import HashedRows


class ClusterKernelSVC(ClassifierMixin, BaseEstimator):
    """An SVM with the cluster kernel of a Gaussian kernel whose width is the mean distance; labels -1 are missing."""

    def __init__(self, C: float = 100.0, extra: int = 10) -> None:
        self.C = C
        self.extra = extra

    def fit(self, X: Any, y: np.ndarray) -> ClusterKernelSVC:
        labeled = np.flatnonzero(y >= 0)
        values, vectors = _spectrum(HashedRows(X))
        K = cluster_kernel(values, vectors, len(labeled) + self.extra)
        svc = SVC(C=self.C, kernel="precomputed").fit(K[np.ix_(labeled, labeled)], y[labeled])
        self.classes_ = svc.classes_
        self.transduction_ = np.where(y >= 0, y, svc.predict(K[:, labeled]))
        return self


def cluster_kernel(values: np.ndarray, vectors: np.ndarray, k: int) -> np.ndarray:
    """K~ from the eigenvalues of L, the largest first, and its eigenvectors."""
    values = np.maximum(values, 0.0)
    phi = np.concatenate([np.sqrt(values[:k]), values[k:] ** 2])
    changed = (vectors * phi) @ vectors.T
    lengths = np.sqrt(np.diag(changed))
    return changed / np.outer(lengths, lengths)


@lru_cache(maxsize=1)
def _spectrum(rows: HashedRows) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues of L, the largest first, and its eigenvectors."""
    K = rbf_kernel(rows.X, gamma=width("mean_distance", Points.of(rows.X)))
    scale = 1 / np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * K * scale)
    return values[::-1], vectors[:, ::-1]
