"""The curvature that L-BFGS remembers: pairs s = change of the point, y = change of the gradient.

With S and Y the matrices of the last m pairs and R the upper triangle of S'Y, D its diagonal, the inverse Hessian
estimate is the compact form of Byrd, Nocedal and Schnabel (1994), here in the inner product of the space:

    H g = scale (g - Y a) + S R^-T (D a + scale Y'(Y a - g)),      a = R^-1 S'g,      scale = s'y / y'y of the last pair

Four products with S and Y and two triangular systems per direction, whatever the number of pairs, instead of 4 m vector
operations. Each column has its own pairs; one whose curvature is not positive is stored as zero and takes no part.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

CURVED = 1e-10
"""A pair counts where s'y exceeds this share of |s| |y|."""


class DifferencePairs:
    """The last `memory` pairs of each column, oldest first in `order`; scale is 0 where a column has none."""

    def __init__(self, memory: int, n_columns: int):
        self.memory = memory
        self.order: list[int] = []
        self.scale = np.zeros(n_columns)

    def _allocate(self, vector: Any) -> None:
        """Pages are taken from the system only as pairs come in."""
        (p, k), m = vector.theta.shape, self.memory
        shared = vector.metric is vector.theta
        self.S, self.Y = np.empty((k, m, p)), np.empty((k, m, p))
        self.RS, self.RY = (self.S, self.Y) if shared else (np.empty((k, m, p)), np.empty((k, m, p)))
        self.S_bias, self.Y_bias = np.zeros((k, m)), np.zeros((k, m))
        self.SY, self.YY = np.zeros((k, m, m)), np.zeros((k, m, m))

    def add(self, step: Any, change: Any) -> None:
        """Remember a pair; the oldest one is forgotten where the memory is full."""
        if not self.order:
            self._allocate(step)
        slot = len(self.order) if len(self.order) < self.memory else self.order.pop(0)
        self.order.append(slot)
        curvature, square = step.inner(change), change.inner(change)
        # a column with no positive curvature (or at rest) keeps zeros
        useful = curvature > CURVED * np.sqrt(np.maximum(step.inner(step) * square, 0.0))
        mask = useful.astype(np.float64)
        for vector, stored, metric, biases in (
            (step, self.S, self.RS, self.S_bias),
            (change, self.Y, self.RY, self.Y_bias),
        ):
            np.multiply(vector.theta.T, mask[:, None], out=stored[:, slot])
            if metric is not stored:
                np.multiply(vector.metric.T, mask[:, None], out=metric[:, slot])
            biases[:, slot] = mask * vector.bias
        kept = slice(0, len(self.order))
        for j in range(len(mask)):
            # the new row and column of S'Y and Y'Y
            self.SY[j, kept, slot] = self.RS[j, kept] @ self.Y[j, slot] + self.S_bias[j, kept] * self.Y_bias[j, slot]
            self.SY[j, slot, kept] = self.RY[j, kept] @ self.S[j, slot] + self.Y_bias[j, kept] * self.S_bias[j, slot]
            self.YY[j, kept, slot] = self.RY[j, kept] @ self.Y[j, slot] + self.Y_bias[j, kept] * self.Y_bias[j, slot]
            self.YY[j, slot, kept] = self.YY[j, kept, slot]
            if not useful[j]:
                self.SY[j, slot, slot] = 1.0
        self.scale = np.where(useful, curvature / np.where(useful, square, 1.0), self.scale)

    def inverse_hessian(self, gradient: Any) -> Any:
        """H times the gradient; the gradient itself as long as there are no pairs."""
        if not self.order:
            return gradient
        kept, k = slice(0, len(self.order)), len(self.scale)
        scale = np.where(self.scale > 0, self.scale, 1.0)
        on_S, on_Y = np.empty((k, len(self.order))), np.empty((k, len(self.order)))
        for j in range(k):
            g, b = gradient.theta[:, j], gradient.bias[j]
            a, weights = self._coefficients(
                j,
                self.RS[j, kept] @ g + self.S_bias[j, kept] * b,
                self.RY[j, kept] @ g + self.Y_bias[j, kept] * b,
                scale[j],
            )
            on_S[j], on_Y[j] = weights, -scale[j] * a
        return gradient.combined(
            scale,
            [
                (on_S, self.S[:, kept], self.RS[:, kept], self.S_bias[:, kept]),
                (on_Y, self.Y[:, kept], self.RY[:, kept], self.Y_bias[:, kept]),
            ],
        )

    def _coefficients(self, j: int, Sg: np.ndarray, Yg: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """a = R^-1 S'g and R^-T (D a + scale Y'(Y a - g)), both by slot."""
        order = np.array(self.order)
        R = self.SY[j][np.ix_(order, order)]
        a = np.empty_like(Sg)
        weights = np.empty_like(Sg)
        a[order] = dtrtrs(R, Sg[order])[0]
        right = np.diagonal(R) * a[order] + scale * (self.YY[j, : len(a), : len(a)] @ a - Yg)[order]
        weights[order] = dtrtrs(R, right, trans=1)[0]
        return a, weights
