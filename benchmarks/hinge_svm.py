"""`SupervisedSVM(loss="hinge")`, the whole fit, against scikit-learn's SVC (libsvm) at the same tolerance.

MNIST 3 against 8, ten one-vs-rest classes of USPS, and 500 rows of MNIST at several C and gamma.
"""

from __future__ import annotations

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.stopwatch import race, threads
from semisvm import SupervisedSVM
from semisvm.datasets import load_mnist, load_usps

TOL = 1e-3


def compare(X: np.ndarray, y: np.ndarray, C: float, gamma: float, repeats: int) -> str:
    """How many times faster ours is, with the hinge objectives reached."""
    ours = SupervisedSVM(loss="hinge", C=C, gamma=gamma, tol=TOL, unlabeled=None)
    theirs: SVC | OneVsRestClassifier = SVC(C=C, gamma=gamma, tol=TOL)
    if len(np.unique(y)) > 2:
        theirs = OneVsRestClassifier(theirs)
    times = race({"ours": lambda: ours.fit(X, y), "theirs": lambda: theirs.fit(X, y)}, repeats)
    agreement = np.mean(ours.predict(X) == theirs.predict(X))
    faster = times["theirs"].over(times["ours"])
    return f"n {len(X):6,}, C {C:g}, gamma {gamma:g}: {faster} times faster, {100 * agreement:.2f} % equal predictions"


def main() -> None:
    mnist, usps = load_mnist(classes=(3, 8)), load_usps()
    X, y = mnist.X[: mnist.n_train], mnist.y[: mnist.n_train]
    few = np.random.default_rng(0).permutation(len(y))[:500]
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            print(threads())
            print("  MNIST 3 vs 8:", compare(X, y, 10.0, 0.0128, repeats=3), flush=True)
            n = usps.n_train
            print("  USPS, ten classes:", compare(usps.X[:n].astype(float), usps.y[:n], 10.0, 0.0128, 3), flush=True)
            for C, gamma in ((10.0, 0.0128), (1.0, 0.0128), (100.0, 0.05), (1.0, 0.001)):
                print("  MNIST 3 vs 8, 500 rows:", compare(X[few], y[few], C, gamma, repeats=9), flush=True)


if __name__ == "__main__":
    main()
