"""What many rows are spared: sums over all of them, and numbers in double precision."""

import numpy as np

LIGHT_ROWS = 500
"""Above so many rows features and graphs are held in single precision: they are followed to a hundredth at best."""
SUMMED = 5000
"""Rows from which covariances, metrics of graphs and losses of unlabeled rows are summed, where there are more."""
SUMMED_FOR_FOLDS = 2000
"""Unlabeled rows whose losses are summed by models that leave out labels, where there are more."""


def precision_for(n_rows: int) -> type[np.floating]:
    """Of features and graphs."""
    return np.float32 if n_rows > LIGHT_ROWS else np.float64


def all_are_summed(n: int) -> bool:
    return n <= SUMMED


def summed_rows(n: int, most: int = SUMMED) -> np.ndarray:
    """Rows that sums over all rows are taken from: each of them, or as many drawn ones."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).choice(n, most, replace=False))
