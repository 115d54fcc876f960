"""SVMs from positive and unlabeled rows: what they minimize, how many rows they take, what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone

from semisvm import Graph, PositiveUnlabeledS3VM, PositiveUnlabeledSVM, chunked
from semisvm.datasets import hide_labels, make_g50c
from semisvm.estimators import from_positives
from semisvm.estimators.positive_share import (
    ABOVE,
    BELOW,
    LARGEST,
    SMALLEST,
    PositiveScores,
    PositiveShare,
    best_bin,
    elkan_noto,
)
from semisvm.estimators.positive_unlabeled import RISKS
from semisvm.losses import DoubleHinge

METHODS = [*(PositiveUnlabeledSVM(risk=risk) for risk in RISKS), PositiveUnlabeledS3VM()]
every_method = pytest.mark.parametrize("method", METHODS, ids=str)


def clouds(n=160, n_positive=12, apart=2.5, share=0.4, seed=0):
    """(X, truth, labels): two clouds of which the first rows of one are labeled."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, 3)) + apart * truth[:, None] * [1.0, 0.5, 0.0]
    return X, truth, hide_labels(truth, np.flatnonzero(truth)[:n_positive])


# ---------------------------------------------------------------- what is learnt


@every_method
def test_they_learn_from_one_class(method):
    X, truth = make_g50c(random_state=0)
    y = hide_labels(truth, np.flatnonzero(truth)[:60])
    rest = y < 0
    model = clone(method).set_params(prior=truth[rest].mean(), random_state=0).fit(X, y)
    wrong = np.mean(model.transduction_[rest] != truth[rest])
    assert wrong < 0.25
    assert_array_equal(model.transduction_[~rest], 1)
    assert_array_equal(model.classes_, [0, 1])


@every_method
@pytest.mark.parametrize("prior", [0.03, 0.4, 0.9])
def test_the_share_of_unlabeled_rows_that_is_positive_is_the_prior(method, prior):
    X, _, y = clouds()
    model = clone(method).set_params(prior=prior).fit(X, y)
    rest = y < 0
    assert np.count_nonzero(model.predict(X)[rest] == 1) == round(prior * np.count_nonzero(rest))
    assert_array_equal(model.predict(X)[rest], model.transduction_[rest])
    assert_array_equal(model.prior_interval_, [prior, prior])
    assert_allclose(model.predict_proba(X)[rest, 1].mean(), prior, atol=0.05)


def test_the_share_is_one_of_weights():
    X, _, y = clouds()
    rest = np.flatnonzero(y < 0)
    weights = np.ones(len(y))
    weights[rest[::2]] = 3.0
    model = PositiveUnlabeledSVM(prior=0.3).fit(X, y, weights)
    taken = weights[rest][model.predict(X)[rest] == 1].sum()
    assert abs(taken - 0.3 * weights[rest].sum()) <= 3.0


def test_without_an_intercept_there_is_nothing_to_move():
    X, _, y = clouds()
    model = PositiveUnlabeledSVM(prior=0.3, fit_intercept=False, kernel="linear").fit(X, y)
    assert_array_equal(model.intercept_, [0.0])


# ---------------------------------------------------------------- what is minimized


def naive_risk(K, positives, unlabeled, prior, C):
    """The least J by a general solver, with a variable t >= 0, t >= N in place of max(0, N)."""
    n, p, u, D = len(K), len(positives), len(unlabeled), DoubleHinge()

    def scores(v):
        return K @ v[:n] + v[n]

    def negative(v):
        z = scores(v)
        return C * (p / u * D.value(-z[unlabeled]).sum() - prior * D.value(-z[positives]).sum())

    def value(v):
        return 0.5 * v[:n] @ K @ v[:n] + C * prior * D.value(scores(v)[positives]).sum() + v[n + 1]

    rules = [{"type": "ineq", "fun": lambda v: v[n + 1]}, {"type": "ineq", "fun": lambda v: v[n + 1] - negative(v)}]
    start = np.zeros(n + 2)
    start[n + 1] = 1 + max(0.0, negative(start))
    return minimize(value, start, constraints=rules, method="SLSQP", options={"maxiter": 1000, "ftol": 1e-12}).fun


@pytest.mark.parametrize("C", [0.1, 3.0, 30.0])
def test_the_non_negative_risk_is_minimized(C):
    X, _, y = clouds(24, 5)
    K = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(-1))
    model = PositiveUnlabeledSVM(prior=0.3, C=C, kernel="precomputed", tol=1e-7).fit(K, y)
    expected = naive_risk(K, np.flatnonzero(y == 1), np.flatnonzero(y < 0), 0.3, C)
    assert_allclose(model.objective_, expected, rtol=1e-4)
    assert model.stationarity_[0] <= 1e-6


