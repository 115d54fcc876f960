"""S3VM(): what it prepares, weighs, averages and says; and the methods by name."""

import json
import logging
import signal
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from semisvm import S3VM
from semisvm.datasets import hide_labels, load_table, make_g50c, make_two_moons
from semisvm.estimators.default import averaging, descent, estimator, label_sets, views
from semisvm.estimators.default.evidence import Evidence
from semisvm.estimators.default.label_free import LabelFreeKernels
from semisvm.estimators.default.label_sets import FOLDS
from semisvm.estimators.default.named import METHODS
from semisvm.model_selection import S3VMSearchCV

from .conftest import few_labels, interrupted_at

# ---------------------------------------------------------------- the whole


def test_the_path_tells_every_stage_of_every_kernel(fitted):
    shares = {record["kernel"]: record["share"] for record in fitted.path_}
    assert list(shares.items()) == [(one.kernel, one.weight) for one in fitted.report_.kernels]
    for kernel in shares:
        own = [record for record in fitted.path_ if record["kernel"] == kernel]
        assert [record["weight"] for record in own] == list(descent.WEIGHTS)
        assert all(record["objective"].shape == (1,) and record["seconds"] > 0 for record in own)
    assert sum(record["changed"] for record in fitted.path_) > 0


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
    centers = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    y = np.repeat(["ash", "birch", "cedar", "dogwood"], 30)
    X = np.repeat(centers, 30, axis=0) + random.normal(size=(120, 3))
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
    (shown,) = caught
    assert "S3VM stopped at time_limit=1e-09 after 1 of" in str(shown.message)
    assert shown.filename == __file__
    assert len(model.report_.kernels) == 1
    assert model.report_.kernels[0].weight == 1.0
    assert model.status_ == "stopped at time_limit"


def test_ctrl_c_leaves_a_fitted_model(clusters, monkeypatch):
    X, _, labels = clusters
    monkeypatch.setattr(averaging, "fit_member", interrupted_at(3, averaging.fit_member))
    model = S3VM()
    with pytest.warns(UserWarning, match="interrupted after 2 of"), pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    assert model.predict(X).shape == (200,)
    assert len(model.report_.kernels) == 2


def test_ctrl_c_while_models_are_averaged_leaves_all_of_them(clusters, monkeypatch):
    X, _, labels = clusters
    weigh = averaging.weigh

    def interrupted(*arguments, **more):
        signal.raise_signal(signal.SIGINT)
        return weigh(*arguments, **more)

    monkeypatch.setattr(averaging, "weigh", interrupted)
    model = S3VM()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    monkeypatch.undo()
    assert_array_equal(model.predict(X), S3VM().fit(X, labels).predict(X))


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
    shown = report.as_dict()
    assert shown["verdict"] == report.verdict
    assert shown["expected_error"] == report.expected_error
    assert sum(shown["used"].values()) == pytest.approx(1.0)
    assert set(shown["baselines"]) == {
        "labels alone",
        "logistic regression",
        "random forest",
        "extra trees",
        "commonest class",
    }
    low, high = report.expected_interval
    assert 0 <= low <= report.expected_error <= high <= 1
    assert str(report).startswith(
        f"Expect {100 * report.expected_error:.0f} % ({100 * low:.0f} to {100 * high:.0f}) of"
    )
    assert "Guessing the commonest class: 50." in report.verdict
    json.dumps(shown)


def test_few_labels_judge_nothing(clusters):
    X, y, _ = clusters
    model = S3VM().fit(X, few_labels(y, 2))
    assert model.report_.expected_error is None
    assert "4 labels are too few to estimate the error, 10 are needed" in str(model.report_)
    assert "cannot be known" in model.report_.verdict


def test_no_figure_rests_on_a_model_that_saw_the_label():
    """Labels that say nothing: what is expected is a coin flip, however well the models remember their labels."""
    random = np.random.default_rng(3)
    expected, claimed = [], []
    for _ in range(4):
        X, y = random.normal(size=(150, 4)), random.integers(2, size=150)
        model = S3VM().fit(X, hide_labels(y, np.arange(50)))
        expected.append([model.report_.expected_error, *model.report_.baselines.values()])
        claimed.append(model.predict_proba(X[50:]).max(axis=1).mean())
        assert not model.report_.unlabeled_rows_helped
    assert np.all(np.abs(np.mean(expected, axis=0) - 0.5) < 0.12)
    assert np.mean(claimed) < 0.65


@pytest.mark.parametrize("n_labels", [20, 52])
def test_a_label_changes_nothing_in_what_judges_it(n_labels, monkeypatch):
    """Flip one label: models, slopes, weights and C that judge it stay as they were, so the answer does."""
    random = np.random.default_rng(1)
    X = random.normal(size=(150, 4))
    y = (X[:, 0] + random.normal(size=150) > 0).astype(int)
    fold_of = np.arange(n_labels) % FOLDS
    monkeypatch.setattr(label_sets, "folds_of_labels", lambda *_: [np.flatnonzero(fold_of == f) for f in range(FOLDS)])
    labels = hide_labels(y, np.arange(n_labels))
    model, judged = S3VM(max_iter=5).fit(X, labels), 3
    said = model.evidence_
    labels[judged] = 1 - labels[judged]
    flipped = model.refit(labels).evidence_
    assert_allclose(flipped.probabilities[judged], said.probabilities[judged], atol=1e-5)
    others = fold_of != fold_of[judged]
    assert np.abs(flipped.probabilities - said.probabilities)[others].max() > 1e-3


