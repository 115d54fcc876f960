"""Protocols on the papers' data, with scikit-learn standing in for the library's own SVM."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestCentroid

from semisvm_papers.protocols import FiveFold, Transductive
from semisvm_papers.tasks import FreshDraws, Task


class Means(ClassifierMixin, BaseEstimator):
    """Nearest class mean with a bias that is off: predictions err, the order of the scores does not."""

    def fit(self, X, y):
        means = [X[y == one].mean(axis=0) for one in (0, 1)]
        self.w_ = means[1] - means[0]
        self.b_ = 5.0
        return self

    def decision_function(self, X):
        return X @ self.w_ + self.b_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def g50c_task():
    return next(FreshDraws("make_g50c", labeled=range(50)).tasks())


def test_count_repairs_a_wrong_bias():
    task = g50c_task()
    by_sign = Transductive("predict").measure(Means, task, 0).error_pct
    by_count = Transductive("count").measure(Means, task, 0).error_pct
    assert by_sign > 25
    assert by_count < 20


def test_only_the_labeled_rows_are_seen():
    seen = []

    class Spy(Means):
        def fit(self, X, y):
            seen.append(y.copy())
            return super().fit(X, y)

    task = g50c_task()
    Transductive("predict").measure(Spy, task, 0)
    np.testing.assert_array_equal(seen[0][:50], task.y[:50])
    assert (seen[0][50:] == -1).all()


def test_five_fold_uses_all_labels_and_each_row_once():
    rows = []

    class Spy(NearestCentroid):
        def predict(self, X):
            rows.extend(X[:, 0])
            return super().predict(X)

    task = g50c_task()
    outcome = FiveFold().measure(Spy, task, 0)
    assert sorted(rows) == sorted(task.X[:, 0])
    assert outcome.error_pct == pytest.approx(5, abs=3)
    assert FiveFold().measure(NearestCentroid, task, 0) == outcome


def test_five_fold_error_is_a_share_of_the_rows():
    class Always1(Means):
        def predict(self, X):
            return np.ones(len(X))

    task = Task(np.zeros((20, 1)), np.repeat([0, 1], [15, 5]), np.array([0]))
    assert FiveFold().measure(Always1, task, 0).error_pct == 75
