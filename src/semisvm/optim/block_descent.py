"""Descent on a block, with Newton steps over its free variables where single steps crawl.

Pair and coordinate steps are cheap and soon find which variables end at a bound; on an ill-conditioned matrix (a linear
kernel with a large C) they then need millions of steps to solve what is left, a linear system in the free variables.
So after as much work in single steps as a factorisation would cost, that system is solved, the step is cut at the box,
and the single steps go on from there.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

import numpy as np

from semisvm._core.box_qp import descend
from semisvm._core.kernel_rows import commit

LONGEST_CHAIN: Final = 12  # Newton steps in a row, each with the variables that met a bound left out
RELATIVE_SHIFT: Final = 1e-10  # added to the diagonal, so that a singular block can be factored
LEAST = 16
NOWHERE: Final = np.empty(0)


def solve_block(
    Q: np.ndarray,
    h: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    p: np.ndarray,
    t: np.ndarray,
    a: np.ndarray,
    g: np.ndarray,
    equality: bool,
    tol: float,
    max_steps: int,
    deadline: float,
) -> tuple[int, float]:
    """Minimise over the block Q[:m, :m] in place until its violation is below tol; return (steps, violation)."""
    total = 0
    least = 2 * a.size
    while True:
        budget = min(max(least, _patience(a.size, np.count_nonzero(_free(lo, hi, p, t, a)))), max_steps - total)
        steps, violation = descend(Q, h, lo, hi, p, t, a, g, equality, tol, budget, deadline)
        total += steps
        if violation < tol or steps < budget or total >= max_steps or monotonic() >= deadline:
            return total, violation
        total += newton_chain(Q, lo, hi, p, t, a, g, equality)
        least = LEAST


def _patience(m: int, free: int) -> int:
    """The single steps whose work equals that of a chain: some 10 m operations each against free^3 and overhead."""
    return (free**3 + 100_000) // (10 * m)


def _free(lo: np.ndarray, hi: np.ndarray, p: np.ndarray, t: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Strictly inside the box and off the kinks."""
    return (a > lo) & (a < hi) & ((p == 0.0) | (a != t))


def newton_chain(Q, lo, hi, p, t, a, g, equality: bool) -> int:
    """Newton steps over the free variables until one of them is not cut short; return their number."""
    free = _free(lo, hi, p, t, a)
    for taken in range(LONGEST_CHAIN):
        index = np.flatnonzero(free)
        if index.size < 1 + equality:
            return taken
        values, cut = newton_step(Q[np.ix_(index, index)], lo[index], hi[index], p[index], t[index], a[index], g[index], equality)
        commit(Q, index, index, values, np.zeros_like(g), NOWHERE, 0.0, a, g)
        if cut < 0:
            return taken + 1
        free[index[cut]] = False
    return LONGEST_CHAIN


def newton_step(Q, lo, hi, p, t, a, g, equality: bool) -> tuple[np.ndarray, int]:
    """The minimiser over the free variables on the way as far as the box and the kinks allow; and which one cut it."""
    side = np.sign(a - t)
    slope = g - p * side
    # (Q + shift) u = slope, with 1'u = 0 through (Q + shift) w = 1
    shifted = Q + RELATIVE_SHIFT * max(np.trace(Q) / a.size, 1e-300) * np.eye(a.size)
    right = np.stack([slope, np.ones_like(slope)], axis=1) if equality else slope[:, None]
    solved = np.linalg.solve(shifted, right)
    u = solved[:, 0]
    if equality:
        u = u - solved[:, 1] * (u.sum() / solved[:, 1].sum())
    # the exact minimiser along u, and the first bound or kink on the way
    curvature = u @ Q @ u
    gain = slope @ u
    best = gain / curvature if curvature > 0.0 else np.inf
    low, high = np.where((p > 0) & (side > 0), np.maximum(lo, t), lo), np.where((p > 0) & (side < 0), np.minimum(hi, t), hi)
    goal = np.where(u > 0, high, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(u != 0.0, (goal - a) / u, np.inf)
    first = int(np.argmin(room))
    if not gain > 0.0 or not np.isfinite(min(best, room[first])):
        return a, -1
    if best < room[first]:
        return np.clip(a + best * u, low, high), -1
    values = np.clip(a + room[first] * u, low, high)
    values[first] = goal[first]
    return values, first
