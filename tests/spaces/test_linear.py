"""What is particular to rows kept as they are: blocks, threads, sparsity, precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from semisvm.spaces import Centered, Linear, row_passes
from semisvm.spaces.row_passes import in_threads


def rows_of(rng, kind, dtype=np.float64):
    X = rng.normal(size=(101, 7))
    X[90:] = 0.0
    return sp.csr_array(np.where(X > 0.5, X, 0).astype(dtype)) if kind == "sparse" else X.astype(dtype)


def squares(rows, outputs):
    return np.sum(outputs**2, axis=0), 2 * outputs


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 2])
def test_dense_rows_in_many_blocks_are_rows_in_one(monkeypatch, rng, dtype, k):
    X, theta, v = rows_of(rng, "dense", dtype), rng.normal(size=(7, k)), rng.normal(size=(101, k))
    space = Linear(X)
    whole = [*space.sweep(theta, squares), space.outputs(theta), space.represent(v)]
    monkeypatch.setattr(row_passes, "BLOCK_BYTES", 300)
    space = Linear(X)
    assert len(space.passes.blocks(slice(0, 101))) > 5
    for a, b in zip(whole, [*space.sweep(theta, squares), space.outputs(theta), space.represent(v)], strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("kind", "dtype", "k"),
    [
        ("sparse", np.float64, 1),
        ("sparse", np.float64, 2),
        ("sparse", np.float32, 1),
        ("sparse", np.float32, 2),
        ("dense", np.float32, 1),
    ],
)
def test_threads_share_the_rows(monkeypatch, rng, kind, dtype, k):
    X, theta, v = rows_of(rng, kind, dtype), rng.normal(size=(7, k)), rng.normal(size=(101, k))
    alone = Linear(X)
    expected = [*alone.sweep(theta, squares), alone.outputs(theta), alone.represent(v)]
    monkeypatch.setattr(row_passes, "THREAD_WORK", 1)
    monkeypatch.setattr(row_passes, "effective_threads", lambda: 3)
    space = Linear(X)
    ranges = space.passes.ranges(k)
    assert len(ranges) == 3
    assert ranges[0].start == 0
    assert ranges[-1].stop == 101
    for a, b in zip(expected, [*space.sweep(theta, squares), space.outputs(theta), space.represent(v)], strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    # the same threads give the same bits
    for a, b in zip(space.sweep(theta, squares), space.sweep(theta, squares), strict=True):
        assert_array_equal(a, b)


def test_an_error_in_a_thread_is_raised():
    def work(rows):
        if rows.start == 2:
            raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        in_threads(work, [slice(0, 1), slice(1, 2), slice(2, 3)])


def test_single_columns_and_empty_rows(rng):
    X = rows_of(rng, "sparse")
    space, w, v = Linear(X), rng.normal(size=7), rng.normal(size=101)
    assert_allclose(space.outputs(w), X.toarray() @ w)
    assert_allclose(space.represent(v), X.toarray().T @ v)
    assert not space.outputs(w)[90:].any()


def test_sparse_rows_stay_sparse(rng):
    X = sp.random_array((50, 10_000), density=1e-3, format="csr", rng=rng)
    space = Centered(Linear(X), np.arange(25, 50))
    theta = space.represent(rng.normal(size=(50, 1)))
    assert_allclose(space.outputs(theta)[25:].mean(), 0.0, atol=1e-12)
    assert space.base.passes.parts[0] is X.data


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_float32_rows_are_summed_in_float64(rng, kind):
    X, theta = rows_of(rng, kind, np.float32), rng.normal(size=(7, 2))
    exact = (X.toarray() if kind == "sparse" else X).astype(np.float64)
    space = Linear(X)
    assert space.outputs(theta).dtype == np.float64
    assert_allclose(space.outputs(theta), exact @ theta, rtol=1e-13, atol=1e-14)
    assert_allclose(space.represent(exact @ theta), exact.T @ (exact @ theta), rtol=1e-12, atol=1e-13)


def test_products_that_have_threads_of_their_own_take_all_rows_at_once(monkeypatch, rng):
    monkeypatch.setattr(row_passes, "THREAD_WORK", 1)
    monkeypatch.setattr(row_passes, "effective_threads", lambda: 3)
    double = row_passes.RowPasses.over(rng.normal(size=(30, 4)))
    assert double.ranges(1) == [slice(0, 30)]
    assert len(row_passes.RowPasses.over(sp.csr_array(double.X)).ranges(1)) == 3
