"""Deterministic annealing: every half step goes down, the count holds at every temperature, both variants meet."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from semisvm.algorithms import AlternatingAnnealing, BestOfPath, GradientAnnealing, Status, run
from semisvm.algorithms.entropy_cooling import EntropyCooling
from semisvm.balance import ExactCount, NoBalance, positive_counts
from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.losses import Annealed, Fixed, Gaussian, SquaredHinge, probabilities
from semisvm.objective import ArrayScores
from semisvm.optim import LBFGS, KernelNewton
from semisvm.schedules import Cooling, label_entropy
from semisvm.spaces import Full
from tests.problems import problem_on, two_blobs

RATIO = 0.4


def blobs(k=1, counted=True, rng=None):
    X, y = two_blobs(k=k)
    problem = problem_on(Full(RBF(0.2), Points.of(X)), y, unlabeled_loss=Gaussian(), rng=rng)
    counts = positive_counts(np.full(k, RATIO), len(problem.unlabeled)) if counted else None
    return problem.replace(unlabeled_loss=Annealed(SquaredHinge(), 1.0, counts))


def variants(k=1, counted=True, **cooling):
    balance = ExactCount(np.full(k, RATIO)) if counted else NoBalance()
    lbfgs, newton, schedule = LBFGS(1e-6), KernelNewton(1e-9), Cooling(**cooling)
    return {
        "gradient": GradientAnnealing(balance, lbfgs, lbfgs, schedule),
        "alternating": AlternatingAnnealing(balance, newton, newton, schedule, resting=1e-10),
    }


def followed(algorithm, problem):
    seen = []
    run(algorithm, problem, max_iter=100_000, watch=lambda _, candidate: seen.append(candidate))
    return seen


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_half_step_goes_down(counted, weighted, rng):
    problem = blobs(k=2, counted=counted, rng=rng if weighted else None)
    seen = followed(variants(2, counted)["alternating"], problem)
    for before, after in pairwise(seen):
        if before.stage == after.stage:
            assert np.all(after.value <= before.value + 1e-9 * np.abs(before.value))


def test_the_objective_of_the_gradient_variant_goes_down_at_each_temperature():
    seen = followed(variants()["gradient"], blobs())
    for before, after in pairwise(seen):
        if before.stage == after.stage:
            assert np.all(after.value <= before.value + 1e-9 * np.abs(before.value))


@pytest.mark.parametrize("T", [1e4, 1e2, 1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_the_probabilities_sum_to_the_count(T, rng):
    for scale in (1e-3, 1.0, 1e3):
        gaps = scale * rng.normal(size=(500, 3))
        counts = np.array([1, 123, 499])
        np.testing.assert_allclose(probabilities(gaps, T, counts).sum(axis=0), counts, rtol=0, atol=1e-10)


def test_both_variants_end_in_the_same_minimum():
    problem = blobs()
    ends = [followed(algorithm, problem)[-1] for algorithm in variants().values()]
    assert ends[0].value[0] == pytest.approx(ends[1].value[0], rel=1e-6)
    np.testing.assert_array_equal(ends[0].labels, ends[1].labels)


@pytest.mark.parametrize("variant", ["gradient", "alternating"])
def test_the_path_ends_in_certain_labels_that_keep_the_count(variant):
    problem = blobs(k=2)
    solution = run(variants(2)[variant], problem, max_iter=100_000)
    temperatures = [record["temperature"] for record in solution.path]
    np.testing.assert_allclose(temperatures[0], 10.0)
    np.testing.assert_allclose(np.divide(temperatures[:-1], temperatures[1:]), 1.5)
    entropies = np.array([record["entropy"].max() for record in solution.path])
    assert entropies[-1] < 1e-6 < entropies[-2]
    labels = solution.candidate.labels
    np.testing.assert_array_equal(np.sum(labels > 0, axis=0), [20, 20])
    # cold labels cost what the annealed objective says
    decided = problem.replace(unlabeled_loss=Fixed(SquaredHinge(), labels))
    np.testing.assert_allclose(decided.objective().value(solution.candidate.point), solution.candidate.value, rtol=1e-6)


def test_a_fixed_number_of_temperatures():
    solution = run(variants(n_stages=3)["gradient"], blobs(), max_iter=100_000)
    assert [record["stage"] for record in solution.path] == [0, 1, 2]


def test_the_best_of_the_path_is_no_worse_than_any_stage():
    problem = blobs()
    inner = variants(n_stages=6)["gradient"]
    seen = followed(BestOfPath(inner), problem)
    last_of_stage = {candidate.stage: candidate for candidate in seen[:-1]}

    def cost(candidate):
        decided = problem.replace(unlabeled_loss=Fixed(SquaredHinge(), candidate.labels))
        return decided.objective().value(candidate.point)[0]

    costs = [cost(candidate) for candidate in last_of_stage.values()]
    assert seen[-1].value[0] == pytest.approx(min(costs), rel=1e-12)
    assert seen[-1].facts == {"kept": "best"}
    scores = ArrayScores(seen[-1].point.scores[problem.unlabeled])
    np.testing.assert_array_equal(seen[-1].labels, scores.top(np.array([20])))


def test_columns_are_separate_problems():
    problem = blobs(k=3)
    together = followed(variants(3, n_stages=5)["alternating"], problem)[-1]
    alone = followed(variants(1, n_stages=5)["alternating"], problem.columns(np.array([1])))[-1]
    assert together.value[1] == pytest.approx(alone.value[0], rel=1e-6)


def test_another_unlabeled_loss_is_refused():
    problem = blobs().replace(unlabeled_loss=Gaussian())
    with pytest.raises(TypeError, match="needs a Annealed: choose a loss of that kind"):
        run(variants()["gradient"], problem, max_iter=10)


def test_time_is_kept(monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def let_an_hour_pass(iteration, _):
        nonlocal now
        now = 3600.0 * (iteration >= 3)

    slow = replace(variants()["alternating"], resting=0.0)
    solution = run(slow, blobs(), max_iter=100_000, time_limit=0.05, watch=let_an_hour_pass)
    assert (solution.status, solution.n_iter) == (Status.TIME_LIMIT, 3)


# ---------------------------------------------------------------- cooling by steps of entropy


def entropies_at(problem, temperature, point):
    return label_entropy(Cooling().cooled(problem, temperature), point)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("step", [0.05, 0.2])
def test_entropy_falls_by_a_step_at_most_or_the_temperature_by_the_published_factor(step, k):
    problem, u = blobs(k), len(blobs(k).unlabeled)
    schedule = EntropyCooling(step)
    algorithm = replace(variants(k)["gradient"], cooling=schedule)
    ends = {}
    for candidate in followed(algorithm, problem):
        ends[candidate.stage] = candidate
    temperatures = [candidate.facts["temperature"] for candidate in ends.values()]
    assert temperatures[0] == 10.0
    assert 3 <= len(temperatures) < 14
    for before, after in pairwise(ends.values()):
        warm, cold = before.facts["temperature"], after.facts["temperature"]
        assert cold <= warm / 1.5 * (1 + 1e-9)
        fall = entropies_at(problem, warm, before.point) - entropies_at(problem, cold, before.point)
        assert np.all(fall <= step * u * np.log(2) + 1e-9) or cold == pytest.approx(warm / 1.5, rel=0.08)
    assert np.max(ends[len(temperatures) - 1].facts["entropy"]) < 1e-6


def test_steps_of_entropy_end_where_the_published_cooling_does():
    problem = blobs()
    usual = followed(variants()["gradient"], problem)[-1]
    quick = followed(replace(variants()["gradient"], cooling=EntropyCooling()), problem)[-1]
    np.testing.assert_array_equal(quick.labels, usual.labels)
    assert quick.value == pytest.approx(usual.value, rel=1e-4)


def test_steps_of_entropy_end_though_labels_stay_open():
    problem = blobs()
    # f = 0: every label is as good as the other
    point = problem.objective().start()
    stages = EntropyCooling(0.1).stages(problem)
    temperatures = [next(stages)[0]["temperature"]]
    for _ in range(40):
        try:
            temperatures.append(stages.send(point)[0]["temperature"])
        except StopIteration:
            break
    assert len(temperatures) < 5
    assert temperatures[-1] == pytest.approx(1e-3)
