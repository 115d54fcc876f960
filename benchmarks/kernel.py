"""Kernel methods on 50 labels and 8,000 unlabeled rows, Gram matrix included, in SVC fits on the same rows all labeled.

The g50c generator, RBF sigma 38, C 19, C_unlabeled and everything else at its default, the share of positives taken
from the labels (25 of each class); soft balance where the method is not exact by nature. The Laplacian SVM is given its
graph (50 neighbors, the second power of the Laplacian) and has gamma_A = gamma_I = 0.01, the best of 24 settings on
one draw with 2,000 rows, by the hidden labels; its Newton method is run once more with the parameters of its authors'
program (sigma 17.5, gamma_A 1e-6, gamma_I 0.01, the fifth power), as that program was. Methods that factor a matrix of
all rows are counted in Cholesky factorizations. `S3VM()` is run once, with nothing said, beside stored figures of
programs with methods of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from benchmarks.harness.contest import Contest, Draw, Entry, Fit
from benchmarks.harness.figure import Figure
from semisvm import (
    CCCPS3VM,
    S3VM,
    AnnealingS3VM,
    ContinuationS3VM,
    GradientS3VM,
    Graph,
    LabelSwitchingS3VM,
    LaplacianSVM,
    MeanS3VM,
    NewtonS3VM,
    QuasiNewtonS3VM,
)
from semisvm.datasets import hide_labels, make_g50c
from semisvm.geometry.distances import Points

TASK = "g50c, 8,000 unlabeled"
UNLABELED, WARM_UP, SEEDS = 8_000, 300, 5
C, GAMMA = 19.0, 1 / (2 * 38.0**2)
MANIFOLD = {"gamma": GAMMA, "gamma_A": 1e-2, "gamma_I": 1e-2}
PUBLISHED = {"gamma": 1 / (2 * 17.5**2), "gamma_A": 1e-6, "gamma_I": 1e-2}
NEIGHBORS = {"n_neighbors": 50}
POWER, PUBLISHED_POWER = 2, 5
FITS, CHOLESKYS = "SVC fits", "Choleskys"


def draw(n_unlabeled: int, seed: int) -> Draw:
    """25 labels of each class."""
    X, y = make_g50c(n_unlabeled + 50, random_state=seed)
    return Draw(X, y, hide_labels(y, np.concatenate([np.flatnonzero(y == one)[:25] for one in (0, 1)])))


def fitting(model: Any) -> Fit:
    return lambda given: model.fit(given.X, given.labels)


def neighbors(given: Draw) -> Any:
    return Graph(**NEIGHBORS).adjacency(Points.of(given.X))


def definite_matrix(given: Draw) -> np.ndarray:
    """K + I, in the order of LAPACK."""
    K = rbf_kernel(given.X, gamma=GAMMA).T
    K[np.diag_indices_from(K)] += 1.0
    return K


def prepare(given: Draw) -> None:
    """What no method is charged for."""
    given.made["graph"] = neighbors(given)
    given.made["matrix"] = definite_matrix(given)


def manifold(solver: str, settings: dict[str, float] = MANIFOLD, power: int = POWER) -> Fit:
    def fit(given: Draw) -> Any:
        graph = Graph.from_affinity(given.made["graph"], power=power)
        return LaplacianSVM(graph=graph, solver=solver, **settings).fit(given.X, given.labels)

    return fit


def factor(given: Draw) -> None:
    """One Cholesky factorization, in place: the matrix is used up."""
    dpotrf(given.made.pop("matrix"), lower=1, clean=0, overwrite_a=1)


def self_training(given: Draw) -> Any:
    base = CalibratedClassifierCV(SVC(C=C, gamma=GAMMA), ensemble=False)
    return SelfTrainingClassifier(base).fit(given.X, given.labels)


def spreading(given: Draw) -> Any:
    return LabelSpreading(kernel="knn", n_neighbors=50).fit(given.X, given.labels)


def entries() -> list[Entry]:
    settings: dict[str, Any] = {"C": C, "gamma": GAMMA}
    switching = {"n_switches": "all", **settings}
    return [
        Entry("CCCP, ramp", fitting(CCCPS3VM(**settings)), 6.0, "CCCP ramp"),
        Entry("quasi-Newton", fitting(QuasiNewtonS3VM(**settings)), 6.0, "quasi-Newton"),
        Entry("gradient", fitting(GradientS3VM(**settings)), 6.0, "gradient"),
        Entry("continuation", fitting(ContinuationS3VM(**settings)), 6.0),
        Entry("means, iter", fitting(MeanS3VM(**settings)), 6.0),
        Entry("Laplacian SVM, pcg", manifold("pcg"), 6.0, "Laplacian PCG"),
        Entry("multi-switch, hinge", fitting(LabelSwitchingS3VM(loss="hinge", **switching)), 10.0, "multi-switch"),
        Entry("multi-switch, squared hinge", fitting(LabelSwitchingS3VM(**switching)), 25.0, "multi-switch"),
        Entry("gradient annealing", fitting(AnnealingS3VM(**settings)), 25.0, "annealing"),
        Entry("Newton S3VM", fitting(NewtonS3VM(**settings)), 3.0, yardstick=CHOLESKYS),
        Entry("Laplacian SVM, newton", manifold("newton"), 3.0, "Laplacian Newton", CHOLESKYS),
        Entry("Laplacian SVM, dual", manifold("dual"), 3.0, "Laplacian Newton", CHOLESKYS),
        Entry(
            "Laplacian SVM, newton, its authors' parameters",
            manifold("newton", PUBLISHED, PUBLISHED_POWER),
            None,
            "Laplacian Newton",
            CHOLESKYS,
            draws=2,
        ),
        Entry("S3VM()", fitting(S3VM()), None, "any", draws=1),
        Entry("LabelSpreading, 50 neighbors (scikit-learn)", spreading, None, "label spreading", draws=2),
        Entry("SelfTraining(SVC) (scikit-learn)", self_training, None, "self-training", draws=1),
    ]


def tri_training() -> list[Entry]:
    """sslearn's TriTraining(SVC), where that package is there and runs."""
    try:
        from sslearn.wrapper import TriTraining

        def fit(given: Draw) -> Any:
            model = TriTraining(SVC(C=C, gamma=GAMMA), random_state=0).fit(given.X, given.labels)
            return SimpleNamespace(transduction_=model.predict(given.X))

        fit(draw(100, 0))
    except (ImportError, AttributeError) as problem:
        print(f"  sslearn is left out: {str(problem).splitlines()[0]}", file=sys.stderr)
        return []
    return [Entry("TriTraining(SVC) (sslearn)", fit, None, draws=1)]


def supervised(given: Draw) -> SVC:
    return SVC(C=C, gamma=GAMMA).fit(given.X, given.y)


def figures() -> Iterator[Figure]:
    methods = [*entries(), *tri_training()]
    contest = Contest(TASK, {FITS: supervised, CHOLESKYS: factor}, methods, prepare=prepare)
    yield from contest.figures(draw(WARM_UP, 99), (draw(UNLABELED, seed) for seed in range(SEEDS)))
