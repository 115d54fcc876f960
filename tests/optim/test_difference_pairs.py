"""The remembered curvature against the recursion of BFGS, written out with dense matrices."""

import numpy as np
import pytest

from semisvm.objective import Vector
from semisvm.optim.difference_pairs import DifferencePairs


def dense_inverse_hessian(pairs: list[tuple[np.ndarray, np.ndarray]], size: int, M: np.ndarray) -> np.ndarray:
    """H <- (I - s y'M / rho) H (I - y s'M / rho) + s s'M / rho, in the inner product a'M b; rho = s'M y."""
    s, y = pairs[-1]
    H = np.eye(size) * (s @ M @ y) / (y @ M @ y)
    for s, y in pairs:
        rho = s @ M @ y
        H = (np.eye(size) - np.outer(s, y @ M) / rho) @ H @ (np.eye(size) - np.outer(y, s @ M) / rho)
        H += np.outer(s, s @ M) / rho
    return H


@pytest.mark.parametrize("euclidean", [True, False])
@pytest.mark.parametrize(("memory", "n_pairs"), [(4, 2), (4, 4), (3, 11), (1, 3)])
def test_direction_is_that_of_the_recursion_over_the_last_pairs(memory, n_pairs, euclidean):
    rng = np.random.default_rng(memory + n_pairs)
    p, k = 6, 2
    root = rng.normal(size=(p, p))
    R = np.eye(p) if euclidean else root @ root.T
    A = rng.normal(size=(p + 1, p + 1))
    hessian = A @ A.T + np.eye(p + 1)
    M = np.block([[R, np.zeros((p, 1))], [np.zeros((1, p)), np.ones((1, 1))]])

    def vector(theta: np.ndarray, bias: np.ndarray) -> Vector:
        return Vector(theta, bias, theta if euclidean else R @ theta)

    remembered, added = DifferencePairs(memory, k), []
    for _ in range(n_pairs):
        s = rng.normal(size=(p + 1, k))
        # the gradient in the inner product M of a quadratic form changes by M^-1 hessian s
        y = np.linalg.solve(M, hessian @ s)
        remembered.add(vector(s[:-1], s[-1]), vector(y[:-1], y[-1]))
        added.append((s, y))
    g = rng.normal(size=(p + 1, k))
    found = remembered.inverse_hessian(vector(g[:-1], g[-1]))
    for j in range(k):
        H = dense_inverse_hessian([(s[:, j], y[:, j]) for s, y in added[-memory:]], p + 1, M)
        np.testing.assert_allclose(np.append(found.theta[:, j], found.bias[j]), H @ g[:, j], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(found.metric[:, j], R @ found.theta[:, j], rtol=1e-8, atol=1e-8)
        # a column alone goes on as it would have among the others
        alone = remembered.columns(np.array([j]))
        more = rng.normal(size=(p + 1, 1))
        change = np.linalg.solve(M, hessian @ more)
        alone.add(vector(more[:-1], more[-1]), vector(change[:-1], change[-1]))
        one = alone.inverse_hessian(vector(g[:-1, [j]], g[-1, [j]]))
        kept = [(s[:, j], y[:, j]) for s, y in added] + [(more[:, 0], change[:, 0])]
        H = dense_inverse_hessian(kept[-memory:], p + 1, M)
        np.testing.assert_allclose(np.append(one.theta[:, 0], one.bias), H @ g[:, j], rtol=1e-7, atol=1e-8)


def test_a_pair_without_positive_curvature_takes_no_part_in_its_column():
    rng = np.random.default_rng(0)
    s, y = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    y *= np.sign(np.sum(s * y, axis=0))
    worse = y.copy()
    worse[:, 1] *= -1
    theta = rng.normal(size=(5, 2))
    g = Vector(theta, np.zeros(2), theta)

    def direction(changes: list[np.ndarray]) -> np.ndarray:
        pairs = DifferencePairs(3, 2)
        for change in changes:
            pairs.add(Vector(s, np.zeros(2), s), Vector(change, np.zeros(2), change))
        return pairs.inverse_hessian(g).theta

    once, with_worse = direction([y]), direction([y, worse])
    np.testing.assert_allclose(with_worse[:, 1], once[:, 1], rtol=1e-12)
    assert np.abs(direction([worse])[:, 1] - g.theta[:, 1]).max() < 1e-15


@pytest.mark.parametrize("square", [0.0, -1e-9])
def test_a_change_whose_square_is_lost_to_rounding_takes_no_part_in_its_column(square):
    """In an inner product of kernel values <y, y> may come out as 0 or less where <s, y> is positive."""
    pairs, e = DifferencePairs(3, 2), np.eye(2)
    metric = np.column_stack([e[0], square * e[0]])
    pairs.add(
        Vector(np.ones((2, 2)), np.zeros(2), np.ones((2, 2))),
        Vector(np.column_stack([e[0], e[0]]), np.zeros(2), metric),
    )
    theta = np.array([[3.0, 3.0], [4.0, 4.0]])
    found = pairs.inverse_hessian(Vector(theta, np.zeros(2), theta)).theta
    np.testing.assert_array_equal(found[:, 1], theta[:, 1])
    assert np.isfinite(found).all()
    assert not np.array_equal(found[:, 0], theta[:, 0])
