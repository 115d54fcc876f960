"""The same fit in memory and in chunks: every method that goes over rows, with not one of them rewritten."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import (
    CCCPS3VM,
    S3VM,
    AnnealingS3VM,
    ContinuationS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    MeanS3VM,
    NewtonS3VM,
    QuasiNewtonS3VM,
    SupervisedRLS,
    SupervisedSVM,
    chunked,
)

N, D = 300, 6
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
X = RNG.normal(size=(N, D)) + 1.4 * (2 * TRUTH[:, None] - 1) * np.linspace(1.0, 0.1, D)
Y = np.where(np.arange(N) % 20 == 0, TRUTH, -1)
Y[:2], TRUTH[:2] = (0, 1), (0, 1)

CONVEX = [SupervisedSVM(tol=1e-10), SupervisedRLS(tol=1e-10)]
PATHS = [
    QuasiNewtonS3VM(tol=1e-7),
    GradientS3VM(tol=1e-7),
    ContinuationS3VM(tol=1e-7, n_stages=4),
    NewtonS3VM(tol=1e-7, n_stages=3),
    CCCPS3VM(loss="squared_hinge", tol=1e-7, n_stages=3),
    AnnealingS3VM(tol=1e-7, cooling=3.0),
    AnnealingS3VM(tol=1e-7, cooling=3.0, variant="alternating"),
    LabelSwitchingS3VM(n_switches="all", n_stages=4, tol=1e-7),
    MeanS3VM(tol=1e-5),
]
SPACES = [{"kernel": "linear"}, {"kernel": "rbf", "n_components": 25, "random_state": 0}]


def names(model):
    return type(model).__name__ + ("" if "variant" not in model.get_params() else f" {model.variant}")


@pytest.fixture(params=SPACES, ids=["linear", "landmarks"])
def space(request):
    return request.param


@pytest.mark.parametrize("model", CONVEX, ids=names)
def test_convex_fits_end_at_the_same_theta(model, space):
    model.set_params(**space)
    y = TRUTH if type(model) is SupervisedRLS else Y
    whole = model.fit(X, y)
    theta = np.ravel(whole.coef_ if "coef_" in vars(whole) else whole.dual_coef_)
    scores, labels = whole.decision_function(X), whole.transduction_
    parts = model.fit(chunked(X, chunk_rows=37), y)
    ours = np.ravel(parts.coef_ if "coef_" in vars(parts) else parts.dual_coef_)
    if space["kernel"] == "linear":
        assert np.linalg.norm(ours - theta) <= 1e-8 * np.linalg.norm(theta)
    assert_allclose(parts.decision_function(chunked(X, chunk_rows=100)), scores, atol=1e-7)
    assert_array_equal(parts.transduction_, labels)


@pytest.mark.parametrize("model", PATHS, ids=names)
def test_paths_end_at_the_same_objective_and_labels(model, space):
    model.set_params(**space)
    whole = model.fit(X, Y)
    objective, labels = whole.objective_, whole.transduction_
    parts = model.fit(chunked(X, chunk_rows=37), Y)
    assert_allclose(parts.objective_, objective, rtol=1e-6)
    assert np.mean(parts.transduction_ == labels) >= 0.999
    assert parts.n_features_in_ == D
    assert_array_equal(parts.predict(chunked(X, chunk_rows=50)), parts.predict(X))
    assert_allclose(parts.predict_proba(chunked(X, chunk_rows=50)), parts.predict_proba(X))


def test_three_classes_and_sparse_rows():
    y = np.where(Y < 0, -1, Y + (X[:, 1] > 1))
    rows = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = QuasiNewtonS3VM(kernel="linear", tol=1e-7)
    objective, labels = model.fit(rows, y).objective_, model.transduction_
    model.fit(chunked(rows, chunk_rows=41), y)
    assert_allclose(model.objective_, objective, rtol=1e-6)
    assert_array_equal(model.transduction_, labels)


def test_the_width_of_a_kernel_is_that_of_all_rows():
    for gamma in ("scale", "box", "median"):
        model = SupervisedSVM(gamma=gamma, n_components=10, random_state=0)
        assert_allclose(
            model.fit(chunked(X, chunk_rows=37), TRUTH).predictor_.kernel.gamma,
            model.fit(X, TRUTH).predictor_.kernel.gamma,
            rtol=1e-12,
        )


@pytest.mark.parametrize("sparse", [False, True])
def test_a_method_of_the_default_by_its_name_prepares_rows_in_chunks_as_in_memory(sparse, monkeypatch):
    monkeypatch.setattr("semisvm.estimators.default.named.FULL_KERNEL_ROWS", 0)
    rows = 10.0 * X + 3.0
    if sparse:
        rows = sp.csr_array(np.where(RNG.random(X.shape) < 0.05, X, 0.0) + np.eye(N, D))
    whole = S3VM(method="quasi-newton", tol=1e-7, max_iter=2000).fit(rows, Y)
    objective, labels = whole.objective_, whole.transduction_
    parts = S3VM(method="quasi-newton", tol=1e-7, max_iter=2000).fit(chunked(rows, chunk_rows=37), Y)
    assert_allclose(parts.objective_, objective, rtol=1e-5)
    assert np.mean(parts.transduction_ == labels) >= 0.999
    assert parts.report_.n_changed == whole.report_.n_changed
    assert_allclose(parts.predict_proba(rows), whole.predict_proba(rows), atol=1e-3)


def test_what_needs_pairs_of_rows_is_refused_in_a_sentence():
    from semisvm import Graph

    rows = chunked(X, chunk_rows=37)
    with pytest.raises(ValueError, match=r"it needs all pairs of rows: set n_components=500, or kernel=\"linear\""):
        QuasiNewtonS3VM().fit(rows, Y)
    with pytest.raises(ValueError, match="it needs all pairs of rows: use graph=AnchorGraph"):
        QuasiNewtonS3VM(kernel="linear", graph=Graph()).fit(rows, Y)
    with pytest.raises(ValueError, match=r'S3VM\(\) was given with 300 rows .* S3VM\(method="gradient"\) for instance'):
        S3VM().fit(rows, Y)
    model = QuasiNewtonS3VM(kernel="linear").fit(rows, Y)
    with pytest.raises(ValueError, match="X has 3 features, but QuasiNewtonS3VM is expecting 6"):
        model.predict(chunked(X[:, :3]))


def test_the_last_svm_of_mean_s3vm_goes_over_many_rows_in_passes(monkeypatch):
    from semisvm.objective import products

    model = MeanS3VM(kernel="linear", tol=1e-4)
    objective, labels = model.fit(X, Y).objective_, model.transduction_
    monkeypatch.setattr(products, "MANY", 100)
    model.fit(chunked(X, chunk_rows=37), Y)
    # the corner of the hinge is rounded off by at most 0.01 / 4 per row, and the solution moves a little
    assert_allclose(model.objective_, objective, rtol=1e-3)
    assert np.mean(model.transduction_ == labels) >= 0.999
