"""The box QP stopped before it is done: Ctrl-C, a deadline and a number of steps leave the point reached."""

import signal
import time

import numpy as np
import pytest

from semisvm.optim.box_qp import BoxQPInterrupted, solve_box_qp
from tests._core.box_qp_cases import svm


def long_problem(n=2500, C=1e6):
    """Steps for 14 to 30 s: a nearly singular matrix, a huge box and a tolerance below the rounding of g."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 40))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    K = (X @ X.T / 40 + 1) ** 2
    settings = {"equality": True, "tol": 1e-12, "max_iter": 10**12}
    return (K, np.diag(K).copy(), y, np.minimum(0, C * y), np.maximum(0, C * y)), settings


@pytest.mark.parametrize("as_callable", [True, False])
def test_ctrl_c_raises_at_once_and_keeps_the_point_reached(as_callable):
    (K, *rest), settings = long_problem()
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    try:
        # by the time of the processor: other programs do not change what is done by then
        signal.setitimer(signal.ITIMER_PROF, 0.5)
        with pytest.raises(KeyboardInterrupt) as interrupt:
            solve_box_qp((lambda index: K[index]) if as_callable else K, *rest, **settings)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    assert isinstance(interrupt.value, BoxQPInterrupted)
    result = interrupt.value.result
    assert not result.converged
    assert result.n_steps > 0
    _, c, lo, hi = rest
    assert np.all((result.a >= lo) & (result.a <= hi))
    assert abs(result.a.sum()) < 1e-6
    np.testing.assert_allclose(result.gradient, c - K @ result.a, atol=1e-9 * np.abs(K @ np.abs(result.a)).max())


@pytest.mark.parametrize("as_callable", [True, False])
def test_deadline_returns_the_point_reached(as_callable):
    (K, *rest), settings = long_problem()
    deadline = time.monotonic() + 0.3
    result = solve_box_qp((lambda index: K[index]) if as_callable else K, *rest, **settings, deadline=deadline)
    assert time.monotonic() >= deadline
    assert not result.converged
    _, c, *_ = rest
    np.testing.assert_allclose(result.gradient, c - K @ result.a, atol=1e-9 * np.abs(K @ np.abs(result.a)).max())


def test_max_iter_is_respected():
    (K, diagonal, y, lo, hi), _ = svm(300)
    result = solve_box_qp(K, diagonal, y, lo, hi, equality=True, max_iter=25)
    assert result.n_steps == 25
    assert not result.converged
