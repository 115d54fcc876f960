"""Label-free kernels on all rows, each as a few leading features: what the members of the default learn on.

    linear                 x'z
    rbf, narrow rbf        exp(-d^2 / (2 m)),  exp(-2 d^2 / m)        m the squared median distance
    along the graph        (narrow^-1 + rho L^p)^-1                   three graphs, strengths and powers

Every kernel is double-centered, divided by its mean diagonal and cut to its leading eigen-directions. Few rows are all
landmarks, and their kernels are matrices of all rows (see `whole_kernel`). Of many rows some are landmarks: distances,
landmark features, neighbors and one covariance matrix are shared, and with functions of m landmarks, Z Z' = K, a
graph costs

    K~ = Z M^-1 Z',   M = I + rho Z'L^p Z = R R',   and the eigen-directions of  R^-1 (Z_c'Z_c) R^-T

matrices of size m alone. An iteration of any member costs O(n rank). The graph of very many rows knows more than
functions of m landmarks can follow: features are averaged over neighbors there (see `diffusion`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import cholesky, get_blas_funcs
from scipy.linalg.lapack import dtrtri
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from semisvm.estimators.default.diffusion import DIFFUSIONS, DIRECTIONS, Diffused, Diffusion, diffused
from semisvm.estimators.default.graph_kernels import (
    EXACT_NEIGHBORS,
    GRAPHS,
    GraphKernel,
    GraphMetrics,
    Powers,
    laplacians_of,
)
from semisvm.estimators.default.kernel_rows import Held, NumbersOfRows, against_landmarks, fourth_power
from semisvm.estimators.default.landmark_functions import Basis, OnBasis
from semisvm.estimators.default.preparation import Preparation, prepared
from semisvm.estimators.default.row_sums import precision_for
from semisvm.estimators.default.whole_kernel import WholeKernel, deformed
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF, Kernel
from semisvm.geometry.widths import width
from semisvm.spaces import KernelPredictor, LinearPredictor, Predictor, random_landmarks

WIDE_RBF = "rbf"
RANK, SPARSE_RANK = 120, 250
EXACT_ROWS = 2200
"""Up to so many rows every row is a landmark."""
LANDMARKS = 1000
WIDE = 2000
"""Columns beyond which linear functions are found by a randomized decomposition."""
JITTER = 1e-6
"""Added to the diagonal of the landmarks' matrix: below it is the rounding of the rows' values."""


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
    """One kernel of the prepared rows: centered features Z of the training rows, Z = phi(x) directions - offset."""

    name: str
    preparation: Preparation
    Z: np.ndarray
    features: Features
    directions: np.ndarray
    offset: np.ndarray

    @property
    def title(self) -> str:
        return _title(self.name, self.preparation)


class CenteredKernel(Protocol):
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
class KernelView:
    """A kernel on all rows, known well enough to be weighed by the labels; its features are found where it is kept."""

    name: str
    preparation: Preparation
    features: Features
    kernel: CenteredKernel

    @property
    def title(self) -> str:
        return _title(self.name, self.preparation)

    @cached_property
    def scale(self) -> float:
        """1 / sqrt(mean diagonal of the centered kernel)."""
        diagonal = self.kernel.mean_diagonal
        return float(1.0 / np.sqrt(diagonal)) if diagonal > 0 else 1.0

    def gram(self, rows: np.ndarray) -> np.ndarray:
        """The centered and scaled kernel among these rows, with all its directions."""
        return self.scale**2 * self.kernel.gram(rows)

    def leading(self, rank: int) -> View:
        """Features of all rows by the leading eigen-directions, centered and scaled."""
        Z, directions, offset = self.kernel.leading(rank)
        for part in (Z, directions):
            part *= part.dtype.type(self.scale)
        return View(self.name, self.preparation, Z, self.features, directions, self.scale * offset)


def _title(name: str, preparation: Preparation) -> str:
    return f"{name} on {preparation.name}"


def rank_for(view: KernelView) -> int:
    """Directions that a kernel keeps: more where rows are sparse texts."""
    landmarks, A = view.features.landmarks, view.features.A
    sparse = landmarks.sparse if landmarks is not None else A is not None and len(A) > WIDE
    return SPARSE_RANK if sparse else RANK


def kernel_views(
    X: Any, preparations: tuple[Preparation, ...], random_state: Any, graphs: tuple[GraphKernel, ...] = GRAPHS
) -> Iterator[KernelView]:
    """All kernels of all preparations of these rows."""
    for preparation in preparations:
        points = Points.of(prepared(preparation, X))
        n = len(points)
        features, linear = _linear_basis(points, random_state)
        yield KernelView("linear", preparation, features, OnBasis(linear))
        gamma = width("median", points)
        whole = n <= EXACT_ROWS
        landmarks = points if whole else random_landmarks(points, LANDMARKS, random_state)
        if n > EXACT_NEIGHBORS:
            walks = laplacians_of(points, DIFFUSIONS if graphs else (), normalized=False)
            found = _diffused_kernels(gamma, points, landmarks, walks)
        else:
            laplacians = laplacians_of(points, graphs, normalized=whole) if n > 2 else {}
            found = (_whole_kernels if whole else _landmark_kernels)(gamma, points, landmarks, laplacians)
        for name, features, kernel in found:
            yield KernelView(name, preparation, features, kernel)


Found = tuple[str, Features, CenteredKernel]


def _whole_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[GraphKernel, csr_array]"
) -> Iterator[Found]:
    """Where every row is a landmark."""
    kernel = RBF(gamma)
    K = kernel.gram(points).astype(precision_for(len(points)), copy=False)
    yield WIDE_RBF, Features(kernel, landmarks, None), WholeKernel(K)
    narrow, K = Features(RBF(4 * gamma), landmarks, None), K.copy()
    fourth_power(K)
    yield "narrow rbf", narrow, WholeKernel(K)
    powers = Powers(K)
    for graph, L in laplacians.items():
        yield graph.name, narrow, deformed(K, powers.times(graph.rho, L, graph.power))


def _landmark_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[GraphKernel, csr_array]"
) -> Iterator[Found]:
    """On functions of the landmarks."""
    K = RBF(gamma).gram(landmarks).astype(np.float64, copy=False)
    wide, narrow = against_landmarks(points, landmarks, gamma)
    features, basis = _of_landmarks(RBF(gamma), landmarks, wide, K.copy())
    yield WIDE_RBF, features, OnBasis(basis)
    fourth_power(K)
    inverse = _inverse_root(K)
    features, F = Features(RBF(4 * gamma), landmarks, inverse.T), _turned_rows(narrow, inverse)
    basis = Basis.of(Held(F)) if isinstance(narrow, Held) else Basis.of(narrow, inverse.T.astype(F.dtype), F=F)
    yield "narrow rbf", features, OnBasis(basis)
    smooth = GraphMetrics(F)
    for graph, L in laplacians.items():
        yield graph.name, features, OnBasis(basis, smooth.root(L, graph))


def _diffused_kernels(
    gamma: float, points: Points, landmarks: Points, laplacians: "dict[Diffusion, csr_array]"
) -> Iterator[Found]:
    """On functions of the landmarks; the leading ones of the narrow kernel are averaged over neighbors along graphs."""
    K = RBF(gamma).gram(landmarks).astype(np.float64, copy=False)
    wide, narrow = against_landmarks(points, landmarks, gamma, most_held=0)
    features, basis = _of_landmarks(RBF(gamma), landmarks, wide, K.copy())
    yield WIDE_RBF, features, OnBasis(basis)
    fourth_power(K)
    features, basis = _of_landmarks(RBF(4 * gamma), landmarks, narrow, K)
    Z = OnBasis(basis).leading(SPARSE_RANK if points.sparse else RANK)[0]
    yield "narrow rbf", features, Diffused.of(Z, basis)
    # the leading directions are the last
    for name, kernel in diffused(np.ascontiguousarray(Z[:, -DIRECTIONS:]), basis, laplacians):
        yield name, features, kernel


def _of_landmarks(kernel: Kernel, landmarks: Points, rows: NumbersOfRows, K: np.ndarray) -> tuple[Features, Basis]:
    """From the kernel values of all rows and of the landmarks, K, which is lost."""
    inverse = _inverse_root(K)
    return Features(kernel, landmarks, inverse.T), Basis.of(rows, inverse.T.astype(np.float32))


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
        rows = ((X - middle) / unit).astype(precision_for(len(X)), copy=False)
        return Features(None, None, np.eye(d) / unit), Basis.of(Held(rows), before=middle / unit)
    rank = min(SPARSE_RANK + 10, *X.shape)
    directions = randomized_svd(X, rank, n_iter=3, random_state=random_state)[2].T
    mean = np.asarray(X.mean(axis=0)).ravel()
    F = np.asarray(X @ directions)
    unit = _unit(F)
    diagonal = float(points.squared_norms.mean() - mean @ mean) / unit**2
    rows = (F / unit).astype(precision_for(len(F)), copy=False)
    return Features(None, None, directions / unit), Basis.of(Held(rows), diagonal=diagonal)


def _unit(F: np.ndarray) -> float:
    """A power of two near the largest value: kernels are scaled in the end, and squares must not leave float32."""
    largest = float(np.abs(F).max(initial=0.0))
    return 2.0 ** round(float(np.log2(largest))) if largest > 0 else 1.0
