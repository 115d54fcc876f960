"""scikit-learn's own checks over every public classifier, and what it asks of estimators beyond them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks
from threadpoolctl import threadpool_info

import semisvm
from semisvm.model_selection import LabeledKFold
from tests.estimators.quick import CLASSIFIERS, SETTINGS, blobs, quick

SAMPLE_WEIGHT = {
    f"check_sample_weight_equivalence_on_{kind}_data": 'gamma="scale" sees the rows, not their weights; tested below '
    "with a numeric gamma"
    for kind in ("dense", "sparse")
}
MARKER = {"check_classifiers_classes": "it trains on the labels -1 and +1, where -1 marks unlabeled rows"}
every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)


@parametrize_with_checks(
    [e(unlabeled=None) for e in CLASSIFIERS], expected_failed_checks=lambda estimator: SAMPLE_WEIGHT
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:.*was given no unlabeled rows")
@parametrize_with_checks([e() for e in CLASSIFIERS], expected_failed_checks=lambda estimator: SAMPLE_WEIGHT | MARKER)
def test_scikit_learn_checks_with_the_default_marker(estimator, check):
    check(estimator)


@every_classifier
def test_the_one_clash_is_the_marker(estimator):
    with pytest.raises(ValueError, match=r"y has 1 class.*equal unlabeled=-1"):
        check_classifiers_classes(estimator.__name__, estimator())


@every_classifier
def test_minus_one_and_plus_one_are_never_silently_unlabeled(estimator, rng):
    X, y = rng.normal(size=(20, 2)), np.where(np.arange(20) % 2, 1, -1)
    with pytest.raises(ValueError, match=r"y has 1 class.*unlabeled=-1.*0/1 labels.*unlabeled=0.*unlabeled=None"):
        estimator().fit(X, y)


CONVEX = [
    semisvm.SupervisedSVM(),
    semisvm.SupervisedSVM(loss="hinge"),
    semisvm.SupervisedRLS(),
    semisvm.GradientS3VM(unlabeled=None),
    semisvm.LaplacianSVM(unlabeled=None, gamma_I=0.0, early_stopping=None),
    semisvm.LaplacianSVM(unlabeled=None, gamma_I=0.0, solver="dual", loss="hinge"),
    semisvm.LaplacianRLS(unlabeled=None, gamma_I=0.0, early_stopping=None),
]


@pytest.mark.parametrize("estimator", CONVEX, ids=str)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_a_weight_of_two_is_a_row_twice(estimator, sparse, rng):
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 3
    weights = rng.integers(0, 3, 40).astype(float)
    rows = sp.csr_array if sparse else np.asarray
    estimator = clone(estimator).set_params(gamma=0.2, tol=1e-9)
    weighted = estimator.fit(rows(X), y, sample_weight=weights)
    twice = np.repeat(np.arange(40), weights.astype(int))
    repeated = clone(estimator).fit(rows(X[twice]), y[twice])
    assert_allclose(weighted.decision_function(rows(X)), repeated.decision_function(rows(X)), atol=1e-6)


# ---------------------------------------------------------------- with unlabeled rows


@every_classifier
def test_every_kind_of_rows_gives_the_same_classifier(estimator, tmp_path):
    X, _, y = blobs()
    # sparse products round otherwise, and a solution is only as exact as its tolerance
    exact = {"tol": 1e-6} if "tol" in estimator().get_params() else {}
    expected = quick(estimator, **exact).fit(X, y)
    scores = expected.decision_function(X)
    np.save(tmp_path / "X.npy", X)
    frozen = np.load(tmp_path / "X.npy", mmap_mode="r")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for rows in (frozen, frame, np.asfortranarray(X), sp.csr_matrix(X), sp.csr_array(X)):
        model = quick(estimator, **exact).fit(rows, y)
        assert_allclose(model.decision_function(rows), scores, atol=1e-4)
        assert_array_equal(model.transduction_, expected.transduction_)
        assert model.n_features_in_ == 3
    named = quick(estimator).fit(frame, pd.Series(y))
    assert list(named.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[["c", "b", "a"]])


@every_classifier
def test_float32_rows_stay_as_they_are(estimator):
    X, _, y = blobs()
    kept, given = [], quick(estimator).fit(X, y).decision_function(X)

    class Watched(estimator):
        def _training_set(self, points, labels, weights):
            kept.append(points.X.dtype)
            return super()._training_set(points, labels, weights)

    model = quick(Watched, **SETTINGS.get(estimator.__name__, {})).fit(X.astype(np.float32), y)
    assert kept == [np.float32]
    assert_allclose(model.decision_function(X.astype(np.float32)), given, atol=0.02 * np.abs(given).max())


@pytest.mark.parametrize("estimator", [semisvm.GradientS3VM, semisvm.S3VM], ids=lambda e: e.__name__)
def test_polars_frames(estimator):
    polars = pytest.importorskip("polars")
    X, truth, y = blobs()
    frame = polars.DataFrame(X, schema=["a", "b", "c"])
    names = polars.Series([["no", "yes"][label] if label >= 0 else None for label in y])
    model, expected = quick(estimator).fit(frame, names), quick(estimator).fit(X, y)
    # not every scikit-learn knows the columns of every polars
    theirs = getattr(StandardScaler().fit(frame), "feature_names_in_", None)
    assert_array_equal(getattr(model, "feature_names_in_", None), theirs)
    assert_array_equal(model.predict(frame), np.array(["no", "yes"])[expected.predict(X)])
    assert_allclose(model.predict_proba(frame), expected.predict_proba(X), atol=1e-6)
    known = polars.Series([["no", "yes"][label] for label in truth])
    assert model.score(frame, known) == expected.score(X, truth)


@every_classifier
def test_a_second_fit_is_a_fresh_one_and_nothing_is_shared(estimator):
    X, _, y = blobs()
    other, _, z = blobs(3, seed=1)
    model = quick(estimator)
    before = {name: repr(value) for name, value in model.get_params().items()}
    model.fit(other * 2, z).fit(X, y)
    fresh = quick(estimator).fit(X, y)
    assert_array_equal(model.decision_function(X), fresh.decision_function(X))
    assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    assert_array_equal(model.transduction_, fresh.transduction_)
    assert {name: repr(value) for name, value in model.get_params().items()} == before
    assert set(vars(model)) == set(vars(fresh))


@every_classifier
def test_clone_pickle_and_html(estimator):
    X, _, y = blobs()
    model = quick(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert "predictor_" not in vars(clone(model))
    assert estimator.__name__ in estimator_html_repr(model)


@every_classifier
def test_a_step_of_a_pipeline_in_a_grid_search(estimator):
    X, truth, y = blobs(n_labeled=12)
    names = {"gamma_A": [0.01]} if "gamma_A" in estimator().get_params() else {"C": [1.0]}
    pipeline = make_pipeline(StandardScaler(), quick(estimator))
    grid = {f"{estimator.__name__.lower()}__{name}": values for name, values in names.items()}
    search = GridSearchCV(pipeline, grid, cv=LabeledKFold(2), error_score="raise").fit(X, y)
    assert search.score(X, truth) > 0.8


def test_metadata_routing_takes_weights_and_a_confidence_through_a_pipeline():
    X, _, y = blobs()
    with sklearn.config_context(enable_metadata_routing=True):
        svm = semisvm.GradientS3VM().set_fit_request(sample_weight=True).set_predict_request(min_confidence=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), svm)
        weighted = pipeline.fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0)).decision_function(X)
        assert np.all(pipeline.predict(X, min_confidence=1.0) == -1)
        assert not np.allclose(weighted, pipeline.fit(X, y, sample_weight=np.ones(len(y))).decision_function(X))


def test_n_jobs_limits_the_threads_and_gives_them_back():
    X, _, y = blobs()
    seen = []

    def kernel(A, B):
        seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return A @ B.T

    before = [pool["num_threads"] for pool in threadpool_info()]
    semisvm.GradientS3VM(kernel=kernel, n_jobs=1).fit(X, y)
    assert seen
    assert set(seen) == {1}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@every_classifier
def test_tags(estimator):
    tags = estimator().__sklearn_tags__()
    assert tags.input_tags.sparse
    assert not tags.input_tags.pairwise
    assert tags.estimator_type == "classifier"
