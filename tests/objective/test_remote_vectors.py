"""Numbers per row that stay with their rows behave as the arrays they stand for, and are fetched as late as can be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.objective.in_blocks import BlockRows

RNG = np.random.default_rng(2)
X, THETA, OTHER = RNG.normal(size=(23, 4)), RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
SIZE = np.array([0.5, -1.0, 2.0])


@pytest.fixture
def space():
    return BlockRows.of(X, 10).linear()


LINEAR = {
    "a sum": lambda a, b: a + b,
    "a difference": lambda a, b: a - b,
    "the negative": lambda a, b: -a,
    "a multiple": lambda a, b: SIZE * a,
    "a shift": lambda a, b: (a + SIZE) - 2.0,
    "a step": lambda a, b: (a + 0.1) + SIZE * (b - 0.3),
    "all columns": lambda a, b: a[:, np.arange(3)],
}
OTHERWISE = {
    "a product": lambda a, b: a * b,
    "a number less outputs": lambda a, b: 1.0 - a,
    "a sum over rows": lambda a, b: np.add.reduce(a),
    "a sum along columns": lambda a, b: np.add.reduce(a, axis=1),
    "a type of numbers": lambda a, b: np.add(a, 1.0, dtype=np.float64),
    "some columns": lambda a, b: a[:, np.array([2, 0])],
    "some rows": lambda a, b: a[np.array([3, 17])],
    "a matrix added": lambda a, b: a + np.ones((23, 3)),
    "the transpose": lambda a, b: a.T,
    "a copy": lambda a, b: a.copy(),
    "sums": lambda a, b: a.sum(axis=0),
}


@pytest.mark.parametrize("kind", LINEAR | OTHERWISE)
def test_they_are_the_numbers(space, kind):
    f = (LINEAR | OTHERWISE)[kind]
    found = f(space.outputs(THETA), space.outputs(OTHER))
    assert bool(space.brought) == (kind in OTHERWISE)
    assert_allclose(np.asarray(found), f(X @ THETA, X @ OTHER), atol=1e-12)


def test_they_are_fetched_once(space):
    outputs = space.outputs(THETA)
    assert_allclose(np.asarray(outputs), np.asarray(outputs + 0.5) - 0.5)
    assert len(space.brought) == 1
    assert (outputs.shape, outputs.ndim, outputs.dtype, len(outputs)) == ((23, 3), 2, np.float64, 23)
    assert_allclose(np.asarray(space.outputs(np.zeros((4, 3)))), 0.0)
    assert len(space.brought) == 1, "outputs of nothing are known"
