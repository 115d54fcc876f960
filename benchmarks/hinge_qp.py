"""The hinge SVM by the box QP, kernel rows included, against scikit-learn's SVC (libsvm) at the same tolerance.

Run `python -m benchmarks.hinge_qp`; the data are read from $SEMISVM_DATA.  Both sides start from the raw matrix; ours
computes its rows by matrix products, in float32 and in float64 (libsvm computes in float64 and stores in float32).  The
dual objectives of both solutions are evaluated afterwards in float64.  On a busy machine the ratio of processor seconds
(all threads) is the steadier one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.stopwatch import race, threads
from semisvm.optim.box_qp import BoxQPResult, solve_box_qp

TOL = 1e-3


def rbf_rows(X: np.ndarray, gamma: float, dtype: type) -> Callable[[np.ndarray], np.ndarray]:
    """Rows of exp(-gamma |x - z|^2): squared norms, one product, then a few rows at a time while they are in cache."""
    X = np.ascontiguousarray(X, dtype=dtype)
    squares = (-gamma * np.einsum("ij,ij->i", X, X, dtype=np.float64)).astype(dtype)

    def rows(index: np.ndarray) -> np.ndarray:
        # -gamma |x - z|^2 = 2 gamma x.z - gamma |x|^2 - gamma |z|^2
        K = np.multiply(X[index], dtype(2 * gamma)) @ X.T
        for start in range(0, len(K), 16):
            few = K[start : start + 16]
            few += squares[index[start : start + 16], None]
            few += squares
            np.exp(few, out=few)
        return K

    return rows


def box_qp(X: np.ndarray, Y: np.ndarray, C: float, gamma: float, dtype: type) -> BoxQPResult:
    rows = rbf_rows(X, gamma, dtype)
    lo, hi = np.minimum(0.0, C * Y), np.maximum(0.0, C * Y)
    return solve_box_qp(rows, np.ones(len(X)), Y, lo, hi, equality=True, tol=TOL)


def svc_coefficients(svc: SVC, n: int) -> np.ndarray:
    a = np.zeros(n)
    a[svc.support_] = svc.dual_coef_[0]
    return a


def objective(X: np.ndarray, y: np.ndarray, a: np.ndarray, gamma: float) -> float:
    """1/2 a'K a - y'a over the support."""
    support = np.flatnonzero(a)
    K = rbf_rows(X[support], gamma, np.float64)(np.arange(support.size))
    return float(0.5 * a[support] @ K @ a[support] - y[support] @ a[support])


def objectives(X: np.ndarray, Y: np.ndarray, A: np.ndarray, gamma: float) -> float:
    """The sum over the columns."""
    Y, A = Y.reshape(len(X), -1), A.reshape(len(X), -1)
    return sum(objective(X, Y[:, j], A[:, j], gamma) for j in range(Y.shape[1]))


class SolverContest:
    """One task; each side keeps its last solution and its processor seconds."""

    def __init__(self, X: np.ndarray, Y: np.ndarray, C: float, gamma: float) -> None:
        self.X, self.Y, self.C, self.gamma = X, Y, C, gamma
        self.a: dict[str, np.ndarray] = {}
        self.seconds: dict[str, list[float]] = {}
        self.n_rows: dict[str, int] = {}

    def ours(self, dtype: type) -> None:
        begun = process_time()
        result = box_qp(self.X, self.Y, self.C, self.gamma, dtype)
        self._keep(dtype.__name__, result.a, process_time() - begun)
        self.n_rows[dtype.__name__] = result.n_rows

    def theirs(self) -> None:
        begun = process_time()
        svc = SVC(C=self.C, gamma=self.gamma, tol=TOL)
        if self.Y.ndim == 1:
            machines = [svc.fit(self.X, self.Y)]
        else:
            machines = OneVsRestClassifier(svc).fit(self.X, self.Y.argmax(axis=1)).estimators_
        seconds = process_time() - begun
        self._keep("SVC", np.stack([svc_coefficients(m, len(self.X)) for m in machines], axis=1), seconds)

    def _keep(self, side: str, a: np.ndarray, seconds: float) -> None:
        self.a[side] = a
        self.seconds.setdefault(side, []).append(seconds)

    def objective(self, side: str) -> float:
        return objectives(self.X, self.Y, self.a[side], self.gamma)


def duel(name: str, X: np.ndarray, Y: np.ndarray, C: float, gamma: float, repeats: int) -> None:
    """Race both on one task and print seconds, ratios and objectives."""
    contest = SolverContest(X, Y, C, gamma)
    actions: dict[str, Callable[[], object]] = {
        "SVC": contest.theirs,
        "float32": lambda: contest.ours(np.float32),
        "float64": lambda: contest.ours(np.float64),
    }
    times = race(actions, repeats)
    print(f"{name} (n = {len(X)}, C = {C:g}, gamma = {gamma:g}; {threads()})")
    print(f"  SVC      {times['SVC'].median:8.4f} s, objective {contest.objective('SVC'):.6f}")
    for side in ("float32", "float64"):
        processor = np.median(contest.seconds["SVC"]) / np.median(contest.seconds[side])
        print(
            f"  {side}  {times[side].median:8.4f} s, objective {contest.objective(side):.6f}, "
            f"{contest.n_rows[side]} rows; SVC takes {times['SVC'].over(times[side])} times as long, "
            f"{processor:.2f} times the processor seconds",
            flush=True,
        )


def digits(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """MNIST 3 against 8, scaled to [0, 1]."""
    with np.load(folder / "mnist.npz") as data:
        chosen = np.isin(data["y_train"], (3, 8))
        return data["X_train"][chosen] / 255.0, np.where(data["y_train"][chosen] == 3, 1.0, -1.0)


def usps(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """The USPS training set, one column of signs per digit."""
    with np.load(folder / "usps.npz") as data:
        Y = np.where(data["y_train"][:, None] == np.arange(10), 1.0, -1.0)
        return data["X_train"].astype(np.float64), Y


def main(repeats: int = 3) -> None:
    folder = os.environ.get("SEMISVM_DATA")
    if not folder:
        print("skipped: the data sets are read from $SEMISVM_DATA, which is not set")
        return
    X, y = digits(Path(folder))
    small = np.random.default_rng(0).choice(len(X), 500, replace=False)
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            duel("MNIST 3 vs 8", X, y, 10.0, 0.0128, repeats)
            duel("ten USPS classes", *usps(Path(folder)), 10.0, 0.0128, repeats)
    with threadpool_limits(1):
        for C in (0.1, 1.0, 10.0, 100.0, 1000.0):
            for gamma in (0.001, 0.0128, 0.1):
                duel("500 of MNIST 3 vs 8", X[small], y[small], C, gamma, 3 * repeats)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
