"""S3VM(): what it prepares, weighs, averages and says; and the methods by name."""

import logging
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import lu_factor, lu_solve
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from semisvm import S3VM
from semisvm.datasets import hide_labels, make_g50c, make_two_moons
from semisvm.estimators.default import average, averaging, members, views
from semisvm.estimators.default.average import Size
from semisvm.estimators.default.named import METHODS
from semisvm.estimators.default.preparation import preparations, scaled_by_much
from semisvm.estimators.default.side_by_side import SideBySide
from semisvm.estimators.default.views import kernel_views, rank_for
from semisvm.estimators.default.weights import kernel_weights, left_out_residual
from semisvm.estimators.labels import read_labels
from semisvm.estimators.learner import TrainingSet
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernels import RBF
from semisvm.geometry.widths import width
from semisvm.model_selection import S3VMSearchCV


def few_labels(y, per_class, seed=0):
    random, labels = np.random.default_rng(seed), np.full(len(y), -1)
    for one in np.unique(y):
        rows = random.choice(np.flatnonzero(y == one), per_class, replace=False)
        labels[rows] = one
    return labels


@pytest.fixture(scope="module")
def clusters():
    X, y = make_g50c(n_samples=200, random_state=0)
    return X, y, few_labels(y, 10)


@pytest.fixture(scope="module")
def fitted(clusters):
    X, _, labels = clusters
    return S3VM().fit(X, labels)


# ---------------------------------------------------------------- the whole


def test_the_path_tells_every_stage_of_every_kernel(clusters, fitted):
    X, _, labels = clusters
    shares = {record["kernel"]: record["share"] for record in fitted.path_}
    assert list(shares.items()) == [(one.kernel, one.weight) for one in fitted.report_.kernels]
    for kernel in shares:
        own = [record for record in fitted.path_ if record["kernel"] == kernel]
        assert [record["weight"] for record in own] == list(members.WEIGHTS)
        assert all(record["objective"].shape == (1,) and record["seconds"] > 0 for record in own)
    assert sum(record["changed"] for record in fitted.path_) > 0
    # members that are trained one by one tell the same of themselves
    alone = S3VM(time_limit=1e9).fit(X, labels).path_
    for one, other in zip(fitted.path_, alone, strict=True):
        assert one["kernel"] == other["kernel"]
        assert_allclose(one["objective"], other["objective"], rtol=0.02)
        assert abs(one["changed"] - other["changed"]) <= 3


def test_unlabeled_rows_help_on_clusters(clusters, fitted):
    X, y, labels = clusters
    unlabeled = labels < 0
    alone = SVC().fit(X[~unlabeled], y[~unlabeled]).predict(X[unlabeled])
    ours = np.mean(fitted.transduction_[unlabeled] != y[unlabeled])
    assert ours < 0.8 * np.mean(alone != y[unlabeled])
    assert_array_equal(fitted.transduction_[~unlabeled], labels[~unlabeled])


def test_one_label_of_each_moon_is_enough():
    X, y = make_two_moons(nuisance=0, random_state=0)
    labels = np.full(len(y), -1)
    labels[:2] = y[:2]
    assert np.mean(S3VM().fit(X, labels).transduction_ == y) > 0.85


def test_new_rows_are_scored_as_training_rows_are(clusters, fitted):
    X, _, labels = clusters
    unlabeled = labels < 0
    assert_array_equal(fitted.predict(X)[unlabeled], fitted.transduction_[unlabeled])
    fresh, truth = make_g50c(n_samples=200, random_state=5)
    assert fitted.score(fresh, truth) > 0.8
    assert_allclose(fitted.decision_function(X)[::7], fitted.decision_function(X[::7]), atol=1e-9)


def test_probabilities_sum_to_one_and_agree_with_the_class(clusters, fitted):
    X, _, _ = clusters
    p = fitted.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_array_equal(fitted.classes_[p.argmax(axis=1)], fitted.predict(X))


