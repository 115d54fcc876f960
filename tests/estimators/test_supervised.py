"""The baselines, and what every classifier inherits from the shared way through fit."""

import signal
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import LinearSVC

from semisvm import Graph, SupervisedRLS, SupervisedSVM
from semisvm.algorithms import Algorithm, Minimize, dual_hinge
from semisvm.datasets import load_text
from semisvm.estimators import supervised
from semisvm.optim import KernelNewton
from semisvm.spaces import Full


@pytest.fixture
def data(rng):
    y = np.arange(90) % 3
    return rng.normal(size=(90, 4)) + 2.0 * np.eye(3, 4)[y], y


def partly(y, n=30):
    few = np.full(len(y), -1)
    few[:n] = y[:n]
    return few


def test_unlabeled_rows_play_no_part_but_for_the_width(data):
    X, y = data
    for estimator in (SupervisedSVM(gamma=0.3), SupervisedSVM(gamma=0.3, loss="hinge"), SupervisedRLS(gamma=0.3)):
        assert_allclose(
            clone(estimator).fit(X, partly(y)).decision_function(X),
            clone(estimator).fit(X[:30], y[:30]).decision_function(X),
            atol=1e-9,
        )


def test_transduction_keeps_given_labels_and_predicts_the_rest(data):
    X, y = data
    wrong = partly(y)
    wrong[0] = 1
    model = SupervisedSVM().fit(X, wrong)
    assert model.transduction_[0] == 1
    assert_array_equal(model.transduction_[30:], model.predict(X[30:]))


