"""What every algorithm promises, checked on the problems of every estimator; a new one is found by itself."""

import dataclasses
import importlib
import inspect
import pkgutil
import warnings
from contextlib import suppress
from itertools import islice

import numpy as np
import pytest

import semisvm.algorithms
from semisvm import S3VM
from semisvm.algorithms import Algorithm, Status, algorithm
from semisvm.estimators import solving
from semisvm.optim import UNLIMITED
from tests.estimators.quick import CLASSIFIERS, FROM_POSITIVES, blobs, positives, quick

for module in pkgutil.iter_modules(semisvm.algorithms.__path__):
    importlib.import_module(f"semisvm.algorithms.{module.name}")

VARIANTS = {
    "AnnealingS3VM": [{"variant": "alternating"}, {"keep": "best"}],
    "CCCPS3VM": [{"loss": "squared_hinge"}, {"balance": "none"}],
    "GradientS3VM": [{"balance": "exact", "n_stages": 3}],
    "LabelSwitchingS3VM": [{"loss": "hinge"}],
    "LaplacianSVM": [{"solver": "newton"}, {"solver": "dual"}],
    "LinearProgrammingS3VM": [{"variant": "milp"}],
    "PositiveUnlabeledSVM": [{"risk": "unbiased"}],
    "SupervisedSVM": [{"kernel": "linear"}, {"loss": "hinge"}],
}
"""Settings besides the defaults by which an estimator chooses another algorithm."""


class Asked(Exception):
    """Ends a fit at its first run."""


def first_run(model, X, y):
    """(algorithm, problem) of a fit."""
    asked = []

    def stop(*given, **_):
        asked.append(given)
        raise Asked

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(solving, "run", stop)
        with pytest.raises(Asked):
            model.fit(X, y)
    return asked[0][:2]


def cases():
    X, _, y = blobs()
    # the default has a descent of its own, which tests/estimators/test_default_parts.py holds against a problem's
    for estimator in [one for one in (*CLASSIFIERS, *FROM_POSITIVES) if one is not S3VM]:
        labels = positives(y) if estimator in FROM_POSITIVES else y
        for settings in ({}, *VARIANTS.get(estimator.__name__, [])):
            shown = " ".join(str(value) for value in settings.values())
            yield pytest.param(
                *first_run(quick(estimator, **settings), X, labels), id=f"{estimator.__name__} {shown}".strip()
            )


CASES = list(cases())
every_algorithm = pytest.mark.parametrize(("method", "problem"), CASES)


def parts(method):
    """An algorithm and those that it is made of."""
    yield type(method)
    for field in dataclasses.fields(method):
        value = getattr(method, field.name)
        if isinstance(value, Algorithm):
            yield from parts(value)


def test_every_algorithm_is_reached_by_an_estimator():
    concrete, found = set(), [Algorithm]
    while found:
        one = found.pop()
        found += one.__subclasses__()
        if not inspect.isabstract(one) and one.__module__.startswith("semisvm."):
            concrete.add(one)
    assert concrete == {one for case in CASES for one in parts(case.values[0])}


@pytest.fixture(scope="module")
def candidates():
    """What algorithms offer on their problems, computed once."""
    known = {}

    def of(method, problem):
        if id(method) not in known:
            known[id(method)] = list(islice(method.iterate(problem, None, UNLIMITED), 400))
        return known[id(method)]

    return of


@every_algorithm
def test_candidates_are_complete(method, problem, candidates):
    before, k, u = problem.y.copy(), problem.n_columns, len(problem.unlabeled)
    weights, stage = problem.weights.copy(), 0
    seen = candidates(method, problem)
    assert seen
    for candidate in seen:
        assert candidate.point.theta.shape == (problem.space.dimension, k)
        assert candidate.point.bias.shape == candidate.value.shape == candidate.stationarity.shape == (k,)
        assert np.isfinite(candidate.value).all()
        assert (candidate.stationarity >= 0).all()
        assert np.isfinite(candidate.point.scores).all()
        assert candidate.stage >= stage
        stage = candidate.stage
        if candidate.labels is not None:
            assert candidate.labels.shape == (u, k)
            assert set(np.unique(candidate.labels)) <= {-1.0, 1.0}
        if candidate.lower_bound is not None:
            assert np.all(candidate.lower_bound <= candidate.value + 1e-9)
    assert np.array_equal(problem.y, before), "the labels of the problem were changed"
    assert np.array_equal(problem.weights, weights), "the weights of the problem were changed"


@every_algorithm
def test_the_outputs_of_a_candidate_are_those_of_its_coefficients(method, problem, candidates):
    point = candidates(method, problem)[-1].point
    fresh = problem.objective().point(point.theta, point.bias)
    np.testing.assert_allclose(point.outputs, fresh.outputs, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(point.vector.metric, fresh.vector.metric, rtol=1e-5, atol=1e-5)


@every_algorithm
def test_a_run_without_time_keeps_what_it_has(method, problem):
    solution = None
    with suppress(TimeoutError):
        solution = algorithm.run(method, problem, max_iter=10**6, time_limit=1e-9)
    assert solution is None or (solution.n_iter, solution.status) == (1, Status.TIME_LIMIT)


@every_algorithm
def test_it_may_start_where_it_ended(method, problem, candidates):
    last = candidates(method, problem)[-1]
    again = algorithm.run(method, problem, last.point, max_iter=200)
    assert np.isfinite(again.candidate.value).all()
