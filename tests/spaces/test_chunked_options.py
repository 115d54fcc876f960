"""Every loss, balance and intercept of every method that goes over rows: the same fit in chunks as in memory."""

import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import semisvm
from semisvm import AnchorGraph, chunked

N, D = 60, 4
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
X = RNG.normal(size=(N, D)) + 1.5 * (2 * TRUTH[:, None] - 1) * np.linspace(1.0, 0.1, D)
Y = np.where(np.arange(N) < 12, TRUTH, -1)
Y[:2] = 0, 1

BALANCES = {"balance": ["soft", "exact", "none"], "fit_intercept": [True, False]}
OPTIONS = {
    "SupervisedSVM": {"loss": ["squared_hinge", "hinge"], "fit_intercept": [True, False]},
    "SupervisedRLS": {"fit_intercept": [True, False]},
    "QuasiNewtonS3VM": BALANCES | {"intercept_scaling": [None, 2.0]},
    "GradientS3VM": BALANCES | {"loss": ["squared_hinge", "hinge"]},
    "ContinuationS3VM": BALANCES | {"smooth": ["all", "unlabeled"]},
    "NewtonS3VM": BALANCES | {"loss": ["flat", "quadratic"]},
    "CCCPS3VM": BALANCES | {"loss": ["ramp", "squared_hinge"]},
    "AnnealingS3VM": BALANCES | {"variant": ["gradient", "alternating"]},
    "LabelSwitchingS3VM": BALANCES | {"loss": ["squared_hinge", "hinge"]},
    "MeanS3VM": {"variant": ["iter", "mkl"], "fit_intercept": [True, False]},
    "LaplacianSVM": {"loss": ["squared_hinge", "hinge"], "solver": ["pcg", "newton", "dual"], "early_stopping": [None]},
    "LaplacianRLS": {"solver": ["pcg", "direct"], "early_stopping": [None], "fit_intercept": [True, False]},
}
QUICK = {"AnnealingS3VM": {"cooling": 5.0}} | {
    name: {"n_stages": 2}
    for name in ("LabelSwitchingS3VM", "GradientS3VM", "ContinuationS3VM", "NewtonS3VM", "CCCPS3VM", "QuasiNewtonS3VM")
}


def combinations():
    for name, options in OPTIONS.items():
        for values in itertools.product(*options.values()):
            settings = dict(zip(options, values, strict=True))
            if settings.get("intercept_scaling") is None or settings["balance"] == "none":
                yield name, settings


def fitted(name, settings, rows):
    model = getattr(semisvm, name)(kernel="linear", tol=1e-6, random_state=0, **QUICK.get(name, {}), **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, Y)


@pytest.mark.parametrize("graph", [None, AnchorGraph(n_anchors=8)], ids=["no graph", "anchors"])
@pytest.mark.parametrize(("name", "settings"), list(combinations()), ids=lambda value: str(value))
def test_chunks_give_the_fit_of_memory(name, settings, graph):
    if graph is None and name.startswith("Laplacian"):
        settings = settings | {"gamma_I": 0.0}
    settings = settings | {"graph": graph}
    whole, parts = (fitted(name, settings, rows) for rows in (X, chunked(X, chunk_rows=17)))
    assert_allclose(parts.objective_, whole.objective_, rtol=1e-4)
    assert np.mean(parts.transduction_ == whole.transduction_) >= 0.98
