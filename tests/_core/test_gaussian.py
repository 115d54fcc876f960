"""exp(min(t - a - b, 0)) in place: as exact as the precision allows, on every part of a matrix."""

import numpy as np
import pytest
from semisvm._core.gaussian import gaussian

DTYPES = [np.float32, np.float64]


@pytest.mark.parametrize(("dtype", "least"), [(np.float32, -87.0), (np.float64, -708.0)])
def test_the_exponential_is_within_two_units_in_the_last_place(rng, dtype, least):
    t = np.concatenate(
        [rng.uniform(least, 0, 200_003), rng.uniform(-1, 0, 200_003), -(10.0 ** rng.uniform(-20, 0, 999))]
    )
    t = t.astype(dtype)[None]
    found = t.copy()
    gaussian(found, np.zeros((1, 1), dtype), np.zeros(t.shape[1], dtype))
    exact = np.exp(t.astype(np.longdouble))
    assert (np.abs(found - exact) <= 2 * np.spacing(exact.astype(dtype))).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_ends_of_the_range(dtype):
    t = np.array([[0.0, -0.0, 3.0, -np.inf, -1e30, -709.0, np.nan, np.inf]], dtype)
    gaussian(t, np.zeros((1, 1), dtype), np.zeros(8, dtype))
    np.testing.assert_array_equal(t, [[1, 1, 1, 0, 0, 0, np.nan, 1]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [1, 7, 16, 45])
def test_a_part_of_a_matrix_and_nothing_else_is_changed(rng, dtype, m):
    K = rng.normal(size=(9, 50)).astype(dtype)
    a, b = rng.normal(size=(4, 1)).astype(dtype), rng.normal(size=m).astype(dtype)
    expected = K.copy()
    expected[2:6, 3 : 3 + m] = np.exp(np.minimum(K[2:6, 3 : 3 + m] - a - b, 0))
    gaussian(K[2:6, 3 : 3 + m], a, b)
    np.testing.assert_allclose(K, expected, rtol=8 * np.finfo(dtype).eps)


def test_empty_parts_and_wrong_shapes():
    gaussian(np.empty((0, 3)), np.empty((0, 1)), np.empty(3))
    gaussian(np.empty((3, 0)), np.empty((3, 1)), np.empty(0))
    for tile, a, b in [((2, 3), (3, 1), 3), ((2, 3), (2, 1), 4)]:
        with pytest.raises(ValueError, match="one number for every row and every column"):
            gaussian(np.zeros(tile), np.zeros(a), np.zeros(b))
    with pytest.raises(ValueError, match="rows without gaps"):
        gaussian(np.zeros((3, 2)).T, np.zeros((2, 1)), np.zeros(3))