def test_several_classes_with_names():
    random = np.random.default_rng(0)
    centres = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    y = np.repeat(["ash", "birch", "cedar", "dogwood"], 30)
    X = np.repeat(centres, 30, axis=0) + random.normal(size=(120, 3))
    labels = np.full(120, "", dtype=object)
    labels[[0, 1, 30, 31, 60, 61, 90, 91]] = y[[0, 1, 30, 31, 60, 61, 90, 91]]
    model = S3VM(unlabeled="").fit(X, labels)
    assert np.mean(model.transduction_ == y) > 0.9
    assert model.decision_function(X).shape == (120, 4)
    assert_allclose(model.ratio_, 0.25)


def test_many_rows_go_by_landmarks(monkeypatch, clusters):
    X, _, labels = clusters
    exact = S3VM().fit(X, labels).decision_function(X)
    monkeypatch.setattr(views, "EXACT_ROWS", 100)
    monkeypatch.setattr(views, "LANDMARKS", 100)
    model = S3VM().fit(X, labels)
    assert_array_equal(model.predict(X)[labels < 0], model.transduction_[labels < 0])
    assert np.corrcoef(model.decision_function(X), exact)[0, 1] > 0.9
    assert_array_equal(S3VM().fit(X, labels).decision_function(X), model.decision_function(X))


def test_sparse_texts_and_dense_ones_are_the_same():
    random = np.random.default_rng(1)
    y = np.arange(80) % 2
    words = random.poisson(
        0.02 + 0.3 * (np.arange(400) % 40 == 0)[None, :] * (y[:, None] == np.arange(400) % 2), (80, 400)
    )
    labels = few_labels(y, 5)
    sparse = S3VM().fit(sp.csr_array(words.astype(float)), labels)
    dense = S3VM().fit(words.astype(float), labels)
    assert sparse.report_.preparations == ("unit rows",)
    assert_allclose(sparse.decision_function(sp.csr_array(words.astype(float))), dense.decision_function(words))


def test_without_unlabeled_rows_it_is_supervised_and_says_so(clusters):
    X, y, _ = clusters
    with pytest.warns(UserWarning, match=r"S3VM was given no unlabeled rows \(unlabeled=-1 marks them\)"):
        model = S3VM().fit(X, y)
    assert "no unlabeled rows to learn from" in str(model.report_)
    assert not any("graph" in kernel.kernel for kernel in model.report_.kernels)
    assert model.report_.n_kernels == 9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S3VM(unlabeled=None).fit(X, y)


def test_a_time_limit_leaves_the_most_trusted_members(clusters):
    X, _, labels = clusters
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = S3VM(time_limit=1e-9).fit(X, labels)
    (told,) = caught
    assert "S3VM stopped at time_limit=1e-09 after 1 of" in str(told.message)
    assert told.filename == __file__
    assert len(model.report_.kernels) == 1
    assert model.report_.kernels[0].weight == 1.0
    assert model.status_ == "stopped at time_limit"


def test_ctrl_c_leaves_a_fitted_model(clusters, monkeypatch):
    X, _, labels = clusters
    fit_members, calls = averaging.fit_members, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit_members(*arguments)

    monkeypatch.setattr(members, "TOGETHER", 1)
    monkeypatch.setattr(averaging, "fit_members", interrupted)
    model = S3VM()
    with pytest.warns(UserWarning, match="interrupted after 2 of"), pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    assert model.predict(X).shape == (200,)
    assert len(model.report_.kernels) == 2


def test_ctrl_c_in_the_midst_of_members_side_by_side_leaves_them_where_they_are(clusters, monkeypatch):
    X, y, labels = clusters
    sweep, calls = SideBySide.represent, []

    def interrupted(self, v):
        calls.append(1)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return sweep(self, v)

    monkeypatch.setattr(SideBySide, "represent", interrupted)
    model = S3VM()
    with pytest.warns(UserWarning, match=r"interrupted after (\d+) of \1 members"), pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    assert model.status_ == "interrupted"
    assert np.mean(model.transduction_ == y) > 0.8


