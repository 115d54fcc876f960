"""Features whose Euclidean metric carries an anchor graph. Not even Z is kept: for features phi one pass sums

    phi'L phi = phi'phi - (Z'phi)' D^-1 (Z'phi),

and with A A' = (I + scale phi'L phi)^-1 the features phi A carry the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from semisvm.geometry.anchors import AnchorGraph, Anchors
from semisvm.geometry.distances import squared_norms
from semisvm.spaces.chunked.features import Block, BlockFeatures
from semisvm.spaces.chunked.row_source import RowSource
from semisvm.spaces.predictor import Predictor


def with_graph(graph: AnchorGraph, rows: RowSource, features: BlockFeatures, scale: float) -> GraphFeatures:
    """These features with the graph, `scale` times, in their metric: one pass over the rows."""
    anchors = graph.anchors(rows)
    squares, ties, D = rows.summed(partial(anchor_sums, features, anchors))
    # phi'L phi, first in the values that phi is made of
    M = squares - ties.T @ (ties / np.where(D > 0, D, 1.0)[:, None])
    M = features.outward(features.outward(M).T)
    e, V = eigh(np.eye(len(M)) + scale * (M + M.T) / 2)
    # no eigenvalue is below one but by rounding
    return GraphFeatures(features, V / np.sqrt(np.maximum(e, 1.0)))


def anchor_sums(features: BlockFeatures, anchors: Anchors, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(values'values, Z'values, Z'1) of a block."""
    n_anchors = len(anchors.points)
    squares = np.zeros((features.n_values, features.n_values))
    ties, counts = np.zeros((n_anchors, features.n_values)), np.zeros(n_anchors)
    for rows, values in features.parts(block):
        part = block if rows.stop - rows.start == block.shape[0] else block[rows]
        Z = anchors.ties(part)
        exact: Any = values.astype(np.float64)
        product, tied = exact.T @ exact, Z.T @ exact
        squares += product.toarray() if sp.issparse(product) else product
        ties += tied.toarray() if sp.issparse(tied) else tied
        counts += np.asarray(Z.sum(axis=0)).ravel()
    return squares, ties, counts


@dataclass(frozen=True, eq=False)
class GraphFeatures(BlockFeatures):
    """phi(x) A."""

    base: BlockFeatures
    A: np.ndarray

    @property
    def dimension(self) -> int:
        return int(self.A.shape[1])

    @property
    def n_values(self) -> int:
        return self.base.n_values

    def values(self, block: Block) -> Block:
        return self.base.values(block)

    def inward(self, theta: np.ndarray) -> np.ndarray:
        return self.base.inward(self.A @ theta)

    def outward(self, g: np.ndarray) -> np.ndarray:
        gradient: np.ndarray = self.A.T @ self.base.outward(g)
        return gradient

    def norms(self, values: Block) -> np.ndarray:
        exact: Any = values
        exact = exact.toarray() if sp.issparse(values) else exact
        return squared_norms(self.outward(exact.T.astype(np.float64)).T)

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.base.predictor(self.A @ theta, bias)
