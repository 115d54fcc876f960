"""What holds for every classifier whatever the rows and labels look like."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from semisvm import S3VM, GradientS3VM, Graph, LabelSwitchingS3VM, LaplacianRLS, SupervisedSVM
from tests.estimators.quick import CLASSIFIERS, blobs, quick

every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)
MEMBERS = [
    SupervisedSVM(),
    GradientS3VM(n_stages=2),
    LabelSwitchingS3VM(n_stages=2),
    LaplacianRLS(),
    S3VM(max_iter=3),
]
few_examples = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

NAMES = {
    "whole numbers": [3, 7, 11],
    "fractions that are whole": [0.0, 1.0, 2.0],
    "text": ["maybe", "no", "yes"],
    "text of one letter": ["a", "b", "c"],
    "negative": [-9, -5, -2],
}


@st.composite
def tasks(draw):
    """(X, y, marker): any shape, type and marker; copies, constant columns, rows of zeros, one label per class."""
    n_classes, d = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    n = draw(st.integers(2 * n_classes, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([1e-3, 1.0, 1e3]))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, d - 1))] = draw(st.sampled_from([0.0, 5.0]))
    if draw(st.booleans()):
        X[n // 2 :] = X[: n - n // 2]
    if draw(st.booleans()):
        X[rng.integers(0, n, 2)] = 0.0
    kind = draw(st.sampled_from(["dense", "float32", "fortran", "csr_array", "csr_matrix", "frame", "list"]))
    names = NAMES[draw(st.sampled_from(sorted(NAMES)))][:n_classes]
    marker = draw(st.sampled_from(["default", "missing", "own"]))
    blank, unlabeled = {"default": (-1, -1), "missing": (None, -1), "own": ("?", "?")}[marker]
    labels = np.full(n, blank, dtype=object)
    chosen = rng.permutation(n)[: n_classes + draw(st.integers(0, n - n_classes))]
    labels[chosen] = [names[i % n_classes] for i in range(len(chosen))]
    return _as(kind, X), labels, unlabeled, names


def _as(kind, X):
    return {
        "dense": lambda: X,
        "float32": lambda: X.astype(np.float32),
        "fortran": lambda: np.asfortranarray(X),
        "csr_array": lambda: sp.csr_array(X),
        "csr_matrix": lambda: sp.csr_matrix(X),
        "frame": lambda: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
        "list": X.tolist,
    }[kind]()


@pytest.mark.parametrize("estimator", MEMBERS, ids=str)
@few_examples
@given(task=tasks())
def test_any_rows_and_labels_are_learnt(estimator, task):
    X, y, unlabeled, names = task
    model = clone(estimator).set_params(unlabeled=unlabeled)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "(?s).*(no unlabeled rows|rows with label -1|as much as the median column)")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
        answer, p = model.predict(X), model.predict_proba(X)
    assert list(model.classes_) == sorted(names)
    assert set(answer) <= set(names)
    assert np.isfinite(model.decision_function(X)).all()
    assert_allclose(p.sum(axis=1), 1.0)
    # rows with labels of two classes score both alike: either may be the answer, none has a larger probability
    assert_allclose(p[np.arange(len(p)), np.searchsorted(model.classes_, answer)], p.max(axis=1))
    given_rows = [i for i, label in enumerate(y) if label not in (None, unlabeled)]
    assert_array_equal(model.transduction_[given_rows], y[given_rows])
    assert set(model.transduction_) <= set(names)


@pytest.mark.parametrize("estimator", MEMBERS[:-1], ids=str)
@settings(few_examples, max_examples=6)
@given(seed=st.integers(0, 2**16), shape=st.tuples(st.integers(8, 20), st.integers(1, 4)), zeros=st.floats(0.1, 0.9))
def test_rows_mean_the_same_however_they_are_stored(estimator, seed, shape, zeros):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape) * (rng.random(shape) > zeros)
    y = np.where(np.arange(len(X)) < 4, np.arange(len(X)) % 2, -1)
    expected = clone(estimator).set_params(tol=1e-6, gamma=0.5).fit(X, y)
    for kind in ("fortran", "csr_array", "csr_matrix", "frame", "list"):
        rows = _as(kind, X)
        model = clone(estimator).set_params(tol=1e-6, gamma=0.5).fit(rows, y.tolist() if kind == "list" else y)
        assert_allclose(model.decision_function(rows), expected.decision_function(X), atol=1e-4)


@every_classifier
def test_the_order_of_rows_does_not_matter(estimator, rng):
    X, _, y = blobs()
    order = rng.permutation(len(y))
    exact = {"tol": 1e-8, "gamma": 0.2, "delta": 0.0}
    exact = {name: value for name, value in exact.items() if name in estimator().get_params()}
    model = quick(estimator, **exact).fit(X, y)
    moved = quick(estimator, **exact).fit(X[order], y[order])
    if "objective_" in vars(model):
        assert_allclose(moved.objective_, model.objective_, rtol=1e-6, atol=1e-6)
    assert_array_equal(moved.transduction_, model.transduction_[order])
    assert_array_equal(moved.predict(X), model.predict(X))


@every_classifier
def test_a_clean_fit_is_silent_and_one_without_unlabeled_rows_says_so_once(estimator):
    X, truth, y = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = quick(estimator).fit(X, y)
        model.predict(X), model.predict_proba(X), model.score(X, truth), model.score(X, y)
        quick(estimator, unlabeled=None).fit(X, truth)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quick(estimator).fit(X, truth)
    supervised = estimator.__name__ in ("SupervisedSVM", "SupervisedRLS")
    assert len(caught) == (0 if supervised else 1)
    assert supervised or "was given no unlabeled rows (unlabeled=-1 marks them)" in str(caught[0].message)
    assert supervised or caught[0].filename == __file__


@pytest.mark.parametrize("estimator", [e for e in CLASSIFIERS if e.__name__ != "S3VM"], ids=lambda e: e.__name__)
def test_a_fit_cut_short_says_so_once_if_at_all(estimator):
    X, _, y = blobs()
    X[1::3] = X[:8]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = quick(estimator, max_iter=1, tol=1e-12, gamma=0.3).fit(X, y)
    cut = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    assert len(caught) == len(cut) <= 1
    assert (len(cut) == 1) == (model.status_ == "stopped at max_iter" and np.max(model.stationarity_) > 1e-12)
    if cut:
        assert "max_iter=1 with stationarity" in str(cut[0].message)
        assert cut[0].filename == __file__


@every_classifier
@pytest.mark.parametrize("y", [np.full(24, -1), np.full(24, np.nan), [None] * 24], ids=["-1", "NaN", "None"])
def test_no_labels_at_all_are_refused(estimator, y):
    with pytest.raises(ValueError, match="None of the 24 rows is labeled"):
        quick(estimator).fit(blobs()[0], y)


@every_classifier
def test_one_label_per_class_constant_columns_and_copies_are_fine(estimator):
    X, truth, _ = blobs()
    X = np.column_stack([X, np.full(24, 3.0), X[:, 0]])
    X[12:] = X[:12]
    y = np.where(np.arange(24) < 2, truth, -1)
    model = quick(estimator).fit(X, y)
    assert np.mean(model.predict(X) == truth) > 0.8
    assert_array_equal(model.predict(X[12:]), model.predict(X[:12]))


def test_score_needs_a_label_and_takes_any_number_of_classes():
    X, truth, y = blobs()
    model = GradientS3VM().fit(X, y)
    only_ones = np.where(truth == 1, 1, -1)
    assert model.score(X, only_ones) == np.mean(model.predict(X[truth == 1]) == 1)
    weights = np.arange(24.0)
    assert_allclose(
        model.score(X, only_ones, sample_weight=weights),
        model.score(X[truth == 1], truth[truth == 1], weights[truth == 1]),
    )
    with pytest.raises(ValueError, match=r"None of the 24 rows to score is labeled \(unlabeled=-1\)"):
        model.score(X, np.full(24, -1))


def test_score_reads_text_and_missing_labels():
    X, truth, _ = blobs()
    names = np.array(["no", "yes"], dtype=object)[truth]
    names[6:] = None
    model = GradientS3VM().fit(X, names)
    longer = names.copy()
    longer[0] = "nobody knows"
    assert model.score(X, names) == 1.0
    assert_allclose(model.score(X, longer), 5 / 6)


def test_graphs_and_reduced_sets_have_probabilities_and_counts_too():
    X, _, y = blobs(3)
    for changes in ({"graph": Graph(n_neighbors=4)}, {"n_components": 8}, {"kernel": "linear"}):
        model = GradientS3VM(n_stages=2, joint_counts=True, random_state=0, **changes).fit(X, y)
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
        assert np.bincount(model.transduction_[6:]).tolist() == [6, 6, 6]
