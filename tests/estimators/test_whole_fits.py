"""A fit leaves a whole model behind, or what was there before; Ctrl-C loses nothing that was found."""

import re
import signal
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from semisvm import S3VM, AnnealingS3VM, GradientS3VM, LaplacianRLSRegressor, LowDensitySeparation, SupervisedSVM
from semisvm.algorithms.algorithm import _Trace
from semisvm.estimators.classifier import Classifier
from semisvm.estimators.default import averaging, single
from semisvm.estimators.whole_fits import interrupts_held_back
from tests.estimators.quick import CLASSIFIERS, blobs, quick

every_classifier = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: e.__name__)


def fitted_names(model):
    return sorted(name for name in vars(model) if name.endswith("_") and not name.startswith("_"))


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


class BrokenFit(Exception):
    pass


def broken(*_, **__):
    raise BrokenFit


@every_classifier
def test_a_failed_fit_leaves_nothing_and_a_failed_second_fit_the_first_model(estimator, monkeypatch):
    X, _, y = blobs()
    model = quick(estimator)
    with monkeypatch.context() as patch:
        patch.setattr(_Trace, "solution", broken)
        patch.setattr(averaging, "weigh", broken)
        with pytest.raises(BrokenFit):
            fit_quietly(model, X, y)
    assert fitted_names(model) == []
    with pytest.raises(NotFittedError):
        model.predict(X)
    fit_quietly(model, X, y)
    names, scores = fitted_names(model), model.decision_function(X)
    with monkeypatch.context() as patch:
        patch.setattr(_Trace, "solution", broken)
        patch.setattr(averaging, "weigh", broken)
        with pytest.raises(BrokenFit):
            fit_quietly(model, X[:20], np.where(y == 1, 7, y)[:20])
    assert fitted_names(model) == names
    assert_array_equal(model.classes_, [0, 1])
    assert_array_equal(model.decision_function(X), scores)


def test_a_second_fit_leaves_no_attribute_of_the_first():
    X, _, y = blobs()
    model = fit_quietly(GradientS3VM(kernel="linear"), X, y)
    assert hasattr(model, "coef_")
    fit_quietly(model.set_params(kernel="rbf"), X, y)
    assert not hasattr(model, "coef_")


def interrupted_at_once(*_, **__):
    raise KeyboardInterrupt


def interrupt_at(candidate, monkeypatch):
    """Ctrl-C after so many candidates of all runs together."""
    seen, add = 0, _Trace.add

    def counted(self, found):
        nonlocal seen
        add(self, found)
        seen += 1
        if seen == candidate:
            raise KeyboardInterrupt

    monkeypatch.setattr(_Trace, "add", counted)


@pytest.mark.parametrize("candidate", [1, 2, 5])
@pytest.mark.parametrize(
    "model",
    [
        S3VM(method="gradient"),
        S3VM(method="annealing"),
        LowDensitySeparation(),
        AnnealingS3VM(),
        AnnealingS3VM(variant="alternating"),
        AnnealingS3VM(cooling="adaptive", keep="best"),
        LaplacianRLSRegressor(),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_interrupted_model_is_fitted_with_what_it_has(model, candidate, n_classes, monkeypatch):
    X, _, y = blobs(n_classes)
    model = clone(model)
    if isinstance(model, LaplacianRLSRegressor):
        y = np.where(y < 0, np.nan, y)
    interrupt_at(candidate, monkeypatch)
    with pytest.warns(UserWarning, match="interrupted after"), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert np.isfinite(model.predict(X)).all()
    if n_classes == 2 and hasattr(model, "predict_proba"):
        assert np.isfinite(model.predict_proba(X)).all()
    assert len(model.transduction_) == len(X)


@pytest.mark.parametrize(
    ("model", "face"), [(SupervisedSVM(), Classifier), (LaplacianRLSRegressor(), LaplacianRLSRegressor)], ids=str
)
def test_what_was_found_is_stored_before_ctrl_c_is_raised(model, face, monkeypatch):
    X, _, y = blobs()
    model, store = clone(model), face._store

    def interrupted(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        store(self, *arguments)

    monkeypatch.setattr(face, "_store", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, np.where(y == -1, np.nan, y))
    assert model.status_ == "converged"
    assert np.isfinite(model.predict(X)).all()


def test_ctrl_c_while_a_method_is_compared_with_the_labels_alone_leaves_its_model(monkeypatch):
    X, _, y = blobs()
    whole = S3VM(method="gradient").fit(X, y)
    monkeypatch.setattr(single, "fit_named", interrupted_at_once)
    model = S3VM(method="gradient")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert_array_equal(model.decision_function(X), whole.decision_function(X))
    assert whole.report_.n_changed is not None
    assert model.report_.n_changed is None
    assert "interrupted before" in str(model.report_)


def test_a_second_ctrl_c_is_raised_at_once():
    with interrupts_held_back() as noted:
        signal.raise_signal(signal.SIGINT)
        assert len(noted) == 1
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, LaplacianRLSRegressor], ids=lambda e: e.__name__)
def test_no_time_at_all_is_a_model_or_a_sentence(estimator):
    X, _, y = blobs()
    targets = np.where(y == -1, np.nan, y) if estimator is LaplacianRLSRegressor else y
    model = quick(estimator, time_limit=1e-9)
    try:
        fit_quietly(model, X, targets)
    except TimeoutError as error:
        late = str(error)
    else:
        late = ""
        assert np.isfinite(model.predict(X)).all()
    assert re.fullmatch(r"|time_limit=\S+ s was over before there was any solution: give more time\.", late)
    assert bool(fitted_names(model)) == (not late)
