"""The memory of a fit, estimated before it is run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.classifier import Classifier
from semisvm.estimators.concave_convex import CCCPS3VM
from semisvm.estimators.default import S3VM
from semisvm.estimators.default.average import REFERENCE_ROWS
from semisvm.estimators.default.graph_kernels import GRAPHS
from semisvm.estimators.default.kernel_rows import n_held
from semisvm.estimators.default.label_sets import FOLDS, pairs_of_folds
from semisvm.estimators.default.row_sums import LIGHT_ROWS, SUMMED
from semisvm.estimators.default.views import EXACT_ROWS, LANDMARKS, RANK
from semisvm.estimators.label_switching import LabelSwitchingS3VM
from semisvm.estimators.laplacian import LaplacianRLS, LaplacianSVM, Manifold
from semisvm.estimators.low_density import LowDensitySeparation
from semisvm.memory import available_bytes, in_words

COPIES: dict[type, int] = {
    LowDensitySeparation: 5,
    LabelSwitchingS3VM: 3,
    CCCPS3VM: 2,
    LaplacianSVM: 2,
    LaplacianRLS: 2,
}
"""Matrices of all rows by all rows that a method holds at once; one, the Gram matrix, for all others."""
DEFORMED = 3
"""Those that a graph adds: K~ and a factorized system."""
PREPARATIONS = 3
"""How often the default prepares a table of numbers, at most; each has kernels of its own."""
KERNELS = 3 + len(GRAPHS)
"""Of each preparation."""
MOST_SETS = 1 + 2 * FOLDS + len(pairs_of_folds(2 * FOLDS))
"""Sets of labels that the default trains with."""
VECTORS = 24
"""Vectors of all rows per class: scores, slopes, steps and the memory of the minimizers."""


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes: `matrix` for kernel values or features, `vectors` for the iterations; X itself is not counted.

    `kept` is the part of `matrix` that stays after the fit, for `refit`.
    """

    matrix: int
    vectors: int
    available: int
    advice: str = ""
    kept: int = 0

    @property
    def total(self) -> int:
        return self.matrix + self.vectors

    @property
    def fits(self) -> bool:
        return self.total <= self.available

    def __str__(self) -> str:
        verdict = "fits" if self.fits else f"does not fit: {self.advice}"
        return f"{in_words(self.total)} of {in_words(self.available)} available; {verdict}"


def estimate_memory(estimator: Classifier | S3VM, X: Any, *, n_classes: int = 2) -> MemoryEstimate:
    """The memory that `estimator.fit` will take for X, an array, a sparse matrix or just a shape (rows, columns).

    Examples
    --------
    >>> from semisvm import GradientS3VM, estimate_memory
    >>> estimate_memory(GradientS3VM(), (20_000, 50)).matrix == 8 * 20_000**2
    True
    """
    n, d = X if isinstance(X, tuple) else np.shape(X)
    k = 1 if n_classes == 2 else n_classes
    if isinstance(estimator, S3VM):
        return _of_the_default(n, d, k, warm=estimator.warm_start)
    m = estimator.n_components
    squares = COPIES.get(type(estimator), 1)
    if isinstance(estimator, LowDensitySeparation):
        matrix, dimension, advice = 8 * squares * n * n, n, "use another method: this one needs the paths of all pairs"
    elif estimator.kernel == "linear":
        matrix = 0 if estimator.graph is None or sp.issparse(X) else 8 * (n * d + 2 * d * d)
        dimension, advice = d, "use fewer columns"
    elif m is not None and m < n:
        matrix, dimension, advice = 8 * (2 * n * m + 2 * m * m), m, "set a smaller n_components"
    else:
        deformed = estimator.graph is not None and not isinstance(estimator, Manifold)
        matrix, dimension = 8 * n * n * (squares + DEFORMED * deformed), n
        advice = 'set n_components=500, or kernel="linear"'
    return MemoryEstimate(matrix, 8 * k * VECTORS * (n + dimension), available_bytes(), advice)


def _of_the_default(n: int, d: int, k: int, *, warm: bool) -> MemoryEstimate:
    """Of S3VM(): kernel matrices of every preparation, and the leading features that training asks for.

    Up to 2,200 rows two widths and three factored systems, all rows by all rows; beyond, matrices of the landmarks, and
    the kernel values of all rows where the rows are wide. With `warm` the members that a refit begins with.
    """
    whole = n <= EXACT_ROWS
    m, size = n if whole else LANDMARKS, 8 if n <= LIGHT_ROWS else 4
    matrices = (2 + len(GRAPHS)) * size * m * m if whole else (4 * 8 + len(GRAPHS) * 4) * m * m
    wide_rows = 0 if whole else n_held(n, m, d) * 4 * n * m
    kept = 8 * n * d + PREPARATIONS * (matrices + wide_rows + KERNELS * size * RANK * (n + m))
    if warm:
        # coefficients of every member, and the rows whose labels each set has seen
        kept += 8 * MOST_SETS * (PREPARATIONS * KERNELS * RANK * k + n)
    # a width begins in double precision
    matrix = kept + 8 * m * m + (0 if whole else 2 * 4 * min(n, SUMMED) * m)
    # models that leave out labels see some of the rows
    vectors = 8 * k * (VECTORS * n + MOST_SETS * min(n, REFERENCE_ROWS))
    return MemoryEstimate(matrix, vectors, available_bytes(), 'use GradientS3VM(kernel="linear")', kept)
