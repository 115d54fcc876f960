"""Ranks, labels and multipliers from sums over blocks: the same numbers as from all scores at once."""

import itertools
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from semisvm.losses import Annealed, SquaredHinge
from semisvm.losses.annealed import entropy
from semisvm.objective import ArrayScores, RemoteScores, multipliers, ranking
from semisvm.objective.remote_vectors import Fetch, RemoteOutputs, RemoteRows

FLOATS = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-310, -5e-324])


class Pieces(RemoteRows):
    """Outputs in blocks of these sizes, nothing of which may be brought here whole."""

    def __init__(self, outputs, cuts):
        self.outputs = outputs
        ends = sorted({0, len(outputs), *cuts})
        self.blocks = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.rounds = 0

    def product(self, theta):
        raise AssertionError("scores were brought here")

    def reduced(self, task, parts, scores, *more):
        return tuple(np.sum(ones, axis=0) for ones in zip(*self.collected(task, parts, scores, *more), strict=True))

    def collected(self, task, parts, scores, *more, each=None):
        self.rounds += 1
        own = [()] * len(self.blocks) if each is None else [(one,) for one in each]
        return [
            task(parts.part(rows), *(self.outputs[rows] + one.shift for one in scores), *more, *mine)
            for rows, mine in zip(self.blocks, own, strict=True)
        ]


def remote(outputs, cuts, shift=0.0):
    away = Pieces(np.asarray(outputs, dtype=float), cuts)
    k = away.outputs.shape[1]
    return RemoteOutputs(Fetch(away, np.ones((1, k)), len(away.outputs)), np.full(k, shift))


@settings(max_examples=60, deadline=None)
@given(arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 2)), elements=FLOATS), st.data())
def test_labels_are_those_of_all_scores(z, data):
    u, k = z.shape
    cuts = data.draw(st.lists(st.integers(0, u), max_size=3))
    rows = np.flatnonzero(data.draw(arrays(bool, u))) if u > 1 else np.arange(u)
    counts = np.array([data.draw(st.integers(0, len(rows))) for _ in range(k)])
    scores, here = RemoteScores(remote(z, cuts), rows), ArrayScores(z[rows] + 0.0)
    assert_array_equal(scores.top(counts), here.top(counts))
    if len(rows):
        assert_array_equal(scores.signs(), here.signs())
        some = np.arange(len(rows))[::-2]
        assert_array_equal(scores.some(some), here.some(some))


@settings(max_examples=40, deadline=None)
@given(arrays(float, st.tuples(st.integers(1, 60), st.just(2)), elements=FLOATS), st.data())
def test_the_number_of_a_rank_is_found_by_counting(z, data):
    ranks = np.array([data.draw(st.integers(0, len(z) - 1)) for _ in range(3)])
    columns, every = np.array([0, 1, 1]), ranking.ChosenRows(np.arange(len(z)))
    with mock.patch.object(ranking, "FEW", data.draw(st.integers(0, 5))):
        found = ranking.ranked(remote(z, [len(z) // 2]), every, ranks, columns)
    assert_array_equal(found, np.sort(z, axis=0)[ranks, columns])


def test_only_few_scores_are_brought_to_find_one(monkeypatch):
    z = np.random.default_rng(0).normal(size=(5000, 1))
    scores, brought = remote(z, [1000, 3000]), []
    monkeypatch.setattr(ranking, "FEW", 50)
    within = ranking.within
    monkeypatch.setattr(ranking, "within", lambda *given: (found := within(*given), brought.append(len(found[0])))[0])
    found = ranking.ranked(scores, ranking.ChosenRows(np.arange(5000)), np.array([1234]), np.array([0]))
    assert found == np.sort(z[:, 0])[1234]
    assert 0 < sum(brought) <= 50
    # as few rounds as it takes to come down to so few
    assert scores.remote_rows.rounds <= 4


@pytest.mark.parametrize("temperature", [10.0, 0.1, 1e-4])
@pytest.mark.parametrize("own", [False, True], ids=["one temperature", "one per point"])
def test_the_multiplier_is_that_of_all_scores(temperature, own):
    random = np.random.default_rng(1)
    z, rows = random.normal(size=(300, 2)), np.arange(5, 280)
    T = temperature * (random.uniform(0.5, 2.0, size=(len(rows), 2)) if own else np.ones((len(rows), 2)))
    loss = Annealed(SquaredHinge(), T, np.array([100.0, 30.5]))
    here = loss.bind(z[rows] + 0.2, np.ones(len(rows)))
    scores = remote(z, [60, 61, 200], 0.2)
    there = multipliers.frozen(loss, scores, rows)
    assert_allclose(there.probabilities(z[rows] + 0.2), here.probabilities(z[rows] + 0.2), atol=1e-9)
    assert_allclose(there.probabilities(z[rows] + 0.2).sum(axis=0), [100.0, 30.5], rtol=1e-10)
    expected = entropy(here.probabilities(z[rows] + 0.2))
    assert_allclose(multipliers.label_entropy(loss, scores, rows), expected, rtol=1e-6, atol=1e-9)
    assert scores.remote_rows.rounds < 100


def test_a_count_that_is_not_held_and_counts_of_none_and_all():
    z, rows = np.linspace(-1, 1, 9)[:, None], np.arange(9)
    free = multipliers.frozen(Annealed(SquaredHinge(), 1.0, None), remote(z, [4]), rows)
    assert_allclose(free.probabilities(z), Annealed(SquaredHinge(), 1.0, None).bind(z, np.ones(9)).probabilities(z))
    for count in (0.0, 9.0):
        bound = multipliers.frozen(Annealed(SquaredHinge(), 1.0, count), remote(z, [4]), rows)
        assert_allclose(bound.probabilities(z), count / 9)
