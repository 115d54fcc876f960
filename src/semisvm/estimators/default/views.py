"""Label-free kernels on all rows, each as a few leading features: what the members of the default learn on.

    linear                 x'z
    rbf, narrow rbf        exp(-d^2 / (2 m)),  exp(-2 d^2 / m)        m the squared median distance
    along the graph        (narrow^-1 + rho L^p)^-1                   three graphs, strengths and powers

Every kernel is double-centred, divided by its mean diagonal and cut to its leading eigen-directions. Distances,
landmark features, neighbours and one covariance matrix are shared: with functions of m landmarks, Z Z' = K, a graph
costs

    K~ = Z M^-1 Z',   M = I + rho Z'L^p Z = R R',   and the eigen-directions of  R^-1 (Z_c'Z_c) R^-T

matrices of size m alone, and an iteration of any member costs O(n rank).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cholesky, eigh, qr, solve_triangular
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from semisvm.distances import Points
from semisvm.estimators.default.preparation import Preparation
from semisvm.graph import Laplacian
from semisvm.kernels import RBF, Kernel
from semisvm.neighbors import nearest_neighbors
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor, random_landmarks
from semisvm.widths import width

RANK, SPARSE_RANK = 120, 250
EXACT_ROWS = 2200
"""Up to so many rows every row is a landmark."""
LANDMARKS = 1000
SAMPLE = 256
"""Rows whose mean stands for that of all where each costs a solve."""
WIDE = 2000
"""Columns beyond which linear functions are found by a randomised decomposition."""
JITTER = 1e-8
NO_SPREAD = 1e-18
"""Features vary by rounding alone where their variance is below this share of their squared mean."""
LIGHT_ROWS = 500
"""Above so many rows features and graphs are held in single precision: they are followed to a hundredth at best."""
PANEL = 128
"""Columns of a symmetric product that are taken at a time, from the diagonal down."""
DIRECT, OVERSAMPLING, PASSES = 4, 15, 4
"""Above so many times the wanted directions they are found by passes over a few more random ones."""


@dataclass(frozen=True)
class GraphKernel:
    """(narrow^-1 + rho L^p)^-1."""

    n_neighbors: int
    power: int
    rho: float

    @property
    def name(self) -> str:
        return f"graph of {self.n_neighbors} neighbours, power {self.power}"


GRAPHS = (GraphKernel(10, 2, 100.0), GraphKernel(10, 3, 1000.0), GraphKernel(6, 2, 1000.0))


@dataclass(frozen=True, eq=False)
class Features:
    """phi(x) = k(x, landmarks) A, or x'A where there is no kernel."""

    kernel: Kernel | None
    landmarks: Points | None
    A: np.ndarray

    def predictor(self, theta: np.ndarray, intercept: np.ndarray) -> Predictor:
        """phi(x)'theta + intercept."""
        if self.kernel is None or self.landmarks is None:
            return LinearPredictor(self.A @ theta, intercept)
        return KernelPredictor(self.kernel, self.landmarks, self.A @ theta, intercept)


@dataclass(frozen=True, eq=False)
class View:
    """One kernel of the prepared rows: centred features Z of the training rows, Z = phi(x) directions - offset."""

    name: str
    preparation: Preparation
    Z: np.ndarray
    features: Features
    directions: np.ndarray
    offset: np.ndarray

    @property
    def title(self) -> str:
        return _title(self.name, self.preparation)


@dataclass(frozen=True, eq=False)
class Basis:
    """Features F of all training rows, centred, with their covariance and the mean diagonal of the centred kernel."""

    features: Features
    F: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    diagonal: float

    @classmethod
    def of(cls, features: Features, F: np.ndarray, diagonal: float | None = None) -> "Basis":
        mean = F.mean(axis=0)
        F = (F - mean).astype(np.float32 if len(F) > LIGHT_ROWS else np.float64, copy=False)
        covariance = F.T @ F
        spread = float(np.trace(covariance)) / len(F)
        if spread <= NO_SPREAD * float(mean @ mean):
            # equal rows: what rounding has left must not be scaled up to the size of a kernel
            return cls(features, np.zeros_like(F), mean, np.zeros_like(covariance), 0.0)
        return cls(features, F, mean, covariance, spread if diagonal is None else diagonal)


