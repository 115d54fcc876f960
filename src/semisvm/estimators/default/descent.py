"""Gradient S3VMs on the features of one kernel, many columns at once, in the precision of the features.

    J(w) = 1/2 |w|^2 + sum_L c max(0, 1 - y z)^2 + a sum_U c exp(-z^2),     z = Z w + b,    a = 1/64, 1/16, 1/4, 1

b is held and Z is centered on the unlabeled rows, so that the mean output of these rows is b. Every column has its own
w, b, labels and weights, and is minimized by limited-memory BFGS with backtracking. A step costs two products with Z
for all columns that still move; where it ends is found among numbers, one per row.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from semisvm.estimators.learner import codes_of

WEIGHTS = (2.0**-6, 2.0**-4, 2.0**-2, 1.0)
APPROACH_TOL = 3e-2
MEMORY = 8
DECREASE = 1e-4
"""Share of the decrease along the slope that a step has to reach."""
HALVINGS = 12


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of the labeled and of the unlabeled rows, and what each row costs in every column."""

    labeled: np.ndarray
    unlabeled: np.ndarray
    y: np.ndarray
    """(l, columns)"""
    labeled_weights: np.ndarray
    unlabeled_weights: np.ndarray
    """(u, 1): the same in all columns."""
    bias: np.ndarray

    def columns(self, chosen: np.ndarray) -> "Rows":
        return replace(
            self, y=self.y[:, chosen], labeled_weights=self.labeled_weights[:, chosen], bias=self.bias[chosen]
        )


@dataclass(frozen=True, eq=False)
class Place:
    """A point of the descent: coefficients with their scores, value and gradient, column by column."""

    w: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray
    value: np.ndarray
    gradient: np.ndarray

    @property
    def stationarity(self) -> np.ndarray:
        """|gradient| / max(1, |w|)."""
        return _norms(self.gradient) / np.maximum(1.0, _norms(self.w))

    def columns(self, chosen: np.ndarray) -> "Place":
        parts = (self.w, self.labeled, self.unlabeled, self.gradient)
        w, labeled, unlabeled, gradient = (one[:, chosen] for one in parts)
        return Place(w, labeled, unlabeled, self.value[chosen], gradient)

    def put(self, chosen: np.ndarray, part: "Place") -> None:
        """Replace these columns."""
        for own, other in ((self.w, part.w), (self.labeled, part.labeled), (self.unlabeled, part.unlabeled)):
            own[:, chosen] = other
        self.value[chosen], self.gradient[:, chosen] = part.value, part.gradient


@dataclass(frozen=True, eq=False)
class Descent:
    """Where the columns ended, stage by stage."""

    place: Place
    n_iter: int
    path: list[dict]
    interrupt: KeyboardInterrupt | None


def descend(rows: Rows, start: np.ndarray, tol: float, steps_per_stage: int, own: slice) -> Descent:
    """From `start`, (dimension, columns), through all stages; Ctrl-C leaves the columns where they are.

    The path counts the unlabeled rows whose class changes by the columns `own`.
    """
    place: Place | None = None
    path: list[dict] = []
    n_iter, interrupt = 0, None
    w = start.astype(rows.unlabeled.dtype)
    before = rows.unlabeled @ w + rows.bias
    for stage, weight in enumerate(WEIGHTS):
        began, last = time.monotonic(), weight == WEIGHTS[-1]
        place = _at(rows, w, weight)
        try:
            n_iter += _minimize(rows, place, weight, tol if last else APPROACH_TOL, steps_per_stage)
        except KeyboardInterrupt as stopped:
            interrupt = stopped
        path.append(
            {
                "stage": stage,
                "weight": weight,
                "objective": place.value.copy(),
                "changed": int(np.count_nonzero(codes_of(place.unlabeled[:, own]) != codes_of(before[:, own]))),
                "seconds": time.monotonic() - began,
            }
        )
        w, before = place.w, place.unlabeled
        if interrupt is not None:
            break
    assert place is not None
    return Descent(place, n_iter, path, interrupt)


def _at(rows: Rows, w: np.ndarray, weight: float) -> Place:
    labeled, unlabeled = rows.labeled @ w + rows.bias, rows.unlabeled @ w + rows.bias
    return _evaluated(rows, w, labeled, unlabeled, weight)


def _evaluated(rows: Rows, w: np.ndarray, labeled: np.ndarray, unlabeled: np.ndarray, weight: float) -> Place:
    short = np.maximum(0.0, 1.0 - rows.y * labeled)
    bump = weight * rows.unlabeled_weights * np.exp(-(unlabeled**2))
    value = 0.5 * _squares(w) + np.einsum("ij,ij->j", rows.labeled_weights, short**2) + bump.sum(axis=0)
    # slopes: -2 c y max(0, 1 - y z) and -2 z c exp(-z^2)
    gradient = w - rows.labeled.T @ (2.0 * rows.labeled_weights * rows.y * short)
    gradient -= rows.unlabeled.T @ (2.0 * unlabeled * bump)
    return Place(w, labeled, unlabeled, value, gradient)


