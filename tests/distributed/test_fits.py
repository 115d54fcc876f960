"""The same objective and the same fits in memory and on a cluster of two processes."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import (
    CCCPS3VM,
    AnchorGraph,
    AnnealingS3VM,
    ContinuationS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    LaplacianSVM,
    MeanS3VM,
    PositiveUnlabeledS3VM,
    PositiveUnlabeledSVM,
    QuasiNewtonS3VM,
    SupervisedRLS,
)
from semisvm.distributed import DaskRows, Distributed
from semisvm.estimators.positive_share import PositiveScores
from semisvm.estimators.positive_unlabeled import RISKS
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Gaussian, SquaredHinge
from semisvm.objective import Problem
from semisvm.spaces import Centered, Linear, reduced_set
from tests.spaces.test_chunked_fits import TRUTH, D, N, X, Y

LANDMARKS = np.arange(0, N, 12)


def cut(X, sizes, kind="dense"):
    """A dask array with blocks of these sizes, of which some may be empty."""
    ends = np.minimum(np.cumsum([0, *sizes]), N)
    parts = [X[a:b] for a, b in zip(ends, [*ends[1:], N], strict=True)]
    if kind == "sparse":
        parts = [sp.csr_array(part) for part in parts]
    arrays = [
        da.from_delayed(_given(part), part.shape, dtype=part.dtype, meta=part[:0] if kind == "sparse" else None)
        for part in parts
    ]
    return da.concatenate(arrays)


def _given(part):
    import dask

    return dask.delayed(part, pure=False)


def problem_on(space, centered):
    y = np.where(Y < 0, 0.0, 2.0 * Y - 1.0)[:, None]
    unlabeled = np.flatnonzero(Y < 0)
    space = Centered(space, unlabeled) if centered else space
    return Problem(space, y, np.flatnonzero(Y >= 0), unlabeled, SquaredHinge(), Gaussian(3.0), np.full((N, 1), 0.5))


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["dense", "sparse", "landmarks"]), st.lists(st.integers(0, 120), max_size=6), st.booleans())
def test_value_gradient_and_curvature_do_not_depend_on_the_blocks(client, kind, sizes, centered):
    rows = DaskRows(cut(X, sizes, kind), client)
    if kind == "landmarks":
        points = Points.of(X)
        here = reduced_set(RBF(0.05), points, points.take(LANDMARKS))
        there = rows.on_landmarks(RBF(0.05), rows.take(LANDMARKS))
    else:
        here, there = Linear(sp.csr_array(X) if kind == "sparse" else X), rows.linear()
    whole, parts = problem_on(here, centered), problem_on(there, centered)
    theta, bias = np.random.default_rng(0).normal(size=(here.dimension, 1)), np.array([0.3])
    a, b = whole.objective().at(theta, bias), parts.objective().at(theta, bias)
    assert_allclose(b.value, a.value, rtol=1e-12)
    assert np.linalg.norm(b.gradient.theta - a.gradient.theta) <= 1e-12 * np.linalg.norm(a.gradient.theta)
    assert_allclose(b.gradient.bias, a.gradient.bias, rtol=1e-11)
    assert_allclose(np.asarray(b.point.outputs), a.point.outputs, atol=1e-10)
    assert_allclose(np.asarray(b.slope), a.slope, atol=1e-10)
    product, bend = whole.objective().hessian(a)(whole.objective().complete(a.gradient))
    ours, ours_bend = parts.objective().hessian(b)(parts.objective().complete(b.gradient))
    assert np.linalg.norm(ours - product) <= 1e-11 * np.linalg.norm(product)
    assert_allclose(ours_bend, bend, rtol=1e-10)


# rounds of tasks take time, precision does not: fits in memory and there end alike wherever they are stopped
CASES = [
    QuasiNewtonS3VM(tol=1e-3),
    GradientS3VM(tol=1e-4, n_stages=1),
    ContinuationS3VM(tol=1e-4, n_stages=1),
    CCCPS3VM(loss="squared_hinge", tol=1e-2, n_stages=1),
    AnnealingS3VM(tol=1e-2, cooling=20.0, n_stages=1),
    LabelSwitchingS3VM(n_switches="all", n_stages=1, tol=1e-3),
    MeanS3VM(tol=1e-5),
    LaplacianSVM(graph=AnchorGraph(n_anchors=15), tol=1e-8, early_stopping=None),
]


@pytest.mark.parametrize("model", CASES, ids=lambda m: type(m).__name__)
def test_every_method_ends_where_it_does_in_memory(client, model):
    model.set_params(kernel="linear")
    objective, labels = model.fit(X, Y).objective_, model.transduction_
    model.fit(da.from_array(X, chunks=(150, 3)), Y)
    assert_allclose(model.objective_, objective, rtol=1e-6)
    assert np.mean(model.transduction_ == labels) >= 0.999


POSITIVES = np.where(Y == 1, 1, -1)
FROM_POSITIVES = [
    *(PositiveUnlabeledSVM(risk=risk, kernel="linear", tol=1e-2) for risk in RISKS),
    PositiveUnlabeledSVM(risk="unbiased", n_components=20, tol=1e-3),
    PositiveUnlabeledS3VM(kernel="linear", tol=0.1),
]


@pytest.mark.parametrize("model", FROM_POSITIVES, ids=str)
def test_positive_and_unlabeled_rows(client, model):
    model.set_params(prior=0.5, random_state=0)
    objective, scores = model.fit(X, POSITIVES).objective_, model.decision_function(X)
    model.fit(da.from_array(X, chunks=(150, 3)), POSITIVES)
    assert_allclose(model.objective_, objective, rtol=1e-3)
    assert np.corrcoef(model.decision_function(X), scores)[0, 1] > 0.999
    assert np.count_nonzero(model.transduction_[POSITIVES < 0] == 1) == round(0.5 * np.count_nonzero(POSITIVES < 0))


def test_the_share_of_positives_is_estimated_from_rows_that_are_fetched_once(client, monkeypatch):
    model = PositiveUnlabeledSVM(kernel="linear", risk="biased", random_state=0)
    share, interval = model.fit(X, POSITIVES).prior_, model.prior_interval_
    spaces, scored = [], PositiveScores.of
    monkeypatch.setattr(PositiveScores, "of", lambda problem, rng: spaces.append(problem.space) or scored(problem, rng))
    model.fit(da.from_array(X, chunks=(150, 3)), POSITIVES)
    assert_allclose([model.prior_, *model.prior_interval_], [share, *interval], rtol=1e-6)
    assert {type(space) for space in spaces} == {Linear}


def test_a_convex_fit_ends_at_the_same_theta(client):
    model = SupervisedRLS(kernel="linear", tol=1e-10)
    theta = model.fit(X, TRUTH).coef_
    ours = model.fit(da.from_array(X, chunks=(110, D)), TRUTH).coef_
    assert np.linalg.norm(ours - theta) <= 1e-8 * np.linalg.norm(theta)


def test_landmarks_in_single_precision(client):
    model = QuasiNewtonS3VM(n_components=20, random_state=0, tol=1e-5)
    rows = X.astype(np.float32)
    objective, labels = model.fit(rows, Y).objective_, model.transduction_
    model.fit(da.from_array(rows, chunks=(110, D)), Y)
    assert_allclose(model.objective_, objective, rtol=1e-3)
    assert np.mean(model.transduction_ == labels) >= 0.99


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_frames_lazy_predictions_and_the_plain_estimator(client):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(D)])
    rows = dd.from_pandas(frame, npartitions=3)
    model = Distributed(QuasiNewtonS3VM(kernel="linear"), client).fit(rows, dd.from_pandas(pd.Series(Y), npartitions=3))
    plain = model.to_local()
    assert type(plain) is QuasiNewtonS3VM
    assert list(plain.feature_names_in_) == list(frame.columns)
    lazy = model.predict(da.from_array(X, chunks=(110, D)))
    assert isinstance(lazy, da.Array)
    assert lazy.chunks == ((110, 110, 80),)
    expected, shares = plain.predict(X), plain.predict_proba(X)
    assert_array_equal(lazy.compute(), expected)
    assert_allclose(model.predict_proba(da.from_array(X, chunks=(110, D))).compute(), shares)
    assert_array_equal(model.predict(rows).compute(), expected)


def test_an_evaluation_fetches_nothing_of_the_length_of_the_rows(client, monkeypatch):
    rows = DaskRows(da.from_array(X, chunks=(110, D)), client)
    problem = problem_on(rows.linear(), True)
    problem.space.mean_function  # noqa: B018
    sizes = []
    results = rows.results
    monkeypatch.setattr(rows, "results", lambda futures: _noted(results(futures), sizes))
    evaluation = problem.objective().at(np.ones((D, 1)), np.array([0.1]))
    evaluation.gradient.norm()
    line = problem.objective().toward(evaluation, evaluation.gradient.scaled(-1e-3))
    line.origin, line.value_and_slope(np.ones(1)), line.arrive(np.ones(1))
    assert len(sizes) == 2
    assert max(sizes) <= D + 2


def _noted(found, sizes):
    sizes.append(max(sum(np.size(number) for number in one) for one in found))
    return found


def test_many_blocks_are_summed_by_a_tree(client):
    rows = DaskRows(da.from_array(X, chunks=(15, D)), client)
    assert len(rows.blocks) == 20
    v = np.random.default_rng(0).normal(size=(N, 1))
    assert_allclose(rows.linear().represent(v), X.T @ v, rtol=1e-12)


def test_values_that_are_not_finite_are_refused_with_their_column(client):
    bad = X.copy()
    bad[200, 4] = np.inf
    with pytest.raises(ValueError, match="Column 4 contains NaN or infinity"):
        QuasiNewtonS3VM(kernel="linear").fit(da.from_array(bad, chunks=(110, D)), Y)
    with pytest.raises(ValueError, match="A dask array of 1 dimensions was given and a matrix of rows is needed"):
        DaskRows(da.zeros(3))
