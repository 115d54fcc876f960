"""CCCP, ramp loss: one fit on l + u rows against one SVC fit on the same rows all labeled, and how it grows with u.

Run `python -m benchmarks.cccp [most]`, or `python -m benchmarks cccp`; MNIST and Text are read from $SEMISVM_DATA. Both
sides have the tolerance 1e-3 and start from the raw matrix. `most` bounds the unlabeled rows of the growth measurement
with a kernel, which takes n^2 entries (the published range ends at 60,000). The exponent is that of time ~ u^e by least
squares on logarithms. Seconds are those of the processor, on one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from resource import RUSAGE_SELF, getrusage
from time import process_time

import numpy as np
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.growth import exponent
from benchmarks.stopwatch import race, threads
from semisvm import CCCPS3VM
from semisvm.datasets import hide_labels, load_mnist, load_text, make_g50c

TOL = 1e-3
GAMMA_G50C = 1 / (2 * 17.5**2)
KERNEL_LIMIT, LINEAR_LIMIT, ERROR_LIMIT = 6.0, 20.0, 6.9
SIZES = (5_000, 10_000, 20_000, 60_000)


def few_labels(y: np.ndarray, n_labeled: int, seed: int = 0) -> np.ndarray:
    return hide_labels(y, np.random.default_rng(seed).permutation(len(y))[:n_labeled])


def against_svc(name: str, X: np.ndarray, y: np.ndarray, n_labeled: int, gamma: float, C: float, repeats: int) -> None:
    labels = few_labels(y, n_labeled)
    model = CCCPS3VM(gamma=gamma, C=C, s=0.0, tol=TOL)
    svc = SVC(C=C, gamma=gamma, tol=TOL)
    times = race({"ours": lambda: model.fit(X, labels), "SVC": lambda: svc.fit(X, y)}, repeats, process_time)
    error = 100 * np.mean(model.transduction_[labels < 0] != y[labels < 0])
    print(
        f"{name} {X.shape}: SVC {times['SVC'].median:.2f} s, ours / SVC {times['ours'].over(times['SVC'])}, limit "
        f"{KERNEL_LIMIT}; {model.n_iter_} iterations, error {error:.2f} %",
        flush=True,
    )


def linear_text(repeats: int) -> None:
    text = load_text()
    model = CCCPS3VM(kernel="linear", C=10.0, tol=TOL)
    peer, labels = LinearSVC(C=10.0, tol=TOL), text.partial_labels(0)
    actions = {"ours": lambda: model.fit(text.X, labels), "peer": lambda: peer.fit(text.X, text.y)}
    times = race(actions, repeats, process_time)
    errors = []
    for split in range(10):
        labels = text.partial_labels(split)
        model.fit(text.X, labels)
        errors.append(100 * np.mean(model.transduction_[labels < 0] != text.y[labels < 0]))
    ratio = times["ours"].over(times["peer"])
    print(
        f"Text {text.X.shape}, linear: ours / LinearSVC {ratio}, limit {LINEAR_LIMIT}; "
        f"error on ten splits {np.mean(errors):.2f} %, limit {ERROR_LIMIT}",
        flush=True,
    )


def seconds_of_fit(model: CCCPS3VM, X: np.ndarray, labels: np.ndarray) -> float:
    begin = process_time()
    model.fit(X, labels)
    return process_time() - begin


def growth(name: str, make: Callable[[], CCCPS3VM], sizes: list[int], limit: float, dense: bool = False) -> None:
    """The fastest of three fits where they take seconds; one fit of a `dense` Gram matrix."""
    seconds = []
    for u in sizes:
        X, y = make_g50c(50 + u, random_state=0)
        labels = few_labels(y, 50)
        seconds.append(min(seconds_of_fit(make(), X, labels) for _ in range(3 if u <= 20_000 and not dense else 1)))
    taken = ", ".join(f"{u:,}: {s:.2f} s" for u, s in zip(sizes, seconds, strict=True))
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{name}: {taken}; exponent {exponent(sizes, seconds):.2f}, limit {limit}; peak {peak:.1f} GiB", flush=True)


def ten_classes(n_unlabeled: int = 10_000) -> None:
    mnist = load_mnist()
    rows = np.random.default_rng(0).permutation(mnist.n_train)[: 1_000 + n_unlabeled]
    X, y = mnist.X[rows], mnist.y[rows]
    labels = hide_labels(y, np.arange(1_000))
    eight = hide_labels((y == 8).astype(int), np.arange(1_000))
    model = CCCPS3VM(gamma=0.0128, C=10.0, C_unlabeled=0.5, s=-0.1, tol=TOL)
    times = race({"ten": lambda: model.fit(X, labels), "one": lambda: model.fit(X, eight)}, 1, process_time)
    print(
        f"MNIST, 1,000 + {n_unlabeled:,} rows: ten classes / one {times['ten'].over(times['one'])}, limit 3", flush=True
    )


def main(most: int = 10_000) -> None:
    with threadpool_limits(1):
        print(threads())
        X, y = make_g50c(8_050, random_state=0)
        against_svc("g50c generator", X, y, 50, GAMMA_G50C, 10.0, repeats=3)
        digits = load_mnist(classes=(3, 8))
        X, y = digits.X[:12_000], (digits.y[:12_000] == digits.y.max()).astype(int)
        against_svc("MNIST 3 vs 8", X, y, 100, 1 / (X.shape[1] * float(X.var())), 10.0, repeats=1)
        linear_text(repeats=7)
        growth("linear", lambda: CCCPS3VM(kernel="linear", C=0.01), list(SIZES), 1.1)
        growth("500 landmarks", lambda: CCCPS3VM(gamma=GAMMA_G50C, C=10.0, n_components=500), list(SIZES), 1.1)
        sizes = [u for u in SIZES if u <= most]
        growth("kernel", lambda: CCCPS3VM(gamma=GAMMA_G50C, C=10.0), sizes, 2.15, dense=True)
        ten_classes()


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
