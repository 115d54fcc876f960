"""The combinatorial S3VMs as scikit-learn estimators."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import (
    AnnealingS3VM,
    BranchAndBoundS3VM,
    GradientS3VM,
    Graph,
    LabelSwitchingS3VM,
    LinearProgrammingS3VM,
    SDPRelaxationS3VM,
    SupervisedSVM,
    s3vm_objective,
)
from semisvm.datasets import hide_labels, load_coil3, load_g50c, load_text, make_two_moons
from tests.estimators.quick import time_passes_after

EVERY = [
    AnnealingS3VM(),
    AnnealingS3VM(variant="alternating"),
    AnnealingS3VM(keep="best"),
    BranchAndBoundS3VM(),
    LabelSwitchingS3VM(),
    LabelSwitchingS3VM(n_switches="all"),
    LabelSwitchingS3VM(loss="hinge", n_switches=5),
    LinearProgrammingS3VM(),
    LinearProgrammingS3VM(variant="milp"),
    SDPRelaxationS3VM(rank=2, random_state=0),
]
MOONS = {"gamma": 2.0, "C": 10.0, "C_unlabeled": "equal", "ratio": 0.5}


def blobs(n=24, k=2, seed=0):
    """k clouds, two labels each."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = rng.normal(size=(n, 3)) + 3.0 * np.eye(3)[y]
    return X, y, hide_labels(y, np.arange(2 * k))


def moons(n=200, seed=0):
    X, y = make_two_moons(n, random_state=seed)
    return X, y, hide_labels(y, [0, 1])


@pytest.mark.parametrize("model", EVERY, ids=str)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fit_and_predict(model, k):
    X, y, partial = blobs(k=k)
    model.fit(X, partial)
    assert np.mean(model.predict(X) == y) > 0.8
    assert_array_equal(model.transduction_[partial >= 0], partial[partial >= 0])
    assert model.objective_.shape == (1 if k == 2 else k,)
    assert all("objective" in record and "seconds" in record for record in model.path_)
    if k == 2 and model.balance == "exact":
        assert np.sum(model.transduction_[partial < 0] == 1) == np.sum(partial < 0) // 2


