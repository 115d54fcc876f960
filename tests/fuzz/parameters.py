"""Edge values of every parameter of every estimator."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import semisvm
from tests.fuzz.drawing import DrawnTask, one_of

NAN, INF = float("nan"), float("inf")
NO_NUMBER = (NAN, INF, -1, 0, "x", None, True)
ODD_SHARE = 0.08
"""Of the parameters that are drawn: most cases should get as far as a fit."""


@dataclass(frozen=True)
class Values:
    """Values that a parameter may take, and such as it may not, or not always."""

    good: tuple
    odd: tuple = ("x",)

    def drawn(self, rng: np.random.Generator) -> Any:
        return one_of(rng, *(self.odd if rng.random() < ODD_SHARE else self.good))


@dataclass(frozen=True)
class Choices:
    """quick: what keeps a fit of a few dozen rows short. own: the estimator's own parameters."""

    quick: dict[str, Any] = field(default_factory=dict)
    own: dict[str, Values] = field(default_factory=dict)


def tanh_kernel(A: Any, B: Any) -> np.ndarray:
    """Not positive semi-definite."""
    product = A @ B.T
    return np.tanh(0.1 * np.asarray(product.toarray() if hasattr(product, "toarray") else product) - 1)


def laplace_kernel(A: Any, B: Any) -> np.ndarray:
    A, B = (M.toarray() if hasattr(M, "toarray") else M for M in (A, B))
    return np.exp(-np.abs(A[:, None] - B[None]).sum(-1))


def wrong_kernel(A: Any, B: Any) -> np.ndarray:
    return np.full((A.shape[0], B.shape[0]), NAN)


def numbers(*good: float) -> Values:
    return Values(good, NO_NUMBER)


RUNNING = {
    "tol": numbers(1e-1, 1e-6, 1e-12),
    "max_iter": Values((1, 2, 5), (0, 2.5, "x")),
    "time_limit": Values((0.05, None), (1e-9, *NO_NUMBER)),
    "class_weight": Values(("balanced", None, {}), ({0: 2.0}, {0: 0.0}, {0: NAN}, {7: 1.0}, "x", 3)),
    "unlabeled": Values((-1,), (None, 0, "?", 99, NAN)),
    "n_jobs": Values((1, -1, 2), (0, "x")),
    "random_state": Values((0, 1, None), (-1, "x")),
    "warm_start": Values((True, False)),
    "verbose": Values((0, 1, True), (-1, 2.5, "x", None)),
}
GRAPHS = Values(
    (
        semisvm.Graph(),
        semisvm.Graph(n_neighbors=1, weights="binary"),
        semisvm.Graph(n_neighbors=1000, metric="cosine", weights="cosine"),
        semisvm.Graph(width=1e-9),
        semisvm.Graph(width=1e9, power=3, normalized=True),
        semisvm.AnchorGraph(n_anchors=5),
        semisvm.AnchorGraph(n_anchors=1, n_neighbors=5),
    ),
    (semisvm.Graph(n_neighbors=0), semisvm.Graph(metric="x"), semisvm.AnchorGraph(n_anchors=0), 1, "x"),
)
KERNEL = {
    "kernel": Values(
        ("linear", "linear", "poly", "cosine", tanh_kernel, laplace_kernel), (wrong_kernel, "sigmoid", None, 3)
    ),
    "gamma": Values(("median", "mean_distance", "box", 1e-9, 1.0, 1e9), ("x", *NO_NUMBER)),
    "degree": Values((1, 2, 7), (40, 0, 2.5, "x")),
    "coef0": Values((1.0, -1.0), (1e9, NAN, "x")),
    "n_components": Values((1, 3, 1000), (0, 2.5, "x")),
    "graph": GRAPHS,
    "deformation": numbers(1e-6, 1e6),
    "fit_intercept": Values((False,)),
}
WEIGHTING = {"C": numbers(1e-9, 1e-3, 1e3, 1e9)}
SEMI = WEIGHTING | {
    "fit_intercept": Values((False, "ratio"), ("x", None, 1)),
    "C_unlabeled": Values(("equal", 1e-9, 1e-3, 1e3, 1e9), NO_NUMBER),
    "ratio": Values(
        ("uniform", "labeled", "estimated", 0.5, 0.01, 0.99),
        ((0.5, 0.5), (0.2, 0.3, 0.5), (0.3, 0.3), NAN, 0.0, 1, "x", None, (NAN, 0.5)),
    ),
    "threshold": Values(("share", "zero"), ("x",)),
    "balance": Values(("exact", "soft", "none", "smooth")),
    "n_stages": Values((1, 2, 5), (0, "x")),
    "joint_counts": Values((True,)),
}
SHARES = {name: SEMI[name] for name in ("ratio", "threshold")}
MANIFOLD = {
    "gamma_A": numbers(1e-9, 1e3),
    "gamma_I": numbers(0.0, 1e-9, 1e6),
    "solver": Values(("pcg", "newton", "dual", "direct")),
    "early_stopping": Values(("stability", "validation", "mixed", None)),
    "validation_fraction": numbers(0.01, 0.99),
}
PRIOR = WEIGHTING | {"prior": Values((0.01, 0.3, 0.5, 0.99, None), (0.0, 1, NAN, "x", True, (0.5,)))}
SHARPNESS = {"s": numbers(0.1, 50.0)}

