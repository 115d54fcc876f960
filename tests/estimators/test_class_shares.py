"""The shares of the classes: from labels, from labels and scores, or given; and what of them is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import beta

from semisvm import S3VM, GradientS3VM, LaplacianSVM, SupervisedSVM
from semisvm.datasets import hide_labels
from semisvm.estimators.class_shares import (
    IMAGINED,
    WORTH_OF_UNLABELED,
    ClassShares,
    LeftOutScores,
    class_odds,
    estimated_shares,
    shares_by_odds,
)
from semisvm.estimators.probabilities import class_scores


def clusters(share, n=400, seed=0):
    """Two clusters, well apart, with this share of the second one."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    return rng.normal(size=(n, 2)) + 6.0 * y[:, None], y


def test_the_estimate_is_the_maximum_it_says():
    rng = np.random.default_rng(0)
    odds = rng.gamma(1.0, size=(60, 3))
    drawn = np.array([0, 0, 0, 1, 1, 2])
    found = shares_by_odds(odds, drawn, 10).shares
    counts = np.bincount(drawn) + IMAGINED / 3

    def loss(t):
        r = np.exp(t) / np.exp(t).sum()
        return -(counts @ np.log(r) + WORTH_OF_UNLABELED * 10 * np.mean(np.log(odds @ r)))

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    assert_allclose(found, np.exp(best) / np.exp(best).sum(), atol=1e-5)


def test_scores_say_more_than_few_labels():
    rng = np.random.default_rng(1)
    truth = np.arange(500) < 50
    scores = np.where(truth, 2.0, -2.0) + rng.normal(size=500)
    codes = np.array([0, 0, 0, 1, 1, 1])
    labeled = np.where(codes == 1, 2.0, -2.0) + 0.3 * rng.normal(size=6)
    both = LeftOutScores(class_scores(labeled), codes, class_scores(scores))
    estimate = estimated_shares(both, codes)
    assert 0.1 < estimate.shares[1] < 0.45 < 0.5
    # labels that were chosen say nothing of the share
    assert estimated_shares(both, codes[:0]).shares[1] < estimate.shares[1]
    assert estimate.worth == 6 + IMAGINED


def test_a_class_without_a_score_keeps_the_share_of_the_prior():
    scores = LeftOutScores(np.zeros((2, 2)), np.array([0, 0]), np.zeros((5, 2)))
    assert_allclose(class_odds(scores), [[1.0, 0.0]] * 5)
    assert 0 < estimated_shares(scores, np.array([0, 0])).shares[1] < 0.5


@pytest.mark.parametrize("noise", [0.0, 1e-15, 1e-8])
@pytest.mark.parametrize("k", [2, 3])
def test_scores_that_are_the_same_of_every_row_say_nothing(noise, k, rng):
    codes = np.arange(12) % k
    labeled, unlabeled = (-np.ones((n, k)) + noise * rng.normal(size=(n, k)) for n in (12, 7))
    if k == 3:
        labeled[:, 0], unlabeled[:, 0] = rng.normal(size=12), rng.normal(size=7)
    else:
        labeled[:, 1] += 2.0
        unlabeled[:, 1] += 2.0
    odds = class_odds(LeftOutScores(labeled, codes, unlabeled))
    if k == 2:
        assert_allclose(odds, 1.0, rtol=1e-4)
    else:
        labeled[:, 1:], unlabeled[:, 1:] = 0.0, 0.0
        assert_allclose(odds, class_odds(LeftOutScores(labeled, codes, unlabeled)), rtol=1e-2)


def test_intervals_are_those_of_a_beta_distribution():
    shares = ClassShares(np.array([0.75, 0.25]), 4.0, imagined=2.0)
    assert_allclose(shares.interval, [beta(4, 2).ppf([0.1, 0.9]), beta(2, 4).ppf([0.1, 0.9])])
    assert_allclose(shares.ratio_interval, [beta(2, 4).ppf([0.1, 0.9])])
    low, high = shares.counts(100)
    assert np.all(low <= [75, 25])
    assert np.all(high >= [75, 25])
    given = ClassShares(np.array([0.75, 0.25]), 100.0, given=True)
    assert_allclose(given.interval, [[0.75, 0.75], [0.25, 0.25]])


