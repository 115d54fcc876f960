"""The large scale transductive SVM as its paper writes it, by an interior point method; and the forms it reduces to.

Rows are ordered: labeled points, unlabeled points. `pairs` has one free variable for the mean of the unlabeled points,
one per labeled point and two per unlabeled point; the balance is the first variable's equality. `merged` has one per
unlabeled point, `centered` neither the bias nor the variable of the mean.
"""

import warnings

import cvxpy as cp
import numpy as np


def solve(problem):
    """The optimal value, to as many of the digits asked for as the solver can give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)


def root(K):
    """R with K = R'R."""
    w, V = np.linalg.eigh(K)
    return np.sqrt(np.maximum(w, 0.0))[:, None] * V.T


def with_mean(K, n_labeled):
    """The Gram matrix with the mean of the unlabeled points in front."""
    k0, k00 = K[:, n_labeled:].mean(axis=1), K[n_labeled:, n_labeled:].mean()
    return np.block([[np.array([[k00]]), k0[None, :]], [k0[:, None], K]])


def slopes(f, C_star, s):
    """(beta of the copies labeled +1, of the copies labeled -1): C_star where y f < s."""
    return C_star * (f < s), C_star * (-f < s)


def pairs(K, y, C, C_star, beta_plus, beta_minus, zeta0):
    """(f at all points) of the paper's dual with labels zeta = (zeta0, y, +1, -1)."""
    n_labeled, u = len(y), len(K) - len(y)
    places = np.concatenate([np.arange(len(K) + 1), np.arange(1 + n_labeled, len(K) + 1)])
    big = with_mean(K, n_labeled)
    zeta = np.concatenate([[zeta0], y, np.ones(u), -np.ones(u)])
    signs, beta = zeta[1:], np.concatenate([np.zeros(n_labeled), beta_plus, beta_minus])
    upper = np.concatenate([np.full(n_labeled, C), np.full(2 * u, C_star)])
    a = cp.Variable(len(zeta))
    yours = cp.multiply(signs, a[1:])
    cost = 0.5 * cp.sum_squares(root(big[np.ix_(places, places)]) @ a) - zeta @ a
    solve(cp.Problem(cp.Minimize(cost), [yours >= -beta, yours <= upper - beta, cp.sum(a) == 0]))
    outputs = big[:, places] @ a.value
    # the balance holds as an equality of the primal, so the mean itself gives the bias
    return outputs[1:] + zeta0 - outputs[0]


def merged(K, y, C, C_star, t, zeta0):
    """The two copies as one variable of cost |v - t|; the bias and the mean's variable still there."""
    n_labeled = len(y)
    big = with_mean(K, n_labeled)
    v = cp.Variable(len(K) + 1)
    labeled, unlabeled = v[1 : 1 + n_labeled], v[1 + n_labeled :]
    cost = 0.5 * cp.sum_squares(root(big) @ v) - zeta0 * v[0] - y @ labeled + cp.norm1(unlabeled - t)
    yours = cp.multiply(y, labeled)
    solve(cp.Problem(cp.Minimize(cost), [yours >= 0, yours <= C, cp.abs(unlabeled - t) <= C_star, cp.sum(v) == 0]))
    outputs = big @ v.value
    return outputs[1:] + zeta0 - outputs[0]


def centered(K, y, C, C_star, t, zeta0):
    """The box form; returns (f at all points, v)."""
    n_labeled = len(y)
    k0, k00 = K[:, n_labeled:].mean(axis=1), K[n_labeled:, n_labeled:].mean()
    Kc = K - k0[:, None] - k0 + k00
    v = cp.Variable(len(K))
    c = np.concatenate([y - zeta0, np.full(len(K) - n_labeled, -zeta0)])
    cost = 0.5 * cp.sum_squares(root(Kc) @ v) - c @ v + cp.norm1(v[n_labeled:] - t)
    yours = cp.multiply(y, v[:n_labeled])
    solve(cp.Problem(cp.Minimize(cost), [yours >= 0, yours <= C, cp.abs(v[n_labeled:] - t) <= C_star]))
    return Kc @ v.value + zeta0, v.value


def supervised(K, y, C):
    """f at all points of the SVM on the labeled ones, with its own bias."""
    n_labeled = len(y)
    a = cp.Variable(n_labeled)
    yours = cp.multiply(y, a)
    balance = cp.sum(a) == 0
    inner = K[:n_labeled, :n_labeled]
    solve(cp.Problem(cp.Minimize(0.5 * cp.sum_squares(root(inner) @ a) - y @ a), [yours >= 0, yours <= C, balance]))
    outputs = K[:, :n_labeled] @ a.value
    slack = y - outputs[:n_labeled]
    inside = (yours.value > 1e-6 * C) & (yours.value < C * (1 - 1e-6))
    return outputs + slack[inside].mean()


def path(K, y, C, C_star, s, max_iter=60):
    """(f of every iterate, 0 being the supervised start) until beta repeats, in the paper's own form."""
    n_labeled, zeta0 = len(y), float(np.mean(y))
    fs = [supervised(K, y, C)]
    beta = slopes(fs[0][n_labeled:], C_star, s)
    for _ in range(max_iter):
        fs.append(pairs(K, y, C, C_star, *beta, zeta0))
        new = slopes(fs[-1][n_labeled:], C_star, s)
        if all(np.array_equal(a, b) for a, b in zip(new, beta, strict=True)):
            break
        beta = new
    return fs
