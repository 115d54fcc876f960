"""The cluster kernel against its formula, and the SVM that is trained with it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.svm import SVC

import semisvm_papers.cluster_kernel as module
from semisvm.datasets import hide_labels
from semisvm_papers.cluster_kernel import ClusterKernelSVC, cluster_kernel
from semisvm_papers.hashed_rows import HashedRows


def blobs(n=60, seed=0):
    y = np.arange(n) % 2
    return np.random.RandomState(seed).normal(size=(n, 2)) + 4 * y[:, None], y


def by_hand(X, k):
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    distances = np.sqrt(squares)[np.triu_indices(len(X), 1)]
    K = np.exp(-squares / (2 * distances.mean() ** 2))
    D = np.diag(1 / np.sqrt(K.sum(axis=1)))
    values, vectors = np.linalg.eigh(D @ K @ D)
    order = np.argsort(-values)
    phi = np.array([np.sqrt(values[i]) if place < k else values[i] ** 2 for place, i in enumerate(order)])
    changed = vectors[:, order] @ np.diag(phi) @ vectors[:, order].T
    scale = np.diag(1 / np.sqrt(np.diag(changed)))
    return scale @ changed @ scale


@pytest.fixture
def no_cache():
    module._spectrum.cache_clear()


def test_the_kernel_is_that_of_the_formula(no_cache):
    X, _ = blobs()
    values, vectors = module._spectrum(HashedRows(X))
    for k in (3, 20):
        assert_allclose(cluster_kernel(values, vectors, k), by_hand(X, k), atol=1e-8)
    assert np.abs(by_hand(X, 3) - by_hand(X, 20)).max() > 0.01


def test_labels_are_those_of_an_svm_with_the_kernel(no_cache):
    X, y = blobs()
    labeled = np.array([0, 1, 2, 3])
    model = ClusterKernelSVC(C=10, extra=2).fit(X, hide_labels(y, labeled))
    K = by_hand(X, 6)
    svc = SVC(C=10, kernel="precomputed").fit(K[np.ix_(labeled, labeled)], y[labeled])
    assert_array_equal(np.delete(model.transduction_, labeled), np.delete(svc.predict(K[:, labeled]), labeled))
    assert_array_equal(model.transduction_[labeled], y[labeled])
    assert np.mean(model.transduction_ == y) > 0.9


def test_the_spectrum_of_equal_rows_is_computed_once(no_cache):
    X, y = blobs()
    for labeled in ([0, 1], [2, 3]):
        ClusterKernelSVC().fit(X.copy(), hide_labels(y, labeled))
    assert module._spectrum.cache_info().misses == 1
    ClusterKernelSVC().fit(X + 1, hide_labels(y, [0, 1]))
    assert module._spectrum.cache_info().misses == 2


def test_sparse_rows_are_rows(no_cache):
    X, y = blobs(20)
    partial = hide_labels(y, [0, 1])
    dense, thin = (ClusterKernelSVC().fit(rows, partial).transduction_ for rows in (X, sparse.csr_matrix(X)))
    assert_array_equal(dense, thin)
