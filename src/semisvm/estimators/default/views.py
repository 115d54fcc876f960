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
from scipy.sparse import csr_array, triu
from sklearn.utils.extmath import randomized_svd

from semisvm.estimators.default.kernel_rows import Held, NumbersOfRows, against_landmarks, fourth_power
from semisvm.estimators.default.leading_directions import above_rounding, leading_directions
from semisvm.estimators.default.preparation import Preparation
from semisvm.estimators.default.whole_kernel import WholeKernel, deformed
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Laplacian
from semisvm.geometry.kernels import RBF, Kernel
from semisvm.geometry.neighbors import nearest_neighbors
from semisvm.geometry.widths import width
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor, random_landmarks

RANK, SPARSE_RANK = 120, 250
EXACT_ROWS = 2200
"""Up to so many rows every row is a landmark."""
LANDMARKS = 1000
SAMPLE = 256
"""Rows whose mean stands for that of all where each costs a solve."""
WIDE = 2000
"""Columns beyond which linear functions are found by a randomised decomposition."""
JITTER = 1e-6
"""Added to the diagonal of the landmarks' matrix: below it is the rounding of the rows' values."""
NO_SPREAD = 1e-18
"""Features vary by rounding alone where their variance is below this share of their squared mean."""
LIGHT_ROWS = 500
"""Above so many rows features and graphs are held in single precision: they are followed to a hundredth at best."""
SUMMED = 5000
"""Rows from which covariances and the metrics of graphs are summed, where there are more."""
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
        return f"graph of {self.n_neighbors} neighbors, power {self.power}"


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

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """H K H among these rows."""
        ...

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features Z of all rows, and directions and offset with Z = phi(x) directions - offset."""
        ...


@dataclass(frozen=True, eq=False)
class Basis:
    """Features F = rows turn of all training rows: what is needed of them, and their covariance."""

    rows: NumbersOfRows
    turn: np.ndarray | None
    """None: the identity."""
    middle: np.ndarray
    """Mean of F, of the rows that are summed."""
    before: np.ndarray | None
    """What was subtracted from phi(x) to get F, if anything."""
    covariance: np.ndarray
    """n times that of F, of the rows that are summed."""
    diagonal: float
    """Mean diagonal of the centred kernel."""

    @classmethod
    def of(
        cls,
        rows: NumbersOfRows,
        turn: np.ndarray | None = None,
        *,
        F: np.ndarray | None = None,
        before: np.ndarray | None = None,
        diagonal: float | None = None,
    ) -> "Basis":
        """F: of all rows, where they are known already."""
        n = rows.n_rows
        some: np.ndarray | slice = summed_rows(n) if n > SUMMED else slice(None)
        if F is None:
            F = rows.at(some) if turn is None else rows.at(some) @ turn
        else:
            F = F[some]
        middle = F.mean(axis=0, dtype=np.float64)
        F = F - middle.astype(F.dtype)
        covariance = F.T @ F
        covariance *= covariance.dtype.type(n / len(F))
        found = float(np.trace(covariance)) / n if diagonal is None else diagonal
        if found <= NO_SPREAD * float(middle @ middle):
            # equal rows: what rounding has left must not be scaled up to the size of a kernel
            covariance, found = np.zeros_like(covariance), 0.0
        return cls(rows, turn, middle, before, covariance, found)

    def at(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Centred features of these rows."""
        F = self.rows.at(chosen)
        return (F if self.turn is None else F @ self.turn) - self.middle.astype(F.dtype)

    def times(self, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F V of all rows, centred, and the mean of phi(x) V."""
        Z = self.rows.times(V if self.turn is None else self.turn @ V)
        middle = Z.mean(axis=0, dtype=np.float64)
        Z -= middle.astype(Z.dtype)
        return Z, middle if self.before is None else middle + self.before @ V


def summed_rows(n: int) -> np.ndarray:
    """Rows that sums over all rows are taken from: each of them, or SUMMED drawn ones."""
    if n <= SUMMED:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).choice(n, SUMMED, replace=False))


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
        step = -(-self.basis.rows.n_rows // SAMPLE)
        return float(np.mean(np.sum(self._turned(self.basis.at(slice(None, None, step)).T) ** 2, axis=0)))

    def _turned(self, columns: np.ndarray) -> np.ndarray:
        """R^-1 columns."""
        return columns if self.root is None else solve_triangular(self.root, columns, lower=True, check_finite=False)

    def _turned_back(self, columns: np.ndarray) -> np.ndarray:
        """R^-T columns."""
        if self.root is None:
            return columns
        return solve_triangular(self.root, columns, lower=True, trans="T", check_finite=False)

    def gram(self, rows: np.ndarray) -> np.ndarray:
        turned = self._turned(self.basis.at(rows).T).astype(np.float64, copy=False)
        return turned.T @ turned

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The leading eigen-directions V of R^-1 covariance R^-T, and the features F R^-T V."""
        C = self.basis.covariance

        def product(columns: np.ndarray) -> np.ndarray:
            return self._turned(C @ self._turned_back(columns))

        w, V, _ = leading_directions(product, len(C), rank, C.dtype)
        kept = above_rounding(w)
        V = V[:, kept] if len(kept) else np.zeros((len(V), 1), dtype=C.dtype)
        V = self._turned_back(V)
        Z, offset = self.basis.times(V)
        return Z, V, offset


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

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """The centred and scaled kernel among these rows, with all its directions."""
        return self.scale**2 * self.kernel.gram(rows)

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
    narrow, K = Features(RBF(4 * gamma), landmarks, None), K.copy()
    fourth_power(K)
    yield "narrow rbf", narrow, WholeKernel(K)
    powers = _Powers(K)
    for graph, L in laplacians.items():
        yield graph.name, narrow, deformed(K, powers.of(L, graph.power), graph.rho)


def _landmark_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[GraphKernel, csr_array]"
) -> Iterator[Found]:
    """On functions of the landmarks."""
    K = RBF(gamma).gram(landmarks).astype(np.float64, copy=False)
    wide, narrow = against_landmarks(points, landmarks, gamma)
    inverse = _inverse_root(K.copy())
    features = Features(RBF(gamma), landmarks, inverse.T)
    yield "rbf", features, OnBasis(Basis.of(wide, inverse.T.astype(np.float32)))
    fourth_power(K)
    inverse = _inverse_root(K)
    features, F = Features(RBF(4 * gamma), landmarks, inverse.T), _turned_rows(narrow, inverse)
    basis = Basis.of(Held(F)) if isinstance(narrow, Held) else Basis.of(narrow, inverse.T.astype(F.dtype), F=F)
    yield "narrow rbf", features, OnBasis(basis)
    smooth = _Smooth(F)
    for graph, L in laplacians.items():
        yield graph.name, features, OnBasis(basis, smooth.root(L, graph))


