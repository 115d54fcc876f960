"""The interface of the losses: what a single point adds to the objective as a function of its output.

    J(f, b) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_star sum_{j in U} U(z_j)        z = f(x) + b

A loss is a function of one real argument t, applied elementwise to arrays of any shape: t = y z (the margins) for the
labeled loss V, t = z (the scores) for the unlabeled loss U. float32 in gives float32 out.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Rows = slice | npt.NDArray[Any] | Sequence[int]

EXAMPLE_POINTS = 6  # the number of points of every example that carries one value per point


class Loss(ABC):
    """A frozen function of t with its slope and its curvature.

    Where a loss has a kink, `slope` lies between the one-sided derivatives; where the curvature jumps, `curvature` is
    that of one side; each class says which. Kinks do not appear in `curvature`, which holds almost everywhere.
    """

    @abstractmethod
    def value(self, t: Floats) -> Floats:
        """The loss at t."""

    @abstractmethod
    def slope(self, t: Floats) -> Floats:
        """The derivative at t."""

    @abstractmethod
    def curvature(self, t: Floats) -> Floats:
        """The second derivative at t, almost everywhere."""

    def value_and_slope(self, t: Floats) -> tuple[Floats, Floats]:
        """Both at once; losses whose value and slope share work override this."""
        return self.value(t), self.slope(t)

    def bind(self, t: Floats, norms: Floats) -> "Loss":
        """The pointwise loss to use around t, the arguments of *all* the points; `norms` are their k(x, x).

        A loss that is pointwise already returns itself.
        """
        return self

    def take(self, rows: Rows) -> "Loss":
        """The loss of these points alone, where it carries one value per point (n,) or per point and column (n, k)."""
        return self

    def columns(self, chosen: Rows) -> "Loss":
        """The loss of these columns of t alone, where it carries one value per column."""
        return self

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Where the slope or the curvature jumps, ascending."""
        return ()

    @property
    def piecewise_quadratic(self) -> bool:
        """True if the loss is quadratic (or linear, or constant) between its breakpoints."""
        return False

    @property
    def convex(self) -> bool:
        """True if the loss is convex."""
        return False

    @property
    def differentiable(self) -> bool:
        """True if the slope is continuous."""
        return True

    @property
    def pointwise(self) -> bool:
        """False if `bind` must be called first: it adds the norms, or the multiplier that ties the points together."""
        return True

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that show the class at work; those with one value per point carry `EXAMPLE_POINTS` of them."""
        return [cls()]


class SplitLoss(Loss):
    """A loss that is the sum of a convex and a concave function, as the concave-convex procedure needs it."""

    @abstractmethod
    def convex_part(self) -> Loss:
        """The convex summand."""

    @abstractmethod
    def concave_value(self, t: Floats) -> Floats:
        """The concave summand at t."""

    @abstractmethod
    def concave_slope(self, t: Floats) -> Floats:
        """A supergradient of the concave summand at t."""


def concrete_losses() -> list[type[Loss]]:
    """Every loss class that can be instantiated, by name."""
    found: set[type[Loss]] = set()
    open_classes = Loss.__subclasses__()
    while open_classes:
        loss = open_classes.pop()
        open_classes.extend(loss.__subclasses__())
        if not inspect.isabstract(loss):
            found.add(loss)
    return sorted(found, key=lambda loss: loss.__name__)


def precision(t: Floats) -> np.dtype[Any]:
    """float32 for float32, float64 for the other numbers."""
    return np.result_type(np.asarray(t), np.float32)


def constant(height: float, t: Floats) -> Floats:
    """`height` at every entry of t, in the precision of t."""
    return np.full(np.shape(t), height, dtype=precision(t))


def step(mask: npt.NDArray[np.bool_], height: float, t: Floats) -> Floats:
    """`height` where the mask holds and 0 elsewhere, in the precision of t."""
    return np.multiply(mask, height, dtype=precision(t))


def signed(t: Floats, a: Floats) -> Floats:
    """sign(t) a with sign(0) = +1."""
    return np.where(np.asarray(t) >= 0, a, -a)


def per_point(a: float | Floats, t: Floats) -> Floats:
    """a, one value in all, per point (n,) or per point and column (n, k), in the precision and shape to go with t."""
    b = np.asarray(a, dtype=precision(t))
    return b[:, None] if b.ndim == 1 and np.ndim(t) == 2 else b


def take_rows(a: float | Floats, rows: Rows) -> float | Floats:
    """The rows of a, or a itself where it is one value for all points."""
    return a if np.ndim(a) == 0 else np.asarray(a)[rows]


def take_columns(a: float | Floats, chosen: Rows) -> float | Floats:
    """The columns of a (n, k), or a itself where all columns share it."""
    return np.asarray(a)[:, chosen] if np.ndim(a) == 2 and np.shape(a)[1] > 1 else a


def mirrored(breakpoints: tuple[float, ...]) -> tuple[float, ...]:
    """The breakpoints together with their images under t -> -t, ascending."""
    return tuple(sorted({*breakpoints, *(-b + 0.0 for b in breakpoints)}))