def test_the_average_leans_on_what_predicts_labels_it_has_not_seen():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 6))
    y = (np.sign(X[:, 0]) * np.sign(X[:, 1]) > 0).astype(int)
    model = S3VM().fit(X, hide_labels(y, np.arange(100)))
    used = model.report_.used
    assert used.get("random forest", 0) + used.get("extra trees", 0) > 0.3
    assert "logistic regression" not in used
    moons, classes = make_two_moons(300, noise=0.05, nuisance=0, random_state=0)
    model = S3VM().fit(moons, hide_labels(classes, np.arange(14)))
    assert model.report_.used["S3VMs"] > 0.3


def test_labels_that_were_chosen_do_not_show_the_shares(clusters):
    X, y, _ = clusters
    rows = np.concatenate([np.flatnonzero(y == 0)[:15], np.flatnonzero(y == 1)[:5]])
    labels = hide_labels(y, rows)
    drawn = np.zeros(len(y), dtype=bool)
    drawn[rows[10:]] = True
    assert S3VM().fit(X, labels).ratio_ == pytest.approx([7 / 24])
    model = S3VM().fit(X, labels, drawn=drawn)
    assert model.ratio_ == pytest.approx([7 / 14])
    assert model.report_.as_dict()["n_judged"] == 10
    assert model.ratio_interval_[0, 0] < 0.5 < model.ratio_interval_[0, 1]
    with pytest.raises(
        ValueError, match=r"drawn has shape \(3,\) and type bool, and one True or False for each of 200"
    ):
        S3VM().fit(X, labels, drawn=np.ones(3, dtype=bool))


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
    assert model.report_.preparations == ("standardized columns",)
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
    assert model.report_.n_changed == np.count_nonzero(model.transduction_ != alone.transduction_) > 0


def test_a_search_over_the_default(clusters):
    X, y, labels = clusters
    search = S3VMSearchCV(S3VM(max_iter=2), {"C": [1.0, 10.0]}, cv=2, error_score="raise").fit(X[:60], labels[:60])
    assert set(search.best_params_) == {"C"}
    assert search.score(X, y) > 0.6


def test_a_search_builds_the_kernels_of_its_rows_once(clusters, monkeypatch):
    X, _, labels = clusters
    made, build = [], LabelFreeKernels.of.__func__
    monkeypatch.setattr(
        estimator.LabelFreeKernels, "of", classmethod(lambda cls, *a, **k: made.append(1) or build(cls, *a, **k))
    )
    S3VMSearchCV(S3VM(max_iter=2), {"C": [1.0, 10.0]}, cv=2, refit=False, error_score="raise").fit(X, labels)
    assert len(made) == 1


@pytest.mark.data
def test_a_kernel_that_rounding_makes_indefinite_is_weighed_all_the_same():
    data = load_table("contraceptive")
    random = np.random.default_rng(102)
    first = [random.choice(np.flatnonzero(data.y == code)) for code in range(3)]
    others = random.permutation(np.setdiff1d(np.arange(len(data.y)), first))
    labels = hide_labels(data.y, np.concatenate([first, others[:27]]))
    kernels = LabelFreeKernels.of(data.X, 0, graphs=True)
    rows = np.flatnonzero(labels >= 0)
    smallest = [np.linalg.eigvalsh(view.gram(rows))[0] for view in kernels.views]
    assert min(smallest) < 0
    assert S3VM(max_iter=2).fit(data.X, labels).report_.n_kernels == len(smallest)


@pytest.mark.parametrize(
    ("alone", "weight", "surety", "n_labels", "helped"),
    [
        (0.3, 0.4, 0.8, 100, True),
        # too small a gain for as many labels
        (0.15, 0.4, 0.8, 100, False),
        (0.3, 0.4, 0.8, 20, True),
        (0.2, 0.4, 0.8, 20, False),
        # families that never saw an unlabeled row have the larger part
        (0.3, 0.2, 0.8, 100, False),
        # the S3VMs lead, whatever the gain
        (0.15, 0.7, 0.8, 100, True),
        # no better than the class shares
        (0.3, 0.7, 0.5, 100, False),
        (0.9, 0.4, 0.8, 9, None),
    ],
)
def test_helped_is_said_where_left_out_labels_speak_clearly_for_unlabeled_rows(alone, weight, surety, n_labels, helped):
    found = Evidence(
        rows=np.arange(n_labels),
        codes=np.zeros(n_labels, dtype=int),
        probabilities=np.tile([surety, 1 - surety], (n_labels, 1)),
        wrong={"S3VM()": np.full(n_labels, 0.1), "labels alone": np.full(n_labels, alone)},
        loss_of_shares=0.6,
        weights={"labels alone": 0.8 - weight, "SVMs on label-free kernels": 0.2, "S3VMs": weight},
        drawn=np.ones(n_labels, dtype=bool),
        doubt=0.2,
    )
    assert found.unlabeled_rows_helped is helped
