"""Where scores are cut: zero as long as the shares allow it, then into the interval, by the mean where a graph is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm import CCCPS3VM, S3VM, GradientS3VM, Graph, LabelSwitchingS3VM, LaplacianRLS, LaplacianSVM, SupervisedSVM
from semisvm.datasets import hide_labels, make_g50c
from semisvm.estimators.class_shares import ClassShares
from semisvm.estimators.thresholds import caps, mean_threshold, skewness, threshold, thresholds

EVEN = np.linspace(-3.0, -1.0, 101)
"""A graph method with few labels: an order of the rows, far below zero."""


def share_above(scores, cut):
    return np.mean(scores > cut)


def test_zero_stands_where_its_share_is_within_the_interval(rng):
    scores = rng.normal(size=200)
    for of_graph in (False, True):
        assert threshold(scores, 0.3, 0.7, of_graph=of_graph) == 0.0


def test_the_cut_moves_only_as_far_as_the_interval_demands():
    above = share_above(EVEN, threshold(EVEN, 0.2, 0.6, of_graph=False))
    assert 0.2 <= above <= 0.21 + 0.01
    below = share_above(-EVEN, threshold(-EVEN, 0.2, 0.6, of_graph=False))
    assert 0.59 - 0.01 <= below <= 0.6


def test_even_scores_of_a_graph_are_cut_at_their_mean_inside_the_interval():
    assert threshold(EVEN, 0.2, 0.6, of_graph=True) == pytest.approx(EVEN.mean())
    assert 0.3 - 0.03 <= share_above(EVEN, threshold(EVEN, 0.1, 0.3, of_graph=True)) <= 0.3


def test_a_graph_that_tells_classes_apart_keeps_its_level():
    # a tenth of the rows is above zero: the cut moves to the nearer end
    scores = EVEN + 1.2
    assert 0.2 <= share_above(scores, threshold(scores, 0.2, 0.6, of_graph=True)) <= 0.22


def test_a_long_tail_is_a_rare_class():
    scores = np.concatenate([np.linspace(-1.2, -1.0, 190), np.linspace(-0.9, -0.2, 10)])
    assert skewness(scores) > 1
    assert share_above(scores, threshold(scores, 0.03, 0.4, of_graph=True)) < 0.06


def test_a_gap_at_zero_is_left_alone():
    scores = np.concatenate([np.full(90, -1.0), np.full(10, 1.0)]) + np.linspace(0, 0.01, 100)
    assert threshold(scores, 0.3, 0.7, of_graph=True) == 0.0
    # one row on the other side is no gap between classes
    assert threshold(np.where(np.arange(100) < 99, scores - 2, 1.0), 0.3, 0.7, of_graph=False) != 0.0


def test_the_cut_falls_into_a_gap_nearby():
    scores = -1.0 - np.arange(1000) / 1000
    scores[103:] -= 0.1  # between the places 102 and 103
    assert -1.203 < threshold(scores, 0.1, 0.5, of_graph=False) < -1.102
    # the same gap is too far from the end of this interval
    assert threshold(scores, 0.2, 0.5, of_graph=False) < -1.203


def test_equal_scores_are_not_cut():
    assert threshold(np.full(20, -0.3), 0.4, 0.6, of_graph=True) == 0.0


@pytest.mark.parametrize("of_graph", [False, True])
def test_scores_that_differ_by_rounding_are_not_cut(of_graph, rng):
    assert threshold(-1.0 + 1e-7 * rng.normal(size=50), 0.3, 0.6, of_graph=of_graph) == 0.0
    assert threshold(-1.0 + 1e-2 * rng.normal(size=50), 0.3, 0.6, of_graph=of_graph) != 0.0


def test_several_classes_are_moved_together():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(300, 3)) + np.array([3.0, 0.0, 0.0])
    shares = ClassShares(np.full(3, 1 / 3), 60.0)
    cut = thresholds(scores, shares, of_graph=False)
    counts = np.bincount((scores - cut).argmax(axis=1), minlength=3)
    low, high = shares.counts(300)
    assert np.all((low - 1 <= counts) & (counts <= high + 1))
    assert_allclose(thresholds(scores - cut, shares, of_graph=False), 0.0, atol=1e-9)


def test_graph_scores_are_cut_at_their_mean_only_where_all_rows_are_of_one_class():
    assert mean_threshold(EVEN, 0.2, 0.6) == pytest.approx(EVEN.mean())
    assert 0.3 - 0.03 <= share_above(EVEN, mean_threshold(EVEN, 0.1, 0.3)) <= 0.3
    assert share_above(-EVEN, mean_threshold(-EVEN, 0.2, 0.4)) == pytest.approx(0.4, abs=0.02)
    # a tenth of the rows is above zero, the scores have a long tail, or do not differ: zero stands
    assert mean_threshold(EVEN + 1.2, 0.2, 0.6) == 0.0
    assert mean_threshold(np.concatenate([np.linspace(-1.2, -1.0, 190), np.linspace(-0.9, -0.2, 10)]), 0.2, 0.6) == 0.0
    assert mean_threshold(np.full(20, -0.3), 0.4, 0.6) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_capped_classes_never_get_more_rows_than_the_upper_end(seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 5
    scores = rng.normal(size=(200, 1 if k == 2 else k)) + rng.normal(size=1 if k == 2 else k)
    if seed % 2:  # many equal rows
        scores = np.round(scores)
    counts = np.array([1] * (k // 2) + [8] * (k - k // 2))
    capped = counts == 1
    expected = ClassShares(counts / counts.sum(), float(counts.sum()), imagined=2.0)
    cut, most = caps(scores, expected, capped), expected.counts(200)[1]
    moved = scores - cut
    codes = (moved[:, 0] > 0).astype(int) if k == 2 else moved.argmax(axis=1)
    filled = np.bincount(codes, minlength=k)
    assert np.all(filled[capped] <= most[capped])
    assert_array_equal(caps(scores, expected, np.zeros(k, dtype=bool)), 0.0)
    if not seed % 2:
        # a class with too many rows is filled up to the end, or to a gap nearby, where its rows do not equal each other
        before = np.bincount((scores[:, 0] > 0).astype(int) if k == 2 else scores.argmax(axis=1), minlength=k)
        over = capped & (before > most)
        assert np.all(filled[over] >= most[over] - (4 if k == 2 else 0))


# ---------------------------------------------------------------- in estimators


def lopsided(few=1, many=9, seed=0):
    """Labels that do not show that both classes are as large."""
    X, y = make_g50c(300, random_state=seed)
    rows = np.concatenate([np.flatnonzero(y == 1)[:few], np.flatnonzero(y == 0)[:many]])
    return X, y, hide_labels(y, rows)


GRAPH_METHODS = [
    lambda **p: LaplacianSVM(gamma="median", **p),
    lambda **p: LaplacianRLS(gamma="median", **p),
    lambda **p: GradientS3VM(gamma="median", graph=Graph(), deformation=10.0, **p),
    lambda **p: SupervisedSVM(gamma="median", graph=Graph(), deformation=10.0, **p),
]


@pytest.mark.parametrize("make", GRAPH_METHODS)
def test_graph_methods_meet_the_interval(make):
    X, _, labels = lopsided(few=2, many=8)
    unlabeled = labels < 0
    paper, model = make(threshold="zero").fit(X, labels), make(threshold="share").fit(X, labels)
    low, high = model.ratio_interval_[0]
    filled = np.mean(model.transduction_[unlabeled] == 1)
    assert low <= filled <= high
    assert_array_equal(paper.threshold_, 0.0)
    assert model.threshold_[0] != 0
    # only the cut is another one
    assert_allclose(model.decision_function(X), paper.decision_function(X) - model.threshold_[0], atol=1e-9)
    assert_array_equal(model.predict(X[unlabeled]), model.transduction_[unlabeled])
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("make", GRAPH_METHODS[:2])
def test_few_labels_do_not_give_all_rows_to_one_class(make):
    X, y, labels = lopsided()
    unlabeled = labels < 0
    paper, model = make(threshold="zero").fit(X, labels), make().fit(X, labels)
    assert np.mean(paper.transduction_[unlabeled] == 1) < 0.05
    low, high = model.ratio_interval_[0]
    assert low <= np.mean(model.transduction_[unlabeled] == 1) <= high
    assert np.mean(model.transduction_ != y) < np.mean(paper.transduction_ != y) - 0.05


def test_with_fifteen_labels_or_without_a_graph_zero_stands():
    X, _, labels = lopsided(few=2, many=13)
    assert_array_equal(LaplacianSVM(gamma="median").fit(X, labels).threshold_, 0.0)
    X, _, labels = lopsided(few=2, many=8)
    for model in (GradientS3VM(gamma="median"), LabelSwitchingS3VM(gamma="median"), SupervisedSVM(gamma="median")):
        assert_array_equal(model.fit(X, labels).threshold_, 0.0)
    moved = SupervisedSVM(gamma="median", threshold="share").fit(X, labels)
    low, high = moved.ratio_interval_[0]
    assert low <= np.mean(moved.transduction_[labels < 0] == 1) <= high


def one_label(n_classes=3):
    """Three classes as large, of which the last has one label."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % n_classes
    X = rng.normal(size=(240, 2)) + 4.0 * np.eye(3, 2)[y]
    rows = np.concatenate([np.flatnonzero(y == c)[: 1 if c == n_classes - 1 else 9] for c in range(n_classes)])
    return X, y, hide_labels(y, rows)