def test_the_unbiased_risk_is_the_same_where_it_is_not_negative_and_lower_elsewhere():
    X, _, y = clouds(60, 8)

    def fitted(risk, C):
        return PositiveUnlabeledSVM(prior=0.3, C=C, risk=risk, tol=1e-8).fit(X, y)

    tame = [fitted(risk, 0.01) for risk in ("nonnegative", "unbiased")]
    assert_allclose(tame[0].decision_function(X), tame[1].decision_function(X), atol=1e-6)
    wild = [fitted(risk, 100.0) for risk in ("nonnegative", "unbiased")]
    assert wild[1].objective_ < 0 < wild[0].objective_
    assert wild[0].path_[-1]["share"] < 1


@pytest.mark.parametrize("risk", ["nonnegative", "unbiased", "biased"])
def test_a_weight_of_two_is_a_row_twice(risk):
    X, _, y = clouds(40, 8)
    weights = np.random.default_rng(1).integers(0, 3, 40).astype(float)
    weights[np.flatnonzero(y == 1)[:2]] = 1.0
    twice = np.repeat(np.arange(40), weights.astype(int))
    model = PositiveUnlabeledSVM(prior=0.4, gamma=0.2, tol=1e-9, risk=risk)
    weighted, repeated = clone(model).fit(X, y, weights), clone(model).fit(X[twice], y[twice])
    difference = weighted.decision_function(X) - repeated.decision_function(X)
    # the cut may fall on the other side of a repeated row: the ranking is the same
    assert_allclose(difference, difference[0], atol=1e-5)


@every_method
def test_rows_in_chunks_landmarks_and_graphs(method):
    X, truth, y = clouds()
    rest = y < 0
    given = clone(method).set_params(prior=0.4, random_state=0)
    whole = clone(given).set_params(kernel="linear", tol=1e-7).fit(X, y)
    parts = clone(given).set_params(kernel="linear", tol=1e-7).fit(chunked(X, chunk_rows=50), y)
    assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-3)
    for more in ({"n_components": 30}, {"graph": Graph(n_neighbors=5)}, {"kernel": "linear"}):
        model = clone(given).set_params(**more).fit(X, y)
        assert np.mean(model.transduction_[rest] != truth[rest]) < 0.25


# ---------------------------------------------------------------- the share of positives


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_the_share_is_found_where_the_classes_are_apart(share):
    X, truth, y = clouds(1500, 60, apart=4.0, share=share)
    model = PositiveUnlabeledSVM(random_state=0).fit(X, y)
    true = truth[y < 0].mean()
    assert abs(model.prior_ - true) < 0.05
    assert PositiveUnlabeledSVM(random_state=0).fit(X, y).prior_ == model.prior_


def test_many_unlabeled_rows_are_drawn_from(monkeypatch):
    X, truth, y = clouds(1500, 60, apart=4.0, share=0.3)
    seen = []
    folded = PositiveScores.of
    monkeypatch.setattr(PositiveScores, "of", lambda problem, rng: seen.append(problem) or folded(problem, rng))
    monkeypatch.setattr(from_positives, "ESTIMATION_ROWS", 400)
    model = PositiveUnlabeledSVM(random_state=0).fit(X, y)
    assert {problem.space.n_points for problem in seen} == {460}
    assert {len(problem.unlabeled) for problem in seen} == {400}
    assert abs(model.prior_ - truth[y < 0].mean()) < 0.07


@pytest.mark.parametrize(("estimator", "off"), [(best_bin, 0.01), (elkan_noto, 0.05)])
def test_estimators_on_scores_of_a_known_mixture(estimator, off):
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(6, 1, 3000), rng.normal(0, 1, 4500)
    mixed = np.concatenate([rng.normal(6, 1, 1500), negative])
    assert estimator(PositiveScores(positive, mixed)) == pytest.approx(0.25, abs=off)


def test_the_interval_reaches_further_down_than_up_and_stays_between_none_and_all():
    found = PositiveShare(0.5, 0.05)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.05 * BELOW, 0.5 + 0.05 * ABOVE))
    assert 0.5 - found.low > found.high - 0.5
    assert (PositiveShare(0.3, 0.5).low, PositiveShare(0.3, 0.5).high) == (SMALLEST, LARGEST)


def test_the_interval_holds_the_true_share_more_often_than_not():
    held = 0
    for seed in range(10):
        X, truth, y = clouds(600, 30, apart=3.0, share=0.3, seed=seed)
        low, high = PositiveUnlabeledSVM(risk="biased", random_state=0).fit(X, y).prior_interval_
        held += low <= truth[y < 0].mean() <= high
    assert held >= 7


