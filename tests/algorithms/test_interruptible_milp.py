"""A mixed-integer program that takes long is left at once when Ctrl-C comes."""

import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from semisvm import LinearProgrammingS3VM
from semisvm.algorithms import child_process, interruptible_milp


def hard_task(n=120, d=20):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), np.r_[np.arange(10) % 2, np.full(n - 10, -1)]


def test_ctrl_c_is_raised_within_a_second():
    X, y = hard_task()
    model, sent = LinearProgrammingS3VM(variant="milp", C=10.0, C_unlabeled=10.0), []

    def press():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(3.0, press)
    timer.start()
    try:
        with pytest.warns(UserWarning, match="interrupted after"), pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        waited = time.monotonic() - sent[0]
    finally:
        timer.cancel()
    assert waited < 1.0
    # successive linear programs have left something
    assert np.isfinite(model.decision_function(X)).all()


def test_no_process_remains(monkeypatch):
    started, popen = [], subprocess.Popen

    def recorded(*arguments, **settings):
        started.append(popen(*arguments, **settings))
        return started[-1]

    def interrupted(self, *_):
        raise KeyboardInterrupt

    monkeypatch.setattr(child_process.subprocess, "Popen", recorded)
    monkeypatch.setattr(popen, "communicate", interrupted)
    monkeypatch.setattr(interruptible_milp, "MOMENT", 0.01)
    X, y = hard_task()
    with pytest.warns(UserWarning, match="interrupted"), pytest.raises(KeyboardInterrupt):
        LinearProgrammingS3VM(variant="milp").fit(X, y)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_the_solution_is_the_same_in_a_process_of_its_own(monkeypatch):
    X, y = hard_task(n=24, d=3)
    here = LinearProgrammingS3VM(variant="milp").fit(X, y)
    cut_short = interruptible_milp.MILPResult(None, None, interruptible_milp.TIME_LIMIT, "")
    monkeypatch.setattr(interruptible_milp, "_here", lambda *_: cut_short)
    there = LinearProgrammingS3VM(variant="milp").fit(X, y)
    np.testing.assert_array_equal(there.transduction_, here.transduction_)
    np.testing.assert_allclose(there.objective_, here.objective_)


def test_a_limit_of_time_holds():
    X, y = hard_task()
    began = time.monotonic()
    model = LinearProgrammingS3VM(variant="milp", C=10.0, C_unlabeled=10.0, time_limit=2.0)
    with pytest.warns(ConvergenceWarning, match="time_limit=2.0"):
        model.fit(X, y)
    assert model.status_ == "stopped at time_limit"
    assert time.monotonic() - began < 30
