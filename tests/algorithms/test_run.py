"""The driver: it alone counts, times, traces, stops, and never loses the last candidate."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from semisvm.algorithms import Algorithm, Interrupted, Minimize, Status, run
from semisvm.algorithms.algorithm import _Trace
from semisvm.losses import Fixed, SplitLoss, SquaredHinge
from semisvm.optim import BudgetSpent, KernelNewton
from tests.problems import problem_on, two_blobs
from tests.spaces.examples import plain_spaces

FULL = plain_spaces()["full rbf"][0]


@pytest.fixture
def problem():
    _, y = two_blobs(k=2)
    return problem_on(FULL, y, unlabeled_loss=Fixed(SquaredHinge(), y[10:]))


class Repeating(Algorithm):
    """Solves, then offers the solution again and again; `between` runs before each offer."""

    def __init__(self, between=lambda i: None, n_stages=1):
        self.between, self.n_stages = between, n_stages

    def iterate(self, problem, start, budget):
        *_, last = Minimize(KernelNewton()).iterate(problem, start, budget)
        for i in range(10**6):
            self.between(i)
            yield replace(last, stage=i // 5, facts={"step": i})


def test_it_ends_with_the_algorithm(problem):
    solution = run(Minimize(KernelNewton()), problem, max_iter=100)
    assert solution.status is Status.CONVERGED
    assert solution.n_iter == len(list(Minimize(KernelNewton()).iterate(problem, None, None)))
    assert np.all(solution.candidate.stationarity < 1e-8)


def test_it_starts_at_the_given_point(problem):
    first = run(Minimize(KernelNewton()), problem, max_iter=100)
    again = run(Minimize(KernelNewton()), problem, first.candidate.point, max_iter=100)
    assert again.n_iter == 1
    assert_allclose(again.candidate.value, first.candidate.value)


def test_it_stops_at_max_iter(problem):
    solution = run(Repeating(), problem, max_iter=12)
    assert (solution.status, solution.n_iter) == (Status.MAX_ITER, 12)


def test_it_stops_in_time(problem, monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def take_a_second(i):
        nonlocal now
        now += 1.0

    solution = run(Repeating(take_a_second), problem, max_iter=10**6, time_limit=6.5)
    assert (solution.status, solution.n_iter, solution.seconds) == (Status.TIME_LIMIT, 7, 7.0)


def test_a_stage_takes_the_time_from_the_end_of_the_one_before(problem, monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def take_seconds(i):
        nonlocal now
        # five candidates of a second each, then five of ten: the first one of a stage has cost something already
        now += 1.0 if i < 5 else 10.0

    solution = run(Repeating(take_seconds, n_stages=2), problem, max_iter=10)
    assert [record["seconds"] for record in solution.path] == [5.0, 50.0]


def test_a_loop_without_an_iterate_may_give_up(problem):
    def give_up(i):
        if i == 3:
            raise BudgetSpent

    solution = run(Repeating(give_up), problem, max_iter=100)
    assert (solution.status, solution.n_iter) == (Status.TIME_LIMIT, 3)


def test_no_candidate_in_time_is_said(problem):
    def give_up(i):
        raise BudgetSpent

    with pytest.raises(TimeoutError, match=r"^time_limit=1e-09 s was over before there was any solution: give more"):
        run(Repeating(give_up), problem, max_iter=100, time_limit=1e-9)


def test_the_watcher_sees_every_candidate_and_may_stop(problem):
    seen = []

    def watch(iteration, candidate):
        seen.append((iteration, candidate.facts["step"]))
        return iteration == 4

    solution = run(Repeating(), problem, max_iter=100, watch=watch)
    assert solution.status is Status.WATCHER
    assert seen == [(1, 0), (2, 1), (3, 2), (4, 3)]


def test_ctrl_c_carries_the_last_candidate(problem):
    def interrupt(i):
        if i == 7:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        run(Repeating(interrupt), problem, max_iter=100)
    solution = caught.value.solution
    assert (solution.status, solution.n_iter) == (Status.INTERRUPTED, 7)
    assert_allclose(solution.candidate.value, run(Minimize(KernelNewton()), problem, max_iter=100).candidate.value)


def test_ctrl_c_while_the_labels_of_the_end_are_counted_carries_the_last_candidate(problem, monkeypatch):
    labels, pressed = _Trace._labels, []

    def interrupted(self, candidate):
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
        return labels(self, candidate)

    monkeypatch.setattr(_Trace, "_labels", interrupted)
    with pytest.raises(Interrupted) as caught:
        run(Repeating(), problem, max_iter=3)
    assert (caught.value.solution.status, caught.value.solution.n_iter) == (Status.INTERRUPTED, 3)


def test_ctrl_c_before_any_candidate_is_plain(problem):
    def interrupt(i):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        run(Repeating(interrupt), problem, max_iter=100)
    assert not isinstance(caught.value, Interrupted)


def test_the_path_has_one_record_per_stage(problem):
    solution = run(Repeating(), problem, max_iter=12)
    assert [record["stage"] for record in solution.path] == [0, 1, 2]
    assert [record["step"] for record in solution.path] == [4, 9, 11]
    assert solution.path[0]["changed"] is None
    assert solution.path[1]["changed"] == 0
    assert_allclose(solution.path[-1]["objective"], solution.candidate.value)


def test_changed_labels_are_counted_between_stages(problem):
    class Flip(Algorithm):
        def iterate(self, problem, start, budget):
            *_, last = Minimize(KernelNewton()).iterate(problem, start, budget)
            labels = np.ones((len(problem.unlabeled), 2))
            for stage, flipped in enumerate([0, 3, 3]):
                new = labels.copy()
                new[:flipped, 0] = -1
                yield replace(last, labels=new, stage=stage)

    assert [record["changed"] for record in run(Flip(), problem, max_iter=9).path] == [None, 3, 0]


def test_a_loss_of_the_wrong_kind_is_refused_in_a_sentence(problem):
    class Splitting(Algorithm):
        @property
        def needs(self):
            return SplitLoss

        def iterate(self, problem, start, budget):
            yield from ()

    with pytest.raises(TypeError, match="Splitting was given Fixed as unlabeled loss and needs a SplitLoss: choose"):
        run(Splitting(), problem, max_iter=1)
