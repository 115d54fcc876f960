"""Parts of the default that take the place of something slower: the same answers are needed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import S3VM
from semisvm.estimators.default import members, small_svms
from semisvm.estimators.default.side_by_side import SideBySide
from semisvm.estimators.default.small_svms import small_enough, solve_together
from semisvm.estimators.joint_counts import class_counts
from semisvm.spaces import Centered, Linear


@pytest.fixture
def views(rng):
    return [rng.normal(size=(12, d)) for d in (3, 7, 5)]


@pytest.mark.parametrize("n_columns", [1, 3])
def test_spaces_side_by_side_are_the_spaces_one_by_one(views, n_columns, rng):
    space = SideBySide.of(views, n_columns)
    parts = [rng.normal(size=(Z.shape[1], n_columns)) for Z in views]
    v = rng.normal(size=(12, 3 * n_columns))
    outputs, pulled = space.outputs(space.together(parts)), space.represent(v)
    for member, (Z, w) in enumerate(zip(views, parts, strict=True)):
        own = space.columns_of(member)
        assert_array_equal(space.part(member, space.together(parts)), w)
        assert_allclose(outputs[:, own], Linear(Z).outputs(w), atol=1e-12)
        assert_allclose(space.part(member, pulled), Linear(Z).represent(v[:, own]), atol=1e-12)
        assert not pulled[Z.shape[1] :, own].any()


@pytest.mark.parametrize(("n_columns", "chosen"), [(1, [2]), (1, [0, 2]), (3, [1, 6, 7]), (3, [3, 4, 5]), (3, [8])])
def test_columns_of_spaces_side_by_side_may_be_taken_alone(views, n_columns, chosen, rng):
    space, chosen = SideBySide.of(views, n_columns), np.array(chosen)
    theta = space.together([rng.normal(size=(Z.shape[1], n_columns)) for Z in views])
    v = rng.normal(size=(12, 3 * n_columns))
    part = space.columns(chosen)
    assert len(part.stack) == len(np.unique(chosen // n_columns))
    assert_allclose(part.outputs(theta[:, chosen]), space.outputs(theta)[:, chosen], atol=1e-12)
    assert_allclose(part.represent(v[:, chosen]), space.represent(v)[:, chosen], atol=1e-12)
    again, last = part.columns(np.array([-1])), chosen[-1:]
    assert_allclose(again.outputs(theta[:, last]), space.outputs(theta)[:, last], atol=1e-12)


def test_columns_of_a_shared_space_are_that_space(rng):
    space = Centered(Linear(rng.normal(size=(12, 3))), np.arange(4, 12))
    assert space.columns(np.array([1])) is space


@pytest.mark.parametrize("n_classes", [2, 3])
def test_small_svms_together_are_those_one_by_one(views, n_classes, rng, monkeypatch):
    codes = np.arange(12) % n_classes
    y = np.where(codes[:, None] == np.arange(1 if n_classes == 2 else n_classes), 1.0, -1.0)
    weights = rng.uniform(0.5, 20.0, 12)
    task = members.Task(y, codes, np.arange(12), np.empty(0, dtype=np.intp), weights, np.full(y.shape[1], 0.5))
    shown = [type("View", (), {"Z": Z}) for Z in views]
    together = members._supervised(shown, task, 1e-10)
    monkeypatch.setattr(small_svms, "SYSTEMS_BYTES", 0)
    alone = members._supervised(shown, task, 1e-10)
    for one, other in zip(together, alone, strict=True):
        assert_allclose(one.theta, other.theta, atol=1e-7)
        assert_allclose(one.intercept, other.intercept, atol=1e-7)
        assert_allclose(one.left_out, other.left_out, atol=1e-6)
        assert_allclose(one.objective, other.objective, rtol=1e-9)
        assert np.max(one.stationarity) < 1e-8


def test_steps_in_a_circle_are_left_to_the_other_solver(views, monkeypatch):
    K = np.stack([Z @ Z.T for Z in views])
    y = np.where(np.arange(12) % 2, 1.0, -1.0)[:, None]
    assert solve_together(K, y, np.ones((12, 1))) is not None
    monkeypatch.setattr(small_svms, "STEPS", 1)
    assert solve_together(K, y, np.ones((12, 1))) is None


def test_many_labels_are_worth_a_solver_each():
    assert small_enough(18, 100, 10)
    assert not small_enough(18, 1000, 1)


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
