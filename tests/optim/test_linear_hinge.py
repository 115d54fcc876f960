"""The hinge SVM on rows: what the dual on the Gram matrix finds, for every weight, with a bias that is free or held."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from semisvm import LabelSwitchingS3VM
from semisvm.algorithms.kernel_rows import KernelRows
from semisvm.datasets import hide_labels
from semisvm.geometry.distances import squared_norms
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.linear_box_qp import LinearRows, descend_linear
from semisvm.optim.linear_hinge import solve_linear_hinge


def problem(kind, weight, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(120, 30)) * (random.random((120, 30)) < 0.3)
    y = np.where(X[:, 0] + 0.7 * random.normal(size=120) > 0.4, 1.0, -1.0)
    weights = weight * random.random(120)
    weights[:20] = 1.0
    return X if kind == "dense" else sp.csr_array(X), y, weights


def value(X, y, weights, w, bias):
    return 0.5 * w @ w + np.sum(weights * np.maximum(0.0, 1.0 - y * (X @ w + bias)))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("weight", [1e-5, 1e-2, 1.0, 50.0])
@pytest.mark.parametrize("bias", [None, 0.3])
def test_the_minimum_is_that_of_the_dual_on_the_gram_matrix(kind, weight, bias):
    X, y, weights = problem(kind, weight)
    rows = LinearRows.of(X, squared_norms(X))
    found = solve_linear_hinge(rows, y, weights, bias=bias, tol=1e-6)
    assert found.violation <= 1e-6
    assert_allclose(found.outputs, X @ found.w, atol=1e-9)
    dense = X if kind == "dense" else X.toarray()
    ends, held = y * weights, 0.0 if bias is None else bias
    dual = solve_box_qp(
        dense @ dense.T, squared_norms(X), y - held, np.minimum(0, ends), np.maximum(0, ends),
        equality=bias is None, tol=1e-8,
    )  # fmt: skip
    expected = value(X, y, weights, dense.T @ dual.a, dual.bias if bias is None else bias)
    assert_allclose(value(X, y, weights, found.w, found.bias), expected, rtol=1e-5)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_passes_with_a_free_bias_end_at_the_minimum_without_a_penalty_of_the_bias(kind):
    X, y, weights = problem(kind, 1.0)
    rows = LinearRows.of(X, squared_norms(X)).with_ones()
    v, w, bias = descend_linear(
        rows, y, np.where(y < 0, -np.inf, 0.0), np.where(y > 0, np.inf, 0.0),
        ridge=1 / (2 * weights), tol=1e-9, patience=5000, free_bias=True,
    )  # fmt: skip
    # 1/2 |w|^2 + sum_i c_i max(0, 1 - y_i z_i)^2 has no slope along w and b
    pull = 2 * weights * y * np.maximum(0.0, 1.0 - y * (X @ w + bias))
    assert_allclose(w, X.T @ pull, atol=1e-7)
    assert_allclose(pull.sum(), 0.0, atol=1e-7)
    assert abs(bias) > 0.05
    assert_allclose(v, pull, atol=1e-6)


def test_a_start_at_the_solution_is_left_at_once():
    X, y, weights = problem("sparse", 0.1)
    rows = LinearRows.of(X, squared_norms(X))
    found = solve_linear_hinge(rows, y, weights, tol=1e-6)
    again = solve_linear_hinge(rows, y, weights, start=found.v, near_bias=found.bias, tol=1e-4)
    assert_allclose(again.v, found.v, atol=1e-4)


@pytest.mark.parametrize("balance", ["exact", "soft"])
def test_switching_labels_of_sparse_rows_takes_no_kernel_rows(balance, monkeypatch):
    X, y, _ = problem("dense", 1.0, seed=1)
    labels = hide_labels((y > 0).astype(int), range(30))
    model = LabelSwitchingS3VM(kernel="linear", loss="hinge", n_switches="all", balance=balance, tol=1e-5)
    by_kernel = model.fit(X, labels).objective_
    monkeypatch.setattr(KernelRows, "of", lambda *given: pytest.fail("kernel rows were computed"))
    by_rows = model.fit(sp.csr_array(X), labels).objective_
    assert_allclose(by_rows, by_kernel, rtol=1e-3)
