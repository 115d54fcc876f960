"""Gradient S3VMs on the features of one kernel, many problems at once, in the precision of the features.

    J(w) = 1/2 |w|^2 + sum_L c max(0, 1 - y z)^2 + a sum_U c exp(-z^2),     z = Z w + b,    a = 1/64, 1/16, 1/4, 1

b is held and Z is centered on the unlabeled rows, so that the mean output of these rows is b. Every problem has its own
w, b, labels and weights, is a row of every array here, and is minimized by limited-memory BFGS with backtracking. Value
and gradient are found strip by strip: the features of a strip are read once for both, and its scores never leave the
processor's cache.
"""

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from semisvm.estimators.default.curvature_pairs import CurvaturePairs
from semisvm.estimators.default.row_sums import SUMMED, SUMMED_FOR_FOLDS, summed_rows
from semisvm.estimators.learner import codes_of
from semisvm.memory import chunk_rows

WEIGHTS = (2.0**-6, 2.0**-4, 2.0**-2, 1.0)
APPROACH_TOL = 3e-2
DECREASE = 1e-4
"""Share of the decrease along the slope that a step has to reach."""
HALVINGS = 12
STRIP_BYTES = 2**19
"""Features and scores of a strip of rows."""


@dataclass(frozen=True)
class Effort:
    """Weights of the unlabeled rows, one stage each, and the share of the allowed steps that a stage takes."""

    weights: tuple[float, ...]
    of_steps: float


