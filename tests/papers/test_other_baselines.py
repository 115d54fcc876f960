"""Baselines as other measurements need them: neighbors along a graph, centered outputs, even labels."""

import numpy as np
import pytest

from semisvm import LaplacianSVM
from semisvm.datasets import hide_labels, make_g50c
from semisvm_papers.centered_laplacian import CenteredLaplacianSVM
from semisvm_papers.graph_neighbors import GraphNeighborsClassifier
from semisvm_papers.tasks import _drawn


def test_labels_follow_the_path_and_not_the_straight_line():
    # a chain of class 0 whose far end is nearer to the one row of class 1
    chain = np.column_stack([np.arange(10.0), np.zeros(10)])
    X = np.vstack([chain, [[9.0, 3.0]]])
    y = np.full(11, -1)
    y[[0, 10]] = 0, 1
    model = GraphNeighborsClassifier(n_neighbors=2).fit(X, y)
    straight = np.where(np.linalg.norm(X - X[0], axis=1) <= np.linalg.norm(X - X[10], axis=1), 0, 1)
    assert straight[8] == 1
    assert model.transduction_.tolist() == [0] * 9 + [model.transduction_[9], 1]


def test_rows_without_a_path_go_to_the_nearest_label():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    y = np.array([0, -1, 1, -1, -1, -1])
    assert GraphNeighborsClassifier(n_neighbors=1).fit(X, y).transduction_[3:].tolist() == [1, 1, 1]


def test_centered_outputs_are_as_often_above_as_the_mean_says():
    X, truth = make_g50c(random_state=0)
    y = hide_labels(truth, range(40))
    plain = LaplacianSVM(gamma=1e-3, random_state=0, threshold="zero").fit(X, y)
    centered = CenteredLaplacianSVM(gamma=1e-3, random_state=0, threshold="zero").fit(X, y)
    scores = plain.decision_function(X)
    expected = plain.classes_[(scores > scores[y < 0].mean()).astype(int)]
    assert np.array_equal(centered.predict(X), expected)
    assert np.array_equal(centered.transduction_[40:], expected[40:])
    assert np.array_equal(centered.transduction_[:40], truth[:40])


def test_even_labels_are_spread_over_the_classes():
    y, random = np.repeat([0, 1, 2], [50, 30, 10]), np.random.RandomState(0)
    assert np.bincount(y[_drawn(y, 9, random, even=True)]).tolist() == [3, 3, 3]
    assert len(_drawn(y, 10, random)) == 10
    with pytest.raises(ValueError, match="n_labeled = 10: give a multiple of the number of classes"):
        _drawn(y, 10, random, even=True)
