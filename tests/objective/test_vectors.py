"""Inner products and sums of vectors, column by column."""

import numpy as np
import pytest

from semisvm.objective.vectors import STRETCH, Vector, dots


@pytest.mark.parametrize("n", [0, 1, STRETCH, STRETCH + 1, 3 * STRETCH + 17])
@pytest.mark.parametrize("k", [1, 3])
def test_dots_are_sums_of_products(rng, n, k):
    a, b = rng.normal(size=(n, k)), rng.normal(size=(n, k))
    np.testing.assert_allclose(dots(a, b), np.sum(a * b, axis=0), rtol=1e-9, atol=1e-9)


def test_dots_of_a_view_with_gaps(rng):
    a = rng.normal(size=(2 * STRETCH, 3))
    np.testing.assert_allclose(dots(a[::2, 1:2], a[::2, 2:]), [np.sum(a[::2, 1] * a[::2, 2])], rtol=1e-9)
    np.testing.assert_allclose(dots(a[:, 1:2], a[:, 2:]), [np.sum(a[:, 1] * a[:, 2])], rtol=1e-9)


def vector(rng, euclidean):
    theta = rng.normal(size=(4, 3))
    return Vector(theta, rng.normal(size=3), theta if euclidean else 2.0 * theta)


COMBINATIONS = {
    "a sum": lambda a, b: a.plus(b, 0.5),
    "a multiple": lambda a, b: a.scaled(np.array([1.0, -2.0, 3.0])),
    "some columns": lambda a, b: a.columns(np.array([2, 0])),
    "columns put": lambda a, b: a.put(np.array([1]), b.columns(np.array([1]))),
    "a combination": lambda a, b: a.combined(np.ones(3), []),
}


@pytest.mark.parametrize("kind", COMBINATIONS)
def test_combinations_keep_the_metric_beside_the_coefficients(rng, kind):
    combine = COMBINATIONS[kind]
    found = combine(vector(rng, euclidean=False), vector(rng, euclidean=False))
    np.testing.assert_allclose(found.metric, 2.0 * found.theta)
    found = combine(vector(rng, euclidean=True), vector(rng, euclidean=True))
    assert found.metric is found.theta, "the Euclidean metric takes no array of its own"


def test_a_sum_with_a_vector_of_another_metric_has_the_sum_of_the_metrics(rng):
    a, b = vector(rng, euclidean=True), vector(rng, euclidean=False)
    for one, other in ((a, b), (b, a)):
        np.testing.assert_allclose(one.plus(other, 2.0).metric, one.metric + 2.0 * other.metric)


def test_the_bias_alone_is_scaled(rng):
    one = vector(rng, euclidean=True)
    scaled = one.with_bias_times(3.0)
    np.testing.assert_allclose(scaled.bias, 3.0 * one.bias)
    assert scaled.theta is one.theta
    assert one.with_bias_times(1) is one
