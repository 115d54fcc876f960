"""Methods by their short names, each with settings that need no tuning."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from semisvm.estimators.annealing import AnnealingS3VM
from semisvm.estimators.branch_and_bound import BranchAndBoundS3VM
from semisvm.estimators.classifier import Classifier
from semisvm.estimators.concave_convex import CCCPS3VM
from semisvm.estimators.continuation import ContinuationS3VM
from semisvm.estimators.default.settings import Settings
from semisvm.estimators.gradient import GradientS3VM
from semisvm.estimators.label_switching import LabelSwitchingS3VM
from semisvm.estimators.laplacian import LaplacianRLS, LaplacianSVM
from semisvm.estimators.mean import MeanS3VM
from semisvm.estimators.newton import NewtonS3VM
from semisvm.estimators.progress import inner_fit
from semisvm.estimators.quasi_newton import QuasiNewtonS3VM
from semisvm.estimators.row_sources import RowSource
from semisvm.estimators.sdp_relaxation import SDPRelaxationS3VM
from semisvm.estimators.supervised import SupervisedSVM

METHODS: dict[str, Callable[..., Classifier]] = {
    "cccp": CCCPS3VM,
    "cccp-squared": lambda **p: CCCPS3VM(loss="squared_hinge", **p),
    "label-switching": lambda **p: LabelSwitchingS3VM(n_switches="all", **p),
    "annealing": AnnealingS3VM,
    "gradient": lambda **p: GradientS3VM(s=1.0, C_unlabeled="equal", n_stages=7, **p),
    "continuation": ContinuationS3VM,
    "newton": NewtonS3VM,
    "quasi-newton": QuasiNewtonS3VM,
    "mean": MeanS3VM,
    "laplacian-svm": LaplacianSVM,
    "laplacian-rls": LaplacianRLS,
    "branch-and-bound": BranchAndBoundS3VM,
    "sdp": SDPRelaxationS3VM,
    "supervised": SupervisedSVM,
}

MAX_ITER = 1000
"""What a method by name may take at least: `max_iter` is meant for each stage of each member of the average."""
LANDMARKS = 1000
FULL_KERNEL_ROWS = 4000


def named(
    method: str,
    C: float,
    ratio: Any,
    *,
    linear: bool,
    landmarks: bool,
    running: dict[str, Any],
    threshold: str = "auto",
    joint_counts: bool = False,
) -> Classifier:
    """The estimator of that name on prepared rows: a linear kernel, or one of median width, on landmarks if wanted."""
    model = METHODS[method](kernel="linear" if linear else "rbf", gamma="median", **running)
    known = model.get_params(deep=False)
    wanted = {"C": C, "ratio": ratio, "threshold": threshold, "joint_counts": joint_counts}
    if landmarks and not linear:
        wanted["n_components"] = LANDMARKS
    return model.set_params(**{name: value for name, value in wanted.items() if name in known})


def named_for(
    method: str,
    X: Any,
    codes: np.ndarray,
    settings: Settings,
    *,
    class_weight: Any = None,
    time_limit: float | None = None,
) -> Classifier:
    """The method of that name for prepared rows; its classes are the codes of the given ones."""
    running = {
        "class_weight": class_weight,
        "unlabeled": -1 if np.any(codes < 0) else None,
        "tol": settings.tol,
        "max_iter": max(settings.max_iter, MAX_ITER),
        "time_limit": time_limit,
        "random_state": settings.seed,
        "verbose": settings.verbose,
    }
    # a method by name estimates shares itself
    ratio = "estimated" if settings.estimated else settings.shares(settings.training.labels.labeled)
    source = isinstance(X, RowSource)
    choices: dict[str, Any] = {
        "linear": X.sparse if source else sp.issparse(X),
        "landmarks": source or len(codes) > FULL_KERNEL_ROWS,
        "threshold": settings.threshold,
        "joint_counts": settings.joint_counts,
    }
    return named(method, settings.C, ratio, running=running, **choices)


def fit_named(
    method: str, X: Any, codes: np.ndarray, weights: np.ndarray, settings: Settings, *, class_weight: Any = None
) -> Classifier:
    """The method of that name on prepared rows, as something to compare with: shares do not move its cut."""
    settings = replace(settings, estimated=False, threshold="zero")
    with inner_fit():
        return named_for(method, X, codes, settings, class_weight=class_weight).fit(X, codes, weights)
