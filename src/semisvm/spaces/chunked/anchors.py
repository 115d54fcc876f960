"""A graph for very many rows: each is tied to its nearest anchors, and by them to all rows that share one.

    Z_ij  proportional to  exp(-|x_i - a_j|^2 / (2 width^2))     for the nearest anchors a_j of x_i, rows summing to 1
    W = Z D^-1 Z',     D = diag(Z'1),     L = I - Z D^-1 Z'

W has row sums 1, so L is its Laplacian, plain and normalised alike, with eigenvalues in [0, 1] (Liu, He and Chang,
"Large graph construction for scalable semi-supervised learning", 2010). Nothing of size n x n, and not even Z, is kept:
for features phi of the rows one pass sums

    phi'L phi = phi'phi - (Z'phi)' D^-1 (Z'phi),

and with A A' = (I + scale phi'L phi)^-1 the features phi A carry the graph in their Euclidean metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.base import BaseEstimator

from semisvm.distances import Cloud, Points, squared_distances, squared_norms
from semisvm.spaces.chunked.row_source import Block, RowSource
from semisvm.spaces.chunked.views import View
from semisvm.spaces.predictor import Predictor
from semisvm.spaces.reduced import random_landmarks


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

    def anchors(self, rows: RowSource) -> Anchors:
        """Drawn from these rows."""
        for name in ("n_anchors", "n_neighbors"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
                raise ValueError(f"AnchorGraph({name}={value!r}) was given: use a whole number of at least 1.")
        if self.width != "mean" and not (isinstance(self.width, int | float) and self.width > 0):
            raise ValueError(f'AnchorGraph(width={self.width!r}) was given: use "mean" or a positive number.')
        points = random_landmarks(rows, self.n_anchors, self.random_state)  # type: ignore[arg-type]
        width = self.width
        if width == "mean":
            D = np.sqrt(squared_distances(points, points).astype(np.float64))
            nearest = np.sort(D, axis=1)[:, 1 : 1 + self.n_neighbors]
            width = float(nearest.mean()) if nearest.size and nearest.mean() > 0 else 1.0
        return Anchors(points, min(self.n_neighbors, len(points)), float(width))

    def curved(self, rows: RowSource, view: View, scale: float) -> CurvedView:
        """The features of a view with the graph, `scale` times, in their metric: one pass over the rows."""
        anchors = self.anchors(rows)
        squares, ties, D = rows.summed(partial(anchor_sums, view, anchors))
        # phi'L phi, first in the values that phi is made of
        M = squares - ties.T @ (ties / np.where(D > 0, D, 1.0)[:, None])
        M = view.outward(view.outward(M).T)
        e, V = eigh(np.eye(len(M)) + scale * (M + M.T) / 2)
        return CurvedView(view, V / np.sqrt(e))


@dataclass(frozen=True, eq=False)
class Anchors:
    points: Points
    n_neighbors: int
    width: float

    def ties(self, block: Block) -> sp.csr_array:
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


def anchor_sums(view: View, anchors: Anchors, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(values'values, Z'values, Z'1) of a block."""
    n_anchors = len(anchors.points)
    squares = np.zeros((view.n_values, view.n_values))
    ties, counts = np.zeros((n_anchors, view.n_values)), np.zeros(n_anchors)
    for rows, values in view.parts(block):
        part = block if rows.stop - rows.start == block.shape[0] else block[rows]
        Z = anchors.ties(part)
        exact: Any = values.astype(np.float64)
        product, tied = exact.T @ exact, Z.T @ exact
        squares += product.toarray() if sp.issparse(product) else product
        ties += tied.toarray() if sp.issparse(tied) else tied
        counts += np.asarray(Z.sum(axis=0)).ravel()
    return squares, ties, counts


@dataclass(frozen=True, eq=False)
class CurvedView(View):
    """phi(x) A."""

    base: View
    A: np.ndarray

    @property
    def dimension(self) -> int:
        return self.A.shape[1]

    @property
    def n_values(self) -> int:
        return self.base.n_values

    def values(self, block: Block) -> Block:
        return self.base.values(block)

    def inward(self, theta: np.ndarray) -> np.ndarray:
        return self.base.inward(self.A @ theta)

    def outward(self, g: np.ndarray) -> np.ndarray:
        return self.A.T @ self.base.outward(g)

    def norms(self, values: Block) -> np.ndarray:
        exact: Any = values
        exact = exact.toarray() if sp.issparse(values) else exact
        return squared_norms(self.outward(exact.T.astype(np.float64)).T)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.base.predictor(self.A @ theta, bias)
