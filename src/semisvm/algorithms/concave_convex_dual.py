"""The convex problems of the large scale transductive SVM, in the dual.

With t_j = C_star sign(f_j) 1[|f_j| > |s|], minus the slope of the concave part of the ramp, one iteration minimizes

    1/2 |f|^2 + C sum_L max(0, 1 - y_i z_i) + sum_U C_star max(1, |z_j|) - t_j z_j

The paper writes this with two copies of every unlabeled point, a point more for the balance, and an equality for the
bias. Merging the copies and centering on the unlabeled mean (it meets the balance and fixes the bias b) leaves a box:

    min_v  1/2 v'K_c v - sum_L (y_i - b) v_i + sum_U b v_j + sum_U |v_j - t_j|
           0 <= y_i v_i <= C,    |v_j - t_j| <= C_star,      K_c = K - k0 1' - 1 k0' + k00

Without a balance the bias is free, the equality stays, and so do the two copies.
"""

from dataclasses import dataclass

import numpy as np

from semisvm.algorithms.box_dual import BoxDual
from semisvm.algorithms.concave_convex import Solve, Subproblem
from semisvm.algorithms.kernel_rows import cached_rows, earlier, gram_rows, working_bytes
from semisvm.losses import Tangent
from semisvm.objective import Point, Problem, Vector
from semisvm.optim.box_qp import solve_box_qp
from semisvm.optim.budget import Budget
from semisvm.optim.linear_box_qp import LinearRows, solve_linear_box_qp
from semisvm.spaces import Centered, Linear, Mapped, Space


@dataclass(frozen=True)
class HingeDual(Subproblem):
    """tol: the largest violation of the optimality conditions of one convex problem."""

    tol: float = 1e-3

    def start(self, problem: Problem, budget: Budget) -> Point:
        """The SVM on the labeled points with its own bias, which decides the first tangents."""
        space, rows = _base(problem.space), problem.labeled
        held = problem.bias is not None and space is problem.space
        dual = BoxDual.of_labeled(problem.replace(bias=problem.bias if held else None))
        result = dual.solve(lambda chosen: space.block(rows[chosen], rows), space.norms()[rows], self.tol, budget)
        a = np.zeros((space.n_points, problem.n_columns))
        a[rows] = result.a
        # no Gram matrix is formed for functions that are evaluated once
        outputs = space.once(space.represent(a))
        return problem.replace(space=space).objective().combination(a, dual.bias_at(result), outputs)

    def prepare(self, problem: Problem) -> Solve:
        if problem.bias is None:
            return _Copies(problem, self.tol)
        base = _base(problem.space)
        if isinstance(base, Linear | Mapped):
            return _RowBox(problem, base, self.tol)
        return _KernelBox(problem, base, self.tol)


@dataclass(frozen=True, eq=False)
class _Box:
    """The box problem of the module docstring, (n, k) arrays: linear term, bounds, weight and place of the kinks."""

    c: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    p: np.ndarray
    t: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> "_Box":
        labeled, unlabeled = problem.labeled, problem.unlabeled
        y, C = problem.y[labeled], problem.weights[labeled]
        shape = problem.y.shape
        c, lo, hi, p, t = np.tile(-np.asarray(problem.bias), (shape[0], 1)), *np.zeros((4, *shape))
        # 0 <= y_i v_i <= C
        c[labeled] += y
        lo[labeled], hi[labeled] = np.minimum(0.0, y * C), np.maximum(0.0, y * C)
        # |v_j - t_j| <= C_star at the cost |v_j - t_j|
        t[unlabeled] = tilts(problem)
        p[unlabeled] = 1.0
        lo[unlabeled] = t[unlabeled] - problem.weights[unlabeled]
        hi[unlabeled] = t[unlabeled] + problem.weights[unlabeled]
        return cls(c, lo, hi, p, t)


def tilts(problem: Problem) -> np.ndarray:
    """t_j = C_star sign(f_j) 1[|f_j| > |s|]: the weighted slopes of the tangents, negated."""
    assert isinstance(problem.unlabeled_loss, Tangent), "a convex problem of the procedure has tangents"
    tilts: np.ndarray = -problem.weights[problem.unlabeled] * problem.unlabeled_loss.tilt
    return tilts


