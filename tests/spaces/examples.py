"""One example or more of every kind of space, on the same sixty points."""

import numpy as np
import scipy.sparse as sp

from semisvm import chunked
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF, Polynomial, Precomputed
from semisvm.spaces import (
    Centered,
    Full,
    Linear,
    SparseGram,
    cholesky_map,
    deform,
    eigen_map,
    kmeans_landmarks,
    random_landmarks,
    reduced_set,
    with_constant,
)
from tests.objective.in_blocks import BlockRows

N, D = 60, 5
X = np.random.default_rng(1).normal(size=(N, D))
X_SPARSE = sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
POINTS = Points.of(X)
UNLABELED = np.arange(10, N)
KERNEL = RBF(0.3)
# x'z of sparse rows with a diagonal on top: most pairs have no column in common
K_SPARSE = sp.csr_array(X_SPARSE @ X_SPARSE.T + sp.eye_array(N))


def plain_spaces():
    full = Full(KERNEL, POINTS)
    term = Graph(n_neighbors=5, power=2).term(POINTS, 0.7, full_kernel=True)
    return {
        "linear dense": (Linear(X), X),
        "linear sparse": (Linear(X_SPARSE), X_SPARSE),
        "full rbf": (full, X),
        "full polynomial": (Full(Polynomial(2, 0.5, 1.0), POINTS), X),
        "full sparse": (Full(KERNEL, Points.of(X_SPARSE)), X_SPARSE),
        "eigen map": (eigen_map(full), X),
        "cholesky map": (cholesky_map(full), X),
        "random landmarks": (reduced_set(KERNEL, POINTS, random_landmarks(POINTS, 20, 0)), X),
        "k-means landmarks": (reduced_set(KERNEL, POINTS, kmeans_landmarks(POINTS, 20, 0)), X),
        "sparse gram": (SparseGram(Precomputed(), Points.of(K_SPARSE)), K_SPARSE),
        "linear with constant": (with_constant(Linear(X_SPARSE), 2.0), X_SPARSE),
        "full with constant": (with_constant(full, 2.0), X),
        "deformed full": (deform(full, term), X),
        "deformed sparse gram": (deform(SparseGram(Precomputed(), Points.of(K_SPARSE)), term), K_SPARSE),
        "deformed landmarks": (deform(reduced_set(KERNEL, POINTS, random_landmarks(POINTS, 20, 0)), term), X),
        "deformed linear": (deform(Linear(X), term), X),
    }


def spaces_of(source, sparse_source):
    """Spaces on rows that are visited in chunks, or live on a cluster."""
    return {
        "linear dense": (source.linear(), X),
        "linear sparse": (sparse_source.linear(), X_SPARSE),
        "landmarks": (source.on_landmarks(KERNEL, POINTS.take(np.arange(0, N, 3))), X),
        "linear with constant": (with_constant(source.linear(), 2.0), X),
    }


def chunked_spaces():
    chunks = spaces_of(chunked(X, chunk_rows=17), chunked(X_SPARSE, chunk_rows=13))
    blocks = spaces_of(BlockRows.of(X, 17), BlockRows.of(X_SPARSE, 13))
    cases = {f"chunked {name}": case for name, case in chunks.items()}
    return cases | {f"in blocks {name}": case for name, case in blocks.items()}


def also_centered(spaces):
    return spaces | {f"{name}, centered": (Centered(space, UNLABELED), rows) for name, (space, rows) in spaces.items()}


def all_spaces():
    """Those in memory."""
    return also_centered(plain_spaces())


def every_space():
    return all_spaces() | also_centered(chunked_spaces())
