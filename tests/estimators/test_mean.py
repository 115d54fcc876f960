"""MeanS3VM from outside: parameters, fitted attributes, published accuracies."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from semisvm import Graph, MeanS3VM
from semisvm.datasets import load_ssl
from tests.problems import two_blobs


def task(n=120, k_classes=2, n_labeled=12, seed=0):
    rng = np.random.default_rng(seed)
    if k_classes == 2:
        X, y = two_blobs(n, seed=seed, shift=1.8)
        truth = (y[:, 0] > 0).astype(int)
    else:
        truth = np.arange(n) % k_classes
        X = rng.normal(size=(n, 4)) + 2.5 * np.eye(k_classes, 4)[truth]
    labels = truth.copy()
    labels[n_labeled:] = -1
    return X, labels, truth


WHERE = [{}, {"kernel": "linear"}, {"n_components": 30}, {"graph": Graph(n_neighbors=5)}]


@pytest.mark.parametrize("variant", ["iter", "mkl"])
@pytest.mark.parametrize("where", WHERE, ids=["rbf", "linear", "landmarks", "deformed"])
@pytest.mark.parametrize("k_classes", [2, 3])
def test_it_learns_in_every_kind_of_space(variant, where, k_classes):
    X, labels, truth = task(k_classes=k_classes)
    model = MeanS3VM(variant=variant, C=10.0, random_state=0, **where).fit(X, labels)
    assert np.mean(model.predict(X) == truth) > 0.8
    assert np.all(model.stationarity_ <= model.tol)
    rest = labels < 0
    assert np.array_equal(model.transduction_[rest], model.predict(X)[rest])
    assert model.path_[-1]["assignments"].shape == (1 if k_classes == 2 else 3,)


def test_sparse_and_dense_rows_agree():
    X, labels, _ = task()
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    for kernel in ("linear", "rbf"):
        dense = MeanS3VM(kernel=kernel, gamma=0.3, tol=1e-7).fit(X, labels)
        sparse = MeanS3VM(kernel=kernel, gamma=0.3, tol=1e-7).fit(sp.csr_array(X), labels)
        assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-5)


def test_without_intercept_the_bias_is_zero():
    X, labels, _ = task()
    assert_allclose(MeanS3VM(fit_intercept=False).fit(X, labels).intercept_, 0.0)


def test_the_count_is_that_of_the_means_only():
    X, labels, _ = task()
    model = MeanS3VM(ratio=0.3, C_unlabeled=1.0).fit(X, labels)
    assert_allclose(model.ratio_, [0.3])
    few = np.mean(model.transduction_[labels < 0] == 1)
    many = np.mean(MeanS3VM(ratio=0.7, C_unlabeled=1.0).fit(X, labels).transduction_[labels < 0] == 1)
    assert few < many


def test_two_fits_are_the_same():
    X, labels, _ = task()
    a, b = (MeanS3VM(variant="mkl", kernel="linear").fit(X, labels).decision_function(X) for _ in range(2))
    assert np.array_equal(a, b)


@pytest.mark.parametrize("balance", ["soft", "none"])
def test_a_balance_without_a_count_is_refused(balance):
    X, labels, _ = task()
    with pytest.raises(ValueError, match=f"balance='{balance}' was given to MeanS3VM and 'exact' is needed"):
        MeanS3VM(balance=balance).fit(X, labels)


@pytest.mark.parametrize(("name", "value"), [("variant", "both"), ("oracle", "exact")])
def test_unknown_choices_are_refused(name, value):
    X, labels, _ = task()
    with pytest.raises(ValueError, match=f"{name}='{value}' was given and one of "):
        MeanS3VM(**{name: value}).fit(X, labels)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "kernel", "iterated", "mixed"),
    [("g241c", {"kernel": "linear"}, 72.22, 65.48), ("digit1", {"gamma": "mean_distance"}, 82.98, 83.00)],
)
def test_published_accuracy_with_ten_labels(name, kernel, iterated, mixed):
    """Table 1 of the paper, twelve published splits, C1 = 100, C2 = 0.1."""
    data = load_ssl(name)
    for variant, published in (("iter", iterated), ("mkl", mixed)):
        accuracy = []
        for split in range(12):
            labels = data.partial_labels(split, 10)
            rest = labels < 0
            model = MeanS3VM(variant=variant, C=100.0, ratio=float(data.y[rest].mean()), **kernel).fit(data.X, labels)
            accuracy.append(100 * np.mean(model.transduction_[rest] == data.y[rest]))
        assert abs(np.mean(accuracy) - published) < (0.05 if name == "digit1" else 0.25)
