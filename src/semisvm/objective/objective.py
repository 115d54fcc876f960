"""What minimizers ask of an objective: a function on a Hilbert space with k independent columns.

It is evaluated at points whose outputs are kept, so that a step along a line costs no product. Nothing here knows of
margins, labels or support vectors, nor of where the rows are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from semisvm.objective.rows import Rows
from semisvm.objective.scores import Scores
from semisvm.objective.vectors import Point, Vector, put_columns

HessianProduct: TypeAlias = Callable[[Point], tuple[np.ndarray, np.ndarray]]
"""u -> (H u, its bias part)."""


class Line(Protocol):
    """The objective along point + s direction, for a step s per column."""

    @property
    def origin(self) -> tuple[np.ndarray, np.ndarray]:
        """Value and slope at s = 0, the slope by the same sum as at the first trial."""

    @property
    def graph_product(self) -> np.ndarray | float:
        """G e, the change of G o for s = 1."""

    def value_and_slope(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...

    def curvature(self, s: np.ndarray) -> np.ndarray: ...

    def arrive(self, s: np.ndarray) -> "Evaluation":
        """The objective at the end of the step, from what its trial has computed."""

    def slope(self, s: np.ndarray) -> np.ndarray:
        """The derivative alone, for pointwise losses: it costs the points with a loss, not all of them."""

    def slopes(self, steps: np.ndarray) -> np.ndarray:
        """`slope` at many steps (q, k) at once."""

    def breakpoints(self) -> np.ndarray:
        """(m, k) steps s > 0 at which some loss changes its piece; infinity for those behind."""


class Objective(Protocol):
    """A function that is evaluated, multiplied by its Hessian and followed along lines, k columns at once."""

    @property
    def n_columns(self) -> int: ...

    def vector(self, theta: np.ndarray, bias: np.ndarray) -> Vector: ...

    def complete(self, vector: Vector) -> Point:
        """The point of a vector: no product in kernel spaces, one in spaces made of rows."""

    def point(self, theta: np.ndarray, bias: np.ndarray) -> Point:
        """The point of these coefficients."""

    def start(self) -> Point:
        """f = 0 with the fixed bias, or with none."""

    def zero(self) -> Point:
        """f = 0 and no bias, without a product."""

    def at(self, theta: np.ndarray, bias: np.ndarray) -> "Evaluation":
        """Value and slopes in one pass over the data."""

    def evaluate(self, point: Point, graph_product: np.ndarray | float | None = None) -> "Evaluation":
        """Value and slopes where the outputs, and perhaps G o, are known already."""

    def value(self, point: Point) -> np.ndarray: ...

    def losses(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(sum of the weighted losses, their slope) for the scores of all rows."""

    def curvature(self, scores: np.ndarray) -> np.ndarray:
        """The second derivative of the loss of every row."""

    def bias_slope(self, slope: np.ndarray) -> np.ndarray:
        """Derivative in the bias: sum of the slopes, or 0 where the bias is fixed."""

    def hessian(self, evaluation: "Evaluation") -> HessianProduct:
        """u -> (u + E*(curvature * (E u + b) + G E u), its bias part)."""

    def along(self, evaluation: "Evaluation", direction: Point) -> Line:
        """The objective restricted to point + s direction."""

    def toward(self, evaluation: "Evaluation", vector: Vector) -> Line:
        """The line along a vector whose outputs are not known yet, to be tried at s = 1 first."""

    def scores(self, point: Point, rows: np.ndarray) -> Scores:
        """The scores of some rows, ascending, wherever they are."""

    def columns(self, chosen: np.ndarray) -> "Objective":
        """These columns only."""

    def worth_computing(self, moving: np.ndarray) -> np.ndarray:
        """The columns to compute: those that still move, or all where leaving some out saves nothing."""


class GramObjective(Objective, Protocol):
    """An objective whose Gram matrix K = E E* is read in parts, for Newton's method on some points."""

    @property
    def n_points(self) -> int: ...

    @property
    def free_bias(self) -> bool: ...

    def represent(self, v: np.ndarray) -> np.ndarray:
        """E* v: coefficients of sum_i v_i k(x_i, .)."""

    def block(self, rows: Rows, cols: Rows) -> np.ndarray:
        """Entries of K."""

    def combination(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        """f = sum_i v_i k(x_i, .) where its outputs K v are known from rows of K."""

    def dual_solution(self, v: np.ndarray, bias: np.ndarray, outputs: np.ndarray) -> Point:
        """The same for outputs in which rounding has added up: features compute theirs again."""

    def gram_product(self, v: np.ndarray) -> np.ndarray | None:
        """K v = E E* v by two products with features; None where it takes rows of K."""

    @property
    def better_on_pairs(self) -> bool:
        """Whether the dual is better solved on pairs of points, by rows of K, than by going over the points."""

    def scaled_triangle(self, rows: np.ndarray, scale: np.ndarray, less: np.ndarray) -> np.ndarray:
        """S (K_rr - c 1' - 1 c') S of some points, to be factored: S = diag(scale), c = less, both of these points."""

    def columns(self, chosen: np.ndarray) -> "GramObjective": ...


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The objective at a point: value of each column, slope of every score, G o, and E*(slope + G o)."""

    objective: GramObjective
    point: Point
    value: np.ndarray
    slope: np.ndarray
    graph_product: np.ndarray | float
    represented: np.ndarray

    @cached_property
    def curvature(self) -> np.ndarray:
        return self.objective.curvature(self.point.scores)

    @cached_property
    def gradient(self) -> Vector:
        """f + E*(slope + G o), and the sum of the slopes for a free bias."""
        return self.objective.vector(self.point.theta + self.represented, self.objective.bias_slope(self.slope))

    @cached_property
    def stationarity(self) -> np.ndarray:
        """|gradient| / max(1, |f|), for each column."""
        relative: np.ndarray = self.gradient.norm() / np.maximum(1.0, self.point.vector.norm())
        return relative

    def columns(self, chosen: np.ndarray) -> "Evaluation":
        graph_product = self.graph_product if isinstance(self.graph_product, float) else self.graph_product[:, chosen]
        part = Evaluation(
            self.objective.columns(chosen),
            self.point.columns(chosen),
            self.value[chosen],
            self.slope[:, chosen],
            graph_product,
            self.represented[:, chosen],
        )
        if "gradient" in self.__dict__:
            part.__dict__["gradient"] = self.gradient.columns(chosen)
        return part

    def put(self, chosen: np.ndarray, part: "Evaluation") -> "Evaluation":
        """This evaluation with the chosen columns moved on."""
        if len(chosen) == len(self.value):
            return part
        graph_product = self.graph_product
        if isinstance(graph_product, np.ndarray) and isinstance(part.graph_product, np.ndarray):
            graph_product = put_columns(graph_product, chosen, part.graph_product)
        whole = Evaluation(
            self.objective,
            self.point.put(chosen, part.point),
            put_columns(self.value, chosen, part.value),
            put_columns(self.slope, chosen, part.slope),
            graph_product,
            put_columns(self.represented, chosen, part.represented),
        )
        if "gradient" in self.__dict__:
            # no product for the columns that stay
            whole.__dict__["gradient"] = self.gradient.put(chosen, part.gradient)
        return whole
