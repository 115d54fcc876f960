"""Nearest neighbors along a graph: each row gets the label of the labeled row that the shortest path leads to.

    d(i, j) = the least sum of |x_a - x_b|^2 over the edges (a, b) of a path from i to j

Edges join each row to its nearest rows, in both directions.  Rows that no labeled row can be reached from get the label
of the labeled row that is nearest in a straight line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import kneighbors_graph


class GraphNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """One nearest neighbor by paths in the graph of ``n_neighbors`` neighbors; labels -1 are missing."""

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: np.ndarray) -> GraphNeighborsClassifier:
        labeled = np.flatnonzero(y >= 0)
        graph = kneighbors_graph(X, self.n_neighbors, mode="distance").power(2)
        paths, _, source = dijkstra(
            graph.maximum(graph.T), directed=False, indices=labeled, min_only=True, return_predecessors=True
        )
        straight = labeled[pairwise_distances_argmin(X, X[labeled])]
        self.classes_ = np.unique(y[labeled])
        self.transduction_ = y[np.where(np.isfinite(paths), source, straight)]
        return self
