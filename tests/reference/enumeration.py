"""The optimum of a small S3VM by trying every labeling, each with an SVM solved in the primal by damped Newton."""

from itertools import combinations, product

import numpy as np


def svm_minimum(K, c, y, bias=None):
    """min 1/2 |w|^2 + sum_{y_i != 0} c_i max(0, 1 - y_i (w'x_i + b))^2; b free where bias is None."""
    rows = np.flatnonzero(y)
    values, vectors = np.linalg.eigh(K)
    X = (vectors * np.sqrt(np.maximum(values, 0.0)))[rows]
    X = np.column_stack([X, np.ones(len(rows)) if bias is None else np.zeros(len(rows))])
    y, c = y[rows], c[rows]
    offset = 0.0 if bias is None else bias
    penalty = np.eye(X.shape[1])
    penalty[-1, -1] = 0.0 if bias is None else 1.0

    def cost(w):
        miss = np.maximum(0.0, 1.0 - y * (X @ w + offset))
        return 0.5 * w @ penalty @ w + c @ miss**2

    w = np.zeros(X.shape[1])
    for _ in range(200):
        miss = np.maximum(0.0, 1.0 - y * (X @ w + offset))
        gradient = penalty @ w - 2.0 * X.T @ (c * y * miss)
        if np.linalg.norm(gradient) < 1e-11 * max(1.0, cost(w)):
            break
        active = miss > 0
        hessian = penalty + 2.0 * (X[active].T * c[active]) @ X[active] + 1e-12 * np.eye(X.shape[1])
        step, size, before = np.linalg.solve(hessian, gradient), 1.0, cost(w)
        while cost(w - size * step) > before - 1e-4 * size * gradient @ step and size > 1e-10:
            size *= 0.5
        w = w - size * step
    return cost(w)


def labelings(y, n_positive=None):
    """Every completion of y, with the given count of positives among the completed points where there is one."""
    blank = np.flatnonzero(y == 0)
    if n_positive is None:
        for signs in product((-1.0, 1.0), repeat=len(blank)):
            full = y.copy()
            full[blank] = signs
            yield full
        return
    for chosen in combinations(range(len(blank)), n_positive):
        full = y.copy()
        full[blank] = -1.0
        full[blank[list(chosen)]] = 1.0
        yield full


def enumerated_optimum(K, c, y, n_positive=None, bias=None):
    """(least cost, its labels) over all labelings."""
    costs = [(svm_minimum(K, c, full, bias), full) for full in labelings(y, n_positive)]
    return min(costs, key=lambda pair: pair[0])
