"""Semi-supervised support vector machines: classifiers from few labels and many unlabeled samples."""

from importlib.metadata import PackageNotFoundError, version

from semisvm.estimators import (
    CCCPS3VM,
    S3VM,
    AnnealingS3VM,
    BranchAndBoundS3VM,
    ContinuationS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    LaplacianRLS,
    LaplacianRLSRegressor,
    LaplacianSVM,
    LinearProgrammingS3VM,
    LowDensitySeparation,
    MeanS3VM,
    NewtonS3VM,
    QuasiNewtonS3VM,
    SDPRelaxationS3VM,
    SupervisedRLS,
    SupervisedSVM,
    s3vm_objective,
)
from semisvm.estimators.memory_estimate import estimate_memory
from semisvm.graph import Graph
from semisvm.suggest import suggest_labels
from semisvm.versions import show_versions

try:
    __version__ = version("semisvm")
except PackageNotFoundError:  # used from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "CCCPS3VM",
    "S3VM",
    "AnnealingS3VM",
    "BranchAndBoundS3VM",
    "ContinuationS3VM",
    "GradientS3VM",
    "Graph",
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
    "__version__",
    "estimate_memory",
    "s3vm_objective",
    "show_versions",
    "suggest_labels",
]
