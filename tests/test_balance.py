"""The ratio of positives: estimated, held on average, or met exactly by a search over offsets."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

from semisvm import CCCPS3VM, ContinuationS3VM, GradientS3VM, LabelSwitchingS3VM, NewtonS3VM, QuasiNewtonS3VM
from semisvm.algorithms import Algorithm, Candidate, OffsetSearch, run
from semisvm.balance import ExactCount, MeanOutput, NoBalance, SmoothCount, positive_counts
from semisvm.objective import ArrayScores
from semisvm.spaces import Linear
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import UNLABELED, plain_spaces

METHODS = [GradientS3VM, ContinuationS3VM, NewtonS3VM, QuasiNewtonS3VM]


def partly_labeled(n=60, k_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k_classes
    X = rng.normal(size=(n, 4)) + 2.5 * np.eye(4)[y]
    hidden = y.copy()
    hidden[4 * k_classes :] = -1
    return X, y, hidden


def test_top_scores_are_positive_and_ties_go_to_the_earlier_row():
    scores = np.array([[0.5, 1.0], [0.5, 2.0], [-1.0, 1.0], [0.5, 1.0]])
    assert_array_equal(ArrayScores(scores).top(np.array([2, 3])), [[1, 1], [1, 1], [-1, 1], [-1, -1]])


def test_top_scores_are_those_of_a_stable_sort(rng):
    scores = rng.integers(0, 5, size=(40, 6)).astype(float)
    counts = np.array([0, 1, 7, 20, 39, 40])
    order = np.argsort(-scores, axis=0, kind="stable")
    labels = ArrayScores(scores).top(counts)
    for column, count in enumerate(counts):
        assert_array_equal(np.sort(np.flatnonzero(labels[:, column] > 0)), np.sort(order[:count, column]))


def test_counts_leave_a_point_on_either_side():
    assert_array_equal(positive_counts(np.array([0.001, 0.5, 0.999]), 10), [1, 5, 9])


@pytest.mark.parametrize("space", plain_spaces(), ids=str)
def test_mean_output_is_held_in_every_space(space, rng):
    base = plain_spaces()[space][0]
    centered, bias = MeanOutput(np.array([0.3])).apply(base, UNLABELED)
    outputs = centered.outputs(rng.normal(size=(centered.dimension, 1)))
    assert_allclose(outputs[UNLABELED].mean() + bias, 2 * 0.3 - 1, atol=1e-9)


def test_without_balance_the_bias_is_free():
    space = Linear(np.eye(3))
    assert NoBalance().apply(space, np.array([1])) == (space, None)
    assert ExactCount(np.array([0.5])).apply(space, np.array([1])) == (space, None)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ratio", [0.25, 0.5, 0.71])
def test_exact_balance_returns_exactly_the_count(method, ratio):
    X, _, hidden = partly_labeled()
    model = method(balance="exact", ratio=ratio, C=5.0).fit(X, hidden)
    unlabeled = hidden == -1
    assert np.sum(model.transduction_[unlabeled] == 1) == round(ratio * unlabeled.sum())
    assert_array_equal(model.transduction_[~unlabeled], hidden[~unlabeled])


@pytest.mark.parametrize("method", METHODS)
def test_soft_balance_holds_the_mean_score(method):
    X, _, hidden = partly_labeled()
    model = method(balance="soft", ratio=0.4, C=5.0).fit(X, hidden)
    assert_allclose(model.decision_function(X[hidden == -1]).mean(), 2 * 0.4 - 1, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_one_ratio_per_class(method):
    X, y, hidden = partly_labeled(n=90, k_classes=3)
    model = method(ratio=[1 / 3, 1 / 3, 1 / 3], C=5.0).fit(X, hidden)
    scores = model.decision_function(X[hidden == -1])
    assert_allclose(scores.mean(axis=0), 2 / 3 - 1, atol=1e-7)
    assert np.mean(model.predict(X) == y) > 0.8


def test_an_estimated_ratio_comes_with_its_uncertainty():
    X, _, hidden = partly_labeled()
    model = GradientS3VM().fit(X, hidden)
    assert_allclose(model.ratio_, [0.5])
    # 4 of 8 labels and one imagined label of each class: a beta distribution with 5 and 5
    assert_allclose(model.ratio_interval_, [beta(5, 5).ppf([0.1, 0.9])])
    given = GradientS3VM(ratio=0.4).fit(X, hidden)
    assert_allclose(given.ratio_interval_, [[0.4, 0.4]])


@dataclass(frozen=True)
class Stairs(Algorithm):
    """A training whose positive count is a given function of the offset."""

    count: object
    trained: list

    def iterate(self, problem, start, budget):
        self.trained.append(problem.bias.copy())
        point = problem.objective().start()
        for column, bias in enumerate(problem.bias):
            positive = np.arange(len(problem.unlabeled)) < self.count(bias)
            point.outputs[problem.unlabeled, column] = np.where(positive, 1.0, -1.0) - bias
        yield Candidate(point, np.abs(problem.bias), np.zeros(problem.n_columns))


def search(count, wanted, bias=(0.0,), **limits):
    _, y = two_blobs(k=len(bias))
    problem = problem_on(plain_spaces()["linear dense"][0], y, bias=np.array(bias))
    trained = []
    solution = run(OffsetSearch(Stairs(count, trained), np.array(wanted), **limits), problem, max_iter=100)
    return solution.candidate, trained


def test_search_brackets_then_bisects_to_an_exact_hit():
    # 50 points, 0.04 of the offset each: the count 38 holds for offsets in [0.52, 0.56)
    candidate, trained = search(lambda bias: np.floor((bias + 1) / 2 * 50 + 1e-9), [38])
    assert_allclose(np.concatenate(trained)[:5], [0.0, 0.2, 0.6, 0.4, 0.5])
    assert candidate.facts["missed"][0] == 0
    assert np.sum(candidate.labels > 0) == 38
    assert len(trained) < 12


def test_search_that_cannot_hit_keeps_the_closest_and_ends():
    """The count jumps from 10 to 45: 30 is never met, 45 is closer."""
    candidate, trained = search(lambda bias: 10 if bias < 0.37 else 45, [30])
    # 0, 0.2 and 0.6, then the bracket of 0.4 is halved until it is no wider than 0.01
    assert len(trained) == 3 + 6
    assert candidate.facts["missed"][0] == 15
    assert candidate.point.bias[0] >= 0.37
    assert np.sum(candidate.labels > 0) == 30


def test_search_ends_at_the_cap_where_any_bracket_is_wide_enough():
    _, trained = search(lambda bias: 10 if bias < 0.37 else 45, [30], narrow=0.0)
    assert len(trained) == 12


def test_search_survives_a_count_that_is_not_monotone():
    candidate, trained = search(lambda bias: 25 + 20 * np.sin(40 * bias), [33])
    assert len(trained) <= 12
    assert np.sum(candidate.labels > 0) == 33


def test_columns_are_searched_apart():
    candidate, trained = search(lambda bias: np.floor((bias + 1) / 2 * 50 + 1e-9), [25, 40], bias=(0.0, 0.0))
    assert [len(bias) for bias in trained[:2]] == [2, 1]
    assert_array_equal(np.sum(candidate.labels > 0, axis=0), [25, 40])


def test_a_free_bias_is_refused():
    _, y = two_blobs()
    problem = problem_on(plain_spaces()["linear dense"][0], y)
    with pytest.raises(
        TypeError, match=r"OffsetSearch was given a free bias and needs a held one: center the space first."
    ):
        run(OffsetSearch(Stairs(lambda bias: 1, []), np.array([3])), problem, max_iter=10)


def rare(n=300, seed=0):
    """One row in twenty is of the second class, within reach of the first; labels show the share."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 20 == 0).astype(int)
    X = rng.normal(size=(n, 5)) + 2.0 * y[:, None]
    hidden = y.copy()
    hidden[40:] = -1
    return X, y, hidden


