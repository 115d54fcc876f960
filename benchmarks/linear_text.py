"""Squared hinge, linear functions, sparse text (two newsgroups, all rows labeled): ours against LIBLINEAR.

Both minimize 1/2 |w|^2 + C sum max(0, 1 - y x'w)^2 without an intercept. LIBLINEAR has scikit-learn's default
tolerance, ours the first of a list at which its objective is at most one part in ten million above LIBLINEAR's.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.stopwatch import race, threads
from semisvm import SupervisedSVM
from semisvm.datasets import load_text

LIMIT = 1.0


def objective(w: np.ndarray, X, signs: np.ndarray, C: float) -> float:
    return float(0.5 * w @ w + C * np.sum(np.maximum(0.0, 1.0 - signs * (X @ w)) ** 2))


def compare(X, y: np.ndarray, C: float) -> str:
    signs = np.where(y == y.max(), 1.0, -1.0)
    theirs = LinearSVC(C=C, fit_intercept=False)
    goal = objective(theirs.fit(X, y).coef_[0], X, signs, C)
    for tol in (1.0, 0.3, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5):
        ours = SupervisedSVM(kernel="linear", C=C, fit_intercept=False, tol=tol, unlabeled=None)
        reached = objective(ours.fit(X, y).coef_[0], X, signs, C)
        if reached <= goal * (1 + 1e-7):
            break
    times = race({"ours": lambda: ours.fit(X, y), "LinearSVC": lambda: theirs.fit(X, y)}, repeats=15)
    ratio = times["ours"].over(times["LinearSVC"])
    return f"C {C:<6} LinearSVC {goal:.7f}, ours {reached:.7f} (tol {tol:g}); ours / LinearSVC {ratio}, limit {LIMIT}"


def main() -> None:
    text = load_text()
    y = np.where(text.y == text.y.max(), 1, 0)
    for dtype in (np.float64, np.float32):
        X = text.X.astype(dtype)
        print(f"Text {X.shape}, {X.nnz:,} non-zeros, {np.dtype(dtype).name}, {threads()}")
        for C in (0.1, 1.0, 2.5, 10.0):
            print(" ", compare(X, y, C), flush=True)


if __name__ == "__main__":
    main()