ESTIMATORS: dict[str, Choices] = {
    "SupervisedSVM": Choices(own=WEIGHTING | SHARES | {"loss": Values(("hinge",))}),
    "SupervisedRLS": Choices(own=WEIGHTING | SHARES),
    "GradientS3VM": Choices(own=SEMI | SHARPNESS | {"loss": Values(("hinge",))}),
    "ContinuationS3VM": Choices(own=SEMI | SHARPNESS | {"smooth": Values(("unlabeled",))}),
    "NewtonS3VM": Choices(own=SEMI | {"loss": Values(("quadratic",))}),
    "QuasiNewtonS3VM": Choices(
        own=SEMI
        | SHARPNESS
        | {
            "weights": Values(((1.0,), (1e-9, 1.0)), ((), "x", (NAN,), None)),
            "steepness": numbers(0.1, 1e3),
            "memory": Values((1, 2, 10**7), (0, "x")),
            "intercept_scaling": numbers(1.0, 1e6, 1e-6),
        }
    ),
    "CCCPS3VM": Choices(own=SEMI | {"loss": Values(("squared_hinge",)), "s": Values((-0.9, 0.0), (-5.0, NAN, "x"))}),
    "AnnealingS3VM": Choices(
        quick={"cooling": 3.0},
        own=SEMI
        | {
            "variant": Values(("alternating",)),
            "cooling": Values((5.0, "adaptive", 1e9), (1.0, *NO_NUMBER)),
            "keep": Values(("best",)),
        },
    ),
    "LabelSwitchingS3VM": Choices(
        quick={"n_stages": 3},
        own=SEMI
        | {
            "n_switches": Values((1, 2, "all"), (0, "x")),
            "loss": Values(("hinge",)),
            "growth": Values((1.5, 100.0, 1e9, "adaptive"), (1.0, *NO_NUMBER)),
        },
    ),
    "MeanS3VM": Choices(own=SEMI | {"variant": Values(("mkl",)), "oracle": Values(("linearised",))}),
    "BranchAndBoundS3VM": Choices(
        quick={"gap": 0.1, "max_iter": 50, "time_limit": 1.0},
        own=SEMI | {"gap": numbers(0.5), "order": Values(("depth_first",))},
    ),
    "SDPRelaxationS3VM": Choices(
        quick={"rank": 2, "max_iter": 50, "time_limit": 1.0},
        own=SEMI
        | {
            "rank": Values((1, 3), (0, "x")),
            "rounding": Values(("eigenvector",)),
            "backend": Values(("clarabel", "scs")),
        },
    ),
    "LinearProgrammingS3VM": Choices(own=SEMI | {"variant": Values(("successive",))}),
    "LowDensitySeparation": Choices(
        own=SEMI | {"rho": numbers(0.1, 10.0), "delta": numbers(0.0, 0.5), "n_neighbors": Values((1, 3), (0, "x"))}
    ),
    "LaplacianSVM": Choices(own=MANIFOLD | SHARES | {"loss": Values(("hinge",))}),
    "LaplacianRLS": Choices(own=MANIFOLD | SHARES),
    "LaplacianRLSRegressor": Choices(own={key: MANIFOLD[key] for key in ("gamma_A", "gamma_I", "solver")}),
    "PositiveUnlabeledSVM": Choices(own=PRIOR | {"risk": Values(("unbiased", "weighted", "biased", "nonnegative"))}),
    "PositiveUnlabeledS3VM": Choices(own=PRIOR | {"C_unlabeled": SEMI["C_unlabeled"]}),
    "S3VM": Choices(
        quick={"max_iter": 5},
        own=WEIGHTING
        | SHARES
        | {
            "joint_counts": SEMI["joint_counts"],
            "keep_kernels": Values((False,), (1, "x", None)),
            "method": Values(("supervised", "gradient", "laplacian-svm", "cccp", "mean", "annealing")),
        },
    ),
}


ONE_CLASS = ("PositiveUnlabeledSVM", "PositiveUnlabeledS3VM")
"""Estimators of labels of one class."""


def drawn_parameters(name: str, task: DrawnTask, rng: np.random.Generator) -> dict[str, Any]:
    """A few parameters that are not as usual."""
    estimator: type[BaseEstimator] = getattr(semisvm, name)
    known = set(estimator().get_params(deep=False))
    values = {key: some for key, some in (RUNNING | KERNEL | ESTIMATORS[name].own).items() if key in known}
    chosen = dict(ESTIMATORS[name].quick)
    if task.marker != -1 and "unlabeled" in known:
        chosen["unlabeled"] = task.marker
    if name in ONE_CLASS and rng.random() < 0.7:
        # few rows of one class are not enough for an estimate
        chosen["prior"] = values["prior"].drawn(rng)
    for key in rng.permutation(sorted(set(values) - set(chosen)))[: rng.integers(0, 6)]:
        chosen[str(key)] = values[str(key)].drawn(rng)
    if "growth" in chosen:
        chosen.pop("n_stages", None)  # takes its place
    if task.precomputed:
        chosen["kernel"] = "precomputed"
    return chosen | {"random_state": chosen.get("random_state", one_of(rng, 0, 1))}
