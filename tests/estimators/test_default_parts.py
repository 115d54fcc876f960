"""Parts of the default that take the place of something slower: the same answers are needed."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import S3VM
from semisvm.estimators.default import averaging, descent, families, label_free, members, small_svms
from semisvm.estimators.default.curvature_pairs import CurvaturePairs
from semisvm.estimators.default.label_sets import LabelSets, LeftOutLabels, folds_of_labels
from semisvm.estimators.default.small_svms import small_enough, solve_in_parts, solve_together
from semisvm.estimators.joint_counts import class_counts
from semisvm.losses import Gaussian, SquaredHinge
from semisvm.objective import Problem
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


# ---------------------------------------------------------------- the descent of the S3VMs


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
    search, calls = descent._searched, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return search(*arguments)

    monkeypatch.setattr(descent, "_searched", interrupted)
    fit = members.fit_member(view, alone, targets, 1e-6, 300)
    assert isinstance(fit.interrupt, KeyboardInterrupt)
    assert np.isfinite(fit.member.semi_supervised.theta).all()
    assert not np.array_equal(fit.member.semi_supervised.theta, alone.theta)


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
