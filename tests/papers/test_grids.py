"""Grids in the words of the paper, and the two ways to choose from them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm_papers.grids import BestOnTest, ChosenByFolds, grid_points
from semisvm_papers.partitions import Partitions, in_true_shares
from semisvm_papers.tasks import Task


def test_grid_points_in_our_convention():
    task = Task(np.random.RandomState(0).randn(50, 2), np.arange(50) % 2, labeled=np.arange(10))
    points = list(grid_points({"lambda": [0.5, 2.0], "lambda_unlabeled": [0.1]}, task))
    # C = 1/(2 lambda l), C_unlabeled = lambda'/(2 lambda u)
    assert_allclose([[p["C"], p["C_unlabeled"]] for p in points], [[0.1, 0.0025], [0.025, 0.000625]])
    assert list(grid_points({"C": [3.0], "C_unlabeled_total": [8.0]}, task)) == [{"C": 3.0, "C_unlabeled": 0.2}]


def test_widths_of_a_grid_are_multiples_of_the_mean_distance():
    task = Task(np.array([[0.0], [3.0]]), np.array([0, 1]), labeled=np.array([0]))
    points = list(grid_points({"sigma_over_mean_distance": [1.0, 2.0]}, task))
    # one distance, 3: gamma = 1/(2 * 3^2), then 1/(2 * 6^2)
    assert_allclose([point["gamma"] for point in points], [1 / 18, 1 / 72])


def test_rows_in_true_shares():
    y = np.array([0] * 60 + [1] * 40)
    for seed in range(5):
        chosen = in_true_shares(y, np.arange(100), 10, np.random.RandomState(seed))
        assert len(set(chosen)) == 10
        assert y[chosen].sum() == 4


def test_partitions_have_the_sizes_asked_for():
    tasks = Partitions("make_gaussian2c", 8, 42, 30, arguments={"n_samples": 100, "n_features": 3}).tasks()
    first, second = next(tasks), next(tasks)
    assert [len(first.labeled), len(first.unlabeled), len(first.test)] == [8, 42, 30]
    assert_array_equal(first.scored_rows, first.test)
    assert set(first.labeled) != set(second.labeled)
    again = next(Partitions("make_gaussian2c", 8, 42, 30, arguments={"n_samples": 100, "n_features": 3}).tasks())
    assert_array_equal(again.test, first.test)


def test_random_partitions_leave_the_shares_to_the_draw():
    arguments = {"n_samples": 100, "n_features": 3}
    farthest = {}
    for stratified in (True, False):
        tasks = Partitions("make_gaussian2c", 10, 40, 30, stratified=stratified, arguments=arguments).tasks()
        drawn = [next(tasks) for _ in range(20)]
        assert all([len(task.labeled), len(task.unlabeled), len(task.test)] == [10, 40, 30] for task in drawn)
        # labels of class 1, against their share of the training rows
        away = [task.y[task.labeled].sum() - 10 * task.y[task.training].mean() for task in drawn]
        farthest[stratified] = np.max(np.abs(away))
    assert farthest[True] <= 1 < farthest[False]


def test_random_partitions_need_a_row_of_each_class():
    arguments = {"n_samples": 100, "n_features": 3}
    with pytest.raises(ValueError, match="n_labeled = 1 was given and there are 2 classes: give one of each at least"):
        next(Partitions("make_gaussian2c", 1, 49, 30, stratified=False, arguments=arguments).tasks())


class Constant:
    """Predicts `answer` everywhere and remembers what it was trained with."""

    seen: list

    def __init__(self, log):
        self.log, self.answer = log, None
        self.objective_, self.n_iter_ = np.array([1.0]), 2

    def set_params(self, answer):
        self.answer = answer
        return self

    def fit(self, X, y):
        self.log.append((self.answer, X.ravel().tolist(), list(y)))
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


@pytest.fixture
def task():
    """Ten labeled rows mostly of class 0, test rows mostly of class 1."""
    y = np.array([0] * 8 + [1] * 2 + [0, 1] * 5 + [1] * 9 + [0])
    return Task(np.arange(30.0)[:, None], y, np.arange(10), test=np.arange(20, 30), scored="T")


def test_best_on_test_looks_at_the_test_rows(task):
    log = []
    outcome = BestOnTest({"answer": [0, 1]}).measure(lambda: Constant(log), task, seed=0)
    assert outcome.error_pct == 10.0
    assert len(log) == 2
    assert log[0][1] == list(range(20))


def test_folds_look_at_the_labeled_rows_alone(task):
    log = []
    outcome = ChosenByFolds({"answer": [0, 1]}).measure(lambda: Constant(log), task, seed=0)
    assert outcome.error_pct == 90.0
    left_out = [set(range(20)) - set(rows) for answer, rows, _ in log[:5]]
    assert sorted(row for rows in left_out for row in rows) == list(range(10))
    assert all(label == -1 for label in log[0][2][-10:])
