"""The compiled passes over rows equal plain sums, for every way rows are stored."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from semisvm._core.row_sweep import dense_outputs, dense_pull, sparse_outputs, sparse_pull

from tests.reference import row_sweep as plain


def rows_of(rng, dtype, d=11):
    X = rng.normal(size=(23, d)) * (rng.random((23, d)) < 0.6)
    X[4] = 0.0
    return X.astype(dtype)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("d", [1, 3, 11])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("place", [np.int32, np.int64])
def test_sparse_passes(rng, dtype, place, d, k):
    X = rows_of(rng, dtype, d)
    S = sp.csr_array(X)
    parts = S.data, S.indices.astype(place), S.indptr.astype(place)
    w, v = rng.normal(size=(d, k)), rng.normal(size=(23, k))
    v[[7, 9]] = 0.0
    found, expected = np.full((2, 23, k), 7.0)
    sparse_outputs(*parts, 2, 20, w, found)
    plain.outputs(X, 2, 20, w, expected)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    found, expected = np.full((2, d, k), 0.5)
    sparse_pull(*parts, 2, 20, v, found)
    plain.adjoint(X, 2, 20, v, expected)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("d", [1, 3, 11])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_passes(rng, dtype, d, k):
    X = rows_of(rng, dtype, d)
    X.setflags(write=False)
    w, v = rng.normal(size=(d, k)), rng.normal(size=(23, k))
    found, expected = np.full((2, 23, k), 7.0)
    dense_outputs(X, 2, 20, w, found)
    plain.outputs(X, 2, 20, w, expected)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    found, expected = np.full((2, d, k), 0.5)
    dense_pull(X, 2, 20, v, found)
    plain.adjoint(X, 2, 20, v, expected)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_rows_without_entries():
    S = sp.csr_array((5, 4))
    o, g = np.ones((5, 2)), np.ones((4, 2))
    sparse_outputs(S.data, S.indices, S.indptr, 0, 5, np.ones((4, 2)), o)
    sparse_pull(S.data, S.indices, S.indptr, 0, 5, np.ones((5, 2)), g)
    assert not o.any()
    assert (g == 1).all()