@pytest.mark.parametrize("model", EVERY, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("balance", ["exact", "soft", "none"])
def test_every_balance(model, balance):
    X, y, partial = blobs(n=16)
    before = model.balance
    model.set_params(balance=balance).fit(X, partial)
    model.set_params(balance=before)
    assert np.mean(model.predict(X) == y) > 0.7


@pytest.mark.parametrize(
    "model", [LabelSwitchingS3VM(n_switches="all"), AnnealingS3VM(), BranchAndBoundS3VM()], ids=str
)
def test_sparse_rows_float32_and_a_graph(model):
    X, y, partial = blobs(n=30)
    expected = model.set_params(kernel="linear").fit(X, partial).objective_
    assert_allclose(model.fit(sp.csr_array(X), partial).objective_, expected, rtol=1e-4)
    assert_allclose(model.fit(X.astype(np.float32), partial).objective_, expected, rtol=1e-3)
    model.set_params(kernel="rbf", graph=Graph(n_neighbors=5)).fit(X, partial)
    assert np.mean(model.predict(X) == y) > 0.8
    model.set_params(graph=None)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LabelSwitchingS3VM(n_switches="some"), r"n_switches='some' was given and one of 'all' is needed"),
        (LabelSwitchingS3VM(n_switches=0), "n_switches=0 was given and a whole number of at least 1"),
        (LabelSwitchingS3VM(loss="log"), "loss='log' was given and one of 'squared_hinge', 'hinge'"),
        (AnnealingS3VM(variant="fast"), "variant='fast' was given and one of 'gradient', 'alternating'"),
        (AnnealingS3VM(cooling=0.9), "cooling=0.9 was given and a number above 1, such as 1.5, is needed"),
        (AnnealingS3VM(cooling="fast"), "cooling='fast' was given"),
        (LabelSwitchingS3VM(growth=1.0), "growth=1.0 was given and a number above 1, such as 1.5, is needed"),
        (LabelSwitchingS3VM(growth="fast"), "growth='fast' was given"),
        (BranchAndBoundS3VM(order="breadth_first"), "order='breadth_first' was given"),
        (AnnealingS3VM(keep="first"), "keep='first' was given and one of 'last', 'best'"),
        (BranchAndBoundS3VM(gap=0), "gap=0 was given and a positive number"),
        (SDPRelaxationS3VM(backend="mosek"), "backend='mosek' was given and one of 'clarabel', 'scs'"),
        (SDPRelaxationS3VM(rank=1), "rank=1 was given and a whole number of at least 2"),
        (SDPRelaxationS3VM(rounding="up"), "rounding='up' was given and one of 'column', 'eigenvector'"),
        (LinearProgrammingS3VM(kernel="rbf"), "kernel='rbf' was given and one of 'linear' is needed"),
        (LinearProgrammingS3VM(variant="lp"), "variant='lp' was given and one of 'successive', 'milp'"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(model, message):
    X, _, partial = blobs()
    with pytest.raises(ValueError, match=message):
        model.fit(X, partial)


# ---------------------------------------------------------------- branch and bound


def test_branch_and_bound_tells_the_moons_apart_and_proves_it():
    for seed in range(3):
        X, y, partial = moons(seed=seed)
        model = BranchAndBoundS3VM(**MOONS).fit(X, partial)
        assert model.optimal_
        assert_array_equal(model.transduction_, y)
        assert_allclose(model.upper_bound_, model.objective_)
        assert 0 <= model.upper_bound_[0] - model.lower_bound_[0] <= 1e-6 * model.upper_bound_[0]
        assert model.n_nodes_ > 0


@pytest.mark.parametrize("order", ["best_first", "depth_first"])
def test_every_class_has_its_certificate(order, rng):
    X = np.concatenate([rng.normal(center, 0.4, size=(12, 2)) for center in ((0, 0), (2, 0), (0, 2))])
    y = np.repeat([0, 1, 2], 12)
    partial = hide_labels(y, [0, 12, 24])
    model = BranchAndBoundS3VM(order=order, C=10.0, C_unlabeled="equal", gamma=0.5, ratio="uniform").fit(X, partial)
    assert model.lower_bound_.shape == model.upper_bound_.shape == model.certified_.shape == (3,)
    assert model.certified_.all()
    assert model.optimal_ is True
    assert np.all(model.lower_bound_ <= model.upper_bound_)
    assert np.all(model.upper_bound_ - model.lower_bound_ <= 1e-6 * np.maximum(1.0, model.upper_bound_))
    assert_array_equal(model.transduction_, y)
    for one in range(3):
        alone = BranchAndBoundS3VM(C=10.0, C_unlabeled="equal", gamma=0.5, ratio=1 / 3)
        alone.fit(X, np.where(partial < 0, -1, partial == one))
        assert_allclose(alone.upper_bound_[0], model.upper_bound_[one], rtol=1e-5)


def test_no_local_method_is_below_the_certified_optimum():
    X, _, partial = moons(80, seed=1)
    best = BranchAndBoundS3VM(**MOONS).fit(X, partial)
    cost = {"C": 10.0, "C_unlabeled": "equal", "gamma": 2.0}
    assert_allclose(s3vm_objective(X, partial, best.transduction_, **cost), best.objective_[0], rtol=1e-7)
    others = [
        LabelSwitchingS3VM(),
        LabelSwitchingS3VM(n_switches="all"),
        AnnealingS3VM(),
        AnnealingS3VM(variant="alternating"),
        GradientS3VM(balance="exact"),
    ]
    for model in others:
        found = model.set_params(**MOONS).fit(X, partial).transduction_
        # the same labels, retrained, may differ in the last bits
        assert s3vm_objective(X, partial, found, **cost) >= best.lower_bound_[0] * (1 - 1e-12)


def test_branch_and_bound_out_of_time_says_so_and_keeps_valid_bounds(monkeypatch):
    X, _, partial = make_hard()
    time_passes_after(2, BranchAndBoundS3VM, monkeypatch)
    with pytest.warns(match="stopped at time_limit=0.2"):
        model = BranchAndBoundS3VM(**MOONS, time_limit=0.2).fit(X, partial)
    assert not model.optimal_
    assert model.lower_bound_[0] < model.upper_bound_[0]
    assert [record["lower_bound"][0] for record in model.path_] == sorted(
        record["lower_bound"][0] for record in model.path_
    )


def make_hard():
    """One round cloud: no gap anywhere, so that the tree takes far longer than the tests may."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    order = np.argsort(X[:, 0])
    y = (X[:, 0] > 0).astype(int)
    return X, y, hide_labels(y, order[[0, -1]])


def test_warm_start_begins_at_the_last_solution():
    X, _, partial = moons(60)
    model = BranchAndBoundS3VM(**MOONS, warm_start=True).fit(X, partial)
    first = model.n_iter_
    assert model.fit(X, partial).n_iter_ <= first


# ---------------------------------------------------------------- the others


def test_no_annealing_is_one_stage_after_the_supervised_start():
    X, _, partial = blobs()
    assert [r["weight"] for r in LabelSwitchingS3VM(n_stages=1).fit(X, partial).path_] == [0.0, 1.0]
    published = [r["weight"] for r in LabelSwitchingS3VM().fit(X, partial).path_]
    assert_allclose(published[1:4], [1e-5, 1.5e-5, 2.25e-5])
    assert published[-1] == 1.0
    assert len(published) == 31


def test_annealing_tells_temperature_and_entropy():
    X, _, partial = blobs()
    path = AnnealingS3VM().fit(X, partial).path_
    assert path[0]["temperature"] == 10.0
    assert path[-1]["entropy"].max() < 1e-6
    assert len(AnnealingS3VM(n_stages=4).fit(X, partial).path_) == 4


def test_the_relaxation_bounds_the_problem_without_a_free_bias():
    X, _, partial = blobs(n=14)
    settings = {"gamma": 0.3, "C": 1.0, "C_unlabeled": 0.5, "fit_intercept": False}
    relaxed = SDPRelaxationS3VM(rank=5, **settings).fit(X, partial)
    exact = BranchAndBoundS3VM(**settings).fit(X, partial)
    assert relaxed.relaxation_bound_[0] <= exact.objective_[0] + 1e-9 <= relaxed.objective_[0] + 1e-6


def test_linear_programming_leaves_most_weights_at_zero(rng):
    X = rng.normal(size=(40, 30))
    y = (X[:, 0] > 0).astype(int)
    model = LinearProgrammingS3VM(C=1.0).fit(X, hide_labels(y, np.arange(16)))
    assert 0 < np.sum(np.abs(model.coef_) > 1e-9) < 20


# ---------------------------------------------------------------- the objective of a labeling


def test_the_objective_of_a_labeling_is_that_of_the_supervised_svm():
    X, y, partial = blobs(k=3)
    weights = np.where(partial < 0, 0.25, 1.0)
    svm = SupervisedSVM(C=2.0, gamma=0.3, unlabeled=None, tol=1e-9).fit(X, y, sample_weight=weights)
    assert_allclose(s3vm_objective(X, partial, y, C=2.0, C_unlabeled=0.5, gamma=0.3), svm.objective_.mean(), rtol=1e-7)


def test_given_labels_count_as_given():
    X, y, partial = blobs()
    wrong = y.copy()
    wrong[0] = 1 - wrong[0]
    assert s3vm_objective(X, partial, wrong) == s3vm_objective(X, partial, y)


def test_the_objective_refuses_labels_that_do_not_fit():
    X, y, partial = blobs()
    with pytest.raises(ValueError, match=r"labels has shape \(3,\) and one class for each of 24 rows is needed"):
        s3vm_objective(X, partial, y[:3])
    with pytest.raises(ValueError, match=r"labels contains .*7.*, which is not a class of y; they are \[0, 1\]"):
        s3vm_objective(X, partial, np.where(np.arange(24) == 20, 7, y))


# ---------------------------------------------------------------- published sets


@pytest.mark.data
def test_g50c_errors_are_near_the_published_ones():
    data = load_g50c()
    errors = {"light": [], "annealing": []}
    for split in range(3):
        partial = data.partial_labels(split)
        hidden = partial < 0
        settings = {
            "C": 19.0,
            "C_unlabeled": "equal",
            "gamma": 1 / (2 * 38.0**2),
            "ratio": float(data.y[hidden].mean()),
        }
        for name, model in (("light", LabelSwitchingS3VM(n_switches="all")), ("annealing", AnnealingS3VM())):
            found = model.set_params(**settings).fit(data.X, partial).transduction_
            errors[name].append(100 * np.mean(found[hidden] != data.y[hidden]))
    assert 5.0 < np.mean(errors["light"]) < 8.0  # published 6.2, ten splits
    assert 5.0 < np.mean(errors["annealing"]) < 8.5  # published 7.0


@pytest.mark.data
def test_multi_switch_on_sparse_text():
    data = load_text()
    partial = data.partial_labels(0)
    hidden = partial < 0
    settings = {"kernel": "linear", "C": 1.25, "fit_intercept": False, "ratio": float(data.y[hidden].mean())}
    model = LabelSwitchingS3VM(n_switches="all", **settings).fit(data.X, partial)
    assert np.mean(model.transduction_[hidden] != data.y[hidden]) < 0.09


@pytest.mark.data
def test_branch_and_bound_makes_no_error_on_a_coil3_problem():
    data = load_coil3()
    rows = np.concatenate([np.flatnonzero(data.y == one)[[5, 40]] for one in range(3)])
    y = (data.y == 1).astype(int)
    partial = hide_labels(y, rows)
    ratio = float(y[partial < 0].mean())
    model = BranchAndBoundS3VM(C=100.0, C_unlabeled="equal", gamma=1 / (2 * 3000.0**2), ratio=ratio)
    model.fit(data.X, partial)
    assert_array_equal(model.transduction_, y)


@pytest.mark.data
def test_annealing_with_an_intercept_takes_no_more_iterations_than_without():
    text = load_text()
    taken = {True: 0, False: 0}
    for split in range(3):
        for intercept in taken:
            model = AnnealingS3VM(kernel="linear", C=1.25, tol=1e-2, fit_intercept=intercept)
            taken[intercept] += model.fit(text.X, text.partial_labels(split)).n_iter_
    # 1.7 with the bias measured like f
    assert taken[True] <= 1.25 * taken[False]
