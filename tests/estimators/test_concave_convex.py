"""CCCPS3VM from outside: parameters, fitted attributes, published figures."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from semisvm import CCCPS3VM
from semisvm.datasets import load_g50c, load_text
from tests.estimators.quick import time_passes_after
from tests.problems import two_blobs


def task(n=120, k_classes=2, n_labeled=12, seed=0):
    if k_classes == 2:
        X, y = two_blobs(n, seed=seed)
        truth = (y[:, 0] > 0).astype(int)
    else:
        rng = np.random.default_rng(seed)
        truth = np.arange(n) % k_classes
        X = rng.normal(size=(n, 4)) + 2.5 * np.eye(k_classes, 4)[truth]
    labels = truth.copy()
    labels[n_labeled:] = -1
    return X, labels, truth


@pytest.mark.parametrize("loss", ["ramp", "squared_hinge"])
@pytest.mark.parametrize("where", [{}, {"kernel": "linear"}, {"n_components": 30}, {"kernel": "cosine"}], ids=str)
@pytest.mark.parametrize("k_classes", [2, 3])
def test_it_learns_with_every_kind_of_space(loss, where, k_classes):
    X, labels, truth = task(k_classes=k_classes)
    model = CCCPS3VM(loss=loss, C=5.0, random_state=0, **where).fit(X, labels)
    assert np.mean(model.predict(X) == truth) > (0.75 if k_classes == 2 else 0.8)
    assert np.all(model.stationarity_ <= model.tol)
    assert model.objective_.shape == (1 if k_classes == 2 else 3,)
    assert {"weight", "switched", "objective", "changed", "seconds"} <= set(model.path_[0])


@pytest.mark.parametrize("loss", ["ramp", "squared_hinge"])
def test_the_mean_score_of_the_unlabeled_rows_is_held(loss):
    X, labels, _ = task()
    model = CCCPS3VM(loss=loss, ratio=0.3).fit(X, labels)
    assert_allclose(model.decision_function(X[labels < 0]).mean(), 2 * 0.3 - 1, atol=1e-10)


@pytest.mark.parametrize("loss", ["ramp", "squared_hinge"])
def test_exact_balance_gives_the_count(loss):
    X, labels, _ = task()
    model = CCCPS3VM(loss=loss, ratio=0.4, balance="exact").fit(X, labels)
    assert np.sum(model.transduction_[labels < 0] == 1) == round(0.4 * np.sum(labels < 0))


def test_weights_of_the_unlabeled_rows():
    X, labels, _ = task()
    auto, number = CCCPS3VM(C=2.0), CCCPS3VM(C=2.0, C_unlabeled=2.0 * 12 / 108)
    equal, same = CCCPS3VM(C=2.0, C_unlabeled="equal"), CCCPS3VM(C=2.0, C_unlabeled=2.0)
    assert_allclose(auto.fit(X, labels).objective_, number.fit(X, labels).objective_)
    assert_allclose(equal.fit(X, labels).objective_, same.fit(X, labels).objective_)


def test_warm_start_ends_at_once_where_it_ended():
    X, labels, _ = task()
    model = CCCPS3VM(warm_start=True, tol=1e-6).fit(X, labels)
    first = model.decision_function(X)
    model.fit(X, labels)
    assert model.n_iter_ == 1
    assert_allclose(model.decision_function(X), first, atol=1e-4)


def test_stages_anneal_the_ramp_too():
    X, labels, _ = task()
    model = CCCPS3VM(n_stages=5).fit(X, labels)
    assert len({record["weight"] for record in model.path_}) == 5
    assert CCCPS3VM().fit(X, labels).path_[0]["weight"] == 1.0


def test_sparse_and_dense_rows_agree():
    X, labels, _ = task()
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    for kernel in ("linear", "rbf"):
        dense = CCCPS3VM(kernel=kernel, gamma=0.3, tol=1e-7).fit(X, labels)
        sparse = CCCPS3VM(kernel=kernel, gamma=0.3, tol=1e-7).fit(sp.csr_array(X), labels)
        assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-5)


def test_two_fits_are_the_same():
    X, labels, _ = task()
    for kernel in ("rbf", "linear"):
        a, b = (CCCPS3VM(kernel=kernel).fit(X, labels).decision_function(X) for _ in range(2))
        assert np.array_equal(a, b)


@pytest.mark.parametrize("s", [-1.0, 0.1, "x", True, None])
def test_s_outside_its_range_is_refused(s):
    X, labels, _ = task()
    with pytest.raises(
        ValueError, match=r"s=.* was given and a number above -1 and up to 0 is needed, such as -0\.3\."
    ):
        CCCPS3VM(s=s).fit(X, labels)


def test_an_unknown_loss_is_refused():
    X, labels, _ = task()
    with pytest.raises(ValueError, match="loss='hinge' was given and one of 'ramp', 'squared_hinge' is needed"):
        CCCPS3VM(loss="hinge").fit(X, labels)


def test_without_unlabeled_rows_it_is_the_supervised_machine():
    X, _, truth = task()
    with pytest.warns(UserWarning, match="CCCPS3VM was given no unlabeled rows"):
        model = CCCPS3VM().fit(X, truth)
    assert model.score(X, truth) > 0.8


def test_a_time_limit_leaves_a_fitted_model(monkeypatch):
    X, labels, _ = task(100)
    time_passes_after(1, CCCPS3VM, monkeypatch)
    with pytest.warns(ConvergenceWarning, match="CCCPS3VM stopped at time_limit=0.05 with stationarity"):
        model = CCCPS3VM(time_limit=0.05, C=100.0, tol=1e-9).fit(X, labels)
    assert (model.status_, model.n_iter_) == ("stopped at time_limit", 1)
    assert model.predict(X).shape == (100,)


@pytest.mark.data
def test_g50c_as_published():
    """Spec figures on the ten published splits, at one sound setting: 5.9 (s < 0), 6.2 (squared hinge, true ratio)."""
    data = load_g50c()
    errors = {"ramp": [], "squared_hinge": []}
    for split in range(10):
        labels = data.partial_labels(split)
        rest = labels < 0
        models = {
            "ramp": CCCPS3VM(kernel="linear", C=0.01),
            "squared_hinge": CCCPS3VM(loss="squared_hinge", gamma=1 / (2 * 38.0**2), C=19.0, C_unlabeled="equal",
                                      ratio=float(data.y[rest].mean())),
        }  # fmt: skip
        for name, model in models.items():
            model.fit(data.X, labels)
            errors[name].append(100 * np.mean(model.transduction_[rest] != data.y[rest]))
    assert np.mean(errors["ramp"]) < 6.6
    assert 5.6 < np.mean(errors["squared_hinge"]) < 6.8


@pytest.mark.data
def test_text_with_linear_functions_stays_below_the_published_error():
    data = load_text()
    errors = []
    for split in range(10):
        labels = data.partial_labels(split)
        model = CCCPS3VM(kernel="linear", C=10.0).fit(data.X, labels)
        errors.append(100 * np.mean(model.transduction_[labels < 0] != data.y[labels < 0]))
    assert np.mean(errors) <= 6.9
