"""Every loss, balance and intercept of every method that goes over rows: the same fit in chunks as in memory."""

import itertools
import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import semisvm
from semisvm import AnchorGraph, chunked
from tests.fuzz.drawing import REAL
from tests.fuzz.parameters import ESTIMATORS

N, D = 60, 4
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
X = RNG.normal(size=(N, D)) + 1.5 * (2 * TRUTH[:, None] - 1) * np.linspace(1.0, 0.1, D)
Y = np.where(np.arange(N) < 12, TRUTH, -1)
Y[:2] = 0, 1

INTERCEPTS = {"fit_intercept": [True, False]}
COUNTED = {"balance": ["soft", "exact", "none"]} | INTERCEPTS
BALANCES = {"balance": ["soft", "exact", "none", "smooth"]} | INTERCEPTS
OPTIONS = {
    "SupervisedSVM": {"loss": ["squared_hinge", "hinge"]} | INTERCEPTS,
    "SupervisedRLS": INTERCEPTS,
    "QuasiNewtonS3VM": BALANCES | {"intercept_scaling": [None, 2.0]},
    "GradientS3VM": BALANCES | {"loss": ["squared_hinge", "hinge"]},
    "ContinuationS3VM": BALANCES | {"smooth": ["all", "unlabeled"]},
    "NewtonS3VM": BALANCES | {"loss": ["flat", "quadratic"]},
    "CCCPS3VM": COUNTED | {"loss": ["ramp", "squared_hinge"]},
    "AnnealingS3VM": COUNTED | {"variant": ["gradient", "alternating"]},
    "LabelSwitchingS3VM": COUNTED | {"loss": ["squared_hinge", "hinge"]},
    "MeanS3VM": INTERCEPTS | {"balance": ["exact"], "variant": ["iter", "mkl"]},
    "LaplacianSVM": INTERCEPTS
    | {"loss": ["squared_hinge", "hinge"], "solver": ["pcg", "newton", "dual"], "early_stopping": [None]},
    "LaplacianRLS": INTERCEPTS | {"solver": ["pcg", "direct"], "early_stopping": [None]},
    "PositiveUnlabeledSVM": INTERCEPTS | {"risk": ["nonnegative", "unbiased", "weighted", "biased"], "prior": [0.5]},
    "PositiveUnlabeledS3VM": INTERCEPTS | {"prior": [0.5]},
}
EXACT = {
    "BranchAndBoundS3VM": COUNTED | {"gap": [0.3], "max_iter": [20]},
    "SDPRelaxationS3VM": COUNTED | {"rank": [2], "max_iter": [20]},
}
"""Methods for few rows, which take their Gram matrix from any source."""
IN_MEMORY = ["LinearProgrammingS3VM", "LowDensitySeparation", "LaplacianRLSRegressor", "S3VM"]
"""Methods that refuse rows in chunks; S3VM names others."""
QUICK = {"AnnealingS3VM": {"cooling": 5.0}} | {
    name: {"n_stages": 2}
    for name in ("LabelSwitchingS3VM", "GradientS3VM", "ContinuationS3VM", "NewtonS3VM", "CCCPS3VM", "QuasiNewtonS3VM")
}


def combinations(methods):
    for name, options in methods.items():
        for values in itertools.product(*options.values()):
            settings = dict(zip(options, values, strict=True))
            if settings.get("intercept_scaling") is None or settings["balance"] == "none":
                yield name, settings


def fitted(name, settings, rows, y=Y):
    model = getattr(semisvm, name)(
        **{"kernel": "linear", "tol": 1e-6, "random_state": 0} | QUICK.get(name, {}) | settings
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, np.where(y == 1, 1, -1) if name.startswith("Positive") else y)


@pytest.mark.parametrize("graph", [None, AnchorGraph(n_anchors=8)], ids=["no graph", "anchors"])
@pytest.mark.parametrize(("name", "settings"), list(combinations(OPTIONS)), ids=lambda value: str(value))
def test_chunks_give_the_fit_of_memory(name, settings, graph):
    if graph is None and name.startswith("Laplacian"):
        settings = settings | {"gamma_I": 0.0}
    settings = settings | {"graph": graph}
    whole, parts = (fitted(name, settings, rows) for rows in (X, chunked(X, chunk_rows=17)))
    assert_allclose(parts.objective_, whole.objective_, rtol=1e-4)
    assert np.mean(parts.transduction_ == whole.transduction_) >= 0.98


@pytest.mark.parametrize(("name", "settings"), list(combinations(EXACT)), ids=lambda value: str(value))
def test_chunks_give_the_fit_of_memory_where_rows_are_few(name, settings):
    few = np.r_[:4, 12:22]
    whole, parts = (fitted(name, settings, rows, Y[few]) for rows in (X[few], chunked(X[few], chunk_rows=5)))
    assert_allclose(parts.objective_, whole.objective_, rtol=1e-4)
    assert_array_equal(parts.transduction_, whole.transduction_)


@pytest.mark.parametrize("name", IN_MEMORY)
def test_other_methods_refuse_chunks_in_a_sentence(name):
    model = getattr(semisvm, name)()
    with pytest.raises((TypeError, ValueError), match=r"^[^\n]*: [^\n]*\.$"):
        model.fit(chunked(X, chunk_rows=17), np.where(Y < 0, np.nan, Y) if name == REAL else Y)


def test_every_method_and_every_loss_balance_and_intercept_is_here():
    assert sorted([*OPTIONS, *EXACT, *IN_MEMORY]) == sorted(ESTIMATORS)
    for name, options in (OPTIONS | EXACT).items():
        for option in {"loss", "balance", "variant", "smooth", "risk"} & set(getattr(semisvm, name)().get_params()):
            with pytest.raises(ValueError, match=f"^{option}='no such'") as refusal:
                fitted(name, {option: "no such"} | ({"prior": 0.5} if name.startswith("Positive") else {}), X)
            known = re.findall("'(.*?)'", str(refusal.value))[1:]
            assert set(options[option]) <= set(known), (name, option)
            for other in set(known) - set(options[option]):  # known, and yet nothing for this method
                with pytest.raises(ValueError, match=f"^{option}='{other}' was given"):
                    fitted(name, {option: other}, X)
        assert "fit_intercept" in options
