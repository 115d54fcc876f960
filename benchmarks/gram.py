"""The RBF Gram matrix against its two unavoidable parts: the products and the exponentials of one half.

The parts are the cheaper of `X @ X.T` (NumPy computes a half and mirrors it) and the bare products of the tiles on and
below the diagonal, plus one vectorized exp over a half. Virtual machines may charge a second or more for memory that
was not used lately; the order of the actions keeps that out of the comparison.
"""

from __future__ import annotations

import numpy as np

from benchmarks.stopwatch import Timing, race, threads
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF

LIMIT = 1.3


def half_products(X: np.ndarray, step: int = 512) -> None:
    """Tiles of X X' on and below the diagonal, into one buffer."""
    buffer = np.empty((step, step), dtype=X.dtype)
    for j in range(0, len(X), step):
        for i in range(j, len(X), step):
            a, b = X[i : i + step], X[j : j + step]
            np.matmul(a, b.T, out=buffer[: len(a), : len(b)])


def compare(n: int, d: int, dtype: type, repeats: int) -> str:
    X = np.random.default_rng(0).random((n, d)).astype(dtype)
    points, kernel = Points.of(X), RBF(6.0 / d)
    exponents = -np.random.default_rng(1).random(n * (n + 1) // 2).astype(dtype)
    values = np.empty_like(exponents)
    times = race(
        {
            "half products": lambda: half_products(X),
            "half exp": lambda: np.exp(exponents, out=values),
            "X @ X.T": lambda: X @ X.T,  # last of the parts: its result leaves the memory that gram takes next
            "gram": lambda: kernel.gram(points),
        },
        repeats,
    )
    parts = Timing(np.minimum(times["X @ X.T"].seconds, times["half products"].seconds) + times["half exp"].seconds)
    seconds = ", ".join(f"{name} {timing.median:.2f} s" for name, timing in times.items())
    return f"{np.dtype(dtype).name}: {seconds}; gram / parts {times['gram'].over(parts)}, limit {LIMIT}"


def main(n: int = 10_000, d: int = 784, repeats: int = 7) -> None:
    print(f"RBF Gram matrix, n = {n:,}, d = {d}, {threads()}")
    for dtype in (np.float64, np.float32):
        print(" ", compare(n, d, dtype, repeats), flush=True)


if __name__ == "__main__":
    main()
