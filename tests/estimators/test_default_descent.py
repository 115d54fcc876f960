"""The descent of the default's S3VMs, against the objective it stands for and a naive L-BFGS."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import S3VM
from semisvm.estimators.default import averaging, descent, members
from semisvm.estimators.default.curvature_pairs import CurvaturePairs
from semisvm.losses import Gaussian, SquaredHinge
from semisvm.objective import Problem
from semisvm.spaces import Linear

from .conftest import interrupted_at


def twin(Z, targets):
    """The same problem as one of the library's own."""
    labeled, unlabeled = targets.labeled, targets.unlabeled
    y, weights = np.zeros((len(Z), targets.y.shape[1])), np.zeros((len(Z), targets.y.shape[1]))
    y[labeled], weights[labeled] = targets.y, targets.labeled_weights
    weights[unlabeled] = targets.unlabeled_weights[:, None]
    mean = Z[unlabeled].mean(axis=0)
    problem = Problem(
        space=Linear(Z - mean),
        y=y,
        labeled=labeled,
        unlabeled=unlabeled,
        labeled_loss=SquaredHinge(),
        unlabeled_loss=Gaussian(1.0),
        weights=weights,
        bias=2.0 * targets.ratio - 1.0,
    )
    return problem, mean


@pytest.fixture
def columns(rng):
    y = np.where(rng.random((8, 3)) > 0.5, 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    weights = np.full((8, 3), 5.0)
    weights[2:4, 1] = 0.0
    ratio = np.array([0.5, 0.4, 0.3])
    return members.Targets(np.arange(8), np.arange(8, 40), y, weights, np.full(32, 5.0), ratio), rng.normal(
        size=(40, 5)
    )


def test_the_descent_has_the_value_and_the_slope_of_the_objective(columns, rng, monkeypatch):
    targets, Z = columns
    problem, mean = twin(Z, targets)
    w = rng.normal(size=(5, 3))
    rows = descent.Rows(
        labeled=Z[:8] - mean,
        unlabeled=Z[8:] - mean,
        y=targets.y.T,
        labeled_weights=targets.labeled_weights.T,
        unlabeled_weights=targets.unlabeled_weights,
        bias=2.0 * targets.ratio - 1.0,
    )
    theirs = problem.objective().evaluate(problem.objective().point(w, rows.bias))
    # in one strip, and in strips of six rows
    for strip_bytes in (descent.STRIP_BYTES, 6 * 8 * (5 + 2 * 3)):
        monkeypatch.setattr(descent, "STRIP_BYTES", strip_bytes)
        ours = descent.evaluate(rows, w.T, 1.0)
        assert_allclose(ours.value, theirs.value)
        assert_allclose(ours.gradient.T, theirs.gradient.theta)
    assert len(rows.strips(3)) == 6


def test_the_descent_ends_where_the_gradient_is_small(columns):
    targets, Z = columns
    view = type("View", (), {"Z": Z})
    (alone,) = members.fit_supervised([view], targets, 1e-8)
    model = members.fit_member(view, alone, targets, 1e-6, 300).member.semi_supervised
    problem, _ = twin(Z, targets)
    found = problem.objective().evaluate(problem.objective().point(model.theta, 2.0 * targets.ratio - 1.0))
    assert_allclose(found.value, model.objective)
    assert np.all(found.stationarity < 1e-5)
    # the mean output of the unlabeled rows is held
    assert_allclose(model.scores(Z[8:]).mean(axis=0), 2.0 * targets.ratio - 1.0, atol=1e-12)
    # every column is on its own
    for column in range(3):
        part = replace(
            targets,
            y=targets.y[:, [column]],
            labeled_weights=targets.labeled_weights[:, [column]],
            ratio=targets.ratio[[column]],
        )
        (start,) = members.fit_supervised([view], part, 1e-8)
        one = members.fit_member(view, start, part, 1e-6, 300).member.semi_supervised
        assert_allclose(one.theta[:, 0], model.theta[:, column], atol=1e-4)


@pytest.mark.parametrize("chosen", [[0, 2], [1, 2]])
def test_only_the_columns_that_are_asked_for_are_trained(columns, chosen):
    """The second choice leaves out the column of all labels, so that there is no path."""
    targets, Z = columns
    targets = replace(targets, own=slice(0, 1))
    view = type("View", (), {"Z": Z})
    (alone,) = members.fit_supervised([view], targets, 1e-8)
    every = members.fit_member(view, alone, targets, 1e-6, 300).member.semi_supervised
    some = members.fit_member(view, alone, targets, 1e-6, 300, columns=np.array(chosen)).member.semi_supervised
    (left,) = some.untrained
    assert [left] == np.setdiff1d(np.arange(3), chosen).tolist()
    assert_allclose(some.theta[:, chosen], every.theta[:, chosen], atol=1e-4)
    assert_allclose(some.intercept[chosen], every.intercept[chosen], atol=1e-4)
    assert_allclose(some.objective[chosen], every.objective[chosen], rtol=1e-6)
    assert_allclose(some.theta[:, left], alone.theta[:, left])
    assert np.isnan([some.objective[left], some.stationarity[left]]).all()
    assert len(some.path) == (len(descent.WEIGHTS) if 0 in chosen else 0)
    # a start of a column that is not asked for is no matter
    started = members.fit_member(view, alone, targets, 1e-6, 300, {left: Z[0]}, np.array(chosen)).member.semi_supervised
    assert_array_equal(started.theta[:, chosen], some.theta[:, chosen])


@pytest.mark.parametrize("effort", [descent.WHOLE, descent.LIGHT], ids=["whole", "light"])
def test_columns_that_leave_out_labels_make_the_effort_that_is_asked_for(columns, effort, monkeypatch):
    targets, Z = columns
    targets = replace(targets, own=slice(0, 1), of_others=effort)
    view = type("View", (), {"Z": Z})
    (alone,) = members.fit_supervised([view], targets, 1e-8)
    stages, minimize = [], descent._minimize

    def noted(rows, whole, weight, tol, steps):
        stages.append((len(whole.w), weight, steps))
        return minimize(rows, whole, weight, tol, steps)

    monkeypatch.setattr(descent, "_minimize", noted)
    model = members.fit_member(view, alone, targets, 1e-6, 30).member.semi_supervised
    assert stages[:4] == [(1, weight, 30) for weight in descent.WEIGHTS]
    assert stages[4:] == [(2, weight, {1.0: 30, 2 / 3: 20}[effort.of_steps]) for weight in effort.weights]
    # the path is that of the column with all labels
    assert [record["weight"] for record in model.path] == list(descent.WEIGHTS)


@pytest.mark.parametrize(("n_labels", "effort"), [(48, descent.WHOLE), (50, descent.LIGHT)])
def test_folds_of_many_labels_make_less_effort(n_labels, effort, monkeypatch, rng):
    X, asked, trained = rng.normal(size=(120, 3)), [], averaging.fit_member
    y = np.where(np.arange(120) < n_labels, np.arange(120) % 2, -1)

    def noted(view, supervised, targets, *rest):
        asked.append(targets.of_others)
        return trained(view, supervised, targets, *rest)

    monkeypatch.setattr(averaging, "fit_member", noted)
    S3VM(max_iter=2).fit(X, y)
    assert set(asked) == {effort}


def test_of_many_rows_some_are_summed_and_the_last_stage_sums_all(rng, monkeypatch):
    n = 4000
    Z, y = rng.normal(size=(n, 3)), np.repeat([[-1.0], [-1.0], [1.0], [1.0]], 2, axis=1)
    Z[n // 2 :, 0] += 4.0
    labeled, unlabeled = np.array([0, 1, n - 2, n - 1]), np.arange(2, n - 2)
    targets = members.Targets(labeled, unlabeled, y, np.ones((4, 2)), np.ones(n - 4), np.full(2, 0.5), own=slice(0, 1))
    view = type("View", (), {"Z": Z})
    (alone,) = members.fit_supervised([view], targets, 1e-8)
    sizes, evaluate = [], descent.evaluate
    monkeypatch.setattr(descent, "SUMMED", 1000)
    monkeypatch.setattr(descent, "SUMMED_FOR_FOLDS", 500)
    monkeypatch.setattr(
        descent,
        "evaluate",
        lambda rows, w, weight: sizes.append((len(rows.unlabeled), len(w))) or evaluate(rows, w, weight),
    )
    model = members.fit_member(view, alone, targets, 1e-6, 300).member.semi_supervised
    assert set(sizes) == {(1000, 1), (n - 4, 1), (500, 1)}
    assert [record["weight"] for record in model.path] == [*descent.WEIGHTS, 1.0]
    problem, _ = twin(Z, targets)
    found = problem.objective().evaluate(problem.objective().point(model.theta, 2.0 * targets.ratio - 1.0))
    # the column with all labels ends where the gradient of all rows is small, the other one nearby
    assert found.stationarity[0] < 1e-4 < found.stationarity[1]
    assert_allclose(model.objective[0], found.value[0])
    assert_allclose(model.objective[1], found.value[1], rtol=0.4)


def two_loops(pairs, gradient):
    """H g of one problem, as Nocedal (1980) writes it."""
    q, a = gradient.copy(), []
    for s, y in reversed(pairs):
        a.append(s @ q / (s @ y))
        q -= a[-1] * y
    s, y = pairs[-1]
    q *= s @ y / (y @ y)
    for (s, y), one in zip(pairs, reversed(a), strict=True):
        q += (one - y @ q / (s @ y)) * s
    return q


def test_pairs_taken_at_once_are_those_of_the_two_loops(rng):
    every = CurvaturePairs.none(np.zeros((3, 12)))
    gradient = rng.normal(size=(3, 12))
    # without a pair the gradient is cut to one
    assert_allclose(every.inverse_hessian(gradient), gradient / np.linalg.norm(gradient, axis=1)[:, None])
    H, known = np.diag(rng.uniform(0.5, 5.0, 12)), [[], [], []]
    for number in range(11):
        s = rng.normal(size=(3, 12))
        y = s @ H
        if number == 5:
            # no curvature: it counts nothing for this problem
            y[1] *= -1.0
        every.add(s, y)
        for one in range(3):
            known[one].append((s[one], y[one]))
        part = every.of(np.array([2, 1]))
        for one, found in ((0, every.inverse_hessian(gradient)[0]), (2, part.inverse_hessian(gradient[[2, 1]])[0])):
            assert_allclose(found, two_loops(known[one][-8:], gradient[one]), rtol=1e-9, atol=1e-12)
        counting = [pair for pair in known[1][-8:] if pair[0] @ pair[1] > 0]
        assert_allclose(part.inverse_hessian(gradient[[2, 1]])[1], two_loops(counting, gradient[1]), rtol=1e-9)


def test_ctrl_c_leaves_a_descent_where_it_is(columns, monkeypatch):
    targets, Z = columns
    view = type("View", (), {"Z": Z})
    (alone,) = members.fit_supervised([view], targets, 1e-8)
    monkeypatch.setattr(descent, "_searched", interrupted_at(3, descent._searched))
    fit = members.fit_member(view, alone, targets, 1e-6, 300)
    assert isinstance(fit.interrupt, KeyboardInterrupt)
    assert np.isfinite(fit.member.semi_supervised.theta).all()
    assert not np.array_equal(fit.member.semi_supervised.theta, alone.theta)
