"""Label-free kernels on all rows, each as a few leading features: what the members of the default learn on.

    linear                 x'z
    rbf, narrow rbf        exp(-d^2 / (2 m)),  exp(-2 d^2 / m)        m the squared median distance
    along the graph        (narrow^-1 + rho L^p)^-1                   three graphs, strengths and powers

Every kernel is double-centred, divided by its mean diagonal and cut to its leading eigen-directions. Few rows are all
landmarks, and their kernels are matrices of all rows (see `whole_kernel`). Of many rows some are landmarks: distances,
landmark features, neighbours and one covariance matrix are shared, and with functions of m landmarks, Z Z' = K, a
graph costs

    K~ = Z M^-1 Z',   M = I + rho Z'L^p Z = R R',   and the eigen-directions of  R^-1 (Z_c'Z_c) R^-T

matrices of size m alone. An iteration of any member costs O(n rank).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import cholesky, get_blas_funcs, solve_triangular
from scipy.linalg.lapack import dtrtri
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from semisvm.distances import Points
from semisvm.estimators.default.leading_directions import above_rounding, leading_directions
from semisvm.estimators.default.preparation import Preparation
from semisvm.estimators.default.whole_kernel import SAMPLE, WholeKernel, deformed
from semisvm.graph import Laplacian
from semisvm.kernels import RBF, Kernel
from semisvm.neighbors import nearest_neighbors
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor, random_landmarks
from semisvm.widths import width

RANK, SPARSE_RANK = 120, 250
EXACT_ROWS = 2200
"""Up to so many rows every row is a landmark."""
LANDMARKS = 1000
WIDE = 2000
"""Columns beyond which linear functions are found by a randomised decomposition."""
JITTER = 1e-6
"""Added to the diagonal of the landmarks' matrix: below it is the rounding of the rows' values."""
LIGHT_ROWS = 500
"""Above so many rows features and graphs are held in single precision: they are followed to a hundredth at best."""
PANEL = 128
"""Columns of a symmetric product that are taken at a time, from the diagonal down."""


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
    """phi(x) = k(x, landmarks) A, or x'A where there is no kernel; A may be None for the identity."""

    kernel: Kernel | None
    landmarks: Points | None
    A: np.ndarray | None

    def predictor(self, theta: np.ndarray, intercept: np.ndarray) -> Predictor:
        """phi(x)'theta + intercept."""
        coefficients = theta if self.A is None else self.A @ theta
        if self.kernel is None or self.landmarks is None:
            return LinearPredictor(coefficients, intercept)
        return KernelPredictor(self.kernel, self.landmarks, coefficients, intercept)


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


