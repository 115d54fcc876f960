"""Identities that hold in every space, each also centered."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from numpy.testing import assert_allclose

import semisvm.spaces
from semisvm.spaces import Centered, Space
from tests.spaces.examples import UNLABELED, N, every_space

SPACES = every_space()


@pytest.fixture(params=SPACES, ids=str)
def case(request):
    return SPACES[request.param]


def draw(rng, space, k=3):
    return rng.normal(size=(space.dimension, k)), rng.normal(size=(N, k))


def test_every_space_has_an_example():
    for module in pkgutil.walk_packages(semisvm.spaces.__path__, "semisvm.spaces."):
        importlib.import_module(module.name)
    found, concrete = [Space], set()
    while found:
        space = found.pop()
        found += space.__subclasses__()
        if not inspect.isabstract(space) and space.__module__.startswith("semisvm.spaces"):
            concrete.add(space)
    # spaces of a cluster: tests/distributed/test_contract.py
    shown = {type(space) for space, _ in SPACES.values()}
    assert concrete == {one for one in shown if one.__module__.startswith("semisvm.")}


def test_represent_is_the_adjoint_of_outputs(case, rng):
    space, _ = case
    theta, v = draw(rng, space)
    # <E theta, v> = <theta, E* v>
    assert_allclose(np.sum(space.outputs(theta) * v, axis=0), space.inner(theta, space.represent(v)), rtol=1e-9)


def test_block_is_the_gram_matrix(case, rng):
    space, _ = case
    K = space.block(slice(None), slice(None))
    _, v = draw(rng, space)
    assert_allclose(space.outputs(space.represent(v)), K @ v, rtol=1e-8, atol=1e-8)
    assert_allclose(space.gram(), K, atol=1e-12)
    rows, cols = np.array([3, 59, 10]), np.array([0, 11])
    assert_allclose(space.block(rows, cols), K[np.ix_(rows, cols)], atol=1e-12)
    assert_allclose(space.block(rows), K[rows], atol=1e-12)
    assert_allclose(space.norms(), np.diag(K), atol=1e-10)


@pytest.mark.parametrize("rows", [np.array([3, 59, 10, 11, 40]), np.arange(0)], ids=["five", "none"])
def test_scaled_triangle_is_a_block_less_a_rank_of_two(case, rows, rng):
    """S (K_rr - c 1' - 1 c') S on and below its diagonal, before and after the Gram matrix is held."""
    space, _ = case
    scale, less = rng.uniform(0.5, 2.0, len(rows)), rng.normal(size=len(rows))
    expected = scale[:, None] * (space.block(rows, rows) - less[:, None] - less) * scale
    for _ in range(2):
        assert_allclose(np.tril(space.scaled_triangle(rows, scale, less)), np.tril(expected), rtol=1e-9, atol=1e-9)
        space.ready()


def test_metric_of_a_combination_whose_outputs_are_known(case, rng):
    space, _ = case
    _, v = draw(rng, space)
    theta = space.represent(v)
    assert_allclose(space.metric_from(v, np.asarray(space.outputs(theta))), space.metric(theta), rtol=1e-8, atol=1e-8)


def test_a_matrix_of_features_is_the_space(case, rng):
    space, _ = case
    Z = space.feature_matrix()
    if Z is not None:
        theta, _ = draw(rng, space)
        assert_allclose(Z @ theta, space.outputs(theta), rtol=1e-6, atol=1e-9)


def test_predictor_repeats_the_outputs_on_training_rows(case, rng):
    space, rows = case
    theta, _ = draw(rng, space)
    bias = np.array([0.5, -1.0, 0.0])
    assert_allclose(space.predictor(theta, bias).scores(rows), space.outputs(theta) + bias, atol=1e-7)


def test_metric_is_symmetric_and_not_negative(case, rng):
    space, _ = case
    a, b = draw(rng, space)[0], draw(rng, space)[0]
    assert_allclose(space.inner(a, b), space.inner(b, a), rtol=1e-8, atol=1e-8)
    assert np.all(space.inner(a, a) >= -1e-9)


def test_complete_gives_the_outputs(case, rng):
    space, _ = case
    theta, _ = draw(rng, space)
    assert_allclose(space.complete(theta, space.metric(theta)), space.outputs(theta), atol=1e-10)


def test_sweep_is_outputs_then_represent(case, rng):
    space, _ = case
    theta, target = draw(rng, space)

    def f(rows, outputs):
        difference = outputs - target[rows]
        return 0.5 * np.sum(difference**2, axis=0), difference

    value, outputs, slope, represented = space.sweep(theta, f)
    assert_allclose(outputs, space.outputs(theta), atol=1e-10)
    assert_allclose(slope, outputs - target, atol=1e-12)
    assert_allclose(value, 0.5 * np.sum(slope**2, axis=0))
    assert_allclose(represented, space.represent(slope), rtol=1e-9, atol=1e-9)


def test_columns_do_not_mix(case, rng):
    maps, _ = case
    theta, v = draw(rng, maps)
    outputs, represented = np.asarray(maps.outputs(theta)), maps.represent(v)
    for chosen in (np.array([0]), np.array([1]), np.array([2]), np.array([2, 0])):
        part = maps.columns(chosen)
        assert_allclose(part.outputs(theta[:, chosen]), outputs[:, chosen], atol=1e-10)
        assert_allclose(part.represent(v[:, chosen]), represented[:, chosen], atol=1e-9)


def test_outputs_asked_for_once_are_the_outputs(case, rng):
    maps, _ = case
    theta, _ = draw(rng, maps)
    rows = np.array([2, 30, 31, 59])
    assert_allclose(maps.once(theta), maps.outputs(theta), atol=1e-9)
    assert_allclose(maps.once_at(theta, rows), np.asarray(maps.outputs(theta))[rows], atol=1e-9)


def test_scores_of_some_rows_are_theirs(case, rng):
    maps, _ = case
    theta, _ = draw(rng, maps)
    every, rows = maps.outputs(theta) + 0.1, np.array([2, 30, 31, 59])
    here, scores = np.asarray(every)[rows], maps.scores(every, rows)
    assert len(scores) == 4
    assert_allclose(np.asarray(scores), here)
    assert_allclose(scores.some(np.array([3, 0])), here[[3, 0]])
    assert_allclose(scores.signs(), np.where(here > 0, 1.0, -1.0))
    assert_allclose(scores.top(np.array([1, 2, 3])).sum(axis=0), [-2, 0, 2])


def test_centered_outputs_have_mean_zero_over_the_unlabeled(case, rng):
    space, _ = case
    if isinstance(space, Centered):
        theta, _ = draw(rng, space)
        assert_allclose(np.asarray(space.outputs(theta))[UNLABELED].mean(axis=0), 0.0, atol=1e-10)
        assert_allclose(space.block(slice(None), UNLABELED).sum(axis=1), 0.0, atol=1e-10)
