"""What limited-memory BFGS knows of the curvature, for many problems at once.

s and y are the last changes of a point and of its gradient, the rows of S and Y. With R the upper triangle of S Y' and
D its diagonal, the products of all pairs are taken at once (Byrd, Nocedal and Schnabel 1994):

    u = R^-1 S g        H g = a (g - Y'u) + S'R^-T (D u + a Y (Y'u - g)),        a = s'y / y'y of the last pair
"""

from dataclasses import dataclass

import numpy as np

MEMORY = 8
LEAST_CURVATURE = 1e-6
"""Pairs with s'y below this share of s's count nothing."""


@dataclass(eq=False)
class CurvaturePairs:
    """A pair that counts nothing is zero, and one on the diagonal of R."""

    s: np.ndarray
    """(problems, pairs, dimension), the newest last."""
    y: np.ndarray
    inverse: np.ndarray
    """R^-1, (problems, pairs, pairs)."""
    curvature: np.ndarray
    """D, (problems, pairs)."""
    scale: np.ndarray
    """a, (problems,): 0 as long as no pair counts."""

    @classmethod
    def none(cls, like: np.ndarray) -> "CurvaturePairs":
        """For (problems, dimension) points like these."""
        n, d = like.shape
        pairs = np.zeros((n, 0, d), like.dtype)
        return cls(pairs, pairs, np.zeros((n, 0, 0), like.dtype), pairs[:, :, 0], np.zeros(n, like.dtype))

    def of(self, problems: np.ndarray) -> "CurvaturePairs":
        parts = (self.s, self.y, self.inverse, self.curvature, self.scale)
        return CurvaturePairs(*(part[problems] for part in parts))

    def add(self, s: np.ndarray, y: np.ndarray) -> None:
        curvature = np.einsum("ij,ij->i", s, y)
        counts = curvature > LEAST_CURVATURE * np.einsum("ij,ij->i", s, s)
        s, y = s * counts[:, None], y * counts[:, None]
        self.scale = np.where(counts, curvature / np.maximum(np.einsum("ij,ij->i", y, y), 1e-30), self.scale)
        curvature = np.where(counts, curvature, 1.0).astype(s.dtype, copy=False)
        # the oldest goes: what is left of R^-1 is the inverse of what is left of R
        first = max(0, self.s.shape[1] + 1 - MEMORY)
        kept = self.inverse[:, first:, first:]
        above = np.matmul(self.s[:, first:], y[:, :, None])
        n, m = kept.shape[:2]
        inverse = np.zeros((n, m + 1, m + 1), s.dtype)
        inverse[:, :m, :m] = kept
        inverse[:, :m, m] = -np.matmul(kept, above)[:, :, 0] / curvature[:, None]
        inverse[:, m, m] = 1.0 / curvature
        self.inverse = inverse
        self.s = np.concatenate([self.s[:, first:], s[:, None]], axis=1)
        self.y = np.concatenate([self.y[:, first:], y[:, None]], axis=1)
        self.curvature = np.concatenate([self.curvature[:, first:], curvature[:, None]], axis=1)

    def inverse_hessian(self, gradient: np.ndarray) -> np.ndarray:
        """H g; a gradient longer than one is cut to one where no pair counts."""
        lengths = np.sqrt(np.einsum("ij,ij->i", gradient, gradient))
        a = np.where(self.scale > 0, self.scale, 1.0 / np.maximum(1.0, lengths))[:, None, None]
        g = gradient[:, :, None]
        u = self.inverse @ (self.s @ g)
        left = self.y.transpose(0, 2, 1) @ u - g
        inner = self.curvature[:, :, None] * u + a * (self.y @ left)
        step = self.s.transpose(0, 2, 1) @ (self.inverse.transpose(0, 2, 1) @ inner) - a * left
        return step[:, :, 0]
