"""Kernel matrices with negative eigenvalues: a notice or a refusal, as the table in docs/parameters.md says."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import semisvm
from tests.estimators.quick import blobs, positives, quick

DOCS = Path(__file__).parents[2] / "docs" / "parameters.md"
ROW = re.compile(r"^\| `(\w+)\((.*)\)` \| (notice|refused) \|$", re.MULTILINE)
TABLE = [
    (name, eval(f"dict({settings})"), answer)  # the project's own page
    for name, settings, answer in ROW.findall(DOCS.read_text())
]
X, _, Y = blobs(n=30)
ROWS = X - X.mean(axis=0)
PRODUCTS = ROWS @ ROWS.T


def tanh(A, B):
    return np.tanh(0.3 * A @ B.T - 1)


WAYS = {
    "function": (tanh, ROWS),
    "minus K": ("precomputed", -PRODUCTS),
    "tanh": ("precomputed", np.tanh(0.3 * PRODUCTS - 1)),
    "sparse": ("precomputed", sp.csr_array(-PRODUCTS)),
}


def made(name, settings, kernel):
    return quick(getattr(semisvm, name), **(settings | {"kernel": kernel}))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "settings", "answer"), TABLE, ids=[f"{n}({s})" for n, s, _ in TABLE])
def test_the_table_is_true(name, settings, answer, way):
    kernel, rows = WAYS[way]
    y = np.where(Y < 0, np.nan, Y) if name == "LaplacianRLSRegressor" else Y
    y = positives(Y) if name.startswith("Positive") else y
    model = made(name, settings, kernel)
    if answer == "refused":
        with pytest.raises(ValueError, match=rf"negative eigenvalues, .* and {name} needs a positive semi-definite"):
            model.fit(rows, y)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(rows, y)
    assert any("negative eigenvalues" in str(one.message) for one in caught)
    assert all(issubclass(one.category, UserWarning) for one in caught)
    scores = model.predict(rows) if name == "LaplacianRLSRegressor" else model.decision_function(rows)
    assert np.isfinite(scores).all()


def tanh_of_products(n, scale, seed):
    rows = np.random.default_rng(seed).normal(size=(n, 3)) + 1.5 * (np.arange(n) % 2)[:, None]
    return np.tanh(scale * rows @ rows.T - 1)


@pytest.mark.parametrize("seed", range(6))
def test_smoothing_takes_negative_squared_norms_and_eigenvalues(seed):
    K = tanh_of_products(30, 0.3, seed)
    assert K.diagonal().min() < 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "The kernel matrix has negative eigenvalues", UserWarning)
        model = semisvm.ContinuationS3VM(kernel="precomputed", balance="none").fit(K, Y)
    assert np.isfinite(model.decision_function(K)).all()


def test_low_density_separation_warns_of_a_function_and_takes_no_matrix():
    with pytest.warns(UserWarning, match="negative eigenvalues"):
        model = semisvm.LowDensitySeparation(kernel=tanh).fit(ROWS, Y)
    assert np.isfinite(model.decision_function(ROWS)).all()
    with pytest.raises(ValueError, match="a kernel of coordinates is needed"):
        semisvm.LowDensitySeparation(kernel="precomputed").fit(-PRODUCTS, Y)


def test_the_table_has_every_estimator_with_a_kernel_of_its_own():
    with_kernel = {
        name
        for name in semisvm.__all__
        if "kernel" in getattr(getattr(semisvm, name, None), "__dataclass_fields__", {})
    }
    # these take no kernel matrix of rows: one is linear, the other computes coordinates first
    assert {name for name, _, _ in TABLE} == with_kernel - {"LinearProgrammingS3VM", "LowDensitySeparation"}


@pytest.mark.parametrize("kernel", [lambda A, B: A @ B.T, lambda A, B: np.exp(-np.abs(A[:, None] - B[None]).sum(-1))])
def test_a_definite_kernel_is_no_news(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (ROWS, ROWS.astype(np.float32)):
            semisvm.SupervisedSVM(kernel=kernel).fit(rows, Y)
            semisvm.GradientS3VM(kernel=kernel).fit(rows, Y)


def test_features_of_landmarks_have_no_negative_lengths():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = semisvm.GradientS3VM(kernel=tanh, n_components=5, random_state=0).fit(ROWS, Y)
    assert np.isfinite(model.decision_function(ROWS)).all()
