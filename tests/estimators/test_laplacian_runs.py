"""When runs of Laplacian methods stop, where they start, what they record and what they refuse."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from semisvm import (
    LaplacianRLS,
    LaplacianRLSRegressor,
    LaplacianSVM,
)
from semisvm.datasets import hide_labels
from semisvm.geometry.distances import Points
from tests.estimators.quick import three_blobs

CLASSIFIERS = [LaplacianSVM, LaplacianRLS]


# -------------------------------------------------------------------- stopping, starting, recording


def test_early_stopping_stops_at_a_look_and_says_so():
    X, _, partial = three_blobs(n=400)
    model = LaplacianSVM(gamma=0.5, gamma_A=1e-6, gamma_I=1e-2, tol=1e-12).fit(X, partial)
    assert model.status_ == "stopped early"
    assert model.n_iter_ == 20  # the second look, every sqrt(400)/2 iterations
    assert len(model.path_) == 20
    assert {"objective", "gradient", "preconditioned", "mixed"} <= set(model.path_[0])


@pytest.mark.parametrize(("rule", "held"), [("stability", np.float32), (None, np.float64)])
def test_float32_rows_are_read_in_float32_where_decisions_end_the_run(rule, held):
    X, _, partial = three_blobs(n=400)
    model = LaplacianSVM(gamma=0.5, gamma_A=1e-4, gamma_I=1e-2, early_stopping=rule, max_iter=2000)
    space, _ = model._curved_space(Points.of(X.astype(np.float32)), 0)
    assert space.gram().dtype == held
    double = clone(model).fit(X, partial)
    single = model.fit(X.astype(np.float32), partial)
    assert single.n_iter_ == double.n_iter_ or rule is None
    assert np.mean(single.transduction_ != double.transduction_) < 0.01


@pytest.mark.parametrize("rule", ["validation", "mixed"])
def test_validation_rows_are_given_or_set_aside(rule):
    X, y, _ = three_blobs(n=400)
    partial = hide_labels(y, np.arange(60))
    common = {"gamma": 0.5, "gamma_A": 1e-6, "gamma_I": 1e-2, "tol": 1e-12, "early_stopping": rule}
    given = LaplacianSVM(**common).fit(X, partial, X_val=X[100:150], y_val=y[100:150])
    own = LaplacianSVM(random_state=0, **common).fit(X, partial)
    assert given.status_ == own.status_ == "stopped early"
    assert np.mean(own.predict(X) != y) < 0.1
    assert_array_equal(own.transduction_[:60], y[:60])


def test_rows_set_aside_are_not_trained_on(monkeypatch):
    X, y, _ = three_blobs()
    found, set_aside = [], LaplacianSVM._set_aside
    monkeypatch.setattr(LaplacianSVM, "_set_aside", lambda *given: found.append(set_aside(*given)) or found[-1])
    partial = hide_labels(y, np.arange(30))
    model = LaplacianSVM(gamma=0.5, early_stopping="validation", random_state=0, tol=1e-9).fit(X, partial)
    (aside,) = found
    assert len(aside) == 6
    assert_array_equal(np.bincount(y[aside]), [2, 2, 2])
    without = hide_labels(y, np.setdiff1d(np.arange(30), aside))
    same = LaplacianSVM(gamma=0.5, early_stopping=None, max_iter=model.n_iter_, tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        same.fit(X, without)
    assert_allclose(model.decision_function(X), same.decision_function(X), atol=1e-10)


def test_warm_start_goes_on_where_it_ended():
    X, _, partial = three_blobs()
    model = LaplacianSVM(gamma=0.5, early_stopping=None, tol=1e-8, warm_start=True)
    cold = model.fit(X, partial).n_iter_
    assert cold > 5
    assert model.fit(X, partial).n_iter_ == 1
    assert model.set_params(gamma_I=0.11).fit(X, partial).n_iter_ < cold


def test_not_converged_is_said():
    X, _, partial = three_blobs()
    with pytest.warns(ConvergenceWarning, match="stopped at max_iter=3 with stationarity"):
        LaplacianSVM(early_stopping=None, max_iter=3, tol=1e-12).fit(X, partial)


# -------------------------------------------------------------------- parameters and errors


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, LaplacianRLSRegressor], ids=lambda e: e.__name__)
def test_parameters_are_those_of_the_contract(estimator):
    parameters = estimator().get_params()
    assert {"gamma_A", "gamma_I", "graph", "solver", "fit_intercept", "n_components"} <= set(parameters)
    assert not {"C", "deformation", "C_unlabeled", "balance"} & set(parameters)
    assert parameters["gamma_A"] == 1e-2
    assert parameters["gamma_I"] == 1e-1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"gamma_A": 0}, "gamma_A=0 was given and a positive number is needed"),
        ({"gamma_I": -1}, "gamma_I=-1 was given and a non-negative number is needed"),
        ({"solver": "qp"}, "solver='qp' was given and one of 'pcg', 'newton', 'dual' is needed"),
        ({"loss": "ramp"}, "loss='ramp' was given and one of 'squared_hinge', 'hinge' is needed"),
        ({"early_stopping": True}, "early_stopping=True was given and one of 'stability'"),
        ({"validation_fraction": 1.5}, "validation_fraction=1.5 was given and a share between 0 and 1 is needed"),
        ({"graph": 10}, "graph=10 was given and a semisvm.Graph, a semisvm.AnchorGraph or None is needed"),
    ],
)
def test_parameters_are_refused_in_a_sentence(parameters, sentence):
    X, _, partial = three_blobs()
    with pytest.raises(ValueError, match=sentence):
        LaplacianSVM(**parameters).fit(X, partial)


def test_validation_is_refused_in_a_sentence():
    X, y, partial = three_blobs()
    with pytest.raises(ValueError, match="One of X_val and y_val was given and both, or neither, are needed"):
        LaplacianSVM().fit(X, partial, X_val=X)
    with pytest.raises(ValueError, match=r"y_val contains .*7.* and the classes are \[0, 1, 2\]"):
        LaplacianSVM(early_stopping="validation").fit(X, partial, X_val=X[:2], y_val=[0, 7])
    with pytest.raises(ValueError, match="one label per class and rows to validate on are needed: pass X_val"):
        LaplacianSVM(early_stopping="mixed").fit(X, hide_labels(y, [0, 1, 2]))


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_errors_are_followed_at_every_iteration(estimator):
    X, y, partial = three_blobs()
    sets = {"L": (X[:9], y[:9]), "U": (X[9:100], y[9:100]), "T": (X[100:], y[100:])}
    model = estimator(gamma=0.5, gamma_A=1e-6, gamma_I=1e-2, tol=1e-12).fit(X[:100], partial[:100], follow=sets)
    assert {name: len(errors) for name, errors in model.errors_.items()} == dict.fromkeys("LUT", model.n_iter_)
    for iterations in (1, 4):
        short = clone(model).set_params(max_iter=iterations, early_stopping=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            short.fit(X[:100], partial[:100])
        for name, (rows, truth) in sets.items():
            assert model.errors_[name][iterations - 1] == np.mean(short.predict(rows) != truth)
        for fact in ("objective", "gradient", "preconditioned", "mixed"):
            assert_allclose(model.path_[iterations - 1][fact], short.path_[-1][fact])
    assert len({tuple(errors) for errors in model.errors_.values()}) > 1
    assert "errors_" not in vars(model.fit(X, partial))


def test_followed_rows_are_refused_in_a_sentence():
    X, _, partial = three_blobs()
    with pytest.raises(ValueError, match=r"T contains .*7.* and the classes are \[0, 1, 2\]"):
        LaplacianSVM().fit(X, partial, follow={"T": (X[:2], [0, 7])})


@pytest.mark.parametrize("solver", ["pcg", "newton", "dual"])
@pytest.mark.parametrize("rule", ["validation", "mixed"])
def test_the_hinge_has_nothing_to_validate_on_the_way(rule, solver):
    X, _, partial = three_blobs()
    with pytest.raises(ValueError, match=f"early_stopping='{rule}' was given with loss=\"hinge\", .* no iterates"):
        LaplacianSVM(loss="hinge", solver=solver, early_stopping=rule).fit(X, partial)
    stable = LaplacianSVM(loss="hinge", solver=solver).fit(X, partial)
    assert stable.status_ == "converged"
    never = LaplacianSVM(loss="hinge", solver=solver, early_stopping=None).fit(X, partial)
    assert_array_equal(stable.decision_function(X), never.decision_function(X))


def test_no_unlabeled_rows_is_said_once():
    X, y, _ = three_blobs()
    with pytest.warns(UserWarning, match=r"no unlabeled rows \(unlabeled=-1 marks them\) and smooths over the labeled"):
        LaplacianSVM().fit(X, y)
