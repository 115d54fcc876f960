"""The rows as numbers and their model. Only this module trains models and predicts with them.

The model is trained on every labeled row and a random draw of the others. It predicts all rows. Of each accepted group
only a few rows are used, so that many unseen rows do not outweigh those that a person labeled.
"""

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semisvm.annotate.checking import DOUBTED, Doubt
from semisvm.annotate.evidence import Estimate
from semisvm.annotate.messages import Learned, LearningTask, RankedRows, Ready
from semisvm.annotate.one_class import ranked_rows
from semisvm.annotate.request import AnnotateRequest
from semisvm.annotate.space import twin_groups, two_directions
from semisvm.annotate.stopping import STEP, put_right_by_answers
from semisvm.estimators import S3VM
from semisvm.estimators.default.preparation import preparations
from semisvm.suggest import suggest_first_labels, suggest_labels
from semisvm.tables import TablePreparation

if TYPE_CHECKING:
    import pandas as pd

POOL = 2500
"""Unlabeled training rows. The others are only predicted."""
MOST_GIVEN = 2500
"""Most labels of the table that a model is trained on."""
SPREAD, SUGGESTED = 40, 40
CHUNK = 20_000


class Workbench:
    """The rows as numbers, and their models."""

    def __init__(self, frame: "pd.DataFrame", request: AnnotateRequest, seed: int = 0):
        preparation = TablePreparation(leave_out=request.left_out([str(name) for name in frame.columns]))
        self.X = preparation.fit_transform(frame)
        self.preparation = preparation
        self.ratio = request.ratio
        self.model = S3VM(random_state=0)
        self._trained_on: np.ndarray | None = None
        self._earlier: list[tuple[int, np.ndarray]] = []
        self._codes = np.full(len(frame), -1)
        n = len(frame)
        random = np.random.default_rng(seed)
        self.pool = np.sort(random.choice(n, POOL, replace=False)) if n > POOL else np.arange(n)
        self.twins = twin_groups(frame[[column.name for column in preparation.used_columns]])

    def ready(self) -> Ready:
        space = preparations(self.X[self.pool])[0].apply(self.X)
        return Ready(
            columns=[(one.name, one.kind, one.description) for one in self.preparation.columns_],
            twins=self.twins,
            pool=self.pool,
            spread=[int(row) for row in suggest_first_labels(self.X, SPREAD)],
            space=space.astype(np.float32),
            places=two_directions(space, self.pool),
        )

    # ---------------------------------------------------------------- learning

    def learn(self, task: LearningTask) -> Learned | RankedRows:
        began = time.monotonic()
        task = _fewer_given(task)
        rows = np.union1d(self.pool, task.rows)
        if len(np.unique(task.codes)) == 1:
            return ranked_rows(self.X, rows, task, SUGGESTED, self.ratio)
        y = np.full(len(rows), -1)
        y[np.searchsorted(rows, task.rows)] = task.codes
        drawn = np.zeros(len(rows), dtype=bool)
        drawn[np.searchsorted(rows, task.rows)] = task.drawn
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._fit(rows, y, drawn)
        classes = np.asarray(self.model.classes_).astype(int)
        P = self._probabilities()
        codes = classes[np.argmax(P, axis=1)].astype(np.int32)
        confidence = P.max(axis=1)
        changed = int(np.count_nonzero((self._codes != codes) & task.open)) if (self._codes >= 0).any() else 0
        self._codes = codes
        suggested = suggest_labels(self.model, self.X[rows], SUGGESTED, y=y) if (y < 0).any() else np.zeros(0, int)
        suggested = rows[suggested]
        return Learned(
            version=task.version,
            n_labels=task.n_labels,
            codes=codes,
            confidence=confidence.astype(np.float32),
            suggested=suggested.tolist(),
            doubts=self._doubts(task, rows, y),
            estimate=_estimate(self.model, int(task.drawn.sum())),
            changed=changed,
            gain=self._gain(task, P, codes, classes),
            answered=put_right_by_answers(1 - confidence, task.open, suggested),
            seconds=time.monotonic() - began,
            classes=task.classes,
        )

    def _fit(self, rows: np.ndarray, y: np.ndarray, drawn: np.ndarray) -> None:
        """Refit the last model where the training rows are the same; otherwise fit a new one."""
        if self._trained_on is not None and np.array_equal(self._trained_on, rows):
            self.model.refit(y, drawn=drawn)
        else:
            self.model.fit(self.X[rows], y, drawn=drawn)
        self._trained_on = rows

    def _probabilities(self) -> np.ndarray:
        n = self.X.shape[0]
        parts = [self.model.predict_proba(self.X[begin : begin + CHUNK]) for begin in range(0, n, CHUNK)]
        return np.concatenate(parts)

    def _gain(self, task: LearningTask, P: np.ndarray, codes: np.ndarray, classes: np.ndarray) -> float | None:
        """The gain since the model of `STEP` labels ago, on the rows of the pool that are open."""
        rows = self.pool[task.open[self.pool]]
        self._earlier = [one for one in self._earlier if one[0] < task.n_labels]
        old = [then for n_labels, then in self._earlier if n_labels <= task.n_labels - STEP]
        self._earlier.append((task.n_labels, codes[self.pool]))
        if not old or not len(rows):
            return None
        column = np.full(max(int(codes.max()), int(old[-1].max())) + 1, -1)
        column[classes] = np.arange(len(classes))
        then = np.full(len(codes), -1)
        then[self.pool] = old[-1]
        before = column[then[rows]]
        p = np.where(before >= 0, P[rows, before], 0.0)
        return float(np.mean(P[rows].max(axis=1) - p))

    def _doubts(self, task: LearningTask, rows: np.ndarray, y: np.ndarray) -> list[Doubt]:
        """Labels of persons that are unlikely by a model that had not seen them, while another class is likely."""
        evidence = self.model.evidence_
        classes = np.asarray(self.model.classes_).astype(int)
        by_people = set(task.rows[task.given].tolist())
        found = []
        for place, p in zip(evidence.rows, evidence.probabilities, strict=True):
            row, best = int(rows[place]), int(np.argmax(p))
            own = int(np.flatnonzero(classes == y[place])[0])
            if row in by_people and p[own] < DOUBTED and p[best] > 0.5:
                found.append(Doubt(row, int(y[place]), float(p[own]), int(classes[best]), float(p[best])))
        return found


def _fewer_given(task: LearningTask) -> LearningTask:
    """A task with at most so many labels."""
    if len(task.rows) <= MOST_GIVEN:
        return task
    kept = np.sort(np.random.default_rng(0).choice(len(task.rows), MOST_GIVEN, replace=False))
    parts = {name: getattr(task, name)[kept] for name in ("rows", "codes", "drawn", "given")}
    return replace(task, **parts)


def _estimate(model: S3VM, n_drawn: int) -> Estimate | None:
    """The expected error in the report of the model; None where there are too few labels."""
    error, interval = model.report_.expected_error, model.report_.expected_interval
    if error is None or interval is None:
        return None
    return Estimate(error, interval[0], interval[1], n_drawn)
