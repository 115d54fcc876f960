"""scikit-learn faces of the methods."""

from semisvm.estimators.continuation import ContinuationS3VM
from semisvm.estimators.gradient import GradientS3VM
from semisvm.estimators.newton import NewtonS3VM
from semisvm.estimators.quasi_newton import QuasiNewtonS3VM
from semisvm.estimators.supervised import SupervisedRLS, SupervisedSVM

__all__ = [
    "ContinuationS3VM",
    "GradientS3VM",
    "NewtonS3VM",
    "QuasiNewtonS3VM",
    "SupervisedRLS",
    "SupervisedSVM",
]
