"""Semi-supervised support vector machines: classifiers from few labels and many unlabeled samples.

Names are imported when they are first asked for: `import semisvm` and `semisvm --help` load neither SciPy nor
scikit-learn.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from semisvm.spaces.chunked.anchors import AnchorGraph
    from semisvm.spaces.chunked.opening import chunked
    from semisvm.suggest import suggest_first_labels, suggest_labels
    from semisvm.versions import show_versions

    __version__: str

__all__ = [
    "CCCPS3VM",
    "S3VM",
    "AnchorGraph",
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
    "chunked",
    "estimate_memory",
    "s3vm_objective",
    "show_versions",
    "suggest_first_labels",
    "suggest_labels",
]

_ELSEWHERE = {
    "AnchorGraph": "semisvm.spaces.chunked.anchors",
    "Graph": "semisvm.graph",
    "chunked": "semisvm.spaces.chunked.opening",
    "estimate_memory": "semisvm.estimators.memory_estimate",
    "show_versions": "semisvm.versions",
    "suggest_first_labels": "semisvm.suggest",
    "suggest_labels": "semisvm.suggest",
}
"""Where a name lives that is not among the estimators."""

# hidden from type checkers, which read the imports above and would take any name for granted otherwise
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            found = _installed_version()
        elif name in __all__:
            from importlib import import_module

            found = getattr(import_module(_ELSEWHERE.get(name, "semisvm.estimators")), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("semisvm")
    except PackageNotFoundError:  # used from a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
