"""Kernels of very many rows along their neighbor graph: leading features of a kernel, averaged over neighbors.

    K~ = P^t K P^t',      P = D^-1 W,   W the weights of the graph of all rows, D = diag(W 1)

P Z gives every row the weighted mean of its neighbors' features, so that the graph is followed from row to row however
few the landmarks are. Eigenvalues of P lie in [-1, 1], where with a walk S of t fair steps +-1 on the line

    cos(a)^t = E cos(S a),      P^t = E T_|S|(P)        T_k: Chebyshev polynomials

and walks that end far out are rare: 32 steps take 14 products. New rows have no place in the graph: their features are
those functions of the landmarks that come nearest to the features of the training rows,

    D = (F'F + ridge)^-1 F'Z,      z(x) = phi(x) D - offset
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from scipy.stats import binom

from semisvm.estimators.default.landmark_functions import Basis
from semisvm.estimators.default.row_sums import summed_rows

DIRECTIONS = 60
"""Leading features that are averaged: after some steps few of them are left."""
RIDGE = 1e-3
"""Added to the covariance of functions of the landmarks, in units of its mean diagonal."""

RARE = 0.01
"""Share of the walks that are left out: those that end farthest out."""
FAR = 1e4
"""A row is far from all others where its weights add up to less than so many of the smallest numbers."""


@dataclass(frozen=True)
class Diffusion:
    """P^t K P^t'."""

    n_neighbors: int
    steps: int

    @property
    def name(self) -> str:
        return f"graph of {self.n_neighbors} neighbors, {self.steps} steps"


DIFFUSIONS = (Diffusion(10, 8), Diffusion(10, 32), Diffusion(6, 32))
"""Steps are even: no eigenvalue of a kernel is negative, and no direction that alternates between neighbors is kept."""


@dataclass(frozen=True, eq=False)
class Diffused:
    """A centered kernel by its features Z of all rows, and a basis for those of new rows."""

    Z: np.ndarray
    """Of mean zero, and of mean square length one unless all rows are equal."""
    basis: Basis

    @classmethod
    def of(cls, Z: np.ndarray, basis: Basis) -> "Diffused":
        Z = Z - Z.mean(axis=0)
        square = float(np.einsum("ij,ij->", Z, Z, dtype=np.float64)) / len(Z)
        Z *= Z.dtype.type(1 / np.sqrt(square)) if square > 0 else 1
        return cls(Z, basis)

    @property
    def mean_diagonal(self) -> float:
        return 1.0

    def gram(self, rows: np.ndarray) -> np.ndarray:
        Z = self.Z[rows].astype(np.float64)
        return Z @ Z.T

    def leading(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Z, the directions D, and their offset."""
        n, some = len(self.Z), summed_rows(len(self.Z))
        F, Z = self.basis.at(some), self.Z[some]
        C = self.basis.covariance.astype(np.float64) / n
        C[np.diag_indices(len(C))] += RIDGE * max(float(np.trace(C)) / len(C), 1e-30)
        D = cho_solve(cho_factor(C, lower=True), F.T @ (Z - Z.mean(axis=0)) / len(some)).astype(Z.dtype)
        return self.Z, D, self.basis.middle @ D


def diffused(start: np.ndarray, basis: Basis, laplacians: dict[Diffusion, csr_array]) -> Iterator[tuple[str, Diffused]]:
    """The name and the kernel of every diffusion of these features; those on one graph share their products."""
    every = list(laplacians)
    for _, group in groupby(every, lambda one: one.n_neighbors):
        along = list(group)
        P = random_walk(laplacians[along[0]])
        for diffusion, Z in zip(along, powers(P, start, [one.steps for one in along]), strict=True):
            yield diffusion.name, Diffused.of(Z, basis)


def powers(P: csr_array, Z: np.ndarray, exponents: list[int]) -> list[np.ndarray]:
    """P^t Z for every t."""
    weights = [_ends(t) for t in exponents]
    found = [w[0] * Z for w in weights]
    before, now = Z, Z
    for k in range(1, max(len(w) for w in weights)):
        # T_1 = P,  T_k+1 = 2 P T_k - T_k-1
        before, now = now, P @ now if k == 1 else 2 * (P @ now) - before
        for total, w in zip(found, weights, strict=True):
            if k < len(w) and w[k] > 0:
                total += w[k] * now
    return found


def _ends(t: int) -> np.ndarray:
    """How often |S| = 0, 1, 2, ... after t fair steps, without the rare ends; in sum 1."""
    k = np.arange(t % 2, t + 1, 2)
    often = np.zeros(t + 1)
    often[k] = np.where(k > 0, 2.0, 1.0) * binom.pmf((t + k) // 2, t, 0.5)
    kept = 1 + int(np.searchsorted(np.cumsum(often), 1 - RARE))
    return (often[:kept] / often[:kept].sum()).astype(np.float32)


def random_walk(L: csr_array) -> csr_array:
    """P = I - diag(L)^-1 L of a plain Laplacian, whatever its unit; a row far from all others stays where it is."""
    degrees = L.diagonal()
    joined = degrees > FAR * np.finfo(L.dtype).tiny
    P = csr_array(diags_array(np.where(joined, -1 / np.where(joined, degrees, 1), 0).astype(L.dtype)) @ L)
    P.setdiag(np.where(joined, 0, 1).astype(L.dtype))
    return P
