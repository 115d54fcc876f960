"""Clusters with few labels, and the default fitted to them."""

import numpy as np
import pytest

from semisvm import S3VM
from semisvm.datasets import make_g50c


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


def interrupted_at(number, function):
    """The function, which Ctrl-C meets in its call of that number."""
    calls = []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == number:
            raise KeyboardInterrupt
        return function(*arguments)

    return interrupted
