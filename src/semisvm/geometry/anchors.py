"""A graph for very many rows: each is tied to its nearest anchors, and by them to all rows that share one.

    Z_ij  proportional to  exp(-|x_i - a_j|^2 / (2 width^2))     for the nearest anchors a_j of x_i, rows summing to 1
    W = Z D^-1 Z',     D = diag(Z'1),     L = I - Z D^-1 Z'

W has row sums 1, so L is its Laplacian, plain and normalized alike, with eigenvalues in [0, 1] (Liu, He and Chang,
"Large graph construction for scalable semi-supervised learning", 2010). Nothing of size n x n is formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from semisvm.geometry.distances import Cloud, Points, squared_distances
from semisvm.geometry.landmarks import random_landmarks


class AnchorGraph(BaseEstimator):
    """The graph of rows that share anchors, for Laplacian methods on rows that are never held whole.

    Parameters
    ----------
    n_anchors : int
        Rows drawn as anchors.
    n_neighbors : int
        Anchors that a row is tied to.
    width : "mean" or float
        Of the heat weights; "mean" is the mean distance of anchors from their nearest others.
    random_state : int or RandomState, optional
        Draws the anchors.
    """

    def __init__(self, n_anchors: int = 200, n_neighbors: int = 3, width: Any = "mean", random_state: Any = 0):
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.width = width
        self.random_state = random_state

    def anchors(self, rows: Any) -> Anchors:
        """Drawn from these rows."""
        for name in ("n_anchors", "n_neighbors"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise ValueError(f"AnchorGraph({name}={value!r}) was given: use a whole number of at least 1.")
        if self.width != "mean" and not (isinstance(self.width, int | float) and self.width > 0):
            raise ValueError(f'AnchorGraph(width={self.width!r}) was given: use "mean" or a positive number.')
        points = random_landmarks(rows, self.n_anchors, self.random_state)
        width = self.width
        if width == "mean":
            D = np.sqrt(squared_distances(points, points).astype(np.float64))
            nearest = np.sort(D, axis=1)[:, 1 : 1 + self.n_neighbors]
            width = float(nearest.mean()) if nearest.size and nearest.mean() > 0 else 1.0
        return Anchors(points, min(self.n_neighbors, len(points)), float(width))


@dataclass(frozen=True, eq=False)
class Anchors:
    points: Points
    n_neighbors: int
    width: float

    def ties(self, block: np.ndarray | sp.csr_array) -> sp.csr_array:
        """The rows of Z that belong to a block."""
        m, s = block.shape[0], self.n_neighbors
        rows = Points(block, np.arange(m), Cloud(self.points.cloud.origin))
        squares = squared_distances(rows, self.points).astype(np.float64)
        near = np.argpartition(squares, s - 1, axis=1)[:, :s]
        distances = np.take_along_axis(squares, near, axis=1)
        # exp(-d^2 / (2 width^2)), over the largest one: far rows keep their nearest anchor
        weights = np.exp((distances.min(axis=1, keepdims=True) - distances) / (2 * self.width**2))
        weights /= weights.sum(axis=1, keepdims=True)
        return sp.csr_array((weights.ravel(), near.ravel(), np.arange(0, m * s + 1, s)), shape=(m, squares.shape[1]))
