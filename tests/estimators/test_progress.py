"""What a run shows: a line on a terminal, nothing in a pipe, the log always."""

import io
import logging

import numpy as np

from semisvm import S3VM, SupervisedSVM
from semisvm.algorithms import Candidate
from semisvm.datasets import make_g50c
from semisvm.estimators import progress
from semisvm.estimators.progress import TerminalLine, Together, describe, listening
from semisvm.objective import Point, Vector

ORIGIN = Point(Vector(np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1))), np.zeros((1, 1)))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def candidate(**more):
    return Candidate(ORIGIN, np.array([12.5]), np.array([1e-3]), **more)


def test_description_names_stage_facts_objective_and_bound():
    text = describe(7, candidate(stage=2, facts={"weight": 0.25}, lower_bound=np.array([11.0])))
    assert text == "stage 3 (weight 0.25), iteration 7, objective 12.5, lower bound 11, stationarity 1.0e-03"


def test_a_terminal_gets_one_line_that_is_wiped_at_the_end(monkeypatch):
    monkeypatch.setattr(progress, "REDRAW_SECONDS", 0.0)
    stream = Terminal()
    line = TerminalLine("Title", stream)
    line(1, candidate())
    line(2, candidate())
    line.close()
    shown = stream.getvalue()
    assert "Title: stage 1, iteration 2" in shown
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[2K")


def test_a_pipe_gets_nothing(monkeypatch):
    monkeypatch.setattr(progress, "REDRAW_SECONDS", 0.0)
    stream = io.StringIO()
    line = TerminalLine("Title", stream)
    line(1, candidate())
    line.close()
    assert stream.getvalue() == ""


def test_any_watcher_may_stop_and_all_are_called():
    output = []
    both = Together([lambda i, c: output.append("a") or True, lambda i, c: output.append("b")])
    assert both(1, candidate())
    assert output == ["a", "b"]


def test_a_fit_logs_how_it_ended(caplog, rng):
    with caplog.at_level(logging.INFO, logger="semisvm"):
        SupervisedSVM(verbose=1).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
    assert "SupervisedSVM: converged after" in caplog.text


def test_a_listener_hears_which_share_of_the_default_is_done():
    X, y = make_g50c(random_state=0)
    X, y = X[:80], np.where(np.arange(80) < 8, y[:80], -1)
    shares = []
    with listening(shares.append):
        model = S3VM().fit(X, y)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1.0
    # kernels of every preparation, then every member
    assert len(shares) > len(model.report_.preparations)
    before = len(shares)
    model.refit(y)
    assert len(shares) == before
