"""Schedules lead from an easy problem to the problem itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm import AnnealingS3VM
from semisvm.losses import Annealed, Gaussian, SmoothedSquaredHinge, SquaredHinge
from semisvm.schedules import AnnealedWeight, Cooling, Smoothing
from semisvm.spaces import Centered, Linear
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import UNLABELED, all_spaces

SPACES = all_spaces()


def problem_in(space, s=5.0, C_star=0.5):
    _, y = two_blobs()
    return problem_on(space, y, unlabeled_loss=Gaussian(s), C_star=C_star, bias=np.zeros(1))


def test_published_weights_double_from_a_thousandth():
    factors = [facts["weight"] for facts, _ in AnnealedWeight().stages(problem_in(SPACES["full rbf"][0]))]
    assert_allclose(factors, [0.0, *(2.0 ** (i - 10) for i in range(11))])


def test_annealing_touches_the_unlabeled_weights_alone():
    problem = problem_in(SPACES["full rbf"][0])
    for facts, stage in AnnealedWeight((0.25, 1.0)).stages(problem):
        assert_allclose(stage.weights[:10], problem.weights[:10])
        assert_allclose(stage.weights[10:], facts["weight"] * problem.weights[10:])
    assert_allclose(stage.weights, problem.weights)


@pytest.mark.parametrize(("n_stages", "expected"), [(1, [1.0]), (2, [2.0**-10, 1.0]), (6, 4.0 ** np.arange(-5, 1))])
def test_geometric_weights_end_at_the_full_weight(n_stages, expected):
    assert_allclose(AnnealedWeight.geometric(n_stages).factors, expected)
    assert AnnealedWeight.geometric(None) == AnnealedWeight()


@pytest.mark.parametrize("space", ["full rbf", "full rbf, centered", "linear dense, centered", "deformed full"])
@pytest.mark.parametrize("C_star", [0.5, 20.0])
def test_the_first_width_makes_the_objective_convex(space, C_star, rng):
    """The Hessian in H is positive wherever we look, the origin (the top of every bump) included."""
    problem = problem_in(SPACES[space][0], C_star=C_star)
    problem = problem.replace(weights=np.where(np.arange(60)[:, None] < 10, 0.0, problem.weights))
    _, first = next(iter(Smoothing(5.0, 3).stages(problem)))
    K = problem.space.gram()
    for scale in (0.0, 0.01, 0.1, 1.0):
        curvature = first.objective().curvature(scale * rng.normal(size=(60, 1)))[:, 0]
        # eigenvalues of I + K D that differ from 1: those of the symmetric I + K^1/2 D K^1/2
        w, V = np.linalg.eigh(K)
        root = (V * np.sqrt(np.maximum(w, 0))) @ V.T
        assert np.linalg.eigvalsh(np.eye(60) + (root * curvature) @ root)[0] > 0


def test_the_first_width_is_the_formula():
    problem = problem_in(SPACES["linear dense, centered"][0])
    X = SPACES["linear dense"][1]
    Z = X[10:] - X[10:].mean(axis=0)
    M = sum(np.outer(z, z) / np.linalg.norm(z) ** 3 for z in Z)
    widths = Smoothing(5.0, 4).widths(problem)
    assert_allclose(widths[0], (2 * 0.5 * np.linalg.eigvalsh(M)[-1] / np.sqrt(5)) ** (2 / 3), rtol=1e-3)
    assert_allclose(widths[-1], 1 / (10 * 5.0 * np.max(np.sum(Z**2, axis=1))))
    assert_allclose(np.diff(np.log(widths)), np.log(widths[1] / widths[0]))


def test_smoothing_ends_with_the_problem_itself():
    problem = problem_in(SPACES["full rbf, centered"][0])
    *_, (facts, last) = Smoothing(5.0, 4).stages(problem)
    assert last is problem
    assert facts == {"smoothing": 0.0}


def test_smoothing_of_everything_or_of_the_unlabeled_term():
    problem = problem_in(SPACES["full rbf"][0])
    _, whole = next(iter(Smoothing(5.0, 4, everything=True).stages(problem)))
    _, part = next(iter(Smoothing(5.0, 4, everything=False).stages(problem)))
    assert isinstance(whole.labeled_loss, SmoothedSquaredHinge)
    assert isinstance(part.labeled_loss, SquaredHinge)


@pytest.mark.parametrize("n_widths", [0, 5])
def test_no_width_no_path(n_widths):
    """Without widths, or where all points coincide with the unlabeled mean, only the problem itself is left."""
    if n_widths:
        _, y = two_blobs()
        space = Centered(Linear(np.ones((60, 5))), UNLABELED)
        problem = problem_on(space, y, bias=np.zeros(1))
    else:
        problem = problem_in(SPACES["full rbf"][0])
    assert [facts for facts, _ in Smoothing(5.0, n_widths).stages(problem)] == [{"smoothing": 0.0}]


def test_cooling_needs_an_annealed_loss():
    problem = problem_in(SPACES["full rbf"][0])
    with pytest.raises(TypeError, match=r"Cooling was given Gaussian as unlabeled loss and needs an Annealed one."):
        next(Cooling().stages(problem))
    annealed = problem.replace(unlabeled_loss=Annealed(SquaredHinge(), 1.0, np.array([25])))
    temperatures = [facts["temperature"] for facts, _ in Cooling(n_stages=3).stages(annealed)]
    assert_allclose(temperatures, [10.0, 10 / 1.5, 10 / 2.25])


def annealed_on_copies(**settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    X[10:] = np.sign(X[10:])
    X[20:] = X[20]  # equal rows, some above the count and some below
    return AnnealingS3VM(**settings).fit(X, np.r_[0, 1, 0, 1, np.full(26, -1)])


@pytest.mark.parametrize("cooling", [1.5, 3.0, 5.0, 1e6, 1e300])
@pytest.mark.parametrize("variant", ["gradient", "alternating"])
def test_equal_rows_on_either_side_of_the_count_end_the_path(cooling, variant):
    model = annealed_on_copies(cooling=cooling, variant=variant)
    assert len(model.path_) <= 20
    assert 0 < model.path_[-1]["temperature"] < 10
    assert np.max(model.path_[-1]["entropy"]) > 1  # the labels of equal rows are open, and stay so


@pytest.mark.parametrize("variant", ["gradient", "alternating"])
def test_unlabeled_rows_that_are_all_equal_end_the_path(variant):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 3)) + 2 * (np.arange(24) % 2)[:, None]
    X[6:] = X[6]
    model = AnnealingS3VM(variant=variant).fit(X, np.r_[np.arange(6) % 2, np.full(18, -1)])
    assert len(model.path_) <= 20


def test_equal_scores_of_different_rows_do_not_end_the_path():
    y = np.r_[0, 1, 0, 1, np.full(8, -1)]
    model = AnnealingS3VM(gamma=1e3).fit(np.eye(12), y)
    assert len(model.path_) > 10


def test_a_fixed_number_of_temperatures_never_reaches_zero():
    model = annealed_on_copies(cooling=5.0, n_stages=500)
    assert len(model.path_) == 500
    assert model.path_[-1]["temperature"] == 1e-12
