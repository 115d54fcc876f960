"""scikit-learn faces of the methods."""

from semisvm.estimators.supervised import SupervisedRLS, SupervisedSVM

__all__ = ["SupervisedRLS", "SupervisedSVM"]
