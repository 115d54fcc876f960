"""Kernels along neighbor graphs: their Laplacians, and the metrics that these give to functions of the rows."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse import csr_array, triu

from semisvm.estimators.default.row_sums import all_are_summed, precision_for, summed_rows
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Laplacian
from semisvm.geometry.neighbors import near_neighbors, nearest_neighbors

PANEL = 128
"""Columns of a symmetric product that are taken at a time, from the diagonal down."""
EXACT_NEIGHBORS = 20_000
"""Most rows for an exact search of neighbors, whose time grows with the square of the rows."""


@dataclass(frozen=True)
class GraphKernel:
    """(narrow^-1 + rho L^p)^-1."""

    n_neighbors: int
    power: int
    rho: float

    @property
    def name(self) -> str:
        return f"graph of {self.n_neighbors} neighbors, power {self.power}"


GRAPHS = (GraphKernel(10, 2, 100.0), GraphKernel(10, 3, 1000.0), GraphKernel(6, 2, 1000.0))


class Powers:
    """L^q F of some features F, each product taken once."""

    def __init__(self, F: np.ndarray):
        self.F = F
        self.known: dict[tuple[int, int], np.ndarray] = {}

    def of(self, L: csr_array, power: int) -> np.ndarray:
        """L^power F."""
        if power == 0:
            return self.F
        key = id(L), power
        if key not in self.known:
            self.known[key] = L @ self.of(L, power - 1)
        return self.known[key]

    def times(self, rho: float, L: csr_array, power: int) -> np.ndarray:
        """rho L^power F, an array of the caller's own."""
        product = L @ self.of(L, power - 1)
        product *= product.dtype.type(rho)
        return product


class GraphMetrics:
    """Metrics of graphs on features F; L sees no constants, so that F need no centering.

    f'L^p f is a sum over rows, |L^(p/2) f|^2, or over edges where p is odd: with g = L^((p-1)/2) f,

        f'L^p f = sum_ij w_ij (g_i - g_j)^2

    Of many rows or edges some are drawn.
    """

    def __init__(self, F: np.ndarray):
        self.powers, self.n = Powers(F), len(F)

    def root(self, L: csr_array, graph: GraphKernel) -> np.ndarray:
        """R with R R' = I + rho F'L^p F."""
        half, odd = divmod(graph.power, 2)
        if all_are_summed(self.n):
            A, B = self.powers.of(L, half), self.powers.of(L, half + odd)
            M = _lower_half(A, B) if odd else A.T @ A
        else:
            S = self._edges(L, half) if odd else self._rows(L, half)
            M = S.T @ S
        M *= M.dtype.type(graph.rho)
        M[np.diag_indices(len(M))] += 1.0
        return cholesky(M, lower=True, overwrite_a=True, check_finite=False)

    def _rows(self, L: csr_array, power: int) -> np.ndarray:
        """L^power F at the rows that are summed, times the root of how many each stands for."""
        some = summed_rows(self.n)
        scaled = csr_array(np.float32(np.sqrt(self.n / len(some))) * L[some])
        return scaled @ self.powers.of(L, power - 1)

    def _edges(self, L: csr_array, power: int) -> np.ndarray:
        """sqrt(w_ij) (g_i - g_j) of some edges, times the root of how many each stands for."""
        i, j, w = _edges_of(L)
        some = summed_rows(len(w))
        i, j, w = i[some], j[some], np.sqrt(w[some] * (len(w) / len(some)))
        ends, place = np.unique(np.concatenate([i, j]), return_inverse=True)
        g = L[ends] @ self.powers.of(L, power - 1) if power else self.powers.F[ends]
        S = g[place[: len(i)]]
        S -= g[place[len(i) :]]
        S *= w[:, None].astype(S.dtype)
        return S


def _edges_of(L: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """i < j and the weight of every edge of a plain Laplacian."""
    above = triu(L, 1, format="coo")
    return above.row, above.col, -above.data


def _lower_half(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A'B on and below the diagonal, where it is known to be symmetric; above it a part is left out."""
    m = A.shape[1]
    half = np.zeros((m, m), dtype=A.dtype)
    for start in range(0, m, PANEL):
        columns = slice(start, start + PANEL)
        half[start:, columns] = A[:, start:].T @ B[:, columns]
    return half


class OnNeighbors(Protocol):
    """Something on the graph of so many neighbors."""

    @property
    def n_neighbors(self) -> int: ...


OfGraph = TypeVar("OfGraph", bound=OnNeighbors)


def laplacians_of(points: Points, graphs: tuple[OfGraph, ...], *, normalized: bool) -> dict[OfGraph, csr_array]:
    """Of every graph, in the precision of features; graphs of as many neighbors share theirs."""
    if not graphs:
        return {}
    most = min(max(graph.n_neighbors for graph in graphs), len(points) - 1)
    search = nearest_neighbors if len(points) <= EXACT_NEIGHBORS else near_neighbors
    neighbors, distances = search(points, most)
    by_size: dict[int, csr_array] = {}
    for graph in graphs:
        k = min(graph.n_neighbors, most)
        if k not in by_size:
            L = _laplacian(neighbors[:, :k], distances[:, :k], normalized=normalized)
            by_size[k] = L.astype(precision_for(len(points)), copy=False)
    return {graph: by_size[min(graph.n_neighbors, most)] for graph in graphs}


def _laplacian(neighbors: np.ndarray, distances: np.ndarray, *, normalized: bool) -> csr_array:
    """Of the graph that joins a row to another if either is a neighbor of the other; heat weights, mean edge as width.

    Few features cannot represent the constant function of the normalized Laplacian. The plain Laplacian is used there,
    divided by the mean degree so that its scale is the same.
    """
    n, k = neighbors.shape
    t = distances.mean()
    weights = np.exp(-(distances**2) / (2 * t**2)) if t > 0 else np.ones_like(distances)
    directed = csr_array((weights.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    W = csr_array(directed.maximum(directed.T))
    L = Laplacian.of(W, normalized).matrix
    return L if normalized else csr_array(L / max(float(W.sum()) / n, 1e-300))