@pytest.mark.parametrize("n_classes", [2, 3])
def test_members_side_by_side_are_those_that_are_trained_alone(n_classes, monkeypatch, rng):
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 4)) + 1.5 * np.eye(4)[y]
    labels = few_labels(y, 5)
    together = S3VM(tol=1e-4, max_iter=100).fit(X, labels)
    monkeypatch.setattr(members, "TOGETHER", 1)
    alone = S3VM(tol=1e-4, max_iter=100).fit(X, labels)
    assert_allclose(together.decision_function(X), alone.decision_function(X), atol=0.02)
    assert len(together.report_.kernels) == len(alone.report_.kernels)


# ---------------------------------------------------------------- what it says


def test_the_report_in_words_numbers_and_one_log_line(clusters, caplog):
    X, _, labels = clusters
    with caplog.at_level(logging.INFO, logger="semisvm"):
        model = S3VM().fit(X, labels)
    (record,) = [r for r in caplog.records if r.name == "semisvm"]
    assert "20 labeled and 180 unlabeled rows" in record.getMessage()
    report = model.report_
    assert report.n_labeled == 20
    assert sum(k.weight for k in report.kernels) == pytest.approx(1.0)
    assert report.kernels == tuple(sorted(report.kernels, key=lambda k: -k.weight))
    assert report.as_dict()["comparison"]["n_unlabeled"] == 180
    assert "each predicted without itself" in str(report)
    changed = report.comparison.n_changed
    assert f"changed the class of {changed:,} of 180" in str(report)


def test_few_labels_judge_nothing(clusters):
    X, y, _ = clusters
    model = S3VM().fit(X, few_labels(y, 2))
    assert "With fewer than 20 labels nothing can be said" in str(model.report_)


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


# ---------------------------------------------------------------- parts


def test_preparations_do_what_they_say():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [1, 2, 3, 4, 5, 0] + 7
    standard, both, raw = preparations(X)
    assert_allclose(standard.apply(X)[:, :5].std(axis=0), 1.0)
    assert_allclose(standard.apply(X)[:, 5], 0.0)
    assert_allclose(np.linalg.norm(both.apply(X), axis=1), 1.0)
    assert_array_equal(raw.apply(X), X)
    assert scaled_by_much(X) is None
    assert scaled_by_much(X * [1e6, 1, 1, 1, 1, 1])[0] == 0


def test_the_graph_kernel_is_the_deformed_kernel():
    X = np.random.default_rng(0).normal(size=(60, 3))
    points = Points.of(X)
    preparation = preparations(X)[-1]
    every = kernel_views(X, (preparation,), 0)
    view = next(v for v in every if v.name == "graph of 6 neighbours, power 2")
    K = RBF(4 * width("median", points)).gram(points)
    L = Graph(n_neighbors=6).laplacian(points, True).matrix.toarray()
    deformed = lu_solve(lu_factor(np.eye(60) + 1000 * K @ L @ L), K)
    H = np.eye(60) - 1 / 60
    expected = H @ deformed @ H
    expected *= 60 / np.trace(expected)
    Z = view.leading(60).Z
    assert_allclose(Z @ Z.T, expected, atol=1e-5)
    part = view.some_features(np.arange(7))
    assert_allclose(part @ part.T, expected[:7, :7], atol=1e-5)


def test_features_of_new_rows_continue_those_of_training_rows():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for kernel in kernel_views(X, preparations(X), 0):
        view = kernel.leading(rank_for(kernel))
        theta = np.random.default_rng(1).normal(size=(view.Z.shape[1], 2))
        predictor = view.features.predictor(view.directions @ theta, -view.offset @ theta)
        assert_allclose(predictor.scores(view.preparation.apply(X)), view.Z @ theta, atol=1e-8)


def test_left_out_residual_is_that_of_refitting():
    random = np.random.default_rng(0)
    Z, y = random.normal(size=(12, 4)), np.where(random.random((12, 1)) > 0.5, 1.0, -1.0)
    rows, residuals = np.hstack([Z, np.ones((12, 1))]), []
    for i in range(12):
        others = np.arange(12) != i
        model = Ridge(alpha=0.02, fit_intercept=False).fit(rows[others], y[others])
        residuals.append(y[i] - model.predict(rows[i : i + 1]))
    assert left_out_residual(Z, y) == pytest.approx(np.mean(np.square(residuals)))


