"""Every public classifier, set up to train a few dozen rows in a few milliseconds, and rows to train it on."""

import time

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

import semisvm
from semisvm.datasets import hide_labels
from semisvm.estimators.from_positives import FromPositives

FOUND = [
    getattr(semisvm, name)
    for name in semisvm.__all__
    if isinstance(getattr(semisvm, name), type)
    and issubclass(getattr(semisvm, name), BaseEstimator)
    and is_classifier(getattr(semisvm, name)())
]
CLASSIFIERS = [one for one in FOUND if not issubclass(one, FromPositives)]
FROM_POSITIVES = [one for one in FOUND if issubclass(one, FromPositives)]
"""Those of labels of one class."""
SETTINGS = {
    "BranchAndBoundS3VM": {"gap": 0.05, "max_iter": 200},
    "SDPRelaxationS3VM": {"rank": 2},
    "LabelSwitchingS3VM": {"n_stages": 4},
    "AnnealingS3VM": {"cooling": 3.0},
    "PositiveUnlabeledSVM": {"prior": 0.5},
    "PositiveUnlabeledS3VM": {"prior": 0.5},
}


def quick(estimator: type, **changes):
    return estimator(**{"random_state": 0} | SETTINGS.get(estimator.__name__, {}) | changes)


def blobs(n_classes=2, n=24, n_labeled=6, seed=0):
    """(X, all labels, labels of the first rows and -1): one well separated blob per class."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    X = 0.6 * rng.normal(size=(n, 3)) + 2.5 * np.eye(max(3, n_classes), 3)[truth]
    y = np.full(n, -1)
    y[:n_labeled] = truth[:n_labeled]
    return X, truth, y


def positives(y, unlabeled=-1):
    """Labels of class 1 alone."""
    return np.where(y == 1, y, unlabeled)


def three_blobs(n=150, seed=0):
    """(X, all labels, labels of the first nine rows): three clouds in the plane that hardly touch."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + 4 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return X, y, hide_labels(y, np.arange(9))


def time_passes_after(n_iter, estimator, monkeypatch):
    """The clock stands still until a run of this estimator has seen so many candidates, and then an hour has passed."""
    now = 0.0

    def watch(iteration, _):
        nonlocal now
        now = 3600.0 * (iteration >= n_iter)

    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(estimator, "_watchers", lambda *_: [watch])
