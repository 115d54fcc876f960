"""LaplacianRLSRegressor as users meet it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from semisvm import (
    LaplacianRLSRegressor,
)
from semisvm.datasets import make_two_moons


@parametrize_with_checks([LaplacianRLSRegressor()])
def test_scikit_learn_checks_of_the_regressor(estimator, check):
    name = getattr(check, "func", check).__name__
    if name == "check_supervised_y_no_nan":
        pytest.skip("NaN marks unlabeled rows")
    if name == "check_sample_weight_equivalence_on_dense_data" or name.endswith("on_sparse_data"):
        pytest.skip("a row twice is two neighbors in the graph, a weight of two is one")
    check(estimator)


@pytest.mark.parametrize("solver", ["pcg", "direct"])
def test_targets_are_carried_along_the_graph(solver):
    X, y = make_two_moons(200, nuisance=0, random_state=0)
    targets = np.where(np.arange(200) < 2, 10.0 + 5.0 * y, np.nan)
    model = LaplacianRLSRegressor(gamma=4.0, gamma_A=1e-6, gamma_I=1e-2, solver=solver, max_iter=5000).fit(X, targets)
    assert_array_equal(model.predict(X) > 12.5, y == 1)
    assert_array_equal(model.transduction_[:2], targets[:2])
    assert_allclose(model.transduction_[2:], model.predict(X)[2:])


def test_regressor_solvers_agree_and_refuse_in_a_sentence():
    X = np.linspace(0, 6, 80)[:, None]
    y = np.where(np.arange(80) % 8 == 0, np.sin(X[:, 0]), np.nan)
    common = {"gamma": 1.0, "gamma_A": 1e-2, "gamma_I": 1e-2, "tol": 1e-10, "max_iter": 5000}
    pcg = LaplacianRLSRegressor(**common).fit(X, y)
    direct = LaplacianRLSRegressor(solver="direct", **common).fit(X, y)
    assert_allclose(pcg.predict(X), direct.predict(X), atol=1e-8)
    assert direct.score(X, np.sin(X[:, 0])) > 0.9
    with pytest.raises(ValueError, match=r"None of the 80 rows has a target \(NaN marks unlabeled rows\)"):
        direct.fit(X, np.full(80, np.nan))
    with pytest.raises(ValueError, match="y contains infinity and finite targets"):
        direct.fit(X, np.where(np.isnan(y), np.inf, y))
    with pytest.warns(ConvergenceWarning, match="LaplacianRLSRegressor stopped at max_iter=2 with stationarity"):
        LaplacianRLSRegressor(max_iter=2, tol=1e-12).fit(X, y)
