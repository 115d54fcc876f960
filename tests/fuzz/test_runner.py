"""The runner hears of everything that can happen to a case, and forgets nothing."""

import json
import os
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest

from tests.fuzz import FuzzFinding
from tests.fuzz.runner import run, run_each, summary


class Doing:
    def __init__(self, action):
        self.action = action

    def __str__(self):
        return "a case of its own"

    def check(self):
        return self.action()


def kind_doing(action):
    return SimpleNamespace(warm=lambda: None, draw=lambda rng: Doing(action))


def fail(error):
    raise error


def spin():
    while True:
        pass


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (lambda: fail(FuzzFinding("the scores are wrong")), "the scores are wrong"),
        (lambda: fail(IndexError("7")), "IndexError: 7"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "SIGSEGV"),
        (lambda: os._exit(3), "exit status 3"),
        (spin, "more than 1 s of processor time"),
        (lambda: fail(KeyboardInterrupt()), "KeyboardInterrupt"),
    ],
)
def test_whatever_goes_wrong_is_a_finding_that_names_the_case(action, shown):
    (result,) = run_each(kind_doing(action), [0], limit=1.0)
    assert result.outcome == "finding"
    assert shown in result.finding
    assert "a case of its own" in result.finding


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="the system does not say what a process computes")
def test_a_case_that_waits_is_a_finding_and_one_that_computes_on_a_busy_machine_is_not(monkeypatch):
    monkeypatch.setattr("tests.fuzz.runner._patience", lambda limit: 3.0)

    def compute():
        until = time.monotonic() + 4.0
        while time.monotonic() < until:
            pass
        return "done"

    (result,) = run_each(kind_doing(lambda: time.sleep(100)), [0], limit=20.0)
    assert "nothing was computed for 3 s" in result.finding
    assert [result.outcome for result in run_each(kind_doing(compute), [0], limit=20.0)] == ["done"]


def test_a_case_starts_in_an_empty_folder_that_does_not_remain(tmp_path):
    place = tmp_path / "place"

    def write():
        assert not os.listdir()
        place.write_text(os.getcwd())
        with open("rubbish", "w") as out:
            out.write("x")
        return "written"

    (result,) = run_each(kind_doing(write), [0], limit=5.0)
    assert result.outcome == "written"
    assert not os.path.exists(place.read_text())
    assert os.getcwd() != place.read_text()


def kind_by_seed(actions):
    """Cases that do what is said of their seed; any other is done at once."""
    draws = {np.random.default_rng(seed).integers(2**60): action for seed, action in actions.items()}
    return SimpleNamespace(warm=lambda: None, draw=lambda rng: Doing(draws.get(rng.integers(2**60), lambda: "done")))


def test_a_finding_loses_no_case_before_or_after_it():
    kind = kind_by_seed({2: lambda: fail(IndexError("7")), 4: lambda: os.kill(os.getpid(), signal.SIGSEGV), 5: spin})
    results = list(run_each(kind, list(range(8)), limit=1.0))
    assert [result.seed for result in results] == list(range(8))
    assert [result.seed for result in results if result.outcome == "done"] == [0, 1, 3, 6, 7]
    shown = [result.finding for result in results if result.finding]
    assert [word in one for word, one in zip(("IndexError", "SIGSEGV", "processor time"), shown, strict=True)] == [
        True
    ] * 3
    assert not any("Only after" in one for one in shown)


def test_a_finding_that_needs_the_cases_before_it_says_so():
    done = []
    kind = kind_by_seed(
        {0: lambda: done.append(1) or "left something", 1: lambda: fail(FuzzFinding("x")) if done else "done"}
    )
    results = list(run_each(kind, [0, 1, 2], limit=5.0))
    assert [result.outcome for result in results] == ["left something", "finding", "done"]
    assert "Only after the cases from 0 on, in one process." in results[1].finding


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    record = tmp_path / "record.jsonl"
    first = run(kind_doing(lambda: "done"), range(3), limit=5.0, record=record)
    with record.open("a") as out:
        out.write('{"seed": 3, "outco')  # cut off by the end of the run
    again = run(kind_doing(lambda: "done again"), range(5), limit=5.0, record=record)
    assert [(r.seed, r.outcome) for r in first] == [(0, "done"), (1, "done"), (2, "done")]
    assert [(r.seed, r.outcome) for r in again[:3]] == [(r.seed, r.outcome) for r in first]
    assert [(r.seed, r.outcome) for r in again[3:]] == [(3, "done again"), (4, "done again")]
    assert run(kind_doing(lambda: "once more"), range(5), limit=5.0, record=record) == again
    assert summary(again).startswith("5 cases: 3 done, 2 done again;")


def test_results_of_another_version_are_not_taken_over(tmp_path):
    record = tmp_path / "record.jsonl"
    old = {"seed": 0, "outcome": "old", "seconds": 0.0, "finding": "", "version": "an older one"}
    record.write_text(json.dumps(old) + "\n")
    assert [r.outcome for r in run(kind_doing(lambda: "new"), range(1), limit=5.0, record=record)] == ["new"]
