"""Box problems that rounding keeps from being solved, or that have no minimum, come to an end."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from semisvm import SupervisedSVM
from semisvm.optim import decomposition
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.linear_box_qp import LinearRows, solve_linear_box_qp


def test_working_sets_are_given_up_where_rounding_is_all_that_is_left(monkeypatch):
    """Centered products of rows near 1e9 are known to 1e4: small differences of large numbers."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(22, 40)) + 1e9
    y, w = np.zeros(22), rng.random(22) + 0.1
    y[:4] = -1, 1, -1, 1
    kink = np.where(y == 0, 1.0, 0.0), np.zeros(22)
    lo, hi = np.where(y == 0, -w, w * np.minimum(y, 0)), np.where(y == 0, w, w * np.maximum(y, 0))
    rounds = []
    advance = decomposition.advance
    monkeypatch.setattr(decomposition, "advance", lambda *given: rounds.append(advance(*given)))
    rows = LinearRows.of(X, np.square(X).sum(axis=1), X.mean(axis=0))
    solve_linear_box_qp(rows, y, lo, hi, kink=kink, tol=0.1)
    assert 0 < len(rounds) < 3 * decomposition.ROUNDS


@pytest.mark.parametrize("equality", [False, True])
def test_an_objective_that_falls_without_end_is_a_sentence(equality):
    K = np.array([[1.0, 3.0, 3.0], [3.0, 1.0, 3.0], [3.0, 3.0, 1.0]])
    lo, hi = np.array([0, -np.inf, 0]), np.array([np.inf, 0, np.inf])
    with pytest.raises(ValueError, match=r"^The objective falls without end.*similar size\.$"):
        solve_box_qp(K, np.ones(3), np.array([1.0, -1.0, 1.0]), lo, hi, equality=equality)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("large", [1e30, 1e60, 1e74])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_of_very_different_sizes_end_no_higher_than_zero(seed, large, make):
    random = np.random.default_rng(seed)
    X = np.where(random.random((29, 1)) < 0.3, 1e3, large)
    y = np.arange(29) % 4
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        model = SupervisedSVM(kernel="linear").fit(make(X), y)
    # without a function every row costs C V(0) = 1
    assert (model.objective_ <= 29.0).all()
