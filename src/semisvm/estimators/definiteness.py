"""Indefinite kernels: matrices with negative eigenvalues, from a function, from given values or from coef0 < 0."""

import numpy as np
from scipy.linalg import eigvalsh

from semisvm.estimators.notices import notice
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import FunctionKernel, Kernel, Polynomial, Precomputed

SAMPLE = 200
"""Rows whose kernel matrix is checked."""


def check_definite(kernel: Kernel, points: Points, name: str, *, needed: bool) -> None:
    """Warn if the kernel matrix has negative eigenvalues; refuse it if the method needs a positive semidefinite one."""
    if not _may_be_indefinite(kernel) or len(points) < 2:
        return
    some = points.take(np.unique(np.linspace(0, len(points) - 1, SAMPLE).astype(np.intp)))
    K = np.asarray(kernel.block(some, some), dtype=np.float64)
    eigenvalues = eigvalsh((K + K.T) / 2)
    largest = float(np.abs(eigenvalues).max())
    rounding = max(1e-6, 1e3 * float(np.finfo(points.dtype).eps))
    if eigenvalues[0] >= -rounding * largest:
        return
    least = eigenvalues[0] / largest
    found = f"The kernel matrix has negative eigenvalues, the least of them {least:.1g} times the largest size"
    if needed:
        raise ValueError(
            f'{found}, and {name} needs a positive semi-definite kernel: use kernel="rbf", or add a number to the '
            "diagonal of the matrix."
        )
    notice(f"{found}: the objective need not have a minimum, and {name} stops where it stops descending.")


def _may_be_indefinite(kernel: Kernel) -> bool:
    match kernel:
        case FunctionKernel() | Precomputed():
            return True
        case Polynomial(coef0=coef0):
            return coef0 < 0
    return False
