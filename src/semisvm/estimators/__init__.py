"""scikit-learn faces of the methods."""

from semisvm.estimators.gradient import GradientS3VM
from semisvm.estimators.supervised import SupervisedRLS, SupervisedSVM

__all__ = ["GradientS3VM", "SupervisedRLS", "SupervisedSVM"]
