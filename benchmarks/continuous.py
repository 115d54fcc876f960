"""The continuous S3VMs against one supervised fit on the same rows, all labeled; and how they grow.

Run `python -m benchmarks.continuous [part ...]` with parts of: text rbf evaluation growth digits. Text and digits are
read from $SEMISVM_DATA. Growth takes minutes and several GiB at its largest; it is left out unless named.
"""

from __future__ import annotations

import sys
import time
import warnings
from resource import RUSAGE_SELF, getrusage

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.stopwatch import race, threads
from semisvm import GradientS3VM, QuasiNewtonS3VM
from semisvm.datasets import hide_labels, load_mnist, load_text, make_g50c
from semisvm.losses import Gaussian, ModifiedLogistic
from semisvm.objective import Problem
from semisvm.spaces import Linear


def text() -> None:
    """Sparse linear QN-S3VM on Text."""
    data = load_text()
    rows = list(data.published_splits(50))
    partly = hide_labels(data.y, rows[0])
    timings = race(
        {
            "LinearSVC": lambda: LinearSVC(C=2.5, fit_intercept=False).fit(data.X, data.y),
            "QuasiNewtonS3VM": lambda: QuasiNewtonS3VM(kernel="linear", C=1.0).fit(data.X, partly),
        },
        repeats=9,
    )
    print(f"Text, C = 1: {timings['QuasiNewtonS3VM'].over(timings['LinearSVC'])} LinearSVC fits (at most 10)")
    errors = []
    for labeled in rows:
        model = QuasiNewtonS3VM(kernel="linear", C=256 / 50).fit(data.X, hide_labels(data.y, labeled))
        unlabeled = np.setdiff1d(np.arange(len(data.y)), labeled)
        errors.append(100 * np.mean(model.transduction_[unlabeled] != data.y[unlabeled]))
    print(f"Text, lambda = 1/512: error {np.mean(errors):.2f} +- {np.std(errors):.2f} % (at most 6.4)")


def rbf(n_unlabeled: int = 8000) -> None:
    """RBF kernel on the g50c generator, Gram matrix included."""
    X, y = make_g50c(n_unlabeled + 50, random_state=0)
    partly = hide_labels(y, np.arange(50))
    kernel = {"C": 19.0, "gamma": 1 / (2 * 38.0**2)}
    models = {
        "QuasiNewtonS3VM": (QuasiNewtonS3VM(**kernel), 6.0),
        "GradientS3VM": (GradientS3VM(**kernel), 6.0),
        "QuasiNewtonS3VM, 500 landmarks": (QuasiNewtonS3VM(**kernel, n_components=500, random_state=0), 1.5),
        "GradientS3VM, 500 landmarks": (GradientS3VM(**kernel, n_components=500, random_state=0), 1.5),
    }
    actions = {"SVC": lambda: SVC(**kernel).fit(X, y)}
    actions |= {name: (lambda model=model: model.fit(X, partly)) for name, (model, _) in models.items()}
    timings = race(actions, repeats=3)
    for name, (model, limit) in models.items():
        error = 100 * np.mean(model.transduction_[50:] != y[50:])
        ratio = timings[name].over(timings["SVC"])
        print(
            f"{name}, {n_unlabeled:,} unlabeled: {ratio} SVC fits (at most {limit}), "
            f"{model.n_iter_} iterations, error {error:.1f} %"
        )


