"""Many small SVMs at once: a few labels seen through every kernel, each kernel's Newton steps side by side.

    min 1/2 beta'K beta + sum_i c_i max(0, 1 - y_i z_i)^2       z = K beta + b

A step solves, for the rows A within the margin, (K_AA + diag(1/(2 c_A))) beta_A + b 1 = y_A, 1'beta_A = 0, and ends
where A stays as it is. With a dozen labels a solver of one problem spends its time between the computations, not in
them.
"""

from dataclasses import dataclass

import numpy as np

STEPS = 30
ROUNDING = 1e-9
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


def small_enough(n_labels: int) -> bool:
    """Whether one column of one kernel has room."""
    return _system_bytes(n_labels) <= SYSTEMS_BYTES


def _system_bytes(n_labels: int) -> int:
    return 8 * (n_labels + 1) ** 2


def solve_in_parts(K: np.ndarray, y: np.ndarray, c: np.ndarray) -> SmallSVMs | None:
    """As many columns at a time as there is room for; None where a column alone is too large, or where steps circle."""
    m, l = K.shape[:2]
    at_once = SYSTEMS_BYTES // (m * _system_bytes(l))
    if at_once < 1:
        return None
    parts = []
    for start in range(0, y.shape[1], at_once):
        columns = slice(start, start + at_once)
        part = solve_together(K, y[:, columns], c[:, columns])
        if part is None:
            return None
        parts.append(part)
    return SmallSVMs(
        np.concatenate([part.beta for part in parts], axis=2),
        np.concatenate([part.bias for part in parts], axis=1),
        np.concatenate([part.outputs for part in parts], axis=2),
        max(part.n_iter for part in parts),
    )


def solve_together(K: np.ndarray, y: np.ndarray, c: np.ndarray) -> SmallSVMs | None:
    """(m, l, l) kernels, (l, k) labels and weights; None where the steps run in a circle, which is rare.

    A label of weight 0 takes no part in its column.
    """
    m, l, k = len(K), *y.shape
    labels, takes_part = y.T, c.T > 0
    inside = np.repeat(takes_part[None], m, axis=0)
    ridge = np.divide(0.5, c.T, out=np.ones_like(labels), where=takes_part)
    diagonal = np.arange(l)
    for step in range(1, STEPS + 1):
        bordered = np.zeros((m, k, l + 1, l + 1))
        # rows out of A read beta_i = 0
        both = inside[..., :, None] & inside[..., None, :]
        np.multiply(K[:, None], both, out=bordered[..., :l, :l])
        bordered[..., diagonal, diagonal] += np.where(inside, ridge, 1.0)
        bordered[..., :l, l] = bordered[..., l, :l] = inside
        right = np.concatenate([np.where(inside, labels, 0.0), np.zeros((m, k, 1))], axis=2)
        try:
            solved = np.linalg.solve(bordered, right[..., None])[..., 0]
        except np.linalg.LinAlgError:
            return None
        beta, bias = solved[..., :l], solved[..., l]
        outputs = beta @ K
        # labels of one class alone end on the margin, beta = 0 and b = +-1: rounding must not throw them out
        before, inside = inside, (labels * (outputs + bias[..., None]) < 1.0 + ROUNDING) & takes_part
        if np.array_equal(before, inside):
            return SmallSVMs(beta.transpose(0, 2, 1), bias, outputs.transpose(0, 2, 1), step)
    return None
