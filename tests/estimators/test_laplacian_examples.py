"""The example pages of the family run, and show what they say."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run_example(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    yield lambda name: runpy.run_path(str(EXAMPLES / name))
    pyplot.close("all")


def test_the_clock_is_wrong_before_and_right_after(run_example):
    names = run_example("plot_12_clock.py")
    before, after = (np.mean(model.transduction_ != names["y"]) for model in names["models"].values())
    assert before > 0.3
    assert after == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_figure_of_early_stopping_has_a_curve_for_every_set(run_example):
    names = run_example("plot_14_early_stopping.py")
    assert set(names["model"].errors_) == {"L", "U", "V", "T"}
    assert len(names["above"].lines) == len(names["below"].lines) == 5
    assert names["stopped"] < names["model"].n_iter_
