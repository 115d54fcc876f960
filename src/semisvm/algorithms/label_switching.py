"""S3VM-light (Joachims 1999): train with guessed labels, switch pairs where that lowers the objective, repeat.

For a pair (i labeled +, j labeled -) a switch lowers J at the present function where

    V(z_i) + V(-z_j) > V(-z_i) + V(z_j),     which is z_i < z_j, since V(t) - V(-t) falls with t

so labels are settled exactly when the positives are the largest scores. The multi-switch variant (Sindhwani and
Keerthi 2006) switches several pairs before it trains again. The weight of the unlabeled points grows meanwhile.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.algorithms.algorithm import Algorithm, Candidate
from semisvm.algorithms.growing_weight import GrowingWeight
from semisvm.algorithms.retraining import Retraining, Training
from semisvm.balance import Balance
from semisvm.objective import Point, Problem, Scores
from semisvm.optim.budget import Budget
from semisvm.schedules import AnnealedWeight

TIE = 1e-10
"""Scores closer than this count as equal: rounding must not switch labels back and forth."""


@dataclass(frozen=True, eq=False)
class LabelSwitching(Algorithm):
    balance: Balance
    retraining: Retraining
    """Trains in the last stage."""
    scout: Retraining
    """Trains in the earlier stages, where a rough solution is enough."""
    schedule: AnnealedWeight | GrowingWeight
    """Stages of growing weight; the supervised start comes before them."""
    n_switches: int | None = None
    """Pairs (single labels, where no count is held) per training; None switches all that lower the objective."""

    def iterate(self, problem: Problem, start: Point | None, budget: Budget) -> Iterator[Candidate]:
        unlabeled = problem.unlabeled
        weights = problem.weights.copy()
        weights[unlabeled] = 0.0
        anything = np.ones((len(unlabeled), problem.n_columns))
        begun = self.scout.begin(problem, start)
        trained = self.scout.train(problem.replace(weights=weights), anything, begun, budget)
        labels = self.balance.assign(problem.objective().scores(trained.point, unlabeled))
        yield self._candidate(trained, labels, 0, {"weight": 0.0, "switches": 0})
        stages = self.schedule.stages(problem)
        number, staged = 1, next(stages)
        while True:
            facts, stage = staged
            retraining = self.retraining if facts["weight"] == 1.0 else self.scout
            for step in self._settle(stage, retraining, trained, labels, budget):
                trained, labels, switches = step
                yield self._candidate(trained, labels, number, {**facts, "switches": switches})
            try:
                number, staged = number + 1, stages.send(switches)
            except StopIteration:
                return

    def _settle(
        self, stage: Problem, retraining: Retraining, trained: Training, labels: np.ndarray, budget: Budget
    ) -> Iterator[tuple[Training, np.ndarray, int]]:
        """Train and switch in turns until no label is switched: (training, labels, switches so far)."""
        trained, switches = retraining.train(stage, labels, trained, budget), 0
        seen = {_key(labels, column) for column in range(labels.shape[1])}
        while True:
            yield trained, labels, switches
            scores = stage.objective().scores(trained.point, stage.unlabeled)
            wanted = switched(labels, scores, self.balance, self.n_switches)
            # a switch lowers the objective, so labels repeat by rounding alone
            moving = [column for column in range(labels.shape[1]) if _key(wanted, column) not in seen]
            if not moving:
                return
            wanted = np.where(np.isin(np.arange(labels.shape[1]), moving), wanted, labels)
            seen.update(_key(wanted, column) for column in moving)
            switches += int(np.sum(wanted != labels))
            labels = wanted
            columns = np.array(moving)
            part = retraining.train(stage.columns(columns), labels[:, columns], trained.columns(columns), budget)
            trained = trained.put(columns, part)

    def _candidate(self, trained: Training, labels: np.ndarray, stage: int, facts: dict[str, Any]) -> Candidate:
        return Candidate(trained.point, trained.value, trained.stationarity, labels=labels, stage=stage, facts=facts)


def _key(labels: np.ndarray, column: int) -> tuple[int, bytes]:
    return column, (labels[:, column] > 0).tobytes()


def switched(labels: np.ndarray, scores: Scores, balance: Balance, n_switches: int | None) -> np.ndarray:
    """The labels after the most wanted switches, column by column; the same array where none is switched."""
    wanted = balance.assign(scores)
    result = labels
    for column in range(labels.shape[1]):
        open_rows = np.flatnonzero(labels[:, column] != wanted[:, column])
        some = scores.some(open_rows)[:, column]
        changes = open_rows[_changes(labels[open_rows, column], some, n_switches)]
        if len(changes):
            result = result.copy() if result is labels else result
            result[changes, column] *= -1.0
    return result


def _changes(labels: np.ndarray, scores: np.ndarray, n_switches: int | None) -> np.ndarray:
    """Which of these points to switch: the positives of the lowest and the negatives of the highest scores."""
    falling, rising = np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)
    falling = falling[np.argsort(scores[falling], kind="stable")]
    rising = rising[np.argsort(-scores[rising], kind="stable")]
    if len(falling) == len(rising):
        # pair by pair: z_i < z_j
        gain = scores[rising] - scores[falling] > TIE
        return np.concatenate([falling[gain][:n_switches], rising[gain][:n_switches]])
    # no count is held: labels are switched one by one
    single = np.concatenate([falling, rising])
    single = single[np.argsort(-np.abs(scores[single]), kind="stable")]
    switched: np.ndarray = single[np.abs(scores[single]) > TIE][:n_switches]
    return switched