SEEING_UNLABELED_ROWS = [
    lambda **p: GradientS3VM(gamma="median", C=10.0, s=1.0, C_unlabeled="equal", **p),
    lambda **p: CCCPS3VM(gamma="median", C=10.0, **p),
    lambda **p: LaplacianSVM(gamma="median", **p),
    lambda **p: S3VM(method="gradient", **p),
]


@pytest.mark.parametrize("make", SEEING_UNLABELED_ROWS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_of_one_label_is_not_filled_beyond_its_interval(make, n_classes):
    X, _, labels = one_label(n_classes)
    unlabeled, rare = labels < 0, n_classes - 1
    paper, model = make(threshold="zero").fit(X, labels), make().fit(X, labels)
    high = model.ratio_interval_[-1, 1]
    most = np.ceil(high * unlabeled.sum() - 1e-9)
    assert np.sum(model.transduction_[unlabeled] == rare) <= most
    assert_array_equal(model.predict(X[unlabeled]), model.transduction_[unlabeled])
    assert np.sum(paper.transduction_[unlabeled] == rare) > most


def test_a_class_of_one_label_is_reported(caplog):
    X, _, labels = one_label()
    with caplog.at_level("INFO", logger="semisvm"):
        model = GradientS3VM().fit(X, labels)
    low, high = 100 * model.ratio_interval_[2]
    assert f"GradientS3VM: 2 has one label of 19, and {low:.1f} % to {high:.1f} % of the unlabeled rows" in caplog.text
    assert "0 has one label" not in caplog.text
    assert "from one label" in str(S3VM(method="gradient").fit(X, labels).report_)


def test_the_share_of_a_class_of_one_label_has_the_prior_in_it():
    X, _, labels = one_label()
    plain, prior = (GradientS3VM(threshold=rule).fit(X, labels) for rule in ("zero", "auto"))
    assert_allclose(plain.ratio_, np.array([9, 9, 1]) / 19)
    assert_allclose(prior.ratio_, (np.array([9, 9, 1]) + 2 / 3) / 21)
    assert_allclose(plain.ratio_interval_, prior.ratio_interval_)
    # labels alone are trained without unlabeled rows, and stay as they were
    assert_allclose(SupervisedSVM().fit(X, labels).ratio_, plain.ratio_)
    assert_array_equal(SupervisedSVM().fit(X, labels).threshold_, 0.0)


def test_a_method_that_counts_exactly_keeps_its_own_assignment():
    X, _, labels = lopsided()
    model = LabelSwitchingS3VM(gamma="median", graph=Graph(), ratio=0.3, threshold="share").fit(X, labels)
    assert np.sum(model.transduction_[labels < 0] == 1) == round(0.3 * np.sum(labels < 0))


def test_the_default_cuts_by_shares_only_when_asked():
    X, y = make_g50c(random_state=0)
    labels = hide_labels(y, np.concatenate([np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:18]]))
    unlabeled = labels < 0
    plain, zero, moved = (S3VM(threshold=t, ratio=0.5).fit(X, labels) for t in ("auto", "zero", "share"))
    assert_array_equal(plain.decision_function(X), zero.decision_function(X))
    assert_array_equal(plain.threshold_, 0.0)
    filled = np.mean(moved.transduction_[unlabeled] == 1)
    assert abs(filled - 0.5) < abs(np.mean(plain.transduction_[unlabeled] == 1) - 0.5)
    assert filled == pytest.approx(0.5, abs=0.01)
    assert_allclose(moved.decision_function(X), plain.decision_function(X) - moved.threshold_[0], atol=1e-9)
    assert_array_equal(moved.classes_[moved.predict_proba(X).argmax(axis=1)], moved.predict(X))


@pytest.mark.parametrize("estimator", [S3VM, LaplacianSVM, GradientS3VM, SupervisedSVM])
def test_other_words_are_refused(estimator):
    X, _, labels = lopsided()
    with pytest.raises(ValueError, match="threshold='mean' was given and one of 'auto', 'share', 'zero' is needed"):
        estimator(threshold="mean").fit(X, labels)
