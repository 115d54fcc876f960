"""An estimator that trains on a cluster."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from distributed import Client
from semisvm.distributed.rows import DaskRows


class Distributed(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fits an estimator of this package on a dask array or frame, whose blocks stay on their workers.

    Parameters
    ----------
    estimator : an estimator with kernel="linear" or n_components=...
    client : distributed.Client, optional
        None: the current client, and without one a new cluster of local processes.

    Examples
    --------
    >>> from semisvm import QuasiNewtonS3VM
    >>> from semisvm.distributed import Distributed
    >>> model = Distributed(QuasiNewtonS3VM(kernel="linear"))
    """

    def __init__(self, estimator: Any, client: Client | None = None):
        self.estimator = estimator
        self.client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Distributed":
        """Train on the rows of X; y, a dask array, a dask series or an array, is fetched: one number per row."""
        rows = X if isinstance(X, DaskRows) else DaskRows(X, self.client)
        fetched = [None if one is None else np.asarray(one) for one in (y, sample_weight)]
        self.estimator_ = clone(self.estimator).fit(rows, *fetched)
        self.classes_, self.n_features_in_ = self.estimator_.classes_, self.estimator_.n_features_in_
        return self

    def to_local(self) -> Any:
        """The fitted estimator itself, which knows nothing of the cluster."""
        check_is_fitted(self)
        return self.estimator_

    def decision_function(self, X: Any) -> Any:
        """Scores: lazily and block by block where X is a dask array or frame."""
        return self.to_local().decision_function(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities: lazily and block by block where X is a dask array or frame."""
        return self.to_local().predict_proba(X)

    def predict(self, X: Any, min_confidence: float | None = None) -> Any:
        """Classes: lazily and block by block where X is a dask array or frame."""
        return self.to_local().predict(X, min_confidence)
