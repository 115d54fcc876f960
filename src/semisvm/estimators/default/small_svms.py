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

    A label of weight 0 takes no part in its column. A problem whose A stays as it is takes no further step.
    """
    m, l, k = len(K), *y.shape
    kernel, labels, takes_part = np.repeat(np.arange(m), k), np.tile(y.T, (m, 1)), np.tile(c.T > 0, (m, 1))
    ridge = np.divide(0.5, np.tile(c.T, (m, 1)), out=np.ones_like(labels), where=takes_part)
    beta, outputs, bias = np.zeros((m * k, l)), np.zeros((m * k, l)), np.zeros(m * k)
    inside, moving = takes_part.copy(), np.arange(m * k)
    for step in range(1, STEPS + 1):
        try:
            own = labels[moving], ridge[moving]
            beta[moving], bias[moving] = _newton_step(K, kernel[moving], inside[moving], *own)
        except np.linalg.LinAlgError:
            return None
        for one in range(m):
            some = moving[kernel[moving] == one]
            outputs[some] = beta[some] @ K[one]
        # labels of one class alone end on the margin, beta = 0 and b = +-1: rounding must not throw them out
        within = labels[moving] * (outputs[moving] + bias[moving, None]) < 1.0 + ROUNDING
        before, after = inside[moving], within & takes_part[moving]
        inside[moving] = after
        moving = moving[np.any(before != after, axis=1)]
        if not len(moving):
            both = (part.reshape(m, k, l).transpose(0, 2, 1) for part in (beta, outputs))
            return SmallSVMs(next(both), bias.reshape(m, k), next(both), step)
    return None


def _newton_step(
    K: np.ndarray, kernel: np.ndarray, inside: np.ndarray, labels: np.ndarray, ridge: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(beta, b) of every problem for its rows A, which are gathered: systems are no larger than the largest A."""
    size = int(np.count_nonzero(inside, axis=1).max())
    rows = np.argsort(~inside, axis=1, kind="stable")[:, :size]
    taken, labels, ridge = (np.take_along_axis(part, rows, axis=1) for part in (inside, labels, ridge))
    bordered = np.zeros((len(rows), size + 1, size + 1))
    # rows out of A read beta_i = 0
    both = taken[:, :, None] & taken[:, None, :]
    gathered = K[kernel[:, None, None], rows[:, :, None], rows[:, None, :]]
    np.multiply(gathered, both, out=bordered[:, :size, :size])
    diagonal = np.arange(size)
    bordered[:, diagonal, diagonal] += np.where(taken, ridge, 1.0)
    bordered[:, :size, size] = bordered[:, size, :size] = taken
    right = np.concatenate([np.where(taken, labels, 0.0), np.zeros((len(rows), 1))], axis=1)
    solved = np.linalg.solve(bordered, right[..., None])[..., 0]
    beta = np.zeros(inside.shape)
    np.put_along_axis(beta, rows, solved[:, :size], axis=1)
    return beta, solved[:, size]