class _KernelBox:
    """The box problem by the compiled QP on rows of the Gram matrix, from where the last one ended."""

    def __init__(self, problem: Problem, base: Space, tol: float):
        self.base, self.tol = base, tol
        self.rows = gram_rows(base, tol)
        self.centering = problem.space.mean_embedding if isinstance(problem.space, Centered) else None
        self.v, self.outputs = np.zeros_like(problem.y), np.zeros_like(problem.y)

    def __call__(self, problem: Problem, columns: np.ndarray, point: Point, budget: Budget) -> tuple[Point, np.ndarray]:
        box = _Box.of(problem)
        result = solve_box_qp(
            self.rows,
            self.base.norms(),
            box.c,
            box.lo,
            box.hi,
            kink=(box.p, box.t),
            centering=self.centering,
            start=earlier(self.v[:, columns], self.outputs[:, columns]),
            tol=self.tol,
            cache_bytes=working_bytes(),
            deadline=budget.deadline,
        )
        self.v[:, columns], self.outputs[:, columns] = result.a, result.outputs
        # f = sum_i v_i k_c(x_i, .), whose outputs the QP has computed on its way
        point = problem.objective().combination(result.a, np.asarray(problem.bias), result.outputs)
        return point, np.asarray(result.violation)


class _RowBox:
    """The box problem by coordinate descent on the rows of linear functions or landmark features, column by column."""

    def __init__(self, problem: Problem, base: Linear | Mapped, tol: float):
        X = base.X if isinstance(base, Linear) else base.Z
        mean = problem.space.mean_function if isinstance(problem.space, Centered) else None
        self.rows, self.tol = LinearRows.of(X, base.norms(), mean), tol
        self.v = np.zeros_like(problem.y)

    def __call__(self, problem: Problem, columns: np.ndarray, point: Point, budget: Budget) -> tuple[Point, np.ndarray]:
        box = _Box.of(problem)
        results = []
        for place, column in enumerate(columns):
            c, lo, hi, p, t = (np.ascontiguousarray(part[:, place]) for part in (box.c, box.lo, box.hi, box.p, box.t))
            result = solve_linear_box_qp(
                self.rows, c, lo, hi, kink=(p, t), start=self.v[:, column], tol=self.tol, deadline=budget.deadline
            )
            self.v[:, column] = result.v
            results.append(result)
        theta = np.stack([result.w for result in results], axis=1)
        outputs = np.stack([result.outputs for result in results], axis=1)
        point = Point(Vector(theta, np.asarray(problem.bias), theta), outputs)
        return point, np.array([result.violation for result in results])


class _Copies:
    """A free bias: two copies of every unlabeled point, one per label, under one equality.

    a_i of a labeled point has 0 <= y_i a_i <= C and the linear term y_i. The copies of an unlabeled point have
    -beta+ <= a+ <= C_star - beta+ with the term +1 and -(C_star - beta-) <= a- <= beta- with the term -1, where
    beta+ = max(-t, 0), beta- = max(t, 0); their sum is v_j.
    """

    def __init__(self, problem: Problem, tol: float):
        self.space, self.tol, n = problem.space, tol, problem.space.n_points
        self.places = np.concatenate([np.arange(n), problem.unlabeled])
        self.rows = cached_rows(self._rows, len(self.places), tol)
        self.a = np.zeros((len(self.places), problem.n_columns))
        self.outputs = np.zeros_like(self.a)

    def _rows(self, chosen: np.ndarray) -> np.ndarray:
        return self.space.block(self.places[chosen])[:, self.places]

    def __call__(self, problem: Problem, columns: np.ndarray, point: Point, budget: Budget) -> tuple[Point, np.ndarray]:
        n, labeled, unlabeled = problem.space.n_points, problem.labeled, problem.unlabeled
        y, C, C_star, t = problem.y[labeled], problem.weights[labeled], problem.weights[unlabeled], tilts(problem)
        c, lo, hi = np.zeros((3, len(self.places), len(columns)))
        c[labeled], lo[labeled], hi[labeled] = y, np.minimum(0.0, y * C), np.maximum(0.0, y * C)
        raised, lowered = np.maximum(-t, 0.0), np.maximum(t, 0.0)
        c[unlabeled], lo[unlabeled], hi[unlabeled] = 1.0, -raised, C_star - raised
        c[n:], lo[n:], hi[n:] = -1.0, lowered - C_star, lowered
        result = solve_box_qp(
            self.rows,
            self.space.norms()[self.places],
            c,
            lo,
            hi,
            equality=True,
            start=earlier(self.a[:, columns], self.outputs[:, columns]),
            tol=self.tol,
            cache_bytes=working_bytes(),
            deadline=budget.deadline,
        )
        self.a[:, columns], self.outputs[:, columns] = result.a, result.outputs
        v = result.a[:n].copy()
        v[unlabeled] += result.a[n:]
        point = problem.objective().combination(v, np.asarray(result.bias), result.outputs[:n])
        return point, np.asarray(result.violation)


def _base(space: Space) -> Space:
    return space.base if isinstance(space, Centered) else space
