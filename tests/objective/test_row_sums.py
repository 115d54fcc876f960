"""Sums over rows elsewhere: the same objective as in memory, and nothing of the length of the rows is brought."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from semisvm.losses import Annealed, Gaussian, SquaredHinge
from semisvm.objective.row_losses import GroupLosses
from semisvm.objective.row_sums import Fetched, PassLine, RowSums, SummedLine, TiedRowSums
from semisvm.optim import LBFGS, NewtonCG
from semisvm.schedules import label_entropy
from semisvm.spaces import Centered, Linear
from tests.objective.in_blocks import BlockRows
from tests.problems import problem_on, two_blobs

LOSSES = {"pointwise": Gaussian(3.0), "tied": Annealed(SquaredHinge(), 0.7, np.array([20.0, 31.5]))}


@pytest.fixture(params=LOSSES, ids=str)
def pair(request):
    """(problem in memory, problem in blocks, the space in blocks)."""
    X, y = two_blobs(k=2)
    there = BlockRows.of(X, 17).linear()
    unlabeled = np.arange(10, 60)
    settings = {"unlabeled_loss": LOSSES[request.param], "bias": np.array([0.2, -0.1])}
    here = problem_on(Centered(Linear(X), unlabeled), y, **settings)
    return here, here.replace(space=Centered(there, unlabeled)), there


def test_what_is_computed_is_a_sum_over_rows_and_brings_none(pair, rng):
    here, elsewhere, space = pair
    ours, theirs = elsewhere.objective(), here.objective()
    theta = rng.normal(size=(5, 2))
    a, b = ours.at(theta, here.bias), theirs.at(theta, here.bias)
    step = rng.normal(size=(5, 2)), np.zeros(2)
    s = np.array([0.3, 0.8])
    for one, other in (
        (a.value, b.value),
        (a.gradient.theta, b.gradient.theta),
        (ours.value(ours.point(theta, here.bias)), b.value),
        (ours.hessian(a)(ours.point(*step))[0], theirs.hessian(b)(theirs.point(*step))[0]),
    ):
        assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    line, expected = (f.along(e, f.point(*step)) for f, e in ((ours, a), (theirs, b)))
    assert isinstance(line, SummedLine)
    assert_allclose(line.value_and_slope(s), expected.value_and_slope(s), rtol=1e-8)
    assert_allclose(line.curvature(s), expected.curvature(s), rtol=1e-8)
    assert_allclose(line.origin[1], expected.origin[1], rtol=1e-8)
    found, known = ours.scores(a.point, here.unlabeled), theirs.scores(b.point, here.unlabeled)
    assert_array_equal(found.signs(), known.signs())
    assert_array_equal(found.top(np.array([7, 20])), known.top(np.array([7, 20])))
    if isinstance(here.unlabeled_loss, Annealed):
        assert_allclose(label_entropy(elsewhere, a.point), label_entropy(here, b.point), rtol=1e-6)
    # the mean function of the centered space is brought as a sum; outputs of all rows are not
    assert not space.brought


@pytest.mark.parametrize("minimizer", [LBFGS(1e-7), NewtonCG(1e-7)], ids=["lbfgs", "newton"])
def test_a_descent_ends_where_it_does_in_memory(pair, minimizer):
    here, elsewhere, space = pair
    if isinstance(minimizer, NewtonCG) and isinstance(here.unlabeled_loss, Annealed):
        pytest.skip("the curvature of a tied loss holds its multiplier: slow steps of Newton's method")
    *_, expected = minimizer.iterate(here.objective(), here.objective().start())
    *_, found = minimizer.iterate(elsewhere.objective(), elsewhere.objective().start())
    assert_allclose(found.value, expected.value, rtol=1e-7)
    if isinstance(minimizer, LBFGS):
        assert not space.brought


def test_what_is_no_sum_is_fetched(pair):
    here, elsewhere, _ = pair
    assert type(elsewhere.objective()) is (TiedRowSums if isinstance(here.unlabeled_loss, Annealed) else RowSums)

    class Graph:
        def apply(self, outputs):
            return 2.0 * outputs

    tied = elsewhere.replace(graph=Graph()).objective()
    assert type(tied) is Fetched
    expected = here.replace(graph=Graph()).objective()
    theta = np.ones((5, 2))
    assert_allclose(tied.at(theta, here.bias).value, expected.at(theta, here.bias).value, rtol=1e-10)


def test_few_rows_with_a_loss_are_looked_at_by_themselves(rng):
    """The supervised start of a path: rows with a loss are kept here, and no block is visited."""
    X, y = two_blobs(n=400, k=2)
    space = BlockRows.of(X, 97).linear()
    problem = problem_on(space, y)
    weights = problem.weights.copy()
    weights[10:] = 0.0
    elsewhere, here = (problem.replace(weights=weights, space=one).objective() for one in (space, Linear(X)))
    theta, bias = rng.normal(size=(5, 2)), np.array([0.3, -0.1])
    a, b = elsewhere.at(theta, bias), here.at(theta, bias)
    assert_allclose(a.value, b.value, rtol=1e-12)
    assert_allclose(a.gradient.theta, b.gradient.theta, rtol=1e-10)
    line = elsewhere.along(a, elsewhere.point(theta, bias))
    assert isinstance(line, PassLine)
    assert not isinstance(line, SummedLine)
    other = here.along(b, here.point(theta, bias))
    assert_allclose(line.value_and_slope(np.full(2, 0.4)), other.value_and_slope(np.full(2, 0.4)), rtol=1e-10)
    assert_allclose(line.origin, other.origin, rtol=1e-10)
    assert not space.brought


def test_losses_of_a_part_are_those_of_its_rows(rng):
    X, y = two_blobs(k=2)
    problem = problem_on(Linear(X), y)
    losses = GroupLosses(problem.groups, problem.objective().losses, np.zeros(2))
    assert_array_equal(losses.loaded(), np.arange(60))
    labeled = GroupLosses(problem.groups[:1], problem.objective().losses, np.zeros(2))
    assert_array_equal(labeled.loaded(), problem.groups[0].members)
    scores = rng.normal(size=(60, 2))
    _, slope = losses(slice(0, 60), scores)
    part = losses.part(slice(5, 40))
    # labeled and unlabeled rows among them, and some of the part alone
    for rows in (slice(0, 35), slice(2, 9)):
        assert_allclose(part(rows, scores[5 + rows.start : 5 + rows.stop])[1], slope[5 + rows.start : 5 + rows.stop])
