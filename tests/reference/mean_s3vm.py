"""Mean S3VM by interior point methods and by enumeration. Features phi are the columns of R, K = R'R."""

from itertools import combinations

import cvxpy as cp
import numpy as np

from tests.reference.cccp_literal import root, solve


def means(R, d, n_labeled):
    """(m+, m-) of the unlabeled features for the assignment d."""
    U = R[:, n_labeled:]
    return U @ d / d.sum(), U @ (1 - d) / (1 - d).sum()


def primal(K, y, d, C1, C2):
    """(value, f at all points with bias) of the SVM that knows the means."""
    R, n_labeled = root(K), len(y)
    plus, minus = means(R, d, n_labeled)
    w, b, rho, xi = cp.Variable(len(R)), cp.Variable(), cp.Variable(), cp.Variable(n_labeled)
    margins = cp.multiply(y, R[:, :n_labeled].T @ w + b)
    constraints = [margins >= 1 - xi, xi >= 0, w @ plus + b >= rho, w @ minus + b <= -rho]
    value = solve(cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C1 * cp.sum(xi) - C2 * rho), constraints))
    return value, R.T @ w.value + b.value


def dual(K, y, d, C1, C2):
    """The value of the dual with both of its equalities."""
    return mixture_dual(K, y, [d], C1, C2)


def mixture_dual(K, y, assignments, C1, C2):
    """max alpha'1~ - theta with q_t / 2 <= theta for every assignment: a quadratically constrained program."""
    R, n_labeled = root(K), len(y)
    alpha, theta = cp.Variable(n_labeled + 2), cp.Variable()
    hats = np.concatenate([y, [1.0, -1.0]])
    constraints = [alpha >= 0, alpha[:n_labeled] <= C1, alpha @ hats == 0, cp.sum(alpha[n_labeled:]) == C2]
    for d in assignments:
        Phi = np.column_stack([R[:, :n_labeled], *means(R, d, n_labeled)]) * hats
        constraints.append(0.5 * cp.sum_squares(Phi @ alpha) <= theta)
    return solve(cp.Problem(cp.Maximize(cp.sum(alpha[:n_labeled]) - theta), constraints))


def exhaustive(K, y, n_positive, C1, C2):
    """The least primal value over all assignments with that many positives."""
    u = len(K) - len(y)
    best = np.inf
    for chosen in combinations(range(u), n_positive):
        d = np.zeros(u)
        d[list(chosen)] = 1.0
        best = min(best, primal(K, y, d, C1, C2)[0])
    return best
