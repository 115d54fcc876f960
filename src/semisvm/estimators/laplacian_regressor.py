"""Laplacian regularized least squares for real targets: a function smooth along the graph of all rows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from semisvm.algorithms import Algorithm, Solution
from semisvm.algorithms.laplacian import NewtonSteps, OnSections, PreconditionedGradient
from semisvm.algorithms.laplacian_sections import QuickestSections
from semisvm.estimators.laplacian import EXACT, Manifold
from semisvm.estimators.reading import read_rows, read_weights
from semisvm.estimators.solving import Solving
from semisvm.estimators.whole_fits import a_solution_needed, all_or_nothing, interrupts_held_back
from semisvm.geometry.distances import Points
from semisvm.losses import SquaredError, Zero
from semisvm.objective import Problem
from semisvm.optim import ConjugateGradient, KernelNewton

__all__ = ["LaplacianRLSRegressor"]


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianRLSRegressor(Manifold, Solving, RegressorMixin, BaseEstimator):
    """Regularized least squares on real targets that is smooth along the graph of all rows.

        sum_{i in L} (y_i - z_i)^2 + gamma_A |f|^2 + gamma_I o'L^p o      o = f at all rows, z = o + b

    NaN is the only mark of an unlabeled row. `transduction_` holds the given target, or the fitted value where there is
    none.

    Parameters
    ----------
    solver : {"pcg", "direct"}
        Conjugate gradients to `tol`, or one system solved to rounding.
    gamma_A, gamma_I, graph, fit_intercept
        As for :class:`LaplacianSVM`; the bias is on by default, since targets have a mean.

    References
    ----------
    Belkin, Niyogi and Sindhwani, "Manifold regularization", JMLR 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from semisvm import LaplacianRLSRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> y = np.where(np.arange(80) % 8 == 0, np.sin(X[:, 0]), np.nan)
    >>> model = LaplacianRLSRegressor(gamma=1.0, gamma_A=1e-3, gamma_I=1e-3).fit(X, y)
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.9)
    True
    """

    fit_intercept: bool = True
    class_weight: ClassVar[None] = None  # type: ignore[misc]
    unlabeled: ClassVar[float] = np.nan  # type: ignore[misc]

    def fit(self, X, y, sample_weight=None):
        """Train on the rows of X; rows whose target is NaN are unlabeled."""
        with all_or_nothing(self):
            self._check_running()
            self._check_manifold()
            X = read_rows(self, X, reset=True, square=self._takes_kernel_values)
            y = _targets(y, X.shape[0], type(self).__name__)
            weights = read_weights(sample_weight, X.shape[0])
            if not weights[~np.isnan(y)].any():
                raise ValueError("All rows with a target have zero weight and at least one positive weight is needed.")
            with self._limited_threads(), a_solution_needed(self):
                problem = self._problem(Points.of(X), y, weights)
                solution, interrupt = self._solved(self._algorithm(problem), problem)
            with interrupts_held_back() as noted:
                self._store(problem, y, solution)
            self._report_end(solution)
        for one in [interrupt, *noted]:
            if one is not None:
                raise one
        return self

    def _problem(self, points: Points, y: np.ndarray, weights: np.ndarray) -> Problem:
        space, term = self._curved_space(points, self._randomness())
        rows = np.flatnonzero(~np.isnan(y) & (weights > 0))
        return Problem(
            space=space,
            # a loss of the scores, not of margins
            y=np.ones((len(y), 1)),
            labeled=rows,
            unlabeled=np.empty(0, dtype=np.intp),
            labeled_loss=SquaredError(y[rows]),
            unlabeled_loss=Zero(),
            weights=self._C * weights[:, None],
            bias=None if self.fit_intercept else np.zeros(1),
            graph=term,
        )

    def _algorithm(self, problem: Problem) -> Algorithm:
        if self.solver == "pcg":
            return PreconditionedGradient(ConjugateGradient(self.tol))
        inner = NewtonSteps(KernelNewton(min(self.tol, EXACT)))
        return inner if problem.graph is None else OnSections(inner, QuickestSections())

    def _store(self, problem: Problem, y: np.ndarray, solution: Solution) -> None:
        candidate = solution.candidate
        self.predictor_ = problem.space.predictor(candidate.point.theta, candidate.point.bias)
        self.intercept_ = candidate.point.bias
        self.transduction_ = np.where(np.isnan(y), candidate.point.scores[:, 0], y)
        self._keep(solution)

    def predict(self, X):
        """The value of the function at each row."""
        check_is_fitted(self)
        return self.predictor_.scores(read_rows(self, X, reset=False))[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._takes_kernel_values
        return tags


def _targets(y: Any, n: int, name: str) -> np.ndarray:
    """y as float64, NaN where unlabeled; other values are finite, and there is at least one."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    try:
        y = y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("y holds values that are not numbers and real targets (NaN: unlabeled) are needed.") from None
    if len(y) != n:
        raise ValueError(f"X has {n:,} rows and y has {len(y):,}: the same number is needed.")
    if np.isinf(y).any():
        raise ValueError("y contains infinity and finite targets (NaN: unlabeled) are needed.")
    if np.isnan(y).all():
        raise ValueError(f"None of the {n:,} rows has a target (NaN marks unlabeled rows): at least one is needed.")
    return y