@dataclass(frozen=True, eq=False)
class KernelView:
    """A kernel on all rows, known well enough to be weighed by the labels; its features are found where it is kept.

    root R: the metric of the basis is R R' (None: the identity).
    """

    name: str
    preparation: Preparation
    basis: Basis
    root: np.ndarray | None = None

    @property
    def title(self) -> str:
        return _title(self.name, self.preparation)

    @cached_property
    def scale(self) -> float:
        """1 / sqrt(mean diagonal of the centred kernel), from some of the rows where each costs a solve."""
        diagonal = self.basis.diagonal
        if self.root is not None:
            step = -(-len(self.basis.F) // SAMPLE)
            diagonal = float(np.mean(np.sum(self._turned(self.basis.F[::step].T) ** 2, axis=0)))
        return float(1.0 / np.sqrt(diagonal)) if diagonal > 0 else 1.0

    def _turned(self, columns: np.ndarray) -> np.ndarray:
        """R^-1 columns."""
        return columns if self.root is None else solve_triangular(self.root, columns, lower=True, check_finite=False)

    def _turned_back(self, columns: np.ndarray) -> np.ndarray:
        """R^-T columns."""
        if self.root is None:
            return columns
        return solve_triangular(self.root, columns, lower=True, trans="T", check_finite=False)

    def _eigen_directions(self, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """The largest eigenvalues of R^-1 covariance R^-T and their directions; by iteration where that costs less."""
        C = self.basis.covariance
        m = len(C)
        if m <= DIRECT * rank:
            # divide and conquer for all is faster than looking for some
            w, V = eigh(self._turned(self._turned(C).T), driver="evd", check_finite=False)
            return w[-rank:], V[:, -rank:]
        Q = np.random.RandomState(0).standard_normal((m, rank + OVERSAMPLING)).astype(C.dtype, copy=False)
        for _ in range(PASSES):
            Q = qr(self._turned(C @ self._turned_back(Q)), mode="economic", check_finite=False)[0]
        w, W = eigh(Q.T @ self._turned(C @ self._turned_back(Q)))
        return w[-rank:], Q @ W[:, -rank:]

    def some_features(self, rows: np.ndarray) -> np.ndarray:
        """Centred and scaled features of these rows, with all their directions."""
        return self.scale * self._turned(self.basis.F[rows].T).T.astype(np.float64, copy=False)

    def leading(self, rank: int) -> View:
        """The leading eigen-directions V of R^-1 covariance R^-T, and the features F R^-T V."""
        w, V = self._eigen_directions(rank)
        # directions that are rounding are left out, but for one where all are
        rounding = 1e-10 if w.dtype == np.float64 else 1e-6
        kept = np.flatnonzero(w > rounding * max(float(w[-1]), 1e-300))
        V = V[:, kept] if len(kept) else np.zeros((len(V), 1))
        V = self.scale * self._turned_back(V)
        basis = self.basis
        return View(self.name, self.preparation, basis.F @ V, basis.features, V, basis.mean @ V)


def _title(name: str, preparation: Preparation) -> str:
    return f"{name} on {preparation.name}"


def rank_for(view: KernelView) -> int:
    """Directions that a kernel keeps: more where rows are sparse texts."""
    landmarks = view.basis.features.landmarks
    sparse = landmarks.sparse if landmarks is not None else view.basis.features.A.shape[0] > WIDE
    return SPARSE_RANK if sparse else RANK


def kernel_views(
    X: Any, prepared: tuple[Preparation, ...], random_state: Any, graphs: tuple[GraphKernel, ...] = GRAPHS
) -> Iterator[KernelView]:
    """All kernels of all preparations of these rows."""
    for preparation in prepared:
        points = Points.of(preparation.apply(X))
        yield KernelView("linear", preparation, _linear_basis(points, random_state))
        gamma = width("median", points)
        landmarks = points if len(points) <= EXACT_ROWS else random_landmarks(points, LANDMARKS, random_state)
        wide, narrow = _two_widths(gamma, points, landmarks)
        yield KernelView("rbf", preparation, wide)
        yield KernelView("narrow rbf", preparation, narrow)
        if len(points) > 2 and graphs:
            exact = len(landmarks) == len(points)
            for graph, root in _graph_metrics(graphs, points, narrow, exact=exact):
                yield KernelView(graph.name, preparation, narrow, root)


def _linear_basis(points: Points, random_state: Any) -> Basis:
    X, d = points.X, points.n_features
    if not points.sparse and d <= WIDE:
        unit = _unit(X)
        return Basis.of(Features(None, None, np.eye(d) / unit), X / unit)
    rank = min(SPARSE_RANK + 10, *X.shape)
    directions = randomized_svd(X, rank, n_iter=3, random_state=random_state)[2].T
    mean = np.asarray(X.mean(axis=0)).ravel()
    F = np.asarray(X @ directions)
    unit = _unit(F)
    diagonal = float(points.squared_norms.mean() - mean @ mean) / unit**2
    return Basis.of(Features(None, None, directions / unit), F / unit, diagonal)


def _unit(F: np.ndarray) -> float:
    """A power of two near the largest value: kernels are scaled in the end, and squares must not leave float32."""
    largest = float(np.abs(F).max(initial=0.0))
    return 2.0 ** round(float(np.log2(largest))) if largest > 0 else 1.0


def _two_widths(gamma: float, points: Points, landmarks: Points) -> tuple[Basis, Basis]:
    """Bases of exp(-gamma d^2) and, from the same distances, of exp(-4 gamma d^2) = exp(-gamma d^2)^4."""
    kernel = RBF(gamma)
    K = kernel.gram(landmarks)
    rows = None if landmarks is points else kernel.block(points, landmarks)
    narrow = _kernel_basis(RBF(4 * gamma), landmarks, _fourth_power(K), None if rows is None else _fourth_power(rows))
    return _kernel_basis(kernel, landmarks, K, rows), narrow


def _fourth_power(K: np.ndarray) -> np.ndarray:
    squares = np.square(K)
    return np.square(squares, out=squares)


def _kernel_basis(kernel: Kernel, landmarks: Points, K: np.ndarray, rows: np.ndarray | None) -> Basis:
    """From the matrix of the landmarks and the rows' values against them, None where rows are landmarks; both are lost.

    K + jitter = R R',  phi(x) = k(x, landmarks) R^-T
    """
    K[np.diag_indices(len(K))] += JITTER
    R = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    inverse = dtrtri(R, lower=1)[0]
    if rows is None:
        # K R^-T = (R R' - jitter) R^-T
        F = R - JITTER * inverse.T
    else:
        # F' = R^-1 k(landmarks, x), in the place of the latter
        F = dtrmm(1.0, inverse, rows.T, lower=1, overwrite_b=1).T
    return Basis.of(Features(kernel, landmarks, inverse.T), F)


def _graph_metrics(
    graphs: tuple[GraphKernel, ...], points: Points, basis: Basis, *, exact: bool
) -> Iterator[tuple[GraphKernel, np.ndarray]]:
    """R with R R' = I + rho F'L^p F for each of the graphs."""
    most = min(max(graph.n_neighbors for graph in graphs), len(points) - 1)
    neighbors, distances = nearest_neighbors(points, most)
    # the graph acts on functions as they are, not on centred ones
    F = basis.F + basis.mean.astype(basis.F.dtype, copy=False)
    smooth: dict[int, tuple[csr_array, np.ndarray]] = {}
    for graph in graphs:
        k = min(graph.n_neighbors, most)
        if k not in smooth:
            L = _laplacian(neighbors[:, :k], distances[:, :k], normalized=exact).astype(F.dtype, copy=False)
            smooth[k] = L, L @ F
        L, LF = smooth[k]
        M = graph.rho * (LF.T @ LF if graph.power == 2 else _lower_half(LF, L @ LF))
        M[np.diag_indices(len(M))] += 1.0
        yield graph, cholesky(M, lower=True, overwrite_a=True, check_finite=False)


def _lower_half(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A'B on and below the diagonal, where it is known to be symmetric; above it a part is left out."""
    m = A.shape[1]
    half = np.zeros((m, m), dtype=A.dtype)
    for start in range(0, m, PANEL):
        columns = slice(start, start + PANEL)
        half[start:, columns] = A[:, start:].T @ B[:, columns]
    return half


def _laplacian(neighbors: np.ndarray, distances: np.ndarray, *, normalized: bool) -> csr_array:
    """Of the graph that joins a row to another if either is a neighbour of the other; heat weights, mean edge as width.

    Few features cannot follow the normalised Laplacian's idea of a constant function: the plain one serves there,
    divided by the mean degree so that its size is the same.
    """
    n, k = neighbors.shape
    t = distances.mean()
    weights = np.exp(-(distances**2) / (2 * t**2)) if t > 0 else np.ones_like(distances)
    directed = csr_array((weights.ravel(), neighbors.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    W = csr_array(directed.maximum(directed.T))
    L = Laplacian.of(W, normalized).matrix
    return L if normalized else csr_array(L / max(float(W.sum()) / n, 1e-300))
