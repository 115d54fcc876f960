"""Hot paths against what the machine can do: GEMM, copying, scipy's products, one Cholesky factorization.

Gram matrix and kernel rows: multiply-adds per second over those of a matrix product with the same precision and inner
size (a Gram matrix counts one half, as it is symmetric; exponentials and norms count as nothing). Sparse passes: bytes
of the matrix read per second over the bytes that a copy reads and writes. An evaluation of the sparse linear objective:
over scipy's two products, on one thread and on two. Branch and bound: nodes per Cholesky factorization of all rows.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from time import perf_counter, process_time

import numpy as np
from scipy.linalg.lapack import dpotrf
from threadpoolctl import threadpool_limits

from benchmarks.continuous import documents
from benchmarks.harness.figure import Figure, quartiles
from semisvm import BranchAndBoundS3VM
from semisvm.datasets import hide_labels, make_two_moons
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Gaussian, ModifiedLogistic
from semisvm.objective import Problem
from semisvm.spaces import Full, Linear

REPEATS = 9


def turns(
    actions: dict[str, Callable[[], object]], clock: Callable[[], float] = process_time, repeats: int = REPEATS
) -> dict[str, np.ndarray]:
    """Seconds of every action, once before the clock starts and then in turns."""
    for action in actions.values():
        action()
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            gc.collect()
            begin = clock()
            action()
            seconds[name].append(clock() - begin)
    return {name: np.array(taken) for name, taken in seconds.items()}


def gram_and_rows(dtype: type, n: int = 4_000, d: int = 784, n_rows: int = 256) -> Iterator[Figure]:
    X = np.random.default_rng(0).random((n, d)).astype(dtype)
    points, kernel = Points.of(X), RBF(6.0 / d)
    space, rows = Full(kernel, points), np.arange(0, n, n // n_rows)[:n_rows]
    gathered, product = X[rows], np.empty((n_rows, n), dtype=dtype)
    times = turns(
        {
            "Gram matrix": lambda: kernel.gram(points),
            "kernel rows": lambda: space.block(rows),
            "product": lambda: np.matmul(gathered, X.T, out=product),
        }
    )
    rate = n_rows * n * d / times["product"]
    name = f"{n:,} rows of {d}, {np.dtype(dtype).name}"
    for what, work in (("Gram matrix", n * (n + 1) / 2 * d), ("kernel rows", n_rows * n * d)):
        yield Figure(name, what, "of the GEMM rate", *quartiles(work / times[what] / rate), at_least=True)


def sparse(n_rows: int = 80_000) -> Iterator[Figure]:
    X, y = documents(n_rows)
    X = X.astype(np.float64)
    w, v = np.random.default_rng(1).normal(size=(X.shape[1], 1)), np.random.default_rng(2).normal(size=(n_rows, 1))
    source = np.ones(X.nnz * 12 // 8)
    target, space, bias = np.empty_like(source), Linear(X), np.zeros(1)
    signs = np.where(np.arange(n_rows) < 50, 2.0 * y - 1.0, 0.0)[:, None]
    labeled, unlabeled = np.arange(50), np.arange(50, n_rows)
    weights = np.ones((n_rows, 1))
    problem = Problem(space, signs, labeled, unlabeled, ModifiedLogistic(), Gaussian(3.0), weights, bias=bias)
    name = f"sparse, {X.nnz:,} non-zeros"
    actions: dict[str, Callable[[], object]] = {
        "X w": lambda: space.outputs(w),
        "X'v": lambda: space.represent(v),
        "copy": lambda: np.copyto(target, source),
        "products": lambda: (X @ w[:, 0], X.T @ v[:, 0]),
        "evaluation": lambda: problem.objective().at(w, bias),
    }
    times = turns(actions)
    for what in ("X w", "X'v"):
        # a copy moves every byte twice, a pass reads it once
        share = quartiles(0.5 * times["copy"] / times[what])
        yield Figure(name, what, "of the copy rate", *share, at_least=True)
    ratios = times["evaluation"] / times["products"]
    yield Figure(name, "evaluation", "of scipy's two products", *quartiles(ratios), 1.5)
    with threadpool_limits(2):
        times = turns({name: actions[name] for name in ("products", "evaluation")}, perf_counter, 4 * REPEATS)
    # seconds of the clock: the fastest of each is what other work on the machine disturbs least
    ratio = float(times["evaluation"].min() / times["products"].min())
    unit = "of scipy's two products"
    yield Figure(name, "evaluation", unit, ratio, ratio, ratio, 0.9, threads=2, clock="wall")


def branch_and_bound() -> Figure:
    X, y = make_two_moons(random_state=0)
    model = BranchAndBoundS3VM(gamma=2.0, C=10.0, C_unlabeled="equal", ratio=0.5)
    partial, K = hide_labels(y, [0, 1]), RBF(2.0).gram(Points.of(X)) + np.eye(len(X))
    times = turns({"search": lambda: model.fit(X, partial), "Cholesky": lambda: dpotrf(K, lower=1)})
    value = quartiles(model.n_nodes_ * times["Cholesky"] / times["search"])
    return Figure(f"2moons, {len(X)} rows", "branch and bound", "nodes per Cholesky", *value, at_least=True)


def figures() -> Iterator[Figure]:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.float64, np.float32):
            yield from gram_and_rows(dtype)
        yield from sparse()
        yield branch_and_bound()
