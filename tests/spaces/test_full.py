"""Products without a Gram matrix: what `once` promises of a full kernel space."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.memory import LIMIT_VARIABLE
from semisvm.spaces import Centered, Full, deform
from semisvm.spaces import full as full_module


@pytest.fixture
def space(monkeypatch):
    """A space whose sixty points count as many, in tiles of a few rows."""
    monkeypatch.setattr(full_module, "SMALL", 10)
    monkeypatch.setattr(full_module, "chunk_rows", lambda *_: 7)
    X = np.random.default_rng(3).normal(size=(60, 4))
    return Full(RBF(0.4), Points.of(X))


@pytest.mark.parametrize("used", [60, 5, 0])
@pytest.mark.parametrize("columns", [None, 3])
def test_once_is_the_product_and_holds_no_matrix(space, used, columns, rng):
    theta = np.zeros(60 if columns is None else (60, columns))
    theta[:used] = rng.normal(size=theta[:used].shape)
    once = space.once(theta)
    assert "matrix" not in space.__dict__
    assert_allclose(once, space.outputs(theta), atol=1e-12)


def test_a_coefficient_of_one_is_used_as_any_other(space):
    theta = np.zeros(60)
    theta[:40] = 1.0
    assert_allclose(space.once(theta), space.outputs(theta), atol=1e-12)


def test_centring_and_prediction_need_no_matrix(space, rng, monkeypatch):
    centered, theta = Centered(space, np.arange(10, 60)), rng.normal(size=(60, 2))
    monkeypatch.setenv(LIMIT_VARIABLE, "20000")
    k0, k00 = centered.mean_embedding
    scores = centered.predictor(theta, np.zeros(2)).scores(space.points.X)
    with pytest.raises(MemoryError, match=r"The Gram matrix of 60 rows needs .* set n_components=500"):
        centered.outputs(theta)
    monkeypatch.delenv(LIMIT_VARIABLE)
    K = space.gram()
    assert_allclose(k0, K[:, 10:].mean(axis=1), atol=1e-13)
    assert_allclose(k00, K[10:, 10:].mean(), atol=1e-13)
    assert_allclose(scores, centered.outputs(theta), atol=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 4, 5, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outputs_are_the_product_however_many_columns(columns, dtype, rng):
    X = rng.normal(size=(50, 3)).astype(dtype)
    space, theta = Full(RBF(0.4), Points.of(X)).in_the_precision_of_its_rows(), rng.normal(size=(50, columns))
    K = np.exp(-0.4 * np.sum((X[:, None].astype(float) - X) ** 2, axis=2))
    outputs = space.outputs(theta)
    assert outputs.dtype == np.float64
    assert_allclose(outputs, K @ theta, atol=1e-12 if dtype is np.float64 else 1e-5)
    assert_allclose(space.outputs(theta[:, 0]), outputs[:, 0], atol=1e-5)


def test_a_gram_matrix_is_exact_unless_the_precision_of_its_rows_will_do(rng):
    space = Full(RBF(0.4), Points.of(rng.normal(size=(20, 3)).astype(np.float32)))
    assert space.gram().dtype == np.float64
    assert space.in_the_precision_of_its_rows().gram().dtype == np.float32


def test_a_deformed_kernel_that_does_not_fit_is_refused(space, monkeypatch):
    graph = Graph(n_neighbors=5).term(space.points, 10.0, full_kernel=True)
    # three matrices of 60 rows are 86,400 bytes
    monkeypatch.setenv(LIMIT_VARIABLE, "80000")
    with pytest.raises(MemoryError, match="The deformed Gram matrix of 60 rows needs 84 KiB"):
        deform(space, graph)
    monkeypatch.setenv(LIMIT_VARIABLE, "100000")
    deform(space, graph)
