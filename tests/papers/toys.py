"""Small estimators and a small table to run the runner with."""

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from semisvm_papers.protocol import Outcome, Protocol
from semisvm_papers.table import Table

TOY = """
title = "a toy"
paper = "nobody 2000"
metric = "unlabeled_error_pct"
csv = "toy.csv"
n_splits = 3

[[columns]]
method = "nearest"
estimator = "Nearest"
parameters = { C_unlabeled = "equal" }
true_ratio = true

[[columns]]
method = "broken"
estimator = "Broken"

[[columns]]
method = "future"
estimator = "NotWrittenYet"

[[columns]]
method = "outside"
not_runnable = "another program"

[[rows]]
dataset = "moons"
data = { load = "make_two_moons", arguments = { n = 40, nuisance = 0 }, splits = "fresh", labeled = [0, 1] }
parameters = { sigma = 0.5, C = 10 }
published = { nearest = { mean = 40, std = 2.5 }, broken = 1.5, future = 3 }

[[rows]]
dataset = "lost"
not_runnable = "nobody has the data"
published = { nearest = 7 }
"""


class Nearest(ClassifierMixin, BaseEstimator):
    """The class of the nearest labeled row; remembers with what it was built and counts its fits."""

    fits = 0
    built: ClassVar[list] = []

    def __init__(self, gamma=None, C=None, C_unlabeled=None, ratio=None, random_state=None):
        self.gamma = gamma
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.ratio = ratio
        self.random_state = random_state

    def fit(self, X, y):
        type(self).fits += 1
        type(self).built.append(self.get_params())
        self.model_ = KNeighborsClassifier(1).fit(X[y >= 0], y[y >= 0])
        self.transduction_ = np.where(y >= 0, y, self.model_.predict(X))
        self.objective_ = np.array([2.0, 4.0])
        self.n_iter_ = 3
        return self

    def predict(self, X):
        return self.model_.predict(X)


class BrokenNearest(Nearest):
    def fit(self, X, y):
        raise ArithmeticError("it does not converge")


class Killer(Nearest):
    """Ends the whole process during its second fit, as a kill from outside would."""

    def fit(self, X, y):
        if type(self).fits == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class KillsParent(Nearest):
    """Kills the process that handed out the job, for the second split, and then takes its time."""

    def fit(self, X, y):
        if self.random_state == 1:
            Path(os.environ["TOY_PID_FILE"]).write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        return super().fit(X, y)


class Crashes(Nearest):
    """Takes its own process down in the second split and is never done with the third."""

    def fit(self, X, y):
        if self.random_state == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.random_state == 2:
            time.sleep(600)
        return super().fit(X, y)


class Slow(Nearest):
    """Is never done with the second split."""

    def fit(self, X, y):
        if self.random_state == 1:
            Path(os.environ["TOY_PID_FILE"]).write_text(str(os.getpid()))
            time.sleep(600)
        return super().fit(X, y)


class InterruptedNearest(Nearest):
    def fit(self, X, y):
        if type(self).fits == 2:
            raise KeyboardInterrupt
        return super().fit(X, y)


@dataclass(frozen=True)
class WithMeasures(Protocol):
    """Measures nothing, and says what it was asked to."""

    measures: Mapping[str, Any]

    def measure(self, build, task, seed):
        return Outcome(0.0, None, None, self.measures)


def toy_table():
    return Table.parse("toy", TOY)


def resolver(**classes):
    return {"Nearest": Nearest, "Broken": BrokenNearest, **classes}.get
