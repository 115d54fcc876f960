"""The leading eigen-directions of a large symmetric matrix that is known by its products: a block Krylov space.

    span(Q, A Q, A^2 Q, ...)   of a few random columns Q, and the eigen-directions of A within it

Every product serves the space, so that some two hundred columns are multiplied where a hundred directions are wanted.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, qr

OVERSAMPLING = 15
BLOCKS = 6
"""Products of as many blocks of columns..."""
FOLD = 2.0
"""...whose columns are together so many times the wanted directions."""
DIRECT = 4
"""Up to so many times the wanted directions, all are found at once."""


def leading_directions(
    product: Callable[[np.ndarray], np.ndarray], n: int, rank: int, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues w (the largest last), orthonormal directions U and A U; the same for the same matrix."""
    if n <= DIRECT * rank:
        A = product(np.eye(n, dtype=dtype))
        # divide and conquer for all is faster than looking for some
        w, U = eigh((A + A.T) / 2, driver="evd", check_finite=False)
        w, U = w[-rank:], U[:, -rank:]
        return w, U, A @ U
    width = -(-int(FOLD * (rank + OVERSAMPLING)) // BLOCKS)
    Q = np.empty((n, 0), dtype=dtype, order="F")
    AQ = np.empty((n, 0), dtype=dtype, order="F")
    block = np.random.RandomState(0).standard_normal((n, width)).astype(dtype)
    for _ in range(BLOCKS):
        for _ in range(2):
            # once more: what rounding left of the earlier columns
            block = block - Q @ (Q.T @ block)
            block = qr(block, mode="economic", check_finite=False)[0]
        Q, block = np.hstack([Q, block]), product(block)
        AQ = np.hstack([AQ, block])
    H = Q.T @ AQ
    w, W = eigh((H + H.T) / 2, check_finite=False)
    w, W = w[-rank:], W[:, -rank:]
    return w, Q @ W, AQ @ W


def above_rounding(w: np.ndarray) -> np.ndarray:
    """Places of the eigenvalues that are more than rounding."""
    rounding = 1e-10 if w.dtype == np.float64 else 1e-6
    return np.flatnonzero(w > rounding * max(float(w[-1]), 1e-300))