WHOLE = Effort(WEIGHTS, 1.0)
LIGHT = Effort((2.0**-4, 1.0), 2 / 3)


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of the labeled and of the unlabeled rows, and what each row costs in every problem."""

    labeled: np.ndarray
    unlabeled: np.ndarray
    y: np.ndarray
    """(problems, l)"""
    labeled_weights: np.ndarray
    """(problems, l)"""
    unlabeled_weights: np.ndarray
    """(u,): the same in all problems."""
    bias: np.ndarray

    def of(self, problems: np.ndarray) -> "Rows":
        return replace(
            self, y=self.y[problems], labeled_weights=self.labeled_weights[problems], bias=self.bias[problems]
        )

    def summed(self, most: int) -> "Rows":
        """A draw of many unlabeled rows, each of which stands for several."""
        n = len(self.unlabeled)
        if n <= most:
            return self
        some = summed_rows(n, most)
        unlabeled, weights = self.unlabeled[some], self.unlabeled_weights[some]
        return replace(self, unlabeled=unlabeled, unlabeled_weights=weights * weights.dtype.type(n / len(weights)))

    def unlabeled_scores(self, w: np.ndarray, problems: np.ndarray) -> np.ndarray:
        """(u, problems)"""
        return self.unlabeled @ w[problems].T + self.bias[problems]

    def strips(self, n_problems: int) -> list[slice]:
        """Of the unlabeled rows: features, scores and slopes of a strip are held at a time."""
        numbers = self.unlabeled.shape[1] + 2 * n_problems
        step = chunk_rows(numbers, self.unlabeled.itemsize, STRIP_BYTES)
        return [slice(start, start + step) for start in range(0, len(self.unlabeled), step)]


@dataclass(frozen=True, eq=False)
class Iterate:
    """A point of the descent: coefficients with their value and gradient, problem by problem."""

    w: np.ndarray
    value: np.ndarray
    gradient: np.ndarray

    @property
    def stationarity(self) -> np.ndarray:
        """|gradient| / max(1, |w|)."""
        return _norms(self.gradient) / np.maximum(1.0, _norms(self.w))

    def of(self, problems: np.ndarray) -> "Iterate":
        return Iterate(self.w[problems], self.value[problems], self.gradient[problems])

    def put(self, problems: np.ndarray, part: "Iterate") -> None:
        """Replace these problems."""
        self.w[problems], self.value[problems], self.gradient[problems] = part.w, part.value, part.gradient


@dataclass(frozen=True, eq=False)
class Descent:
    """Where the problems ended, stage by stage."""

    place: Iterate
    n_iter: int
    path: list[dict]
    interrupt: KeyboardInterrupt | None


def descend(
    rows: Rows,
    start: np.ndarray,
    tol: float,
    steps_per_stage: int,
    own: np.ndarray,
    near: np.ndarray,
    of_others: Effort,
) -> Descent:
    """From `start`, (problems, dimension), through all stages; Ctrl-C leaves the problems where they are.

    The problems `own` are those with all labels; the others make the effort `of_others`. Those `near` start near their
    end and take the last weight alone. Of many unlabeled rows some are summed, by the problems `own` more than by the
    others, and a last stage of these sums them all. The path has the stages of the problems `own`, and counts the
    unlabeled rows whose class changes by these.
    """
    w = start.astype(rows.unlabeled.dtype)
    place = Iterate(w, np.zeros(len(w), w.dtype), np.zeros_like(w))
    every = np.arange(len(w))
    path: list[dict] = []
    n_iter, interrupt = 0, None
    stages = _stages(rows.summed(SUMMED), own, WHOLE, tol, near)
    if stages:
        before = codes_of(rows.unlabeled_scores(w, own))
        if rows is not stages[-1].rows:
            stages.append(Stage(rows, own, WEIGHTS[-1], tol))
    n_own = len(stages)
    stages += _stages(rows.summed(SUMMED_FOR_FOLDS), np.delete(every, own), of_others, tol, near)
    for number, stage in enumerate(stages):
        began, part = time.monotonic(), stage.rows.of(stage.problems)
        found = evaluate(part, place.w[stage.problems], stage.weight)
        try:
            steps = math.ceil(stage.of_steps * steps_per_stage)
            n_iter += _minimize(part, found, stage.weight, stage.tol, steps)
        except KeyboardInterrupt as stopped:
            interrupt = stopped
        place.put(stage.problems, found)
        if number < n_own:
            codes = codes_of(rows.unlabeled_scores(place.w, own))
            path.append(
                {
                    "stage": number,
                    "weight": stage.weight,
                    "objective": place.value.copy(),
                    "changed": int(np.count_nonzero(codes != before)),
                    "seconds": time.monotonic() - began,
                }
            )
            before = codes
        if interrupt is not None:
            break
    return Descent(place, n_iter, path, interrupt)


@dataclass(frozen=True, eq=False)
class Stage:
    """Which problems are minimized on which rows, and how far."""

    rows: Rows
    problems: np.ndarray
    weight: float
    tol: float
    of_steps: float = 1.0


def _stages(rows: Rows, problems: np.ndarray, effort: Effort, tol: float, near: np.ndarray) -> list[Stage]:
    """With one weight of the unlabeled rows after the other."""
    if not len(problems):
        return []
    far, (*approach, last) = np.setdiff1d(problems, near), effort.weights
    stages = [Stage(rows, far, weight, APPROACH_TOL, effort.of_steps) for weight in approach] if len(far) else []
    return [*stages, Stage(rows, problems, last, tol, effort.of_steps)]


def evaluate(rows: Rows, w: np.ndarray, weight: float) -> Iterate:
    """J and its gradient at (problems, dimension) coefficients, with this weight of the unlabeled rows."""
    short = np.maximum(0.0, 1.0 - rows.y * (w @ rows.labeled.T + rows.bias[:, None]))
    pull = rows.labeled_weights * short
    value = 0.5 * _squares(w) + _dots(pull, short)
    # slopes: -2 c y max(0, 1 - y z) and -2 z c exp(-z^2)
    gradient = w - (2.0 * pull * rows.y) @ rows.labeled
    bumps, slopes = np.zeros_like(value), np.zeros_like(w)
    for strip in rows.strips(len(w)):
        Z, c = rows.unlabeled[strip], rows.unlabeled_weights[strip]
        z = w @ Z.T
        z += rows.bias[:, None]
        bump = np.square(z)
        np.exp(np.negative(bump, out=bump), out=bump)
        bump *= c
        bumps += bump.sum(axis=1)
        bump *= z
        slopes += bump @ Z
    return Iterate(w, value + weight * bumps, gradient - 2.0 * weight * slopes)


def _minimize(rows: Rows, whole: Iterate, weight: float, tol: float, steps: int) -> int:
    """Move `whole` to where its problems come to rest, in `steps` steps at most; the number of steps.

    A problem at rest stays where it is, whatever the others do, and is left out.
    """
    moving = np.flatnonzero(whole.stationarity > tol)
    part, own = whole.of(moving), rows.of(moving)
    pairs = CurvaturePairs.none(part.w)
    for step in range(steps):
        if not len(moving):
            return step
        after = _searched(own, part, -pairs.inverse_hessian(part.gradient), weight)
        whole.put(moving, after)
        pairs.add(after.w - part.w, after.gradient - part.gradient)
        # at rest: the gradient is small, or no step was found
        on = (after.stationarity > tol) & (after.value < part.value)
        part = after
        if not on.all():
            moving, part, own, pairs = moving[on], part.of(on), own.of(on), pairs.of(on)
    return steps


def _searched(rows: Rows, place: Iterate, direction: np.ndarray, weight: float) -> Iterate:
    """The first of the steps 1, 1/2, 1/4, ... that decreases enough; none where none does."""
    slope = _dots(place.gradient, direction)
    size = np.ones(len(slope), dtype=place.w.dtype)
    after = evaluate(rows, place.w + direction, weight)
    for _ in range(HALVINGS - 1):
        short = np.flatnonzero(~(after.value <= place.value + DECREASE * size * slope))
        if not len(short):
            return after
        size[short] *= 0.5
        after.put(short, evaluate(rows.of(short), place.w[short] + size[short, None] * direction[short], weight))
    short = np.flatnonzero(~(after.value <= place.value + DECREASE * size * slope))
    after.put(short, place.of(short))
    return after


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _squares(a: np.ndarray) -> np.ndarray:
    return _dots(a, a)


def _norms(a: np.ndarray) -> np.ndarray:
    return np.sqrt(_squares(a))