def test_other_shares_move_the_count_and_hardly_the_ranking():
    X, _, y = clouds()
    model = PositiveUnlabeledSVM(prior=0.2, random_state=0).fit(X, y)
    half, same, double = model.prior_sensitivity(X, y)
    assert [half["prior"], same["prior"], double["prior"]] == pytest.approx([0.1, 0.2, 0.4])
    assert half["n_positive"] < same["n_positive"] < double["n_positive"]
    assert same["rank_correlation"] == pytest.approx(1.0)
    assert same["top_agreement"] == 1.0
    assert min(half["rank_correlation"], double["rank_correlation"]) > 0.8


def test_recall_of_left_out_rows():
    X, _, y = clouds(apart=4.0)
    model = PositiveUnlabeledSVM(prior=0.35, random_state=0).fit(X, y)
    few, some, all_rows = model.left_out_recall(X, y, (0.01, 0.5, 1.0))
    assert few <= some <= all_rows == 1.0
    assert some > 0.9
    shuffled = np.random.default_rng(0).permutation(X)
    assert PositiveUnlabeledSVM(prior=0.35).fit(shuffled, y).left_out_recall(shuffled, y, (0.2,))[0] < 0.6
    with pytest.raises(ValueError, match="4 positive rows were given and 5 are needed"):
        model.left_out_recall(X, hide_labels(y, np.flatnonzero(y == 1)[:4]))


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("label", "unlabeled", "rest"),
    [(1, -1, 0), (1, 0, -1), (0, -1, 1), (7.0, -1, 0.0), ("fraud", "", "not fraud"), (True, None, False), (2, None, 0)],
)
def test_the_class_without_labels_has_a_name(label, unlabeled, rest):
    X, _, y = clouds()
    blank = None if unlabeled is None else unlabeled
    labels = np.array([label if one == 1 else blank for one in y], dtype=object)
    model = PositiveUnlabeledSVM(prior=0.4, unlabeled=-1 if unlabeled is None else unlabeled).fit(X, labels)
    assert model.classes_.tolist() == [rest, label]
    assert set(model.predict(X).tolist()) == {rest, label}
    assert model.score(X, np.where(y == 1, model.classes_[1], model.classes_[0])) > 0.4


def test_rows_to_validate_on_have_both_classes():
    X, truth, y = clouds()
    labels = np.where(y == 1, "b", "?")
    model = PositiveUnlabeledSVM(prior=0.4, unlabeled="?").fit(X, labels, X_val=X, y_val=np.where(truth, "b", "not b"))
    assert_array_equal(model.calibration_.codes, truth)


def refusal(model, X, y, weights=None):
    with pytest.raises(ValueError, match=r"\.$") as refused:
        model.fit(X, y, weights)
    message = str(refused.value)
    assert "\n" not in message
    assert not [name for name in vars(model) if name.endswith("_")]
    return message


@every_method
def test_what_is_refused(method):
    X, truth, y = clouds()
    given = clone(method).set_params(prior=0.4)
    assert "y has 2 classes, 0, 1, among its labeled rows and only positive rows" in refusal(given, X, truth)
    assert "All 160 rows are labeled 1 and unlabeled rows are needed" in refusal(given, X, np.ones(160, dtype=int))
    assert "None of the 160 rows is labeled" in refusal(given, X, np.full(160, -1))
    assert "class_weight='balanced'" in refusal(clone(given).set_params(class_weight="balanced"), X, y)
    assert "unlabeled rows have zero weight" in refusal(given, X, y, (y == 1).astype(float))
    for prior in (0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), True, "x", (0.5, 0.5)):
        assert f"prior={prior!r} was given" in refusal(clone(given).set_params(prior=prior), X, y)


def test_dates_leave_the_rest_without_a_name():
    X, _, y = clouds()
    days = np.where(y == 1, np.datetime64("2024-01-01"), np.datetime64("NaT"))
    with pytest.raises(TypeError, match=r"labels of type datetime64.* numbers or text are needed, .*text\.$"):
        PositiveUnlabeledSVM(prior=0.4).fit(X, days)


def test_an_estimate_needs_five_positives():
    X, _, y = clouds(n_positive=4)
    assert "4 positive and 156 unlabeled rows were given and at least 5 of each" in refusal(
        PositiveUnlabeledSVM(), X, y
    )
    assert "4 positive" in refusal(PositiveUnlabeledSVM(prior=0.4, risk="weighted"), X, y)
    assert PositiveUnlabeledSVM(prior=0.4).fit(X, y).prior_ == 0.4


def test_risks_have_names():
    X, _, y = clouds()
    assert "risk='x' was given and one of" in refusal(PositiveUnlabeledSVM(prior=0.4, risk="x"), X, y)
