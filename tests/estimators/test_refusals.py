"""Parameters, labels and weights that cannot be meant are refused in one sentence that names them."""

import datetime
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from semisvm import (
    S3VM,
    AnchorGraph,
    AnnealingS3VM,
    GradientS3VM,
    LabelSwitchingS3VM,
    LaplacianSVM,
    QuasiNewtonS3VM,
    SupervisedSVM,
)
from tests.estimators.quick import CLASSIFIERS, blobs, quick

NAN, INF = float("nan"), float("inf")


def refusal(model, X, y, weights=None, error=ValueError):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error) as caught:
            model.fit(X, y, weights)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("estimator", [S3VM, GradientS3VM])
@pytest.mark.parametrize("ratio", [NAN, (0.5, NAN), (0.3, 0.3), (0.7, 0.7), ("a", "b"), 0.0, 1.0, INF, None, True])
def test_shares_are_numbers_that_sum_to_one(estimator, ratio):
    X, _, y = blobs()
    assert "ratio=" in refusal(estimator(ratio=ratio, joint_counts=True), X, y)


@pytest.mark.parametrize("estimator", [S3VM, SupervisedSVM])
@pytest.mark.parametrize("weight", [NAN, INF, "x", -1.0, None])
def test_class_weights_are_finite_numbers(estimator, weight):
    X, _, y = blobs()
    assert f"class_weight[0]={weight!r}" in refusal(estimator(class_weight={0: weight, 1: 1.0}), X, y)


@pytest.mark.parametrize("graph", [1, "x", {"n_neighbors": 3}])
@pytest.mark.parametrize("estimator", [GradientS3VM, LaplacianSVM, SupervisedSVM])
def test_a_graph_is_a_graph(estimator, graph):
    X, _, y = blobs()
    assert f"graph={graph!r}" in refusal(estimator(graph=graph), X, y)


@pytest.mark.parametrize("graph", [None, AnchorGraph(n_anchors=4)])
@pytest.mark.parametrize("n_components", ["x", 0, 2.5, True])
def test_components_are_counted(graph, n_components):
    X, _, y = blobs()
    model = GradientS3VM(graph=graph, n_components=n_components, kernel="linear")
    assert f"n_components={n_components!r}" in refusal(model, X, y)


@pytest.mark.parametrize("estimator", [GradientS3VM, LaplacianSVM])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_an_anchor_graph_needs_functions_of_few_coefficients(estimator, kernel):
    X, _, y = blobs()
    said = refusal(estimator(graph=AnchorGraph(n_anchors=4), kernel=kernel), X, y)
    assert said.startswith("graph=AnchorGraph(n_anchors=4) was given with kernel=")
    assert said.endswith('set n_components=500, or kernel="linear", or use graph=Graph().')


@pytest.mark.parametrize("value", [None, 1.0, 0, -2.0, NAN, INF, "x", True])
def test_factors_are_above_one(value):
    X, _, y = blobs()
    assert f"growth={value!r}" in refusal(LabelSwitchingS3VM(growth=value), X, y)
    assert f"cooling={value!r}" in refusal(AnnealingS3VM(cooling=value), X, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
@pytest.mark.parametrize("value", [-1, "x", None, 2.5])
def test_verbose_is_counted(estimator, value):
    X, _, y = blobs()
    assert f"verbose={value!r}" in refusal(quick(estimator, verbose=value), X, y)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_switches_are_true_or_false(value):
    X, _, y = blobs()
    assert f"fit_intercept={value!r}" in refusal(GradientS3VM(fit_intercept=value), X, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_some_labeled_row_must_count(estimator):
    X, _, y = blobs()
    assert "zero weight" in refusal(quick(estimator), X, y, np.where(y < 0, 1.0, 0.0))
    assert "zero weight" in refusal(quick(estimator, class_weight={0: 0.0, 1: 0.0}), X, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
def test_a_class_without_weight_is_no_reason_to_fail(estimator):
    X, _, y = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = quick(estimator).fit(X, y, np.where(y == 0, 0.0, 1.0))
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_memory_that_no_run_can_fill_costs_nothing():
    X, _, y = blobs()
    few, many = (QuasiNewtonS3VM(memory=memory).fit(X, y) for memory in (500, 10**7))
    assert_array_equal(few.decision_function(X), many.decision_function(X))


def test_not_a_time_marks_an_unlabeled_row():
    X, _, y = blobs()
    days = np.array(["2024-01-01", "2024-06-01"], dtype="datetime64[D]")
    labels = np.where(y < 0, np.datetime64("NaT"), days[np.maximum(y, 0)])
    model = SupervisedSVM().fit(X, labels)
    assert_array_equal(model.classes_, days)
    with pytest.raises(ValueError, match="contains NaN in 18 rows"):
        SupervisedSVM(unlabeled=None).fit(X, labels)


@pytest.mark.parametrize(
    "labels", [[datetime.date(2024, 1, 1), datetime.date(2025, 1, 1)], [[1, 2], [3]], [{}, {1: 2}]]
)
def test_labels_are_numbers_or_text(labels):
    X, _, y = blobs()
    given = np.empty(len(y), dtype=object)
    for row, code in enumerate(y):
        given[row] = None if code < 0 else labels[code]
    assert "numbers or text are needed" in refusal(SupervisedSVM(), X, given, error=TypeError)


def test_the_default_takes_labeled_rows_without_weight():
    X, _, y = blobs()
    model = S3VM().fit(X, y, np.r_[0.0, np.ones(len(y) - 1)])
    assert np.isfinite(model.decision_function(X)).all()