def documents(n_rows: int, n_terms: int = 47_000, per_row: int = 75, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Synthetic documents of two topics: terms by a power law, of two neighbors one likelier in either topic."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n_rows)
    terms = (n_terms / 2 * rng.random(n_rows * per_row, dtype=np.float32) ** 3).astype(np.int32)
    flipped = rng.random(n_rows * per_row, dtype=np.float32) < 0.42
    terms = 2 * terms + (np.repeat(y, per_row) ^ flipped).astype(np.int32)
    starts = np.arange(0, n_rows * per_row + 1, per_row, dtype=np.int32)
    values = np.full(n_rows * per_row, 1 / np.sqrt(per_row), dtype=np.float32)
    return sp.csr_array((values, np.minimum(terms, n_terms - 1), starts), shape=(n_rows, n_terms)), y


def evaluation(n_rows: int = 80_000) -> None:
    """One evaluation of the sparse linear objective against the two products it cannot do without."""
    X, y = documents(n_rows)
    X = X.astype(np.float64)
    w, v = np.random.default_rng(1).normal(size=X.shape[1]), np.random.default_rng(2).normal(size=X.shape[0])
    labeled, unlabeled = np.arange(50), np.arange(50, n_rows)
    signs = np.where(np.arange(n_rows) < 50, 2.0 * y - 1.0, 0.0)[:, None]
    weights = np.ones((n_rows, 1))
    bias = np.zeros(1)
    problem = Problem(Linear(X), signs, labeled, unlabeled, ModifiedLogistic(), Gaussian(3.0), weights, bias=bias)
    at = problem.objective().at
    for n_threads, limit in ((1, 1.5), (2, 0.9)):
        with threadpool_limits(n_threads):
            actions = {"products": lambda: (X @ w, X.T @ v), "evaluation": lambda: at(w[:, None], bias)}
            timings = race(actions, repeats=15)
        ratio = timings["evaluation"].over(timings["products"])
        print(f"evaluation, {X.nnz:,} non-zeros, {n_threads} threads: {ratio} of X w and X'v (at most {limit})")


def growth() -> None:
    """From 6 to 60 million non-zeros: 800,000 documents, the size of RCV1; seconds of the processor, one thread."""
    taken = {}
    with threadpool_limits(1):
        for n_rows in (80_000, 800_000):
            X, y = documents(n_rows)
            partly, stored = hide_labels(y, np.arange(1000)), (X.data.nbytes + X.indices.nbytes) / 2**30
            begin, since = time.process_time(), time.perf_counter()
            model = QuasiNewtonS3VM(kernel="linear", C=1.0).fit(X, partly)
            taken[X.nnz], wall = time.process_time() - begin, time.perf_counter() - since
            error = 100 * np.mean(model.transduction_[1000:] != y[1000:])
            peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"{n_rows:,} documents, {X.nnz:,} non-zeros ({stored:.2f} GiB): {taken[X.nnz]:.1f} s of the processor, "
                f"{wall:.1f} s of the clock, {model.n_iter_} passes, error {error:.1f} %, peak {peak:.1f} GiB",
                flush=True,
            )
    (small, first), (large, last) = taken.items()
    print(f"exponent {np.log(last / first) / np.log(large / small):.2f} (at most 1.1)")


def digits() -> None:
    """Function calls on MNIST 1 against 7 with 2,000 basis functions, as the training set grows (QN-S3VM, Figure 7)."""
    data = load_mnist(classes=(1, 7))
    order = np.random.default_rng(0).permutation(len(data.y))
    calls = {}
    for n in (2_001, 4_000, 6_000, 8_000, 10_000):
        X, y = data.X[order[:n]], data.y[order[:n]]
        partly = hide_labels(y, np.arange(100))
        # lambda = lambda' = 1 of the paper
        weights = {"C": 1 / (2 * 100), "C_unlabeled": 1 / (2 * (n - 100))}
        model = QuasiNewtonS3VM(n_components=2000, random_state=0, **weights).fit(X, partly)
        calls[n] = model.n_iter_
    print(
        f"MNIST 1 against 7, iterations by rows {calls}: {max(calls.values()) / min(calls.values()):.2f} (at most 1.5)"
    )


PARTS = {"text": text, "rbf": rbf, "evaluation": evaluation, "growth": growth, "digits": digits}


def main(wanted: tuple[str, ...] = ("text", "rbf", "evaluation")) -> None:
    print(f"threads: {threads()}")
    warnings.simplefilter("ignore")
    for part in wanted:
        PARTS[part]()


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ("text", "rbf", "evaluation"))
