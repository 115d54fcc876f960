"""scikit-learn faces of the methods."""

from semisvm.estimators.annealing import AnnealingS3VM
from semisvm.estimators.branch_and_bound import BranchAndBoundS3VM
from semisvm.estimators.concave_convex import CCCPS3VM
from semisvm.estimators.continuation import ContinuationS3VM
from semisvm.estimators.default import S3VM
from semisvm.estimators.gradient import GradientS3VM
from semisvm.estimators.label_switching import LabelSwitchingS3VM
from semisvm.estimators.laplacian import LaplacianRLS, LaplacianSVM
from semisvm.estimators.laplacian_regressor import LaplacianRLSRegressor
from semisvm.estimators.linear_programming import LinearProgrammingS3VM
from semisvm.estimators.low_density import LowDensitySeparation
from semisvm.estimators.mean import MeanS3VM
from semisvm.estimators.newton import NewtonS3VM
from semisvm.estimators.objective import s3vm_objective
from semisvm.estimators.quasi_newton import QuasiNewtonS3VM
from semisvm.estimators.sdp_relaxation import SDPRelaxationS3VM
from semisvm.estimators.supervised import SupervisedRLS, SupervisedSVM

__all__ = [
    "CCCPS3VM",
    "S3VM",
    "AnnealingS3VM",
    "BranchAndBoundS3VM",
    "ContinuationS3VM",
    "GradientS3VM",
    "LabelSwitchingS3VM",
    "LaplacianRLS",
    "LaplacianRLSRegressor",
    "LaplacianSVM",
    "LinearProgrammingS3VM",
    "LowDensitySeparation",
    "MeanS3VM",
    "NewtonS3VM",
    "QuasiNewtonS3VM",
    "SDPRelaxationS3VM",
    "SupervisedRLS",
    "SupervisedSVM",
    "s3vm_objective",
]
