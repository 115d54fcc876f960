"""The bagged cluster kernel, and low density separation chosen by folds, against what they are made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.svm import SVC

from semisvm import LowDensitySeparation
from semisvm.datasets import hide_labels, make_g50c
from semisvm_papers import bagged_kernel as module
from semisvm_papers.bagged_kernel import BaggedKernelSVC, bagged_kernel
from semisvm_papers.hashed_rows import HashedRows
from semisvm_papers.low_density_by_folds import LowDensityByFolds


def four_blobs(n=120, seed=0):
    """Two classes of two clusters each, crosswise: a cluster is pure, a half plane is not."""
    corner = np.arange(n) % 4
    centers = 6.0 * np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    return np.random.RandomState(seed).normal(size=(n, 2)) + centers[corner], (corner >= 2).astype(int)


def test_the_kernel_is_that_of_the_formula():
    X, _ = four_blobs()
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    sigma = 0.5 * distances[np.triu_indices(len(X), 1)].mean()
    together = np.zeros((len(X), len(X)))
    for bag in range(3):
        labels = KMeans(5, n_init=1, max_iter=30, random_state=bag).fit(X).labels_
        together += (labels[:, None] == labels) / 3
    expected = np.exp(-(distances**2) / (2 * sigma**2)) * together
    assert_allclose(bagged_kernel(HashedRows(X), 5, 0.5, 3), expected, atol=1e-8)


def test_labels_are_those_of_an_svm_with_the_kernel_of_the_chosen_pair():
    X, y = four_blobs()
    labeled = np.arange(40)
    model = BaggedKernelSVC(n_clusters=[1, 4], widths=[100.0], random_state=0).fit(X, hide_labels(y, labeled))
    # a kernel that is flat over the rows cannot tell the crosswise clusters apart
    assert (model.n_clusters_, model.width_) == (4, 100.0)
    K = bagged_kernel(HashedRows(X), 4, 100.0, 20)
    svc = SVC(C=100, kernel="precomputed").fit(K[np.ix_(labeled, labeled)], y[labeled])
    assert_array_equal(model.transduction_[40:], svc.predict(K[40:, :40]))
    assert_array_equal(model.transduction_[:40], y[:40])
    assert np.mean(model.transduction_ == y) > 0.9


def test_sparse_rows_are_rows_and_clusters_are_found_once():
    X, y = four_blobs(60)
    partial = hide_labels(y, range(8))
    dense, thin = (
        BaggedKernelSVC(n_clusters=[4]).fit(rows, partial).transduction_ for rows in (X, sparse.csr_matrix(X))
    )
    assert_array_equal(dense, thin)
    misses = module._shares.cache_info().misses
    BaggedKernelSVC(n_clusters=[4], widths=[2.0]).fit(X.copy(), partial)
    assert module._shares.cache_info().misses == misses


@pytest.mark.parametrize("rho", [1.0, 4.0])
def test_one_pair_is_low_density_separation_on_the_complete_graph(rho):
    X, y = make_g50c(random_state=0)
    X, partial = X[:150], hide_labels(y[:150], range(20))
    expected = LowDensitySeparation(rho=rho, C=10, n_neighbors=149, threshold="zero", random_state=0).fit(X, partial)
    found = LowDensityByFolds(rhos=[rho], Cs=[10]).fit(X, partial)
    assert_array_equal(found.transduction_, expected.transduction_)


def test_folds_choose_the_pair_with_the_fewest_wrong_labels(monkeypatch):
    X, y = make_g50c(random_state=0)
    X, partial = X[:100], hide_labels(y[:100], range(20))
    wrong = {(1.0, 1.0): 3, (1.0, 10.0): 1, (4.0, 1.0): 1, (4.0, 10.0): 2}
    counts = iter(wrong.values())
    monkeypatch.setattr(LowDensityByFolds, "_wrong", lambda self, Z, C, labels: next(counts))
    model = LowDensityByFolds(rhos=[1.0, 4.0], Cs=[1.0, 10.0]).fit(X, partial)
    assert (model.rho_, model.C_) == (1.0, 10.0)


def test_wrong_labels_are_counted_on_hidden_rows():
    X, y = four_blobs(60)
    flipped = y.copy()
    flipped[:3] = 1 - flipped[:3]
    partial = hide_labels(flipped, range(30))
    model = LowDensityByFolds(rhos=[4.0], Cs=[100.0])
    right = model._wrong(X, 100.0, hide_labels((X[:, 0] > 3).astype(int), range(30)))
    assert right == 0
    assert model._wrong(X, 100.0, partial) >= 3
