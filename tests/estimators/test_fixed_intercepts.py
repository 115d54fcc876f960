"""`fit_intercept="ratio"`: the share of positives sets the intercept, and the function is learned around it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from semisvm import (
    AnnealingS3VM,
    BranchAndBoundS3VM,
    LabelSwitchingS3VM,
    LaplacianSVM,
    LinearProgrammingS3VM,
    SupervisedSVM,
)
from semisvm.datasets import hide_labels, load_imdb, load_reuters
from tests.estimators.quick import blobs, quick


@pytest.mark.parametrize("balance", ["exact", "none"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [AnnealingS3VM, BranchAndBoundS3VM, LabelSwitchingS3VM, LinearProgrammingS3VM])
def test_the_intercept_is_the_mean_of_labels_of_this_share(estimator, n_classes, balance):
    X, _, partial = blobs(n_classes=n_classes, n=26, n_labeled=7)
    model = quick(estimator, fit_intercept="ratio", balance=balance).fit(X, partial)
    assert_allclose(model.intercept_, 2 * model.ratio_ - 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_functions_around_a_fixed_intercept_are_the_best_ones(loss):
    X, _, partial = blobs(n=26, n_labeled=7)
    model = LabelSwitchingS3VM(kernel="linear", loss=loss, fit_intercept="ratio", ratio=0.3, C=2.0, C_unlabeled=0.2)
    model.set_params(tol=1e-9).fit(X, partial)
    signs = 2.0 * model.transduction_ - 1
    weights = np.where(partial < 0, 0.2, 2.0)

    def value(w):
        short = np.maximum(0.0, 1.0 - signs * (X @ w - 0.4))
        return 0.5 * w @ w + weights @ (short if loss == "hinge" else short**2)

    best = minimize(value, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 9999})
    assert_allclose(value(model.coef_[0]), best.fun, rtol=1e-6)
    assert_allclose(model.objective_[0], best.fun, rtol=1e-6)


def test_annealing_around_a_fixed_intercept_finds_the_optimum_of_branch_and_bound():
    X, _, partial = blobs(n=18, n_labeled=7)
    exact = BranchAndBoundS3VM(fit_intercept="ratio").fit(X, partial)
    assert_allclose(AnnealingS3VM(fit_intercept="ratio").fit(X, partial).objective_, exact.objective_, rtol=1e-4)


def test_without_unlabeled_rows_the_intercept_is_that_of_the_labels():
    X, y, _ = blobs(n=27)
    with pytest.warns(UserWarning, match="supervised"):
        model = AnnealingS3VM(kernel="linear", fit_intercept="ratio").fit(X, y)
    assert_allclose(model.intercept_, 2 * y.mean() - 1)


@pytest.mark.data
def test_an_intercept_by_share_keeps_common_words_out_and_a_rare_class_small():
    reviews = load_imdb()
    rows = np.random.default_rng(5).permutation(len(reviews.y))[:4000]
    news = load_reuters()
    rare = (news.y == np.bincount(news.y).argsort()[-3]).astype(int)
    errors = {}
    tables = {"reviews": (reviews.X[rows], reviews.y[rows], 200), "news": (news.X, rare, 50)}
    for name, (X, y, n_labels) in tables.items():
        partial = hide_labels(y, np.random.default_rng(0).permutation(len(y))[:n_labels])
        for intercept in (True, "ratio", False):
            model = AnnealingS3VM(kernel="linear", cooling="adaptive", fit_intercept=intercept).fit(X, partial)
            errors[name, intercept] = np.mean(model.transduction_[partial < 0] != y[partial < 0])
    assert errors["reviews", "ratio"] < errors["reviews", True] - 0.02
    assert errors["news", "ratio"] < errors["news", False] - 0.02


@pytest.mark.parametrize("estimator", [LaplacianSVM, SupervisedSVM])
def test_methods_without_a_share_have_no_intercept_by_share(estimator):
    X, _, partial = blobs()
    with pytest.raises(ValueError, match=r"^fit_intercept='ratio' was given and True or False is needed\.$"):
        estimator(fit_intercept="ratio").fit(X, partial)
