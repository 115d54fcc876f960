"""The rows of a table in the plane, so that a few odd ones do not take the frame."""

from typing import TYPE_CHECKING, Any

import numpy as np

from semisvm.report import Map
from semisvm.suggest import margins_of

if TYPE_CHECKING:
    from semisvm.cli.labeling import Trained
    from semisvm.cli.sampling import Sample
    from semisvm.estimators import S3VM

SHOWN_ROWS = 1200
"""Points of the map that are not labeled, and as many that are."""
FARTHEST = 3.0
"""A feature counts up to so many deviations from its middle."""


def map_of(alone: "S3VM", sample: "Sample", trained: "Trained") -> Map:
    """Labeled rows and some of the others, by a supervised SVM `alone` and by the model."""
    random = np.random.default_rng(0)
    labeled = np.flatnonzero(sample.codes >= 0)
    others = np.flatnonzero(sample.codes < 0)
    some = random.choice(others, min(len(others), SHOWN_ROWS), replace=False)
    rows = np.concatenate([np.sort(some), labeled[:SHOWN_ROWS]])
    ours = trained.model.classifier
    X = trained.X[rows]
    before, after = (np.asarray(one.transduction_)[rows].astype(int) for one in (alone, ours))
    at = np.arange(len(rows))
    return Map(
        points=in_the_plane(trained.X)[rows],
        given=sample.codes[rows],
        before=before,
        after=after,
        confidence_before=np.asarray(alone.predict_proba(X))[at, before],
        confidence_after=np.asarray(ours.predict_proba(X))[at, after],
        margin_before=margins_of(np.asarray(alone.decision_function(X))),
        margin_after=margins_of(np.asarray(ours.decision_function(X))),
    )


def in_the_plane(X: Any) -> np.ndarray:
    """Two principal directions of all features, each in deviations from its middle and cut where it is far."""
    import scipy.sparse as sp
    from sklearn.decomposition import PCA, TruncatedSVD

    if sp.issparse(X):
        if X.shape[1] < 3:
            return _two_columns(X.toarray())
        # rows that are all alike have no variance to divide by, and none is asked for
        with np.errstate(invalid="ignore"):
            return _cut(TruncatedSVD(2, random_state=0).fit_transform(X))
    Z = _cut(X)
    many = min(Z.shape) > 2 and bool(np.ptp(Z, axis=0).any())
    return PCA(2, random_state=0).fit_transform(Z) if many else _two_columns(Z)


def _cut(X: np.ndarray) -> np.ndarray:
    """(x - median) / deviation, no farther than `FARTHEST`; the deviation is that of the middle half of the rows."""
    low, middle, high = np.quantile(X, (0.25, 0.5, 0.75), axis=0)
    # a normal variable has 1.35 deviations between its quartiles; where these are nearly equal, all rows are asked
    usual = X.std(axis=0)
    deviation = np.where(high - low > 1e-9 * usual, (high - low) / 1.35, usual)
    return np.clip((X - middle) / np.where(deviation > 0, deviation, np.inf), -FARTHEST, FARTHEST)


def _two_columns(Z: np.ndarray) -> np.ndarray:
    return np.column_stack([Z, np.zeros((len(Z), 2))])[:, :2]
