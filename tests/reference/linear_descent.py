"""The box problem of centered rows by plain coordinate descent: the twin of `semisvm._core.linear_descent`."""

import numpy as np


def naive_descent(Z, c, lo, hi, p, t, passes=3000):
    """w by cyclic exact minimization over one variable at a time."""
    v = np.clip(np.zeros(len(c)), lo, hi)
    for _ in range(passes):
        before = v.copy()
        for i in np.flatnonzero(np.sum(Z**2, axis=1) > 0):
            h = Z[i] @ Z[i]
            wish = v[i] + (c[i] - Z[i] @ (Z.T @ v)) / h - t[i]
            v[i] = np.clip(t[i] + np.sign(wish) * max(abs(wish) - p[i] / h, 0.0), lo[i], hi[i])
        if np.abs(v - before).max() < 1e-13:
            break
    return Z.T @ v
