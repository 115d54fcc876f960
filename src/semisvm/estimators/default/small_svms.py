"""Many small SVMs at once: a few labels seen through every kernel, each kernel's Newton steps side by side.

    min 1/2 beta'K beta + sum_i c_i max(0, 1 - y_i z_i)^2       z = K beta + b

A step solves, for the rows A within the margin, (K_AA + diag(1/(2 c_A))) beta_A + b 1 = y_A, 1'beta_A = 0, and ends
where A stays as it is. With a dozen labels a solver of one problem spends its time between the computations, not in
them.
"""

from dataclasses import dataclass

import numpy as np

STEPS = 30
SYSTEMS_BYTES = 2**24
"""What all systems of one step may take; beyond, each problem is worth a solver of its own."""


@dataclass(frozen=True, eq=False)
class SmallSVMs:
    """Solutions of m kernels with k columns each."""

    beta: np.ndarray
    """(m, l, k)"""
    bias: np.ndarray
    """(m, k)"""
    outputs: np.ndarray
    """(m, l, k): K beta."""
    n_iter: int


def small_enough(n_kernels: int, n_labels: int, n_columns: int) -> bool:
    return 8 * n_kernels * n_columns * (n_labels + 1) ** 2 <= SYSTEMS_BYTES


def solve_together(K: np.ndarray, y: np.ndarray, c: np.ndarray) -> SmallSVMs | None:
    """(m, l, l) kernels, (l, k) labels and weights; None where the steps run in a circle, which is rare."""
    m, l, k = len(K), *y.shape
    inside = np.ones((m, k, l), dtype=bool)
    labels, ridge = y.T, 1.0 / (2.0 * c.T)
    for step in range(1, STEPS + 1):
        bordered = np.zeros((m, k, l + 1, l + 1))
        # rows out of A read beta_i = 0
        both = inside[..., :, None] & inside[..., None, :]
        np.multiply(K[:, None], both, out=bordered[..., :l, :l])
        diagonal = np.arange(l)
        bordered[..., diagonal, diagonal] += np.where(inside, ridge, 1.0)
        bordered[..., :l, l] = bordered[..., l, :l] = inside
        right = np.concatenate([np.where(inside, labels, 0.0), np.zeros((m, k, 1))], axis=2)
        try:
            solved = np.linalg.solve(bordered, right[..., None])[..., 0]
        except np.linalg.LinAlgError:
            return None
        beta, bias = solved[..., :l], solved[..., l]
        outputs = beta @ K
        before, inside = inside, labels * (outputs + bias[..., None]) < 1.0
        if np.array_equal(before, inside):
            return SmallSVMs(beta.transpose(0, 2, 1), bias, outputs.transpose(0, 2, 1), step)
    return None
