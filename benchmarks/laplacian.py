"""The Laplacian SVM against its unavoidable parts: products with K, one LU factorization, the Gram matrix.

Run `python -m benchmarks.laplacian [rows]` (half of them for the direct solvers). PCG is held against its iterations
times one product of K with a vector (or with one column per class), the direct solvers against one LU factorization of
a matrix of that size; Gram matrix and graph, which all of them need, are left out. With the data sets in $SEMISVM_DATA
the whole fit of MNIST 3 against 8 with the published parameters is held against its Gram matrix alone, and
`python -m benchmarks.laplacian mnist` also times the dual there (4 GB). `python -m benchmarks.laplacian scale` measures
50,000 and 200,000 rows with 500 landmarks and a given graph, `... ann` 60,000 and 200,000 with neighbors searched by
pynndescent. On one BLAS thread seconds are those of the processor, which other programs do not lengthen; on more
threads they are those of the wall.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

import numpy as np
from scipy.linalg import lu_factor
from scipy.sparse import csr_array
from sklearn.base import clone
from threadpoolctl import threadpool_info

from benchmarks.stopwatch import race, threads
from semisvm import Graph, LaplacianSVM
from semisvm.algorithms import run
from semisvm.algorithms.laplacian import DualSquaredHinge, NewtonSteps, OnSections, PreconditionedGradient
from semisvm.algorithms.laplacian_sections import FactoredSections
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF, Polynomial
from semisvm.losses import SquaredHinge, Zero
from semisvm.objective import Problem
from semisvm.optim import ConjugateGradient, KernelNewton
from semisvm.spaces import Full

PCG_LIMIT, DIRECT_LIMIT, MNIST_LIMIT, EXPONENT_LIMIT = 1.2, 1.5, 3.0, 1.15
ITERATIONS = 60
LABELED = 100


def clock() -> Callable[[], float]:
    """Of the processor where one thread works, of the wall where more do."""
    single = all(pool["num_threads"] == 1 for pool in threadpool_info() if pool["user_api"] == "blas")
    return process_time if single else perf_counter


def clouds(n: int, k: int, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    y = random.integers(0, k, n)
    return random.normal(size=(n, d)) + random.normal(size=(k, d))[y], y


def problem(n: int, k: int) -> Problem:
    """k one-vs-rest problems with Gram matrix and graph at hand."""
    X, y = clouds(n, max(2, k))
    points = Points.of(X)
    space = Full(RBF(0.01), points)
    _ = space.gram()
    signs = np.where(y[:, None] == np.arange(k), 1.0, -1.0)
    signs[LABELED:] = 0.0
    return Problem(
        space=space,
        y=signs,
        labeled=np.arange(LABELED),
        unlabeled=np.empty(0, dtype=np.intp),
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Zero(),
        weights=np.full((n, k), 500.0),
        bias=np.zeros(k),
        graph=Graph(n_neighbors=10).term(points, 100.0, full_kernel=True),
    )


def pcg_against_products(n: int) -> None:
    for k in (1, 10):
        task = problem(n, k)
        pcg = PreconditionedGradient(ConjugateGradient(1e-15))
        vector = np.random.default_rng(1).normal(size=(n, k))

        def products(space=task.space, vector=vector) -> None:
            for _ in range(ITERATIONS):
                space.outputs(vector)

        times = race(
            {"pcg": partial(run, pcg, task, max_iter=ITERATIONS), "products": products},
            repeats=5,
            clock=clock(),
        )
        print(
            f"PCG, n = {n:,}, {k} columns: {times['pcg'].median:.2f} s for {ITERATIONS} iterations, products alone "
            f"{times['products'].median:.2f} s; ratio {times['pcg'].over(times['products'])} (at most {PCG_LIMIT})"
        )


def direct_against_lu(n: int) -> None:
    task = problem(n, 1)
    inner = {"Newton": NewtonSteps(KernelNewton(1e-8)), "dual": DualSquaredHinge(1e-8)}
    direct = {name: OnSections(algorithm, FactoredSections()) for name, algorithm in inner.items()}
    pcg = PreconditionedGradient(ConjugateGradient(1e-15))
    matrix = np.asfortranarray(np.random.default_rng(2).normal(size=(n, n)))
    actions: dict[str, Callable[[], object]] = {
        **{name: partial(run, algorithm, task, max_iter=50) for name, algorithm in direct.items()},
        "lu": lambda: lu_factor(matrix, check_finite=False),
        "pcg": lambda: run(pcg, task, max_iter=ITERATIONS),
    }
    times = race(actions, repeats=3, clock=clock())
    for name in direct:
        print(
            f"{name}, n = {n:,}: {times[name].median:.2f} s, one LU {times['lu'].median:.2f} s; ratio "
            f"{times[name].over(times['lu'])} (at most {DIRECT_LIMIT}); {times[name].over(times['pcg'])} times "
            f"{ITERATIONS} iterations of PCG"
        )


def mnist(dual: bool = False) -> None:
    from semisvm_papers.table import Table

    (row,) = (row for row in Table.load("lapsvmp-table6").rows if row.dataset == "mnist3vs8")
    assert row.source is not None
    task = next(row.source.tasks())
    X, y = task.X[task.training], np.full(len(task.training), -1)
    labeled = np.searchsorted(task.training, task.labeled)
    y[labeled] = task.y[task.labeled]
    graph = Graph(n_neighbors=20, power=3)
    model = LaplacianSVM(kernel="poly", degree=9, gamma=1.0, gamma_A=1e-6, gamma_I=0.1, graph=graph)
    points = Points.of(X)
    times = race(
        {"gram": lambda: Polynomial(9, 1.0, 0.0).gram(points), "fit": lambda: model.fit(X, y)},
        repeats=3,
        clock=clock(),
    )
    wrong = np.mean(model.predict(task.X[task.test]) != task.y[task.test])
    print(
        f"MNIST 3 vs 8, {len(X):,} rows: fit {times['fit'].median:.1f} s in {model.n_iter_} iterations (published: "
        f"110), Gram matrix {times['gram'].median:.1f} s; ratio {times['fit'].over(times['gram'])} (at most "
        f"{MNIST_LIMIT}); test error {100 * wrong:.2f} % (published: 1.93)"
    )
    if dual:
        now, other = clock(), clone(model).set_params(solver="dual")
        begin = now()
        other.fit(X, y)
        seconds = now() - begin
        wrong = np.mean(other.predict(task.X[task.test]) != task.y[task.test])
        without = (seconds - times["gram"].median) / (times["fit"].median - times["gram"].median)
        print(
            f"MNIST 3 vs 8, dual: {seconds:.1f} s, {seconds / times['fit'].median:.1f} times the whole fit by PCG "
            f"and {without:.1f} times what PCG and graph take (published: 18 times PCG alone); test error "
            f"{100 * wrong:.2f} %"
        )


def ring_graph(n: int, k: int = 10) -> csr_array:
    """k symmetric neighbors of every row, taken as given: the search is not what is measured."""
    columns = (np.arange(n)[:, None] + np.r_[1 : k // 2 + 1, -(k // 2) : 0]) % n
    return csr_array((np.ones(n * k), columns.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def scale(sizes: tuple[int, int], given: bool) -> None:
    """Two sizes with the graph given, or searched for."""
    seconds, how = [], "given" if given else "searched"
    for n in sizes:
        X, y = clouds(n, 2, d=100)
        order = np.argsort(y, kind="stable")
        X, y = X[order].astype(np.float32), y[order]
        given_labels = np.full(n, -1)
        labeled = np.random.default_rng(0).choice(n, LABELED, replace=False)
        given_labels[labeled] = y[labeled]
        graph = Graph.from_affinity(ring_graph(n)) if given else Graph(n_neighbors=10)
        model = LaplacianSVM(gamma=0.005, gamma_A=1e-3, gamma_I=1e-3, n_components=500, graph=graph, random_state=0)
        now = clock()
        begin = now()
        model.fit(X, given_labels)
        seconds.append(now() - begin)
        error, peak = np.mean(model.transduction_ != y), getrusage(RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{n:,} rows, 500 landmarks, 10 neighbors {how}: {seconds[-1]:.1f} s, error {100 * error:.2f} %, peak "
            f"{peak:.1f} GiB",
            flush=True,
        )
    exponent = np.log(seconds[1] / seconds[0]) / np.log(sizes[1] / sizes[0])
    print(f"exponent from {sizes[0]:,} to {sizes[1]:,} rows: {exponent:.2f} (at most {EXPONENT_LIMIT})")


def main(n: int = 8000) -> None:
    warnings.simplefilter("ignore")
    print(f"Laplacian SVM, BLAS threads {threads()}")
    pcg_against_products(n)
    direct_against_lu(n // 2)
    if os.environ.get("SEMISVM_DATA"):
        mnist()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["scale"]:
            scale((50_000, 200_000), given=True)
        case ["ann"]:
            scale((60_000, 200_000), given=False)
        case ["mnist"]:
            mnist(dual=True)
        case arguments:
            main(*(int(argument) for argument in arguments))