@pytest.mark.parametrize("method", METHODS)
def test_a_smooth_count_is_met_by_every_descent(method):
    X, y, hidden = rare()
    smooth = method(balance="smooth", C=10.0, C_unlabeled="equal").fit(X, hidden)
    unlabeled = hidden < 0
    assert 0.01 <= np.mean(smooth.transduction_[unlabeled] == 1) <= 0.075
    assert_array_equal(smooth.transduction_[unlabeled], smooth.predict(X[unlabeled]))
    assert np.mean(smooth.transduction_ != y) < 0.08


@pytest.mark.parametrize("seed", [1, 2])
def test_a_smooth_count_does_not_double_the_rare_class(seed):
    X, y, hidden = rare(seed=seed)
    unlabeled, filled, wrong = hidden < 0, {}, {}
    for balance in ("soft", "smooth"):
        model = GradientS3VM(balance=balance, C=10.0, C_unlabeled="equal", s=1.0, n_stages=7, gamma="median")
        filled[balance] = np.mean(model.fit(X, hidden).transduction_[unlabeled] == 1)
        wrong[balance] = np.mean(model.transduction_ != y)
    assert filled["soft"] > 0.1
    assert 0.04 <= filled["smooth"] <= 0.07
    assert wrong["smooth"] < wrong["soft"] / 2


def test_the_shift_of_scores_that_differ_by_rounding_meets_the_count(rng):
    for _ in range(200):
        scores = rng.normal() + 1e-16 * rng.integers(-3, 4, size=(9, 1))
        ratio = rng.uniform(0.05, 0.95, size=1)
        shift = SmoothCount(ratio).shift(ArrayScores(scores))
        assert_allclose(np.tanh(2 * (scores + shift)).mean(axis=0), 2 * ratio - 1, atol=1e-12)


def test_the_shift_of_a_smooth_count_meets_it(rng):
    scores = rng.normal(size=(50, 3)) * np.array([1.0, 5.0, 0.1])
    ratio = np.array([0.05, 0.5, 0.9])
    shift = SmoothCount(ratio).shift(ArrayScores(scores))
    assert_allclose(np.tanh(2 * (scores + shift)).mean(axis=0), 2 * ratio - 1, atol=1e-9)
    equal = SmoothCount(np.array([0.3])).shift(ArrayScores(np.full((4, 1), 2.0)))
    assert_allclose(np.tanh(2 * (2.0 + equal)), 2 * 0.3 - 1)


def test_methods_without_stages_of_descent_refuse_a_smooth_count():
    X, _, hidden = partly_labeled()
    for method in (CCCPS3VM, LabelSwitchingS3VM):
        with pytest.raises(ValueError, match="balance='smooth' was given and one of 'exact', 'soft', 'none' is needed"):
            method(balance="smooth").fit(X, hidden)
