"""Folds of labels, scores of labels, and a search that shares its kernels."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import loguniform
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from semisvm import CCCPS3VM, GradientS3VM, Graph, LaplacianSVM, PositiveUnlabeledSVM, SupervisedSVM
from semisvm.datasets import make_g50c
from semisvm.geometry.kernels import RBF
from semisvm.model_selection import (
    LabeledGroupKFold,
    LabeledKFold,
    LabeledShuffleSplit,
    S3VMSearchCV,
    labeled_scorer,
    positive_scorer,
)
from tests.estimators.quick import blobs

SPLITTERS = [LabeledKFold(3), LabeledKFold(3, shuffle=True, random_state=0), LabeledShuffleSplit(4, random_state=0)]
Y = np.array([0, -1, 0, 1, -1, 1, 0, -1, 1, 0, 1, -1])


# ---------------------------------------------------------------- folds


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
@pytest.mark.parametrize("form", ["-1", "NaN", "None", "categorical"])
def test_every_unlabeled_row_is_in_every_training_set(splitter, form):
    y = {
        "-1": Y,
        "NaN": np.where(Y < 0, np.nan, Y),
        "None": np.array([None if v < 0 else "ab"[v] for v in Y], dtype=object),
        "categorical": pd.Series(pd.Categorical([None if v < 0 else "ab"[v] for v in Y])),
    }[form]
    splits = list(splitter.split(np.zeros((12, 1)), y))
    assert len(splits) == splitter.get_n_splits()
    for train, test in splits:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(12))
        assert set(np.flatnonzero(Y < 0)) <= set(train)
        assert set(Y[test]) == {0, 1}
        assert {0, 1} <= set(Y[train])


def test_folds_cover_every_label_once_with_equal_shares():
    tests = [test for _, test in LabeledKFold(2).split(None, Y)]
    assert_array_equal(np.sort(np.concatenate(tests)), np.flatnonzero(Y >= 0))
    assert [np.bincount(Y[test]).tolist() for test in tests] == [[2, 2], [2, 2]]


def test_the_only_label_of_a_class_stays_in_training():
    y = np.array([0, 0, 0, 1, -1, 2, 2])
    for splitter in (LabeledKFold(2), LabeledShuffleSplit(3, test_size=0.9, random_state=0)):
        for train, test in splitter.split(None, y):
            assert 3 not in test
            assert set(y[train]) == {-1, 0, 1, 2}


def test_random_splits_repeat_with_their_seed_only():
    first, again, other = (
        [tuple(test) for _, test in LabeledShuffleSplit(5, random_state=seed).split(None, Y)] for seed in (0, 0, 1)
    )
    assert first == again != other


def test_groups_of_labels_are_never_torn_apart():
    groups = np.array(list("aabbccddeeff"))
    splits = list(LabeledGroupKFold(3).split(None, Y, groups))
    assert len(splits) == 3
    for train, test in splits:
        assert not set(groups[test]) & set(groups[train][Y[train] >= 0])
        assert set(np.flatnonzero(Y < 0)) <= set(train)
    sizes = sorted(len(test) for _, test in splits)
    assert sizes == [2, 3, 3]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: LabeledKFold(1), "n_splits=1 was given and at least 2 folds are needed"),
        (lambda: LabeledKFold(2.5), "n_splits=2.5 was given and a whole number of at least 1 is needed"),
        (lambda: LabeledShuffleSplit(test_size=2), "test_size=2 was given and a share between 0 and 1 is needed"),
        (
            lambda: list(LabeledKFold(5).split(None, [0, 0, 1, 1, -1])),
            "n_splits=5 was given and 4 labeled rows can be tested .* use fewer folds or label more rows",
        ),
        (lambda: list(LabeledKFold(2).split(None, [-1, -1])), "None of the 2 rows is labeled"),
        (lambda: list(LabeledShuffleSplit().split(None, [0, 1, -1])), "Every class has one label"),
        (lambda: list(LabeledGroupKFold(2).split(None, Y)), "was given no groups and one per row is needed"),
        (lambda: list(LabeledGroupKFold(2).split(None, Y, np.zeros(12))), "the labeled rows are of 1 groups"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_groups_are_routed_to_the_splitter():
    X, _, y = blobs(n_labeled=12)
    groups = np.arange(24) // 4
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(SupervisedSVM(), X, y, cv=LabeledGroupKFold(3), params={"groups": groups})
    assert len(scores) == 3
    assert np.isfinite(scores).all()


# ---------------------------------------------------------------- scores


def test_a_scorer_is_shown_labeled_rows_only():
    X, truth, y = blobs(n_labeled=9)
    model = SupervisedSVM().fit(X, y)
    wrong = truth.copy()
    wrong[[0, 10]] = 1 - wrong[[0, 10]]  # of these row 0 is labeled
    part = np.where(y < 0, -1, wrong)
    assert_allclose(labeled_scorer()(model, X, part), 8 / 9)
    assert_allclose(labeled_scorer("roc_auc")(model, X, y), 1.0)
    weights = np.where(np.arange(24) == 0, 8.0, 1.0)
    assert_allclose(labeled_scorer("accuracy")(model, X, part, sample_weight=weights), 0.5)
    assert np.isnan(labeled_scorer()(model, X, np.full(24, -1)))
    names = np.where(y < 0, "?", np.array(["no", "yes"])[truth])
    named = SupervisedSVM(unlabeled="?").fit(X, names)
    assert labeled_scorer("f1_macro", unlabeled="?")(named, X, names) == 1.0


def test_plain_folds_are_warned_of_once_and_name_the_cure():
    X, _, y = blobs(n_labeled=12)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        GridSearchCV(GradientS3VM(n_stages=1), {"C": [1, 10]}, cv=3).fit(X, y)
    assert len(caught) == 1
    assert "LabeledKFold()" in str(caught[0].message)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(GradientS3VM(n_stages=1), X, y, cv=3)
    assert len(caught) == 1


def test_folds_of_labels_and_a_score_of_ones_own_are_not_warned_of():
    X, _, y = blobs(n_labeled=12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(GradientS3VM(n_stages=1), X, y, cv=LabeledKFold(3))
        GradientS3VM(n_stages=1).fit(X, y).score(X, y)


# ---------------------------------------------------------------- search


def noisy(n=60, n_labeled=20):
    X, truth, y = blobs(n=n, n_labeled=n_labeled)
    return X + 1.2 * np.random.default_rng(3).normal(size=X.shape), truth, y


GRID = {"C": [0.1, 1.0, 10.0], "C_unlabeled": ["auto", 0.3]}


@pytest.mark.parametrize(
    "estimator",
    [
        GradientS3VM(n_stages=2, tol=1e-6),
        GradientS3VM(n_stages=2, tol=1e-6, graph=Graph(n_neighbors=5)),
        GradientS3VM(n_stages=2, kernel="linear", tol=1e-6),
        SupervisedSVM(),
        LaplacianSVM(early_stopping=None, tol=1e-6),
    ],
    ids=lambda e: f"{type(e).__name__}-{e.kernel}-{e.graph is not None}",
)
def test_sharing_changes_no_score(estimator):
    X, _, y = noisy()
    grid = {"C": [0.1, 10.0]} if isinstance(estimator, SupervisedSVM) else GRID
    grid = {"gamma_A": [0.01, 0.1], "gamma": ["scale", 0.3]} if isinstance(estimator, LaplacianSVM) else grid
    search = S3VMSearchCV(estimator, grid, cv=3).fit(X, y)
    for params, row in zip(search.cv_results_["params"], range(len(search.cv_results_["params"])), strict=True):
        for fold, (_, test) in enumerate(LabeledKFold(3).split(X, y)):
            hidden = y.copy()
            hidden[test] = -1
            alone = clone(estimator).set_params(**params).fit(X, hidden)
            assert search.cv_results_[f"split{fold}_test_score"][row] == alone.score(X[test], y[test])


def test_the_best_settings_are_refitted_afresh():
    X, _, y = noisy()
    search = S3VMSearchCV(GradientS3VM(n_stages=2), GRID, cv=4).fit(X, y)
    results = search.cv_results_
    assert search.best_score_ == results["mean_test_score"].max() == results["mean_test_score"][search.best_index_]
    assert results["rank_test_score"][search.best_index_] == 1
    assert search.n_splits_ == 4
    assert list(results["param_C"]) == [params["C"] for params in results["params"]]
    alone = GradientS3VM(n_stages=2, **search.best_params_).fit(X, y)
    assert_array_equal(search.decision_function(X), alone.decision_function(X))
    assert_array_equal(search.predict_proba(X), alone.predict_proba(X))
    assert_array_equal(search.predict(X, min_confidence=0.9), alone.predict(X, min_confidence=0.9))
    assert_array_equal(search.transduction_, alone.transduction_)
    assert search.score(X, y) == alone.score(X, y)
    assert_array_equal(search.classes_, [0, 1])
    assert search.n_features_in_ == 3
    assert is_classifier(search)
    assert "_space_store" not in vars(search.best_estimator_)


def test_one_gram_matrix_serves_all_weights_and_folds(monkeypatch):
    X, _, y = noisy()
    taken = []
    plain = RBF.gram
    monkeypatch.setattr(RBF, "gram", lambda self, points: taken.append(len(points)) or plain(self, points))
    S3VMSearchCV(GradientS3VM(n_stages=1), {**GRID, "gamma": [0.1, 0.2]}, cv=3, refit=False).fit(X, y)
    assert taken == [60, 60]


def test_warm_starts_take_fewer_iterations(monkeypatch):
    X, _, y = noisy()
    count = []
    plain = SupervisedSVM._store
    monkeypatch.setattr(
        SupervisedSVM,
        "_store",
        lambda self, p, t, solution: count.append(solution.n_iter) or plain(self, p, t, solution),
    )
    totals = []
    for warm in (True, False):
        count.clear()
        grid = {"C": np.geomspace(0.1, 10, 12)}
        S3VMSearchCV(SupervisedSVM(), grid, cv=3, refit=False, warm_start=warm).fit(X, y)
        totals.append(sum(count))
    assert totals[0] < totals[1]


def test_random_draws_a_validation_set_and_a_scorer():
    X, truth, y = noisy()
    X_val, y_val = X[40:], truth[40:]
    search = S3VMSearchCV(
        CCCPS3VM(), {"C": loguniform(0.1, 100)}, n_iter=4, random_state=0, scoring="balanced_accuracy"
    ).fit(X[:40], y[:40], X_val=X_val, y_val=y_val)
    assert search.n_splits_ == 1
    assert len(search.cv_results_["params"]) == 4
    again = S3VMSearchCV(CCCPS3VM(), {"C": loguniform(0.1, 100)}, n_iter=4, random_state=0).fit(X[:40], y[:40])
    assert [p["C"] for p in again.cv_results_["params"]] == [p["C"] for p in search.cv_results_["params"]]
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        p = CCCPS3VM(**params).fit(X[:40], y[:40]).predict(X_val)
        assert_allclose(score, np.mean([np.mean(p[y_val == c] == c) for c in (0, 1)]))
    with pytest.raises(ValueError, match="One of X_val and y_val was given and both, or neither, are needed"):
        search.fit(X, y, X_val=X_val)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_pipelines_frames_names_weights_and_threads(n_jobs):
    X, truth, y = noisy()
    frame = pd.DataFrame(X, columns=list("abc"))
    names = pd.Series([None if v < 0 else ["no", "yes"][v] for v in y])
    search = S3VMSearchCV(
        make_pipeline(StandardScaler(), GradientS3VM(n_stages=1)), {"gradients3vm__C": [1, 10]}, cv=2, n_jobs=n_jobs
    ).fit(frame, names)
    assert np.mean(search.predict(frame) == np.array(["no", "yes"])[truth]) > 0.7
    weighted = S3VMSearchCV(GradientS3VM(n_stages=1), {"C": [1, 10]}, cv=2, n_jobs=n_jobs)
    weighted.fit(X, y, sample_weight=np.ones(60))
    plain = S3VMSearchCV(GradientS3VM(n_stages=1), {"C": [1, 10]}, cv=2, n_jobs=n_jobs).fit(X, y)
    assert_array_equal(weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_without_a_marker_and_with_precomputed_kernels():
    X, truth, y = noisy()
    K = X @ X.T
    by_rows = S3VMSearchCV(SupervisedSVM(kernel=lambda A, B: A @ B.T), {"C": [0.1, 1]}, cv=3).fit(X, y)
    by_kernel = S3VMSearchCV(SupervisedSVM(kernel="precomputed"), {"C": [0.1, 1]}, cv=3).fit(K, y)
    assert_allclose(by_kernel.cv_results_["mean_test_score"], by_rows.cv_results_["mean_test_score"])
    every_label = S3VMSearchCV(SupervisedSVM(kernel="precomputed", unlabeled=None), {"C": [0.1, 1]}, cv=3)
    every_label.fit(K, np.where(truth == 1, 1, -1))
    theirs = GridSearchCV(SupervisedSVM(unlabeled=None, kernel="linear"), {"C": [0.1, 1]}, cv=LabeledKFold(3))
    theirs.fit(X, truth)
    assert_allclose(every_label.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_failed_fits_are_reported_once_or_raised():
    X, _, y = noisy()
    search = S3VMSearchCV(GradientS3VM(n_stages=1), {"C": [-1.0, 1.0]}, cv=2)
    with pytest.warns(FitFailedWarning, match=r"2 of 4 fits failed and score nan; the first: ValueError: C=-1\.0"):
        search.fit(X, y)
    assert search.best_params_ == {"C": 1.0}
    with pytest.raises(ValueError, match=r"All 2 fits of the search failed, the first with ValueError: C=-1\.0"):
        S3VMSearchCV(GradientS3VM(), {"C": [-1.0]}, cv=2).fit(X, y)
    with pytest.raises(ValueError, match=r"C=-1\.0 was given"):
        S3VMSearchCV(GradientS3VM(), {"C": [-1.0]}, cv=2, error_score="raise").fit(X, y)


def test_foreign_folds_and_estimators_and_no_refit():
    X, _, y = noisy()
    with pytest.warns(UserWarning, match=r"cv=KFold.* tests on unlabeled rows.* pass an int or LabeledKFold\(\)"):
        S3VMSearchCV(SupervisedSVM(), {"C": [1]}, cv=KFold(2, shuffle=True, random_state=0)).fit(X, y)
    search = S3VMSearchCV(SupervisedSVM(), {"C": [1]}, refit=False).fit(X, y)
    assert search.n_splits_ == 5
    with pytest.raises(AttributeError, match=r"refit=False and has no best_estimator_: set refit=True"):
        search.predict(X)
    y[4:] = -1
    assert S3VMSearchCV(SupervisedSVM(), {"C": [1]}).fit(X, y).n_splits_ == 4
    S3VMSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=2).fit(X, np.arange(60) % 2)


def test_the_score_of_positives_needs_no_negatives():
    class Said:
        def predict(self, X):
            return X[:, 0]

    # 3 of 4 positive rows found, 5 of 10 rows taken
    said, y = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])[:, None], np.array([1, 1, 1, 1, *[-1] * 6])
    assert positive_scorer()(Said(), said, y) == pytest.approx(0.75**2 / 0.5)
    assert positive_scorer()(Said(), np.zeros((10, 1)), y) == 0.0
    assert np.isnan(positive_scorer()(Said(), said, np.full(10, -1)))
    with pytest.raises(ValueError, match="labels of 2 classes and this score is for labels of one class"):
        positive_scorer()(Said(), said, np.r_[0, y[1:]])


def test_positives_choose_parameters():
    X, truth = make_g50c(200, random_state=0)
    y = np.where((truth == 1) & (np.arange(200) < 80), 1, -1)
    grid = {"gamma": [1e-6, 0.02, 100.0]}
    search = GridSearchCV(PositiveUnlabeledSVM(prior=0.3), grid, cv=StratifiedKFold(4), scoring=positive_scorer())
    assert search.fit(X, y).best_params_["gamma"] < 100.0
    scores = search.cv_results_["mean_test_score"]
    assert scores[2] < scores[1]


def one_in_six():
    rng = np.random.default_rng(0)
    truth = (np.arange(120) % 6 == 0).astype(int)
    X = rng.normal(size=(120, 3)) + 1.5 * truth[:, None]
    y = truth.copy()
    y[60:] = -1
    return X, truth, y


def test_a_search_by_the_f1_of_the_rarest_class():
    X, truth, y = one_in_six()
    scores = {}
    for name in ("accuracy", "f1_rarest"):
        # with little C all rows are of the common class: nearly as accurate, and useless
        search = S3VMSearchCV(SupervisedSVM(), {"C": [1e-4, 1.0]}, cv=3, scoring=name).fit(X, y)
        scores[name] = search.cv_results_["mean_test_score"]
    assert scores["f1_rarest"][0] == 0.0 < 0.3 < scores["f1_rarest"][1]
    assert scores["accuracy"][0] > 0.8
    labeled = labeled_scorer("f1_rarest")
    model = SupervisedSVM(C=1.0).fit(X, y)
    assert labeled(model, X, y) == pytest.approx(f1_score(truth[:60], model.predict(X[:60])))


def test_several_scores_stand_side_by_side_and_one_decides():
    X, _, y = one_in_six()
    names, grid = ["accuracy", "balanced_accuracy", "f1_rarest"], {"C": [1e-4, 1.0]}
    search = S3VMSearchCV(SupervisedSVM(), grid, cv=3, scoring=names, refit="f1_rarest").fit(X, y)
    for name in names:
        alone = S3VMSearchCV(SupervisedSVM(), grid, cv=3, scoring=name, refit=False).fit(X, y)
        for part in ("mean", "std", "rank", "split1"):
            assert_allclose(search.cv_results_[f"{part}_test_{name}"], alone.cv_results_[f"{part}_test_score"])
    assert search.best_params_ == {"C": 1.0}
    assert search.best_score_ == search.cv_results_["mean_test_f1_rarest"][1]
    rows = y >= 0
    assert search.score(X[rows], y[rows]) == labeled_scorer("f1_rarest")(search.best_estimator_, X, y)
    both = {"a": "accuracy", "b": labeled_scorer("f1_rarest")}
    undecided = S3VMSearchCV(SupervisedSVM(), grid, cv=3, scoring=both, refit=False).fit(X, y)
    assert {"mean_test_a", "mean_test_b"} <= set(undecided.cv_results_)
    assert not hasattr(undecided, "best_index_")
    with pytest.raises(ValueError, match=r"refit=True was given with the scores \['a', 'b'\] and the name of the one"):
        S3VMSearchCV(SupervisedSVM(), grid, scoring=both).fit(X, y)
