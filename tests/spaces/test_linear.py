"""What is particular to rows kept as they are: blocks, sparsity, precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from semisvm.spaces import Centered, Linear
from semisvm.spaces import linear as linear_module


@pytest.mark.parametrize("sparse", [False, True])
def test_sweep_in_many_blocks_is_sweep_in_one(monkeypatch, rng, sparse):
    X = rng.normal(size=(101, 7))
    X = sp.csr_array(np.where(X > 0.5, X, 0)) if sparse else X
    theta = rng.normal(size=(7, 2))

    def f(rows, outputs):
        return np.sum(outputs**2, axis=0), 2 * outputs

    whole = Linear(X).sweep(theta, f)
    monkeypatch.setattr(linear_module, "BLOCK_BYTES", 300)
    space = Linear(X)
    assert len(space.blocks) > 5
    for a, b in zip(whole, space.sweep(theta, f), strict=True):
        assert_allclose(a, b, rtol=1e-12)


def test_sparse_rows_stay_sparse(rng):
    X = sp.random_array((50, 10_000), density=1e-3, format="csr", rng=rng)
    space = Centered(Linear(X), np.arange(25, 50))
    theta = space.represent(rng.normal(size=(50, 1)))
    assert_allclose(space.outputs(theta)[25:].mean(), 0.0, atol=1e-12)
    assert all(sp.issparse(rows) for _, rows in space.base.blocks)


def test_float32_rows_give_float64_outputs(rng):
    X = rng.normal(size=(40, 6))
    theta = rng.normal(size=(6, 2))
    outputs = Linear(X.astype(np.float32)).outputs(theta)
    assert outputs.dtype == np.float64
    assert_allclose(outputs, X @ theta, rtol=1e-4, atol=1e-5)
