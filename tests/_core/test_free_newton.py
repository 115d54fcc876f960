"""Newton steps over the free variables: where a chain of them ends, and what they save."""

import numpy as np
import pytest

from semisvm.optim.block_descent import newton_chain
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.row_cache import row_addresses
from tests.reference import box_qp as reference


@pytest.mark.parametrize("rank", [5, 40])
@pytest.mark.parametrize("equality", [True, False])
@pytest.mark.parametrize("kinks", [True, False])
def test_newton_chain_ends_at_the_minimum_over_what_stays_free(rank, equality, kinks):
    rng = np.random.default_rng(rank)
    m = 40
    F = rng.standard_normal((m, rank))
    p, t = (np.full(m, 0.5), np.full(m, 0.1)) if kinks and not equality else (np.zeros(m), np.zeros(m))
    problem = reference.BoxProblem(F @ F.T, rng.standard_normal(m), -np.ones(m), np.ones(m), 0 * p, p, t, equality)
    a = rng.uniform(-0.9, 0.9, size=m)
    a -= a.mean()
    g, before = problem.gradient(a), problem.objective(a)
    steps = newton_chain(row_addresses(problem.K), False, problem.lo, problem.hi, p, t, np.arange(m), equality, a, g)
    assert steps > 1  # some bound was met on the way
    assert problem.objective(a) < before
    np.testing.assert_allclose(g, problem.gradient(a), atol=1e-10)
    free = (np.abs(a) < 1) & ((p == 0) | (a != t))
    assert 0 < free.sum() < m
    slope = (g - p * np.sign(a - t))[free]
    np.testing.assert_allclose(slope, slope.mean() if equality else 0.0, atol=1e-5)
    assert not equality or abs(a.sum()) < 1e-12 * m


def test_ill_conditioned_linear_kernel_is_solved_in_few_steps():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 15)) * np.logspace(-1, 1, 15)
    y = np.where(X @ rng.standard_normal(15) + 5 * rng.standard_normal(400) > 0, 1.0, -1.0)
    K = X @ X.T
    result = solve_box_qp(K, np.diag(K), y, np.minimum(0, 100 * y), np.maximum(0, 100 * y), equality=True, tol=1e-6)
    assert result.converged
    assert result.n_steps < 20_000  # pair steps alone need more than a million
    assert abs(result.a.sum()) < 1e-9