def _value(rows: Rows, squares: np.ndarray, labeled: np.ndarray, unlabeled: np.ndarray, weight: float) -> np.ndarray:
    short = np.maximum(0.0, 1.0 - rows.y * labeled)
    bump = np.exp(-(unlabeled**2))
    bump *= rows.unlabeled_weights
    return 0.5 * squares + np.einsum("ij,ij->j", rows.labeled_weights, short**2) + weight * bump.sum(axis=0)


def _minimize(rows: Rows, whole: Place, weight: float, tol: float, steps: int) -> int:
    """Move `whole` to where its columns come to rest, in `steps` steps at most; the number of steps.

    A column at rest stays where it is, whatever the others do, and is left out once half of them rest.
    """
    columns = np.flatnonzero(whole.stationarity > tol)
    part, own, pairs = whole.columns(columns), rows.columns(columns), Pairs()
    moving = np.ones(len(columns), dtype=bool)
    for step in range(steps):
        if not moving.any():
            return step
        direction = -moving.astype(part.w.dtype) * pairs.inverse_hessian(part.gradient)
        after = _searched(own, part, direction, weight)
        pairs.add(after.w - part.w, after.gradient - part.gradient)
        whole.put(columns, after)
        # at rest: the gradient is small, or no step was found
        moving &= (after.stationarity > tol) & (after.value < part.value)
        part = after
        if np.count_nonzero(moving) <= len(columns) // 2:
            columns, part, own, pairs = (
                columns[moving],
                part.columns(moving),
                own.columns(moving),
                pairs.columns(moving),
            )
            moving = np.ones(len(columns), dtype=bool)
    return steps


def _searched(rows: Rows, place: Place, direction: np.ndarray, weight: float) -> Place:
    """The first of the steps 1, 1/2, 1/4, ... that decreases enough; none where none does."""
    slope = np.einsum("ij,ij->j", place.gradient, direction)
    along_labeled, along_unlabeled = rows.labeled @ direction, rows.unlabeled @ direction
    cross, square = np.einsum("ij,ij->j", place.w, direction), _squares(direction)
    start = _squares(place.w)
    size = np.ones(len(slope), dtype=place.w.dtype)
    for _ in range(HALVINGS):
        squares = start + size * (2.0 * cross + size * square)
        value = _value(
            rows, squares, place.labeled + size * along_labeled, place.unlabeled + size * along_unlabeled, weight
        )
        short = ~(value <= place.value + DECREASE * size * slope)
        if not short.any():
            break
        size[short] *= 0.5
    else:
        size[short] = 0.0
    w = place.w + size * direction
    return _evaluated(rows, w, place.labeled + size * along_labeled, place.unlabeled + size * along_unlabeled, weight)


class Pairs:
    """The last changes s of the point and y of the gradient, of every column; those without curvature count nothing."""

    def __init__(self) -> None:
        self.s: list[np.ndarray] = []
        self.y: list[np.ndarray] = []
        self.rho: list[np.ndarray] = []

    def add(self, s: np.ndarray, y: np.ndarray) -> None:
        curvature = np.einsum("ij,ij->j", s, y)
        useful = curvature > 1e-6 * _squares(s)
        self.s.append(s)
        self.y.append(y)
        self.rho.append(np.divide(1.0, curvature, out=np.zeros_like(curvature), where=useful))
        if len(self.s) > MEMORY:
            del self.s[0], self.y[0], self.rho[0]

    def columns(self, chosen: np.ndarray) -> "Pairs":
        part = Pairs()
        part.s, part.y = [one[:, chosen] for one in self.s], [one[:, chosen] for one in self.y]
        part.rho = [one[chosen] for one in self.rho]
        return part

    def inverse_hessian(self, gradient: np.ndarray) -> np.ndarray:
        """H g by the two loops of Nocedal (1980); a gradient longer than one is cut to one where there is no pair."""
        q, a = gradient.copy(), []
        for s, y, rho in zip(reversed(self.s), reversed(self.y), reversed(self.rho), strict=True):
            a.append(rho * np.einsum("ij,ij->j", s, q))
            q -= a[-1] * y
        q *= self._scale(gradient)
        for s, y, rho, one in zip(self.s, self.y, self.rho, reversed(a), strict=True):
            q += (one - rho * np.einsum("ij,ij->j", y, q)) * s
        return q

    def _scale(self, gradient: np.ndarray) -> np.ndarray:
        scale = 1.0 / np.maximum(1.0, _norms(gradient))
        for y, rho in zip(self.y, self.rho, strict=True):
            # s'y / y'y of the last pair that counts
            scale = np.where(rho > 0, 1.0 / np.maximum(rho * _squares(y), 1e-30), scale)
        return scale.astype(gradient.dtype, copy=False)


def _squares(a: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", a, a)


def _norms(a: np.ndarray) -> np.ndarray:
    return np.sqrt(_squares(a))