def test_linear_squared_hinge_is_liblinear(data):
    X, y = data[0], (data[1] > 0).astype(int)
    ours = SupervisedSVM(kernel="linear", C=0.7, fit_intercept=False, tol=1e-8).fit(X, y)
    theirs = LinearSVC(C=0.7 * 1.0, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("graph", [None, Graph(n_neighbors=5)])
def test_the_squared_hinge_of_many_rows_is_that_of_few_without_a_gram_matrix(data, intercept, graph, monkeypatch):
    X, y = data
    settings = {"gamma": 0.3, "C": 2.0, "fit_intercept": intercept, "graph": graph, "tol": 1e-6}
    weights = np.where(np.arange(90) % 7, 1.0, 0.0)
    few = SupervisedSVM(**settings).fit(X, partly(y, 40), weights)
    monkeypatch.setattr(supervised, "DIRECT_POINTS", 20)
    monkeypatch.setattr(dual_hinge, "SMALL", 20)
    if graph is None:
        monkeypatch.setattr(Full, "outputs", lambda *given: pytest.fail("a product with the whole Gram matrix"))
    many = SupervisedSVM(**settings).fit(X, partly(y, 40), weights)
    assert many.path_[-1]["rows"] <= 90
    assert_allclose(many.objective_, few.objective_, rtol=1e-9)
    assert_allclose(many.decision_function(X), few.decision_function(X), atol=1e-4)


def test_rls_is_ridge_regression(data):
    X, y = data[0], (data[1] > 0).astype(int)
    ours = SupervisedRLS(kernel="linear", C=0.7).fit(X, y)
    # 1/2 |w|^2 + C sum r^2 = C (sum r^2 + 1/(2C) |w|^2)
    theirs = RidgeClassifier(alpha=1 / (2 * 0.7), tol=1e-12).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    "params", [{"kernel": "linear"}, {"gamma": 0.2}, {"gamma": 0.2, "loss": "hinge"}, {"kernel": "cosine"}], ids=str
)
def test_sparse_equals_dense_and_frame_equals_array(data, params):
    X, y = data
    few = partly(y)
    expected = SupervisedSVM(**params, tol=1e-8).fit(X, few).decision_function(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for rows in (sp.csr_array(X), sp.csr_matrix(X), sp.csc_matrix(X), frame):
        model = SupervisedSVM(**params, tol=1e-8).fit(rows, few)
        assert_allclose(model.decision_function(rows), expected, atol=1e-6)
    assert list(model.feature_names_in_) == list("abcd")


def test_precomputed_kernel(data):
    X, y = data
    K = X @ X.T
    few = partly(y)
    ours = SupervisedSVM(kernel="precomputed").fit(K, few)
    plain = SupervisedSVM(kernel=lambda A, B: A @ B.T).fit(X, few)
    assert_allclose(ours.decision_function(K[:7]), plain.decision_function(X[:7]), atol=1e-8)


def test_reduced_set_of_all_points_is_exact(data):
    X, y = data
    exact = SupervisedSVM(gamma=0.2).fit(X, y).decision_function(X)
    assert_allclose(SupervisedSVM(gamma=0.2, n_components=90).fit(X, y).decision_function(X), exact, atol=1e-7)
    few = SupervisedSVM(gamma=0.2, n_components=20, random_state=0).fit(X, y)
    assert few.dual_coef_.shape == (3, 20)
    assert few.score(X, y) > 0.8


def test_graph_deforms_the_kernel_of_the_baseline_too(data):
    X, y = data
    model = SupervisedSVM(graph=Graph(n_neighbors=5), deformation=10.0).fit(X, partly(y, 6))
    assert model.score(X, y) > 0.7
    assert_array_equal(model.transduction_[6:], model.predict(X[6:]))


def test_float32_is_kept_and_agrees(data):
    X, y = data
    single = SupervisedSVM(gamma=0.2).fit(X.astype(np.float32), y)
    assert single.predictor_.support_points.X.dtype == np.float32
    assert_allclose(
        single.decision_function(X.astype(np.float32)),
        SupervisedSVM(gamma=0.2).fit(X, y).decision_function(X),
        atol=1e-3,
    )


def test_class_weight_multiplies_the_loss(data):
    X, y = data[0], (data[1] > 0).astype(int)
    by_class = SupervisedSVM(class_weight={0: 2.0, 1: 0.5}, gamma=0.3).fit(X, y)
    by_row = SupervisedSVM(gamma=0.3).fit(X, y, sample_weight=np.where(y, 0.5, 2.0))
    assert_allclose(by_class.decision_function(X), by_row.decision_function(X), atol=1e-8)
    balanced = SupervisedSVM(class_weight="balanced", gamma=0.3).fit(X, y)
    weight = 90 / (2 * np.bincount(y))
    by_row = SupervisedSVM(gamma=0.3).fit(X, y, sample_weight=weight[y])
    assert_allclose(balanced.decision_function(X), by_row.decision_function(X), atol=1e-8)


def test_second_fit_equals_a_fresh_one_and_warm_start_the_cold(data):
    X, y = data
    other = SupervisedSVM(kernel="linear").fit(X[::-1] * 3, y)
    assert_array_equal(other.fit(X, y).coef_, SupervisedSVM(kernel="linear").fit(X, y).coef_)
    warm = SupervisedSVM(kernel="linear", C=10.0, warm_start=True, tol=1e-7).fit(X, y)
    cold_iterations = warm.n_iter_
    assert warm.fit(X, y).n_iter_ < cold_iterations
    assert_allclose(warm.coef_, SupervisedSVM(kernel="linear", C=10.0, tol=1e-7).fit(X, y).coef_, atol=1e-5)


def test_score_leaves_unlabeled_rows_out(data):
    X, y = data
    model = SupervisedSVM().fit(X, y)
    assert model.score(X, partly(y)) == model.score(X[:30], y[:30])


def test_path_and_certificate_are_recorded(data):
    X, y = data
    model = SupervisedSVM().fit(X, y)
    assert model.stationarity_.shape == model.objective_.shape == (3,)
    assert np.all(model.stationarity_ <= 1e-8)
    assert model.status_ == "converged"
    assert model.path_[-1]["stage"] == 0
    assert_allclose(model.path_[-1]["objective"], model.objective_)


BAD = {
    "nan": (lambda X, y: (np.where(X[3, 2] == X, np.nan, X), y), {}, "Input X contains NaN in column 2"),
    "inf": (lambda X, y: (np.where(X[3, 2] == X, np.inf, X), y), {}, "Input X contains infinity.* in column 2"),
    "nan in a frame": (
        lambda X, y: (pd.DataFrame(np.where(X[3, 2] == X, np.nan, X), columns=list("abcd")), y),
        {},
        "Input X contains NaN in column 'c'",
    ),
    "too few labels": (lambda X, y: (X, y[:-1]), {}, "X has 90 rows and y has 89: the same number is needed"),
    "no labels": (lambda X, y: (X, np.full(90, -1)), {}, "None of the 90 rows is labeled"),
    "one class": (lambda X, y: (X, np.ones(90)), {}, "y has 1 class"),
    "unknown kernel": (lambda X, y: (X, y), {"kernel": "gauss"}, "gauss.*rbf"),
    "bad C": (lambda X, y: (X, y), {"C": -1}, "C=-1 was given and a positive number is needed"),
    "bad loss": (
        lambda X, y: (X, y),
        {"loss": "l1"},
        "loss='l1' was given and one of 'squared_hinge', 'hinge' is needed",
    ),
    "bad gamma": (lambda X, y: (X, y), {"gamma": "wide"}, "wide"),
    "bad components": (lambda X, y: (X, y), {"n_components": 0}, "n_components=0 was given and a whole number"),
    "bad class weight": (lambda X, y: (X, y), {"class_weight": {7: 1.0}}, "class_weight names 7, which is not a class"),
    "not square": (lambda X, y: (X, y), {"kernel": "precomputed"}, "have shape \\(90, 4\\) and a square matrix"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(data, case):
    change, params, text = BAD[case]
    X, y = change(*data)
    with pytest.raises(ValueError, match=text) as error:
        SupervisedSVM(**params).fit(X, y)
    assert "\n" not in str(error.value)


def test_a_gram_matrix_beyond_memory_is_refused_before_it_is_taken(data, monkeypatch):
    X, y = data
    monkeypatch.setenv("SEMISVM_MEMORY_LIMIT", "10000")
    with pytest.raises(
        MemoryError, match=r"The Gram matrix of 90 rows needs 6\d KiB and .* are available: set n_components"
    ):
        SupervisedRLS(kernel="rbf").fit(X, y)


def test_stopping_short_is_a_warning_with_its_size(data):
    X, y = data
    with pytest.warns(
        ConvergenceWarning, match="stopped at max_iter=1 with stationarity .* above tol=0.0001: raise max_iter"
    ):
        SupervisedSVM(max_iter=1).fit(X, y)


def test_a_clean_fit_is_silent(data):
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimator in (
            SupervisedSVM(),
            SupervisedSVM(loss="hinge"),
            SupervisedRLS(),
            SupervisedSVM(kernel="linear"),
        ):
            estimator.fit(X, partly(y)).predict(X)


def test_ctrl_c_leaves_the_best_so_far(data, monkeypatch):
    X, y = data

    class CutOff(Algorithm):
        """Solves, offers the solution, and is interrupted before it can end."""

        def iterate(self, problem, start, budget):
            yield from Minimize(KernelNewton()).iterate(problem, start, budget)
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the signal was lost")

    model = SupervisedSVM()
    monkeypatch.setattr(SupervisedSVM, "_algorithm", lambda self, problem: CutOff())
    with pytest.warns(UserWarning, match="was interrupted after .* is left fitted"), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    assert_allclose(model.decision_function(X), SupervisedSVM().fit(X, y).decision_function(X), atol=1e-8)


def test_scikit_learn_callbacks_are_called_at_every_iteration(data):
    pytest.importorskip("sklearn.callback")
    X, y = data

    class Listener:
        def __init__(self):
            self.begun, self.scores = 0, []

        def setup(self, estimator, context): ...

        def teardown(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context):
            self.begun += 1

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            if fitted_estimator is not None:
                self.scores.append(fitted_estimator.score(X, y))

    listener = Listener()
    model = SupervisedSVM().set_callbacks(listener).fit(X, y)
    assert listener.begun >= model.n_iter_
    assert_allclose(listener.scores[-1], model.score(X, y))


@pytest.mark.data
def test_a_free_bias_of_sparse_rows_is_found_by_the_passes_and_hardly_moved_by_newton():
    text = load_text()
    taken = [
        SupervisedSVM(kernel="linear", C=C, unlabeled=None).fit(text.X, np.sign(text.y).astype(int)).n_iter_
        for C in (0.1, 1.0, 10.0)
    ]
    # 3, 4 and 5 where the passes hold the bias at zero
    assert max(taken) <= 3
