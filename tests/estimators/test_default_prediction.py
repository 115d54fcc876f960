"""New rows scored by the default: two widths share their distances, and give what each gives alone."""

import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import semisvm.spaces.predictor
from semisvm import S3VM
from semisvm.estimators.default.average import KernelAverages
from semisvm.estimators.default.families import ClassifierPredictor
from semisvm.estimators.default.landmark_scores import LandmarkPredictor
from semisvm.estimators.default.preparation import preparations
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.spaces import KernelPredictor


def test_two_widths_give_what_each_gives_alone():
    random = np.random.default_rng(0)
    landmarks, X = Points.of(random.normal(size=(30, 4))), random.normal(size=(50, 4))
    wide, narrow = (
        KernelPredictor(RBF(gamma), landmarks, random.normal(size=(30, k)), random.normal(size=k))
        for gamma, k in ((0.3, 2), (1.2, 3))
    )
    together = LandmarkPredictor(wide, narrow)
    np.testing.assert_allclose(together.scores(X), np.hstack([wide.scores(X), narrow.scores(X)]), rtol=1e-12)
    np.testing.assert_allclose(LandmarkPredictor(narrow).scores(X), narrow.scores(X), rtol=1e-12)
    assert together.scores(X[:0]).shape == (0, 5)


def test_strips_that_end_early_give_the_same(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 4))
    landmarks = Points.of(random.normal(size=(30, 4)))
    together = LandmarkPredictor(
        *(KernelPredictor(RBF(g), landmarks, np.ones((30, 1)), np.zeros(1)) for g in (0.3, 1.2))
    )
    whole = together.scores(X)
    monkeypatch.setattr(semisvm.spaces.predictor, "STRIP_BYTES", 8 * 30 * 7)
    np.testing.assert_allclose(together.scores(X), whole, rtol=1e-12)


def test_single_precision_is_close():
    random = np.random.default_rng(0)
    landmarks, X = Points.of(random.normal(size=(30, 4))), random.normal(size=(50, 4))
    wide, narrow = (
        KernelPredictor(RBF(gamma), landmarks, random.normal(size=(30, 2)), np.zeros(2)) for gamma in (0.3, 1.2)
    )
    together = LandmarkPredictor(wide, narrow)
    light = together.scores(X.astype(np.float32))
    np.testing.assert_allclose(light, together.scores(X), atol=1e-5)
    assert (light != together.scores(X)).any()


def test_the_average_shares_distances_where_it_can_and_scores_rows_as_it_was_trained():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) + np.repeat([[-2, 0, 0], [2, 0, 0]], 30, axis=0)
    y = np.full(60, -1)
    y[[0, 1, 30, 31]] = 0, 0, 1, 1
    model = S3VM().fit(X, y)
    (kernels,) = [one.predictor for one in model.predictor_.members if isinstance(one.predictor, KernelAverages)]
    found = [kernel.predictor for kernel in kernels.kernels]
    on_landmarks = [one for one in found if isinstance(one, LandmarkPredictor)]
    assert any(one.narrow is not None for one in on_landmarks)
    alone = [(id(one.wide.support_points), one.wide.kernel.gamma) for one in on_landmarks if one.narrow is None]
    assert not any((points, 4 * gamma) in alone for points, gamma in alone)
    rows = y == -1
    assert (model.predict(X)[rows] == model.transduction_[rows]).all()
    np.testing.assert_allclose(model.predict_proba(X.astype(np.float32)), model.predict_proba(X), atol=1e-4)


def test_trees_take_new_rows_beyond_single_precision(rng):
    X = rng.normal(size=(20, 4))
    forest = RandomForestClassifier(5, random_state=0).fit(X, np.arange(20) % 2)
    predictor = ClassifierPredictor(preparations(X)[0], forest, 2)
    far = np.tile([1e60, -1e60], (20, 2))
    with warnings.catch_warnings():
        # a sum of infinite values of either sign
        warnings.simplefilter("error")
        assert np.isfinite(predictor.scores(far)).all()


def test_trees_are_added_up_in_one_order_whatever_threads_there_are(monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 2)), np.where(np.arange(30) < 12, np.arange(30) % 2, -1)
    members = [one.predictor for one in S3VM(n_jobs=2).fit(X, y).predictor_.members]
    forests = [one.classifier for one in members if isinstance(one, ClassifierPredictor)]
    forests = [one for one in forests if hasattr(one, "estimators_")]
    assert forests

    def late_and_large(tree, X, **settings):
        """The first tree is so large that ones are lost if they come after it, and it takes its time."""
        first = tree in [forest.estimators_[0] for forest in forests]
        time.sleep(0.05 * first)
        return np.full((len(X), 2), 1e16 if first else 1.0)

    monkeypatch.setattr(DecisionTreeClassifier, "predict_proba", late_and_large)
    for forest in forests:
        np.testing.assert_array_equal(forest.predict_proba(X[:3]), 1e16 / len(forest.estimators_))
