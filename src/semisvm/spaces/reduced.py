"""Ways into a mapped space: a factor of the whole Gram matrix, or a reduced set of m landmarks.

With landmarks M the functions are f = sum_j beta_j k(m_j, .) with |f|^2 = beta' K_mm beta (subset of regressors; the
same functions as Nystrom's approximation K_nm K_mm^-1 K_mn). Whitening the landmarks' own Gram matrix,

    K_mm = V diag(w) V',    A = V diag(w)^-1/2,    phi(x) = k(x, M) A,

makes the metric Euclidean. With all points as landmarks it is the exact space.
"""

import numpy as np
from scipy.linalg import eigh

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel
from semisvm.memory import demand
from semisvm.spaces.full import Full
from semisvm.spaces.mapped import KernelMap, Mapped

SPECTRUM_CUT = 1e-10
"""Eigenvalues below this share of the largest are rounding, not directions."""


def whitening(K: np.ndarray, rank: int | None = None) -> np.ndarray:
    """A with A'K A = I on the directions kept: K = V diag(w) V', A = V diag(w)^-1/2."""
    w, V = eigh(np.asarray(K, dtype=np.float64))
    kept = np.flatnonzero(w > SPECTRUM_CUT * max(w[-1], 0.0))
    if not len(kept):  # every direction has length zero: all functions are zero
        return np.zeros((len(K), 1))
    if rank is not None:
        kept = kept[-rank:]
    whitened: np.ndarray = V[:, kept] / np.sqrt(w[kept])
    return whitened


def eigen_map(space: Full, rank: int | None = None) -> Mapped:
    """The kernel principal components of the training points: Z Z' = K, or its best approximation of that rank."""
    A = whitening(space.gram(), rank)
    return Mapped(space.outputs(A), KernelMap(space.kernel, space.points, A))


def cholesky_map(space: Full, residual: float = 1e-10) -> Mapped:
    """Pivoted Cholesky factor: landmarks are taken greedily until no residual exceeds `residual` of the largest norm.

    Costs O(n r^2) for rank r and touches r rows of the Gram matrix, where the eigen-map needs all of it.
    """
    n = space.n_points
    left = space.norms().astype(np.float64, copy=True)
    stop = residual * left.max()
    L = np.empty((n, 0))
    chosen: list[int] = []
    while len(chosen) < n:
        pivot = int(np.argmax(left))
        if left[pivot] <= stop:
            break
        # column = (K[:, pivot] - L L[pivot]') / sqrt(residual of the pivot)
        column = (space.block(np.array([pivot]))[0] - L[:, : len(chosen)] @ L[pivot, : len(chosen)]) / np.sqrt(
            left[pivot]
        )
        if len(chosen) == L.shape[1]:
            grown = np.empty((n, min(n, max(32, 2 * L.shape[1]))))
            grown[:, : L.shape[1]] = L
            L = grown
        L[:, len(chosen)] = column
        left -= column**2
        left[pivot] = 0.0
        chosen.append(pivot)
    landmarks = np.array(chosen)
    Z = np.ascontiguousarray(L[:, : len(chosen)])
    # phi(x) = k(x, landmarks) L_mm^-T
    A = np.linalg.inv(np.tril(Z[landmarks])).T
    return Mapped(Z, KernelMap(space.kernel, space.points.take(landmarks), A))


def reduced_set(kernel: Kernel, points: Points, landmarks: Points) -> Mapped:
    """Functions of the landmarks' kernel values, seen at the training points."""
    n, m = len(points), len(landmarks)
    demand(8 * n * m, f"The {n:,} x {m:,} matrix of landmark features", "set a smaller n_components")
    A = whitening(kernel.gram(landmarks))
    values = kernel.block(points, landmarks)
    return Mapped(values @ A.astype(values.dtype, copy=False), KernelMap(kernel, landmarks, A))
