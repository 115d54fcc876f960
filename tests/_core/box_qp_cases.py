"""Problems for the box QP: random ones with everything optional, and the dual of a hinge SVM."""

from dataclasses import dataclass

import numpy as np

from tests.reference import box_qp as reference


@dataclass(frozen=True)
class BoxQPCase:
    """A random problem for the solver, and its factor: K = F F' before centering, (F - phi) (F - phi)' after."""

    F: np.ndarray
    phi: np.ndarray | None
    c: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    ridge: np.ndarray | None
    kink: tuple | None
    equality: bool

    @property
    def K(self):
        return self.F @ self.F.T

    @property
    def centering(self):
        return None if self.phi is None else (self.F @ self.phi, self.phi @ self.phi)

    def arguments(self, rows=None):
        K = self.K
        settings = {"equality": self.equality, "ridge": self.ridge, "kink": self.kink, "centering": self.centering}
        return (K if rows is None else rows, np.diag(K).copy(), self.c, self.lo, self.hi), settings

    def column(self, j=None):
        """The twin's view of one problem."""

        def pick(array):
            array = np.zeros(len(self.F)) if array is None else np.asarray(array)
            return array[:, j] if array.ndim == 2 else array

        F = self.F if self.phi is None else self.F - self.phi
        p, t = (None, None) if self.kink is None else self.kink
        return reference.BoxProblem(
            F @ F.T, pick(self.c), pick(self.lo), pick(self.hi), pick(self.ridge), pick(p), pick(t), self.equality
        )


def random_case(seed, n_problems=None):
    """Singular matrices, zero rows, duplicates, fixed variables, with and without everything optional."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    F = rng.standard_normal((n, int(rng.integers(1, n + 3)))) * rng.choice([0.3, 1.0, 3.0])
    if rng.random() < 0.5:
        F[rng.integers(n, size=n // 3)] = F[rng.integers(n)]  # duplicates
    if rng.random() < 0.2:
        F[rng.integers(n)] = 0.0
    shape = n if n_problems is None else (n, n_problems)
    equality = bool(rng.random() < 0.5)
    y = np.where(rng.random(shape) < 0.4, 1.0, -1.0)
    C = rng.choice([0.1, 1.0, 10.0]) * rng.uniform(0.2, 1.0, size=shape)
    lo, hi = np.minimum(0.0, y * C), np.maximum(0.0, y * C)
    if rng.random() < 0.5:
        lo, hi = lo - rng.uniform(0.0, 0.3, size=shape) * C, hi + rng.uniform(0.0, 0.3, size=shape) * C
    if rng.random() < 0.5:
        fixed = rng.random(shape) < 0.2
        held = np.where(rng.random(shape) < 0.5, 0.0, rng.uniform(lo, hi) if not equality else 0.0)
        lo, hi = np.where(fixed, held, lo), np.where(fixed, held, hi)
    c = y + rng.choice([0.0, 0.5]) * rng.standard_normal(shape)
    ridge = rng.uniform(0.0, 2.0, size=shape) if rng.random() < 0.4 else None
    kink = None
    if not equality and rng.random() < 0.6:
        kink = (
            rng.uniform(0.0, 1.0, size=shape) * (rng.random(shape) < 0.7),
            rng.choice([-1.0, 0.0, 1.0], size=shape) * C,
        )
    phi = F[: max(n // 2, 1)].mean(axis=0) if rng.random() < 0.4 else None
    return BoxQPCase(F, phi, c, lo, hi, ridge, kink, equality)


def rbf(X, gamma):
    squares = np.einsum("ij,ij->i", X, X)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))


def svm(n, C=10.0, seed=0, noise=0.5, gamma=0.1):
    """A hinge dual: (K, diagonal, c, lo, hi) and the labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    y = np.where(X[:, 0] + X[:, 1] ** 2 - 1 + noise * rng.standard_normal(n) > 0, 1.0, -1.0)
    return (rbf(X, gamma), np.ones(n), y, np.minimum(0.0, y * C), np.maximum(0.0, y * C)), y
