"""Parts of the default that take the place of something slower: the same answers are needed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import S3VM
from semisvm.estimators.default import averaging, families, label_free, members, small_svms
from semisvm.estimators.default.label_sets import LabelSets, LeftOutLabels, folds_of_labels
from semisvm.estimators.default.small_svms import small_enough, solve_in_parts, solve_together
from semisvm.estimators.joint_counts import class_counts
from semisvm.spaces import Centered, Linear


@pytest.fixture
def views(rng):
    return [rng.normal(size=(12, d)) for d in (3, 7, 5)]


def test_columns_of_a_shared_space_are_that_space(rng):
    space = Centered(Linear(rng.normal(size=(12, 3))), np.arange(4, 12))
    assert space.columns(np.array([1])) is space


@pytest.mark.parametrize("n_classes", [2, 3])
def test_small_svms_together_are_those_one_by_one(views, n_classes, rng, monkeypatch):
    codes = np.arange(12) % n_classes
    y = np.where(codes[:, None] == np.arange(1 if n_classes == 2 else n_classes), 1.0, -1.0)
    weights = np.repeat(rng.uniform(0.5, 20.0, 12)[:, None], y.shape[1], axis=1)
    weights[:2] = 0.0
    none = np.empty(0, dtype=np.intp)
    targets = members.Targets(np.arange(12), none, y, weights, np.empty(0), np.full(y.shape[1], 0.5))
    shown = [type("View", (), {"Z": Z}) for Z in views]
    together = members.fit_supervised(shown, targets, 1e-10)
    monkeypatch.setattr(small_svms, "SYSTEMS_BYTES", 0)
    alone = members.fit_supervised(shown, targets, 1e-10)
    for one, other in zip(together, alone, strict=True):
        assert_allclose(one.theta, other.theta, atol=1e-7)
        assert_allclose(one.intercept, other.intercept, atol=1e-7)
        assert_allclose(one.objective, other.objective, rtol=1e-9)
        assert np.max(one.stationarity) < 1e-8


def test_a_label_of_weight_zero_is_as_good_as_absent(views):
    K = np.stack([Z @ Z.T for Z in views])
    y = np.where(np.arange(12) % 2, 1.0, -1.0)[:, None]
    weights = np.where(np.arange(12) < 3, 0.0, 2.0)[:, None]
    every, part = solve_in_parts(K, y, weights), solve_together(K[:, 3:, 3:], y[3:], weights[3:])
    assert_allclose(every.beta[:, 3:], part.beta, atol=1e-12)
    assert not every.beta[:, :3].any()
    assert_allclose(every.bias, part.bias)


def test_labels_of_one_class_alone_end_on_the_margin(views):
    K = np.stack([Z @ Z.T for Z in views])
    found = solve_together(K, np.ones((12, 1)), np.ones((12, 1)))
    assert_allclose(found.beta, 0.0, atol=1e-12)
    assert_allclose(found.bias, 1.0)


def test_columns_in_parts_are_those_at_once(views, monkeypatch, rng):
    K = np.stack([Z @ Z.T for Z in views])
    y = np.where(rng.random((12, 5)) > 0.5, 1.0, -1.0)
    once = solve_in_parts(K, y, np.ones((12, 5)))
    monkeypatch.setattr(small_svms, "SYSTEMS_BYTES", 2 * 3 * 8 * 13**2)
    parts = solve_in_parts(K, y, np.ones((12, 5)))
    assert_allclose(parts.beta, once.beta, atol=1e-12)
    assert_allclose(parts.bias, once.bias, atol=1e-12)
    assert_allclose(parts.outputs, once.outputs, atol=1e-12)


def test_steps_in_a_circle_are_left_to_the_other_solver(views, monkeypatch):
    K = np.stack([Z @ Z.T for Z in views])
    y = np.where(np.arange(12) % 2, 1.0, -1.0)[:, None]
    assert solve_together(K, y, np.ones((12, 1))) is not None
    monkeypatch.setattr(small_svms, "STEPS", 1)
    assert solve_together(K, y, np.ones((12, 1))) is None


def test_many_labels_are_worth_a_solver_each():
    assert small_enough(100)
    assert not small_enough(2000)


@pytest.mark.parametrize("method", ["auto", "gradient"])
def test_joint_counts_hold_for_all_classes(method, rng):
    y = np.arange(60) % 3
    X, labels = rng.normal(size=(60, 2)) + np.eye(3, 2)[y], np.where(np.arange(60) < 12, y, -1)
    shares = [0.5, 0.3, 0.2]
    model = S3VM(method=method, ratio=shares, max_iter=5, joint_counts=True).fit(X, labels)
    assert_array_equal(np.bincount(model.transduction_[12:]), class_counts(np.array(shares), 48))
    assert_array_equal(model.transduction_[:12], y[:12])
    plain = S3VM(method=method, ratio=shares, max_iter=5).fit(X, labels)
    assert_array_equal(plain.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="joint_counts='yes' was given and one of False, True is needed"):
        S3VM(joint_counts="yes").fit(X, labels)


def test_the_unit_of_the_columns_does_not_matter(rng):
    y = np.arange(520) % 2
    X, labels = rng.normal(size=(520, 6)) + 1.5 * np.eye(2, 6)[y], np.where(np.arange(520) < 12, y, -1)
    expected = S3VM(max_iter=5).fit(X, labels)
    assert "columns as given" in expected.report_.preparations
    for unit in (2.0**80, 2.0**-80):
        model = S3VM(max_iter=5).fit(unit * X, labels)
        assert_array_equal(model.transduction_, expected.transduction_)
        assert_allclose(model.decision_function(unit * X), expected.decision_function(X), atol=1e-6)


# ---------------------------------------------------------------- folds of the labels


@pytest.mark.parametrize(("n", "folds"), [(2, 2), (12, 12), (13, 10), (39, 10), (40, 5), (200, 5)])
def test_every_label_is_left_out_as_often_as_every_other(n, folds, rng):
    codes = rng.integers(3, size=n)
    found = folds_of_labels(codes)
    assert len(found) == folds
    times = np.bincount(np.concatenate(found), minlength=n)
    assert np.all(times == (2 if folds == 10 else 1))
    if n > 40:
        for fold in found:
            assert np.all(np.abs(np.bincount(codes[fold], minlength=3) - np.bincount(codes) / 5) < 2)


def test_sets_of_labels_are_columns(rng):
    codes = np.arange(15) % 3
    sets = LabelSets.of(codes, 3)
    signs, spread = sets.signs(), sets.spread()
    assert signs.shape == spread.shape == (15, 3 * len(sets.kept))
    for place, fold in enumerate(sets.folds):
        own = sets.columns_of(1 + place)
        assert_array_equal(np.argmax(signs[:, own], axis=1), codes)
        assert_array_equal(np.flatnonzero(~spread[:, own].any(axis=1)), fold)
    mean = sets.of_left_out([np.full((len(fold), 1), place) for place, fold in enumerate(sets.folds)])
    which = [[place for place, fold in enumerate(sets.folds) if label in fold] for label in range(15)]
    assert_allclose(mean[:, 0], np.mean(which, axis=1))


# ---------------------------------------------------------------- C of the logistic regression


def _many_columns(rng, n_labeled):
    """A weak direction among 60 columns: a small C is better."""
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 60))
    X[:, 0] += 0.8 * (2 * y - 1)
    labels = np.full(200, -1)
    labels[:n_labeled] = y[:n_labeled]
    return X, labels


@pytest.mark.parametrize(("n_labeled", "chosen"), [(40, False), (60, True)])
def test_logistic_regression_chooses_c_where_there_are_labels_enough(n_labeled, chosen, rng):
    X, labels = _many_columns(rng, n_labeled)
    kernels = label_free.LabelFreeKernels.of(X, 0, graphs=True)
    rows = np.flatnonzero(labels >= 0)
    labeled = families.Labeled(rows, LabelSets.of(labels[rows], 2), np.ones(len(rows)))
    found = families.logistic_regression(kernels, labeled)
    assert (found.predictor.classifier.C < 1.0) == chosen


def test_a_fold_chooses_c_without_its_own_labels(rng):
    sets = LabelSets.of(np.arange(50) % 2, 2)
    seen = LeftOutLabels(sets, np.ones(50))
    good, bad = np.log([0.9, 0.1]), np.log([0.1, 0.9])
    # the first model is right about the labels of the first fold alone, the second about all others
    of_codes = [np.where(sets.codes[fold][:, None] == 0, good, bad) for fold in sets.left_out]
    in_first = [np.isin(rows, sets.folds[0])[:, None] for rows in sets.left_out]
    first = [np.where(own, logs, logs[:, ::-1]) for own, logs in zip(in_first, of_codes, strict=True)]
    second = [np.where(own, logs[:, ::-1], logs) for own, logs in zip(in_first, of_codes, strict=True)]
    assert_array_equal(families._least_log_loss([first, second], seen), 1)
    # labels of a fold that alone speak for the first model, loudly, do not count for this fold
    heavy = np.where(np.isin(np.arange(50), sets.folds[0]), 100.0, 1.0)
    chosen = families._least_log_loss([first, second], LeftOutLabels(sets, heavy))
    assert chosen[1] == 1
    assert_array_equal(np.delete(chosen, 1), 0)


def test_a_kernel_is_trained_for_the_sets_that_use_it():
    weights = np.array([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    chosen = averaging.ChosenKernels([None] * 3, weights, np.zeros(3), 3)
    sets = LabelSets(np.arange(3), 3, np.ones((3, 3), dtype=bool), [])
    # all columns of the first kernel, which stands in where training ends early
    assert_array_equal(chosen.columns(0, sets), np.arange(9))
    assert_array_equal(chosen.columns(1, sets), np.arange(6))
    assert_array_equal(chosen.columns(2, sets), [6, 7, 8])
    assert_allclose(chosen.first(2).weights, [[0.7, 0.3], [0.0, 1.0], [1.0, 0.0]])
    assert_allclose(chosen.first(1).weights, np.ones((3, 1)))
    assert_array_equal(chosen.weights, weights)