def test_weights_sharpen_with_labels():
    q = np.array([0.2, 0.3, 0.9])
    assert_allclose(kernel_weights(q, 10), 1 / 3)
    some, many = kernel_weights(q, 20), kernel_weights(q, 400)
    assert some[0] < many[0] == 1.0
    assert_allclose(some.sum(), 1.0)


def test_kernels_that_agree_with_the_average_count_more(clusters):
    X, _, labels = clusters
    given = S3VM().fit(X, labels)
    unlabeled, classes = labels < 0, given.transduction_[labels < 0]
    task = averaging._task(
        given._job(TrainingSet(Points.of(X), Points.of(X), read_labels(labels), np.ones(len(labels))))
    )
    kernels = list(kernel_views(X, preparations(X), 0))[3:6]
    three = members.fit_members([k.leading(30) for k in kernels], [0.4, 0.3, 0.3], task, 1e-2, 30).members
    after = average.weighed_by_agreement(three, task.unlabeled)

    def agreement(member):
        two = (member.semi_supervised, member.supervised)
        return np.mean([(m.scores(member.view.Z[unlabeled])[:, 0] > 0) == classes for m in two])

    assert sum(member.weight for member in after) == pytest.approx(1.0)
    before = {member.view.title: member.weight for member in three}
    gains = sorted((agreement(m), m.weight / before[m.view.title]) for m in after)
    assert gains[0][1] < gains[-1][1]


def test_sizes_keep_the_sign_and_the_order():
    f = np.linspace(-30, 30, 61)[:, None]
    common = Size.of(f).common(f)
    assert np.all(np.diff(common[:, 0]) > 0)
    assert_array_equal(np.sign(common), np.sign(f))


# ---------------------------------------------------------------- methods by name


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_by_its_name(method):
    n = 20 if method in ("branch-and-bound", "sdp") else 80
    y = np.arange(n) % 2
    X = np.random.default_rng(0).normal(size=(n, 2)) + 4 * y[:, None]
    labels = few_labels(y, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = S3VM(method=method).fit(X * 3 + 5, labels)
    unlabeled = labels < 0
    assert model.report_.method == method
    assert model.report_.preparations == ("standardised columns",)
    assert np.mean(model.transduction_[unlabeled] == y[unlabeled]) > 0.9
    assert model.predict_proba(X).shape == (n, 2)


def test_an_unknown_method_is_refused(clusters):
    X, _, labels = clusters
    with pytest.raises(ValueError, match=r"method='magic' was given and one of 'auto', 'cccp'"):
        S3VM(method="magic").fit(X, labels)


def test_a_ratio_that_is_given_is_used(clusters):
    X, _, labels = clusters
    assert S3VM(ratio=0.3).fit(X, labels).ratio_ == pytest.approx([0.3])
    with pytest.raises(ValueError, match="ratio='wild' was given"):
        S3VM(ratio="wild").fit(X, labels)


def test_the_baseline_of_the_report_saw_no_unlabeled_row():
    X, y = make_two_moons(120, noise=0.1, nuisance=0, random_state=2)
    labels = hide_labels(y, [0, 1, 40, 41, 80, 81])
    model, alone = S3VM(random_state=0).fit(X, labels), S3VM(method="supervised").fit(X, labels)
    assert model.report_.comparison.n_changed == np.count_nonzero(model.transduction_ != alone.transduction_) > 0


def test_a_search_over_the_default(clusters):
    X, y, labels = clusters
    search = S3VMSearchCV(S3VM(max_iter=2), {"C": [1.0, 10.0]}, cv=2, error_score="raise").fit(X[:60], labels[:60])
    assert set(search.best_params_) == {"C"}
    assert search.score(X, y) > 0.7
