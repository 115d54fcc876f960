"""Relations of rows: which are the same, which are close, and their places on a map."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    import pandas as pd


def twin_groups(frame: "pd.DataFrame") -> np.ndarray:
    """A number per row, the same for rows with the same cells."""
    import pandas as pd

    text = frame.astype(str) if any(frame[name].dtype == object for name in frame.columns) else frame
    hashes = pd.util.hash_pandas_object(text, index=False).to_numpy()
    _, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    # rows with the same hash are twins only if their cells are equal
    others = np.flatnonzero(first[groups] != np.arange(len(groups)))
    if len(others):
        same = np.ones(len(others), dtype=bool)
        for name in text.columns:
            cells = text[name]
            a, b = cells.iloc[others].reset_index(drop=True), cells.iloc[first[groups[others]]].reset_index(drop=True)
            same &= ((a == b) | (a.isna() & b.isna())).to_numpy(dtype=bool, na_value=False)
        groups[others[~same]] = len(first) + np.arange(np.count_nonzero(~same))
    return groups


def nearest(space: Any, row: int, rows: np.ndarray, k: int) -> list[tuple[int, float]]:
    """(row, distance) of the k rows of `rows` that are closest to a row."""
    if not len(rows):
        return []
    others, one = space[rows], space[[row]]
    if sp.issparse(space):
        # |x|^2 - 2 x'z + |z|^2
        lengths = others.multiply(others).sum(axis=1) + one.multiply(one).sum()
        squared = lengths - 2.0 * (others @ one.T).toarray()[:, 0]
    else:
        squared = np.sum((others - one) ** 2, axis=1)
    distance = np.sqrt(np.maximum(squared, 0.0))
    order = np.argsort(distance, kind="stable")[:k]
    return [(int(rows[place]), float(distance[place])) for place in order]


def two_directions(space: Any, pool: np.ndarray) -> np.ndarray:
    """The two principal components of every row, fitted on the pool; within -1 and 1 except for outliers."""
    from sklearn.decomposition import PCA, TruncatedSVD

    if min(space.shape) < 3:
        dense = space.toarray() if sp.issparse(space) else space
        places = np.column_stack([dense, np.zeros((len(dense), 2))])[:, :2]
    else:
        kind = TruncatedSVD(2, random_state=0) if sp.issparse(space) else PCA(2, random_state=0)
        places = kind.fit(space[pool]).transform(space)
    low, high = np.quantile(places, [0.005, 0.995], axis=0)
    middle, half = (high + low) / 2, np.where(high > low, (high - low) / 2, 1.0)
    return np.clip((places - middle) / half, -1.08, 1.08).astype(np.float32)
