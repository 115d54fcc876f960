"""The point-cloud kernel of Sindhwani, Niyogi and Belkin: a norm that also charges for change along a graph.

    |f|~^2 = |f|^2 + o'G o     o = f at the training points, G = scale L^p
    K~ = K - K (I + G K)^-1 G K = (I + K G)^-1 K

Any method run in this space becomes a manifold method; an SVM in it is the Laplacian SVM.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, lu_solve, solve_triangular

from semisvm.geometry.graph import GraphTerm, factorized
from semisvm.geometry.kernels import Kernel
from semisvm.memory import demand
from semisvm.spaces.full import Full, entries
from semisvm.spaces.linear import Linear
from semisvm.spaces.mapped import LinearMap, Mapped
from semisvm.spaces.predictor import KernelPredictor
from semisvm.spaces.space import EVERY_ROW, Rows, Space
from semisvm.spaces.sparse_gram import SparseGram


@dataclass(frozen=True, eq=False)
class Deformed(Space):
    """The deformed kernel on the training points, with the Gram matrix K~ held."""

    base: Full
    graph: GraphTerm
    matrix: np.ndarray

    @property
    def kernel(self) -> Kernel:
        return self.base.kernel

    @property
    def n_points(self) -> int:
        return len(self.matrix)

    @property
    def dimension(self) -> int:
        return len(self.matrix)

    def gram(self) -> np.ndarray:
        return self.matrix

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        outputs: np.ndarray = self.matrix @ theta
        return outputs

    def represent(self, v: np.ndarray) -> np.ndarray:
        return v

    def metric(self, theta: np.ndarray) -> np.ndarray:
        products: np.ndarray = self.matrix @ theta
        return products

    def complete(self, theta: np.ndarray, metric: np.ndarray) -> np.ndarray:
        return metric

    def metric_from(self, v: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        return entries(self.matrix, rows, cols)

    def norms(self) -> np.ndarray:
        norms: np.ndarray = np.maximum(self.matrix.diagonal(), 0.0)
        return norms

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> KernelPredictor:
        # k~(x, .) theta = k(x, .) [theta - G K~ theta]: one coefficient vector on the plain kernel
        folded = theta - self.graph.apply(self.outputs(theta))
        return KernelPredictor.sparse(self.base.kernel, self.base.points, folded, bias)


def deform(space: Full | Linear | Mapped | SparseGram, graph: GraphTerm) -> Space:
    """The same functions under |f|^2 + o'G o; the deformed Gram matrix of a sparse one is dense."""
    match space:
        case SparseGram():
            return deform(Full(space.kernel, space.points), graph)
        case Full():
            return Deformed(space, graph, _deformed_gram(space, graph))
        case Mapped():
            return _deformed_features(space, graph)
        case Linear() if space.dimension <= 20_000:
            X = np.asarray(space.X.todense()) if not isinstance(space.X, np.ndarray) else space.X
            return _deformed_features(Mapped(X, LinearMap(np.eye(space.dimension))), graph)
    raise ValueError(
        f"A graph deforms kernels, landmark features and linear functions of up to 20,000 columns, and here are "
        f'{space.dimension:,} columns: set kernel="cosine", or n_components.'
    )


def _deformed_gram(space: Full, graph: GraphTerm) -> np.ndarray:
    n = space.n_points
    demand(3 * 8 * n * n, f"The deformed Gram matrix of {n:,} rows", "set n_components=500")
    K = np.asarray(space.gram(), dtype=np.float64)
    # (I + K G) K~ = K
    deformed = lu_solve(factorized(graph.apply(K)), K, check_finite=False)
    symmetric: np.ndarray = (deformed + deformed.T) / 2
    return symmetric


def _deformed_features(space: Mapped, graph: GraphTerm) -> Mapped:
    # |f|~^2 = w'(I + Z'G Z) w = |L'w|^2 with I + Z'G Z = L L': features Z L^-T have the Euclidean metric again
    Z = np.asarray(space.Z, dtype=np.float64)
    metric = np.eye(space.dimension) + Z.T @ graph.apply(Z)
    L = cholesky((metric + metric.T) / 2, lower=True)
    A = solve_triangular(L, np.eye(space.dimension), lower=True).T
    return Mapped(Z @ A, space.feature_map.then(A))