@pytest.mark.parametrize("make", [S3VM, GradientS3VM, LaplacianSVM, SupervisedSVM], ids=lambda e: e.__name__)
def test_estimated_shares_are_nearer_than_those_of_the_labels(make):
    X, y = clusters(0.15)
    rows = np.concatenate([np.flatnonzero(y == 1)[:5], np.flatnonzero(y == 0)[:5]])
    model = make(ratio="estimated").fit(X, hide_labels(y, rows))
    assert 0.15 < model.ratio_[0] < 0.45
    assert model.ratio_interval_[0, 0] < model.ratio_[0] < model.ratio_interval_[0, 1]
    drawn = np.zeros(len(y), dtype=bool)
    chosen = make(ratio="estimated").fit(X, hide_labels(y, rows), drawn=drawn)
    assert chosen.ratio_[0] < model.ratio_[0]


def test_a_method_by_name_estimates_as_the_method_does():
    X, y = clusters(0.15)
    labels = hide_labels(y, np.concatenate([np.flatnonzero(y == 1)[:5], np.flatnonzero(y == 0)[:5]]))
    named = S3VM(method="cccp", ratio="estimated").fit(X, labels)
    assert 0.15 < named.ratio_[0] < 0.45
    assert named.report_.shares[1].expected == pytest.approx(named.ratio_[0])


def test_labels_that_were_chosen_do_not_count_in_any_method():
    X, y = clusters(0.3)
    rows = np.concatenate([np.flatnonzero(y == 1)[:8], np.flatnonzero(y == 0)[:4]])
    drawn = np.zeros(len(y), dtype=bool)
    drawn[rows[7:]] = True  # one of the first class, four of the other
    labels = hide_labels(y, rows)
    for make in (GradientS3VM, LaplacianSVM, SupervisedSVM):
        assert_allclose(make().fit(X, labels).ratio_, [8 / 12])
        assert_allclose(make().fit(X, labels, drawn=drawn).ratio_, [1 / 5])
    # a class without a drawn label is not taken to be absent
    drawn[rows[7]] = False
    assert_allclose(GradientS3VM().fit(X, labels, drawn=drawn).ratio_, [(0 + 1) / (4 + 2)])


def test_three_classes(rng):
    y = np.repeat([0, 1, 2], [120, 60, 20])
    X = rng.normal(size=(200, 2)) + 7.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    rows = np.concatenate([np.flatnonzero(y == code)[:4] for code in range(3)])
    model = GradientS3VM(ratio="estimated", n_stages=2).fit(X, hide_labels(y, rows))
    assert_allclose(model.ratio_.sum(), 1.0)
    assert model.ratio_[0] > model.ratio_[1] > model.ratio_[2]


def test_without_unlabeled_rows_the_labels_are_all_there_is(rng):
    X, y = clusters(0.25, n=40)
    with pytest.warns(UserWarning, match="no unlabeled rows"):
        model = GradientS3VM(ratio="estimated").fit(X, y)
    assert_allclose(model.ratio_, [11 / 42])


@pytest.mark.parametrize("estimator", [S3VM, GradientS3VM, LaplacianSVM, SupervisedSVM], ids=lambda e: e.__name__)
@pytest.mark.parametrize(
    ("changes", "drawn", "message"),
    [
        ({"ratio": "guessed"}, None, 'ratio=\'guessed\' was given and "labeled", "estimated", "uniform", a number or'),
        (
            {"ratio": [0.2, 0.3, 0.5]},
            None,
            r"ratio has shape \(3,\) and one number for each of the 2 classes that",
        ),
        ({}, np.ones(7, dtype=bool), r"drawn has shape \(7,\) and type bool, and one True or False for each of 400"),
    ],
)
def test_what_is_refused(estimator, changes, drawn, message):
    X, y = clusters(0.3)
    labels = hide_labels(y, np.array([0, 1, 398, 399]))
    with pytest.raises(ValueError, match=message):
        estimator(**changes).fit(X, labels, drawn=drawn)
