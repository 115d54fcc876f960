"""Inner products and sums of vectors, column by column."""

import numpy as np
import pytest

from semisvm.objective.vectors import STRETCH, dots


@pytest.mark.parametrize("n", [0, 1, STRETCH, STRETCH + 1, 3 * STRETCH + 17])
@pytest.mark.parametrize("k", [1, 3])
def test_dots_are_sums_of_products(rng, n, k):
    a, b = rng.normal(size=(n, k)), rng.normal(size=(n, k))
    np.testing.assert_allclose(dots(a, b), np.sum(a * b, axis=0), rtol=1e-9, atol=1e-9)


def test_dots_of_a_view_with_gaps(rng):
    a = rng.normal(size=(2 * STRETCH, 3))
    np.testing.assert_allclose(dots(a[::2, 1:2], a[::2, 2:]), [np.sum(a[::2, 1] * a[::2, 2])], rtol=1e-9)
    np.testing.assert_allclose(dots(a[:, 1:2], a[:, 2:]), [np.sum(a[:, 1] * a[:, 2])], rtol=1e-9)
