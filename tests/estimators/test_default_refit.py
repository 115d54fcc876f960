"""Refits of S3VM() with other labels."""

import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from semisvm import S3VM, estimate_memory
from semisvm.datasets import make_g50c
from semisvm.estimators.default import estimator
from semisvm.estimators.default.families import Labeled
from semisvm.estimators.default.label_sets import LabelSets
from semisvm.estimators.default.last_members import remembered

from .conftest import few_labels


@pytest.mark.parametrize("method", ["auto", "gradient"])
def test_a_refit_is_a_fresh_fit_to_the_last_bit(clusters, method):
    X, y, labels = clusters
    model = S3VM(method=method, random_state=3).fit(X, labels)
    others = few_labels(y, 12, seed=5)
    weights = np.linspace(0.5, 1.5, len(y))
    model.refit(others, weights)
    fresh = S3VM(method=method, random_state=3).fit(X, others, weights)
    assert_array_equal(model.decision_function(X), fresh.decision_function(X))
    assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    assert_array_equal(model.transduction_, fresh.transduction_)
    third = others.copy()
    third[np.flatnonzero(others < 0)[:3]] = 2
    assert_array_equal(model.refit(third).classes_, [0, 1, 2])


def test_a_refit_builds_no_kernel(clusters, monkeypatch):
    X, y, labels = clusters
    model = S3VM().fit(X, labels)
    monkeypatch.setattr(estimator.LabelFreeKernels, "of", None)
    model.refit(few_labels(y, 8))
    # where every row is labeled there is no graph
    with pytest.warns(UserWarning, match="no unlabeled rows"), pytest.raises(TypeError):
        model.refit(y)


def test_a_warm_refit_takes_fewer_steps_to_nearly_the_same_rows():
    X, y = make_g50c(n_samples=400, random_state=0)
    first = few_labels(y, 20)
    second = first.copy()
    more = np.flatnonzero(first < 0)[:3]
    second[more] = y[more]
    warm, fresh = S3VM(warm_start=True).fit(X, first).refit(second), S3VM().fit(X, second)
    assert np.mean(warm.transduction_ != fresh.transduction_) <= 0.005
    # the same labels once more: every model begins where it ended
    again = S3VM(warm_start=True).fit(X, first)
    steps = again.n_iter_
    assert again.refit(first).n_iter_ < 0.6 * steps
    assert {record["weight"] for record in again.path_} == {1.0}


def labeled_as(rows, n_classes):
    codes = rows % n_classes
    return Labeled(rows, LabelSets.of(codes, n_classes), np.ones(len(rows)))


def member_with(theta, untrained=()):
    model = SimpleNamespace(theta=theta[None], untrained=np.array(untrained, dtype=int))
    view = SimpleNamespace(title="rbf")
    return SimpleNamespace(view=view, semi_supervised=model)


def test_no_fold_begins_with_a_model_that_had_seen_its_labels():
    rows, classes, members = np.arange(10), np.array([0, 1]), [member_with(np.arange(11.0))]
    every, fewer = labeled_as(rows, 2), labeled_as(rows[2:], 2)
    last = remembered(members, classes, every, None)
    # up to twelve labels each is a fold: the fold of a row begins with that of the same row
    assert last.sources(every) == list(range(11))
    assert last.sources(fewer) == [0, *range(3, 11)]
    starts = {place: float(theta[0]) for place, theta in last.starts("rbf", classes, fewer).items()}
    assert starts == {0: 0.0, **{place: place + 2.0 for place in range(1, 9)}}
    assert last.starts("linear", classes, fewer) == last.starts("rbf", np.array([0, 5]), fewer) == {}
    # rows 0 and 1 are no labels now, but the models of all others began where they had been seen
    assert remembered(members, classes, fewer, last).sources(every)[1:3] == [None, None]
    assert remembered(members, classes, fewer, None).sources(every)[1:3] == [0, 0]


def test_a_warm_start_leaves_out_columns_that_were_not_trained():
    rows, classes = np.arange(10), np.array([0, 1])
    every = labeled_as(rows, 2)
    last = remembered([member_with(np.arange(11.0), untrained=(0, 4))], classes, every, None)
    assert sorted(last.starts("rbf", classes, every)) == [1, 2, 3, *range(5, 11)]


def test_a_warm_start_knows_columns_by_their_class():
    every = labeled_as(np.arange(9), 3)
    last = remembered([member_with(np.arange(30.0))], np.array(["a", "b", "c"]), every, None)
    starts = last.starts("rbf", np.array(["a", "c", "d"]), every)
    assert {place: float(theta[0]) for place, theta in starts.items() if place < 6} == {0: 0.0, 1: 2.0, 3: 3.0, 4: 5.0}


def test_a_refit_knows_its_columns_still(clusters):
    X, _, labels = clusters
    model = S3VM(max_iter=2).fit(X, labels).refit(labels)
    assert model.n_features_in_ == X.shape[1]
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])


def test_what_a_refit_needs(clusters):
    X, _, labels = clusters
    with pytest.raises(NotFittedError):
        S3VM().refit(labels)
    model = S3VM(max_iter=2).fit(X, labels)
    with pytest.raises(ValueError, match="X has 200 rows and y has 30: the same number is needed"):
        model.refit(labels[:30])
    lighter = pickle.loads(pickle.dumps(model))
    assert_array_equal(lighter.predict(X), model.predict(X))
    with pytest.raises(
        ValueError, match="holds no rows of a last fit and refit needs them: fit it with keep_kernels=True"
    ):
        lighter.refit(labels)
    with pytest.raises(ValueError, match="holds no rows of a last fit"):
        S3VM(max_iter=2, keep_kernels=False).fit(X, labels).refit(labels)
    with pytest.raises(ValueError, match="warm_start='yes' was given and one of False, True is needed"):
        S3VM(warm_start="yes").fit(X, labels)
    kept = model._kept.kernels.n_bytes
    assert len(pickle.dumps(model)) < kept
    assert estimate_memory(S3VM(), X).kept >= kept


def test_a_column_of_another_unit_is_scaled_with_a_warning(clusters):
    X, _, labels = clusters
    X = X.copy()
    X[:, 3] *= 1e4
    with pytest.warns(UserWarning, match=r"Column 3 varies [\d,]+ times as much as the median column"):
        model = S3VM().fit(X, labels)
    assert "columns as given" not in model.report_.preparations


def test_a_clean_fit_warns_of_nothing(clusters):
    X, _, labels = clusters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S3VM().fit(X, labels)
