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
        PositiveUnlabeledS3VM,
        PositiveUnlabeledSVM,
        QuasiNewtonS3VM,
        SDPRelaxationS3VM,
        SupervisedRLS,
        SupervisedSVM,
        s3vm_objective,
    )
    from semisvm.estimators.memory_estimate import estimate_memory
    from semisvm.geometry.anchors import AnchorGraph
    from semisvm.geometry.graph import Graph
    from semisvm.spaces.chunked.opening import chunked
    from semisvm.suggest import suggest_first_labels, suggest_labels
    from semisvm.versions import show_versions

    __version__: str

    # what type checkers see; a test holds it against what is found
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
        "PositiveUnlabeledS3VM",
        "PositiveUnlabeledSVM",
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
    "AnchorGraph": "semisvm.geometry.anchors",
    "Graph": "semisvm.geometry.graph",
    "S3VM": "semisvm.estimators.default",
    "chunked": "semisvm.spaces.chunked.opening",
    "estimate_memory": "semisvm.estimators.memory_estimate",
    "s3vm_objective": "semisvm.estimators.objective",
    "show_versions": "semisvm.versions",
    "suggest_first_labels": "semisvm.suggest",
    "suggest_labels": "semisvm.suggest",
}
"""Where a name lives that is not found by itself."""


def _found() -> dict[str, str]:
    """Public names and their modules: estimators are found by themselves, and none is imported for that."""
    from pathlib import Path

    from semisvm.discovery import offered

    return offered(Path(__file__).parent / "estimators", "semisvm.estimators") | _ELSEWHERE


def _public() -> list[str]:
    return sorted([*_found(), "__version__"])


def _lazily(name: str) -> object:
    if name == "__version__":
        return _installed_version()
    if name == "__all__":
        return _public()
    # modules of the package are asked for as well, by names that begin with a small letter
    where = (_found() if name[:1].isupper() else _ELSEWHERE).get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(where), name)


# hidden from type checkers, which read the names above and would take any name for granted otherwise
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        globals()[name] = found = _lazily(name)
        return found


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("semisvm")
    except PackageNotFoundError:  # used from a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return _public()