class CentredKernel(Protocol):
    """H K H on all rows, H = I - 1 1'/n."""

    @property
    def mean_diagonal(self) -> float: ...

    def some_features(self, rows: np.ndarray) -> np.ndarray:
        """Z with Z Z' = H K H among these rows."""
        ...

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features Z of all rows, and directions and offset with Z = phi(x) directions - offset."""
        ...


@dataclass(frozen=True, eq=False)
class Basis:
    """Features F of all training rows, centred, with their covariance and the mean diagonal of the centred kernel."""

    F: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    diagonal: float

    @classmethod
    def of(cls, F: np.ndarray, diagonal: float | None = None) -> "Basis":
        """From features that may be changed in place."""
        mean = F.mean(axis=0, dtype=np.float64)
        F = F.astype(_precision(len(F)), copy=False)
        F -= mean.astype(F.dtype)
        covariance = F.T @ F
        return cls(F, mean, covariance, float(np.trace(covariance)) / len(F) if diagonal is None else diagonal)


@dataclass(frozen=True, eq=False)
class OnBasis:
    """A centred kernel on functions of a basis, whose metric is R R' (root R; None: the identity)."""

    basis: Basis
    root: np.ndarray | None = None

    @cached_property
    def mean_diagonal(self) -> float:
        """From some of the rows where each costs a solve."""
        if self.root is None:
            return self.basis.diagonal
        step = -(-len(self.basis.F) // SAMPLE)
        return float(np.mean(np.sum(self._turned(self.basis.F[::step].T) ** 2, axis=0)))

    def _turned(self, columns: np.ndarray) -> np.ndarray:
        """R^-1 columns."""
        return columns if self.root is None else solve_triangular(self.root, columns, lower=True, check_finite=False)

    def _turned_back(self, columns: np.ndarray) -> np.ndarray:
        """R^-T columns."""
        if self.root is None:
            return columns
        return solve_triangular(self.root, columns, lower=True, trans="T", check_finite=False)

    def some_features(self, rows: np.ndarray) -> np.ndarray:
        """With all their directions."""
        return self._turned(self.basis.F[rows].T).T.astype(np.float64, copy=False)

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leading eigen-directions V of R^-1 covariance R^-T, and the features F R^-T V."""
        C = self.basis.covariance

        def product(columns: np.ndarray) -> np.ndarray:
            return self._turned(C @ self._turned_back(columns))

        w, V, _ = leading_directions(product, len(C), rank, C.dtype)
        kept = above_rounding(w)
        V = V[:, kept] if len(kept) else np.zeros((len(V), 1), dtype=C.dtype)
        V = self._turned_back(V)
        return self.basis.F @ V, V, self.basis.mean @ V


@dataclass(frozen=True, eq=False)
class KernelView:
    """A kernel on all rows, known well enough to be weighed by the labels; its features are found where it is kept."""

    name: str
    preparation: Preparation
    features: Features
    kernel: CentredKernel

    @property
    def title(self) -> str:
        return _title(self.name, self.preparation)

    @cached_property
    def scale(self) -> float:
        """1 / sqrt(mean diagonal of the centred kernel)."""
        diagonal = self.kernel.mean_diagonal
        return float(1.0 / np.sqrt(diagonal)) if diagonal > 0 else 1.0

    def some_features(self, rows: np.ndarray) -> np.ndarray:
        """Centred and scaled features of these rows, with all their directions."""
        return self.scale * self.kernel.some_features(rows)

    def leading(self, rank: int) -> View:
        """Features of all rows by the leading eigen-directions, centred and scaled."""
        Z, directions, offset = self.kernel.leading(rank)
        for part in (Z, directions):
            part *= part.dtype.type(self.scale)
        return View(self.name, self.preparation, Z, self.features, directions, self.scale * offset)


def _title(name: str, preparation: Preparation) -> str:
    return f"{name} on {preparation.name}"


def _precision(n_rows: int) -> type[np.floating]:
    return np.float32 if n_rows > LIGHT_ROWS else np.float64


def rank_for(view: KernelView) -> int:
    """Directions that a kernel keeps: more where rows are sparse texts."""
    landmarks, A = view.features.landmarks, view.features.A
    sparse = landmarks.sparse if landmarks is not None else A is not None and len(A) > WIDE
    return SPARSE_RANK if sparse else RANK


def kernel_views(
    X: Any, prepared: tuple[Preparation, ...], random_state: Any, graphs: tuple[GraphKernel, ...] = GRAPHS
) -> Iterator[KernelView]:
    """All kernels of all preparations of these rows."""
    for preparation in prepared:
        points = Points.of(preparation.apply(X))
        n = len(points)
        features, linear = _linear_basis(points, random_state)
        yield KernelView("linear", preparation, features, OnBasis(linear))
        gamma = width("median", points)
        whole = n <= EXACT_ROWS
        landmarks = points if whole else random_landmarks(points, LANDMARKS, random_state)
        laplacians = _laplacians(points, graphs, normalized=whole) if n > 2 else {}
        for kernel in (_whole_kernels if whole else _landmark_kernels)(gamma, points, landmarks, laplacians):
            yield KernelView(kernel[0], preparation, kernel[1], kernel[2])


Found = tuple[str, Features, CentredKernel]


def _whole_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[GraphKernel, csr_array]"
) -> Iterator[Found]:
    """Where every row is a landmark."""
    kernel = RBF(gamma)
    K = kernel.gram(points).astype(_precision(len(points)), copy=False)
    yield "rbf", Features(kernel, landmarks, None), WholeKernel(K)
    narrow, K = Features(RBF(4 * gamma), landmarks, None), _fourth_power(K)
    yield "narrow rbf", narrow, WholeKernel(K)
    smooth = _Smooth(K)
    for graph, L in laplacians.items():
        yield graph.name, narrow, deformed(K, smooth.by(L, graph.power), graph.rho)


def _landmark_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[GraphKernel, csr_array]"
) -> Iterator[Found]:
    """On functions of the landmarks."""
    kernel = RBF(gamma)
    K, rows = kernel.gram(landmarks).astype(np.float64, copy=False), _rows_against(landmarks, points, gamma)
    K4, rows4 = _fourth_power(K), _fourth_power(rows)
    wide, basis = _kernel_basis(kernel, landmarks, K, rows)
    yield "rbf", wide, OnBasis(basis)
    narrow, basis = _kernel_basis(RBF(4 * gamma), landmarks, K4, rows4)
    yield "narrow rbf", narrow, OnBasis(basis)
    # L sees no constants, so that features may be centred
    smooth = _Smooth(basis.F)
    for graph, L in laplacians.items():
        yield graph.name, narrow, OnBasis(basis, smooth.root(L, graph))


def _rows_against(landmarks: Points, points: Points, gamma: float) -> np.ndarray:
    """exp(-gamma d^2) of all rows and the landmarks, in the precision of features."""
    precision = _precision(len(points))
    if points.sparse or points.dtype == precision:
        return RBF(gamma).block(points, landmarks).astype(precision, copy=False)
    # distances in units of the width: their squares must not leave float32
    unit = np.sqrt(2 * gamma)
    light = Points.of((unit * points.positions).astype(precision))
    return RBF(0.5).block(light, light.take(landmarks.index))


def _linear_basis(points: Points, random_state: Any) -> tuple[Features, Basis]:
    X, d = points.X, points.n_features
    if not points.sparse and d <= WIDE:
        unit = _unit(X)
        return Features(None, None, np.eye(d) / unit), Basis.of((X / unit).astype(_precision(len(X)), copy=False))
    rank = min(SPARSE_RANK + 10, *X.shape)
    directions = randomized_svd(X, rank, n_iter=3, random_state=random_state)[2].T
    mean = np.asarray(X.mean(axis=0)).ravel()
    F = np.asarray(X @ directions)
    unit = _unit(F)
    diagonal = float(points.squared_norms.mean() - mean @ mean) / unit**2
    return Features(None, None, directions / unit), Basis.of(F / unit, diagonal)


def _unit(F: np.ndarray) -> float:
    """A power of two near the largest value: kernels are scaled in the end, and squares must not leave float32."""
    largest = float(np.abs(F).max(initial=0.0))
    return 2.0 ** round(float(np.log2(largest))) if largest > 0 else 1.0


def _fourth_power(K: np.ndarray) -> np.ndarray:
    """exp(-4 gamma d^2) = exp(-gamma d^2)^4: no second matrix of distances."""
    squares = np.square(K)
    return np.square(squares, out=squares)


def _kernel_basis(kernel: Kernel, landmarks: Points, K: np.ndarray, rows: np.ndarray) -> tuple[Features, Basis]:
    """From the matrix of the landmarks and the rows' values against them; both are lost.

    K + jitter = R R',  phi(x) = k(x, landmarks) R^-T
    """
    K[np.diag_indices(len(K))] += JITTER
    R = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    inverse = dtrtri(R, lower=1)[0]
    # F' = R^-1 k(landmarks, x), in the place of the latter
    trmm = get_blas_funcs("trmm", dtype=rows.dtype)
    F = trmm(1.0, inverse.astype(rows.dtype, copy=False), rows.T, lower=1, overwrite_b=1).T
    return Features(kernel, landmarks, inverse.T), Basis.of(F)


class _Smooth:
    """L^q F of some features F, each product taken once."""

    def __init__(self, F: np.ndarray):
        self.F = F
        self.known: dict[tuple[int, int], np.ndarray] = {}

    def by(self, L: csr_array, power: int) -> np.ndarray:
        """L^power F."""
        if power == 0:
            return self.F
        key = id(L), power
        if key not in self.known:
            self.known[key] = L @ self.by(L, power - 1)
        return self.known[key]

    def root(self, L: csr_array, graph: GraphKernel) -> np.ndarray:
        """R with R R' = I + rho F'L^p F."""
        half, rest = self.by(L, graph.power // 2), self.by(L, graph.power - graph.power // 2)
        M = half.T @ half if half is rest else _lower_half(half, rest)
        M *= M.dtype.type(graph.rho)
        M[np.diag_indices(len(M))] += 1.0
        return cholesky(M, lower=True, overwrite_a=True, check_finite=False)


def _lower_half(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A'B on and below the diagonal, where it is known to be symmetric; above it a part is left out."""
    m = A.shape[1]
    half = np.zeros((m, m), dtype=A.dtype)
    for start in range(0, m, PANEL):
        columns = slice(start, start + PANEL)
        half[start:, columns] = A[:, start:].T @ B[:, columns]
    return half


def _laplacians(
    points: Points, graphs: tuple[GraphKernel, ...], *, normalized: bool
) -> dict[GraphKernel, csr_array]:
    """Of every graph, in the precision of features; graphs of as many neighbours share theirs."""
    if not graphs:
        return {}
    most = min(max(graph.n_neighbors for graph in graphs), len(points) - 1)
    neighbors, distances = nearest_neighbors(points, most)
    by_size: dict[int, csr_array] = {}
    for graph in graphs:
        k = min(graph.n_neighbors, most)
        if k not in by_size:
            L = _laplacian(neighbors[:, :k], distances[:, :k], normalized=normalized)
            by_size[k] = L.astype(_precision(len(points)), copy=False)
    return {graph: by_size[min(graph.n_neighbors, most)] for graph in graphs}


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
