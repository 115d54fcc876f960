"""The curvature that L-BFGS remembers: pairs s = change of the point, y = change of the gradient.

With S and Y the matrices of the last m pairs and R the upper triangle of S'Y, D its diagonal, the inverse Hessian
estimate is the compact form of Byrd, Nocedal and Schnabel (1994), here in the inner product of the space:

    H g = scale (g - Y a) + S R^-T (D a + scale Y'(Y a - g)),      a = R^-1 S'g,      scale = s'y / y'y of the last pair

Four products with S and Y per direction, whatever the number of pairs, instead of 4 m vector operations. R^-1 itself is
kept: a new pair adds a column to it, and without the oldest pair it is what remains of its lower right part. Each
column has its own pairs; one whose curvature is not positive is stored as zero and takes no part.
"""

import numpy as np

from semisvm.objective.vectors import Vector

CURVED = 1e-10
"""A pair counts where s'y exceeds this share of |s| |y|."""


class DifferencePairs:
    """The last `memory` pairs of each column, oldest first; scale is 0 where a column has none."""

    def __init__(self, memory: int, n_columns: int):
        self.memory = memory
        self.first = self.end = 0
        self.scale = np.zeros(n_columns)

    def _allocate(self, vector: Vector) -> None:
        """A window of `memory` pairs slides over half as many places more; pages are taken only as pairs come in."""
        (p, k), m = vector.theta.shape, self.memory
        places = m + (m + 1) // 2
        shared = vector.metric is vector.theta
        self.S, self.Y = np.empty((k, places, p)), np.empty((k, places, p))
        self.RS, self.RY = (self.S, self.Y) if shared else (np.empty((k, places, p)), np.empty((k, places, p)))
        self.S_bias, self.Y_bias = np.zeros((k, places)), np.zeros((k, places))
        self.YY, self.R_inverse, self.D = np.zeros((k, m, m)), np.zeros((k, m, m)), np.zeros((k, m))

    def columns(self, chosen: np.ndarray) -> "DifferencePairs":
        """The pairs of these columns."""
        part = DifferencePairs(self.memory, len(chosen))
        part.first, part.end, part.scale = self.first, self.end, self.scale[chosen]
        if self.end:
            part.S, part.Y = self.S[chosen], self.Y[chosen]
            shared = self.RS is self.S
            part.RS, part.RY = (part.S, part.Y) if shared else (self.RS[chosen], self.RY[chosen])
            part.S_bias, part.Y_bias = self.S_bias[chosen], self.Y_bias[chosen]
            part.YY, part.R_inverse, part.D = self.YY[chosen], self.R_inverse[chosen], self.D[chosen]
        return part

    def _make_room(self) -> None:
        """Forget the oldest pair where the memory is full, and move the window back where it is at the end."""
        if self.end - self.first < self.memory:
            return
        self.first += 1
        for a in (self.YY, self.R_inverse):
            a[:, :-1, :-1] = a[:, 1:, 1:].copy()
        self.D[:, :-1] = self.D[:, 1:].copy()
        if self.end == self.S_bias.shape[1]:
            kept = self.end - self.first
            every = (self.S, self.Y, self.RS, self.RY, self.S_bias, self.Y_bias)
            for part in {id(one): one for one in every}.values():
                # place by place: source and target may overlap
                for place in range(kept):
                    part[:, place] = part[:, self.first + place]
            self.first, self.end = 0, kept

    @property
    def _window(self) -> slice:
        return slice(self.first, self.end)

    def add(self, step: Vector, change: Vector) -> None:
        """Remember a pair; the oldest one is forgotten where the memory is full."""
        if not self.end:
            self._allocate(step)
        self._make_room()
        place, m = self.end, self.end - self.first
        self.end += 1
        self.S[:, place], self.S_bias[:, place] = step.theta.T, step.bias
        self.Y[:, place], self.Y_bias[:, place] = change.theta.T, change.bias
        if self.RS is not self.S:
            self.RS[:, place], self.RY[:, place] = step.metric.T, change.metric.T
        Sy, Yy = self._inner(self.RS, self.S_bias, change), self._inner(self.RY, self.Y_bias, change)
        curvature, square = Sy[:, m], Yy[:, m]
        # a column with no positive curvature (or at rest) keeps zeros, and so does one whose y rounding took to zero
        lengths = np.sqrt(np.maximum(step.inner(step), 0.0)) * np.sqrt(np.maximum(square, 0.0))
        useful = (square > 0) & (curvature > CURVED * lengths)
        if not useful.all():
            idle = ~useful
            for stored in (self.S, self.Y, self.RS, self.RY, self.S_bias, self.Y_bias):
                stored[idle, place] = 0.0
            Sy[idle], Yy[idle] = 0.0, 0.0
            Sy[idle, m] = 1.0
            curvature, square = Sy[:, m], np.where(useful, Yy[:, m], 1.0)
        self.YY[:, m, : m + 1] = self.YY[:, : m + 1, m] = Yy
        self.D[:, m] = curvature
        # the inverse of (R, r; 0, d) is (R^-1, -R^-1 r / d; 0, 1 / d)
        self.R_inverse[:, m, :m] = 0.0
        self.R_inverse[:, m, m] = 1.0 / curvature
        if m:
            column = np.matmul(self.R_inverse[:, :m, :m], Sy[:, :m, None])[:, :, 0]
            self.R_inverse[:, :m, m] = -column / curvature[:, None]
        self.scale = np.where(useful, curvature / square, self.scale)

    def _inner(self, metrics: np.ndarray, biases: np.ndarray, vector: Vector) -> np.ndarray:
        """<stored, vector> for every pair of each column: (k, m)."""
        window = self._window
        products: np.ndarray = np.matmul(metrics[:, window], vector.theta.T[:, :, None])[:, :, 0]
        products += biases[:, window] * vector.bias[:, None]
        return products

    def inverse_hessian(self, gradient: Vector) -> Vector:
        """H times the gradient; the gradient itself as long as there are no pairs."""
        if not self.end:
            return gradient
        window, m = self._window, self.end - self.first
        scale = np.where(self.scale > 0, self.scale, 1.0)
        R_inverse = self.R_inverse[:, :m, :m]
        # a = R^-1 S'g
        a = np.matmul(R_inverse, self._inner(self.RS, self.S_bias, gradient)[:, :, None])
        # R^-T (D a + scale Y'(Y a - g))
        right = np.matmul(self.YY[:, :m, :m], a)[:, :, 0] - self._inner(self.RY, self.Y_bias, gradient)
        right *= scale[:, None]
        a = a[:, :, 0]
        right += self.D[:, :m] * a
        on_S = np.matmul(right[:, None, :], R_inverse)[:, 0]
        return gradient.combined(
            scale,
            [
                (on_S, self.S[:, window], self.RS[:, window], self.S_bias[:, window]),
                (-scale[:, None] * a, self.Y[:, window], self.RY[:, window], self.Y_bias[:, window]),
            ],
        )
