"""The rows a cache hands out are the rows of the matrix, whatever it had to forget."""

import ctypes

import numpy as np
import pytest

from semisvm.optim.row_cache import DenseGramRows, RowCache

KINDS = {np.float32: ctypes.c_float, np.float64: ctypes.c_double}


def symmetric(n, dtype=np.float64):
    K = np.random.default_rng(0).standard_normal((n, n))
    return (K + K.T).astype(dtype)


def rows_at(addresses, n, dtype):
    return np.array([np.ctypeslib.as_array((KINDS[dtype] * n).from_address(int(begin))) for begin in addresses])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_held", [64, 100, 300])
def test_fetched_rows_are_those_of_the_matrix(dtype, n_held):
    n, K = 300, symmetric(300, dtype)
    cache = RowCache(lambda index: K[index], n, cache_bytes=n_held * n * K.itemsize)
    rng = np.random.default_rng(1)
    for _ in range(60):
        index = rng.choice(n, size=rng.integers(1, n_held + 1), replace=False)
        held = cache.held()
        before = cache.n_rows
        np.testing.assert_array_equal(rows_at(cache.fetch(index), n, dtype), K[index])
        assert cache.n_rows - before == np.count_nonzero(~held[index])
        assert cache.held()[index].all()
        assert np.count_nonzero(cache.held()) <= cache.capacity == n_held


def test_the_rows_used_longest_ago_are_forgotten():
    K = symmetric(200)
    cache = RowCache(lambda index: K[index], 200, cache_bytes=100 * 200 * 8)
    cache.fetch(np.arange(50))
    cache.fetch(np.arange(50, 100))
    cache.fetch(np.arange(10))  # used again, so 10, ..., 49 are the oldest now
    cache.fetch(np.arange(100, 140))
    np.testing.assert_array_equal(np.flatnonzero(cache.held()), np.r_[0:10, 50:140])


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_rows(order):
    K = np.array(symmetric(20), order=order)
    rows = DenseGramRows(K)
    np.testing.assert_array_equal(rows_at(rows.fetch(np.array([3, 0, 7])), 20, np.float64), K[[3, 0, 7]])
    assert rows.n_rows == 0
    assert not rows.single


def test_type_of_the_rows():
    K = symmetric(10, np.float32)
    cache = RowCache(lambda index: K[index], 10)
    cache.fetch(np.arange(3))
    assert cache.single
    assert not cache.demand_float64()
    wide = RowCache(lambda index: K[index], 10)
    assert wide.demand_float64()
    np.testing.assert_array_equal(rows_at(wide.fetch(np.arange(3)), 10, np.float64), K[:3].astype(np.float64))


def test_views_are_copied():
    K = symmetric(30)
    buffer = np.empty((30, 30))

    def rows(index):
        np.take(K, index, axis=0, out=buffer[: len(index)])
        return buffer[: len(index)]

    cache = RowCache(rows, 30)
    cache.fetch(np.arange(5))
    np.testing.assert_array_equal(rows_at(cache.fetch(np.arange(10)), 30, np.float64), K[:10])


def test_refusals():
    K = symmetric(100)
    buffer = np.empty((1, 100))

    def rows(index):
        buffer[:] = K[index]
        return buffer

    cache = RowCache(rows, 100)
    cache.fetch(np.array([0]))
    with pytest.raises(ValueError, match=r"rows\(index\) returned the same array twice; each answer must be a new one"):
        cache.fetch(np.array([1]))
    small = RowCache(lambda index: K[index], 100, cache_bytes=1)
    with pytest.raises(ValueError, match=r"65 rows were asked for at once; this cache holds 64\."):
        small.fetch(np.arange(65))


def test_rows_take_a_share_of_the_memory_there_is(monkeypatch):
    n = 16_000
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", str(8 * 2**30))
    assert RowCache(lambda index: np.empty((len(index), n)), n).capacity == n
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", str(64 * 2**20))
    assert RowCache(lambda index: np.empty((len(index), n)), n).capacity == 48 * 2**20 // (8 * n)
