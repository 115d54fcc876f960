"""The rows of a table in the plane. Outliers do not determine the frame."""

from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.report import Map
from semisvm.suggest import margins_of

if TYPE_CHECKING:
    from semisvm.estimators import S3VM

    Judged = tuple[S3VM, np.ndarray]

SHOWN_ROWS = 1200
"""Points of the map that are not labeled, and as many that are."""
FARTHEST = 3.0
"""Features are cut off at this many deviations from the median."""


def rows_to_show(codes: np.ndarray) -> np.ndarray:
    """Some unlabeled rows (code -1), and all labeled ones."""
    labeled, others = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    some = np.random.default_rng(0).choice(others, min(len(others), SHOWN_ROWS), replace=False)
    return np.concatenate([np.sort(some), labeled])


def map_of(X: Any, given: np.ndarray, alone: "Judged", ours: "Judged") -> Map:
    """The rows of `rows_to_show` with the classes of a supervised SVM (`alone`) and of the model, as many as fit."""
    shown = slice(np.count_nonzero(given < 0) + SHOWN_ROWS)
    X, given = X[shown], given[shown]
    at = np.arange(len(given))
    (one, before), (other, after) = ((model, codes[shown].astype(int)) for model, codes in (alone, ours))
    return Map(
        points=in_the_plane(X),
        given=given,
        before=before,
        after=after,
        confidence_before=np.asarray(one.predict_proba(X))[at, before],
        confidence_after=np.asarray(other.predict_proba(X))[at, after],
        margin_before=margins_of(np.asarray(one.decision_function(X))),
        margin_after=margins_of(np.asarray(other.decision_function(X))),
    )


def in_the_plane(X: Any) -> np.ndarray:
    """Two principal directions of all features, each in deviations from its middle and cut where it is far."""
    import scipy.sparse as sp
    from sklearn.decomposition import PCA, TruncatedSVD

    if sp.issparse(X):
        if X.shape[1] < 3:
            return _two_columns(X.toarray())
        # identical rows have no variance to divide by, and none is needed
        with np.errstate(invalid="ignore"):
            return _cut(TruncatedSVD(2, random_state=0).fit_transform(X))
    Z = _cut(X)
    many = min(Z.shape) > 2 and bool(np.ptp(Z, axis=0).any())
    return PCA(2, random_state=0).fit_transform(Z) if many else _two_columns(Z)


def _cut(X: np.ndarray) -> np.ndarray:
    """(x - median) / deviation, no farther than `FARTHEST`; the deviation is that of the middle half of the rows."""
    low, middle, high = np.quantile(X, (0.25, 0.5, 0.75), axis=0)
    # a normal variable has 1.35 deviations between its quartiles; where these are nearly equal, all rows are used
    usual = X.std(axis=0)
    deviation = np.where(high - low > 1e-9 * usual, (high - low) / 1.35, usual)
    return np.clip((X - middle) / np.where(deviation > 0, deviation, np.inf), -FARTHEST, FARTHEST)


def _two_columns(Z: np.ndarray) -> np.ndarray:
    return np.column_stack([Z, np.zeros((len(Z), 2))])[:, :2]