def _inverse_root(K: np.ndarray) -> np.ndarray:
    """R^-1 with R R' = K + jitter, so that phi(x) = k(x, landmarks) R^-T; K is lost."""
    K[np.diag_indices(len(K))] += JITTER
    return dtrtri(cholesky(K, lower=True, overwrite_a=True, check_finite=False), lower=1)[0]


def _turned_rows(rows: NumbersOfRows, inverse: np.ndarray) -> np.ndarray:
    """phi(x) of all rows; in the place of their values, where these are held."""
    values = rows.rows if isinstance(rows, Held) else rows.at(slice(None))
    # F' = R^-1 k(landmarks, x)
    trmm = get_blas_funcs("trmm", dtype=values.dtype)
    return trmm(1.0, inverse.astype(values.dtype, copy=False), values.T, lower=1, overwrite_b=1).T


def _linear_basis(points: Points, random_state: Any) -> tuple[Features, Basis]:
    X, d = points.X, points.n_features
    if not points.sparse and d <= WIDE:
        unit = _unit(X)
        middle = X.mean(axis=0)
        rows = ((X - middle) / unit).astype(_precision(len(X)), copy=False)
        return Features(None, None, np.eye(d) / unit), Basis.of(Held(rows), before=middle / unit)
    rank = min(SPARSE_RANK + 10, *X.shape)
    directions = randomized_svd(X, rank, n_iter=3, random_state=random_state)[2].T
    mean = np.asarray(X.mean(axis=0)).ravel()
    F = np.asarray(X @ directions)
    unit = _unit(F)
    diagonal = float(points.squared_norms.mean() - mean @ mean) / unit**2
    rows = (F / unit).astype(_precision(len(F)), copy=False)
    return Features(None, None, directions / unit), Basis.of(Held(rows), diagonal=diagonal)


def _unit(F: np.ndarray) -> float:
    """A power of two near the largest value: kernels are scaled in the end, and squares must not leave float32."""
    largest = float(np.abs(F).max(initial=0.0))
    return 2.0 ** round(float(np.log2(largest))) if largest > 0 else 1.0


class _Powers:
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


class _Smooth:
    """Metrics of graphs on features F; L sees no constants, so that F need no centring.

    f'L^p f is a sum over rows, |L^(p/2) f|^2, or over edges where p is odd: with g = L^((p-1)/2) f,

        f'L^p f = sum_ij w_ij (g_i - g_j)^2

    Of many rows or edges some are drawn.
    """

    def __init__(self, F: np.ndarray):
        self.powers, self.n = _Powers(F), len(F)

    def root(self, L: csr_array, graph: GraphKernel) -> np.ndarray:
        """R with R R' = I + rho F'L^p F."""
        half, odd = divmod(graph.power, 2)
        if self.n <= SUMMED:
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


def _laplacians(points: Points, graphs: tuple[GraphKernel, ...], *, normalized: bool) -> dict[GraphKernel, csr_array]:
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
