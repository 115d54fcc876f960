"""Descent on a block of the box problem, with Newton steps over its free variables where single steps crawl.

Pair and coordinate steps are cheap and soon find which variables end at a bound; on an ill-conditioned matrix (a linear
kernel with a large C) they then need millions of steps to solve what is left, a linear system in the free variables.
So after as much work in single steps as a factorization would cost, that system is solved, its solution is cut at the
box, and the single steps go on from there.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

import numpy as np

from semisvm._core.box_qp import KernelBlock, descend
from semisvm._core.free_newton import newton_chain

PASSES_BEFORE: Final = 2  # single steps per variable before the first Newton steps
STEPS_BETWEEN: Final = 16  # single steps, at least, between Newton steps


def solve_block(
    Q: KernelBlock,
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
    taken: np.ndarray,
) -> None:
    """Minimize over the block in place until its violation is below tol.

    taken[0] counts the steps, up to max_steps; a, g and taken are consistent whenever this returns or raises.
    """
    begun, patience = int(taken[0]), PASSES_BEFORE * a.size
    while True:
        until = min(begun + patience, max_steps)
        violation = descend(Q, lo, hi, p, t, a, g, equality, tol, until, deadline, taken)
        if violation < tol or taken[0] < until or taken[0] >= max_steps or monotonic() >= deadline:
            return
        free = _free(lo, hi, p, t, a)
        patience = _equal_work(a.size, free.size)
        if taken[0] - begun >= patience:
            Q.fill(free)
            taken[0] += newton_chain(Q.rows, Q.single, lo, hi, p, t, free, equality, a, g)
            begun, patience = int(taken[0]), STEPS_BETWEEN


def _free(lo: np.ndarray, hi: np.ndarray, p: np.ndarray, t: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The variables strictly inside the box and off their kinks."""
    return np.flatnonzero((a > lo) & (a < hi) & ((p == 0.0) | (a != t)))


def _equal_work(m: int, free: int) -> int:
    """The single steps, of some 10 m operations each, that cost as much as solving for the free variables."""
    return (free**3 + 100_000) // (10 * m)
