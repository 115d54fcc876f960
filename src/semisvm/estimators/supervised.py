"""The baselines that every semi-supervised result is compared with: an SVM and a ridge on the labeled rows alone."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from semisvm.algorithms import Algorithm, Candidate, DualHinge, LinearDual, Minimize
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import Weighting, one_of
from semisvm.estimators.row_sources import scores_at
from semisvm.estimators.share_choice import ShareChoice
from semisvm.geometry.distances import Points
from semisvm.losses import Hinge, Loss, Squared, SquaredHinge, Zero
from semisvm.objective import Problem
from semisvm.optim import KernelNewton, Minimizer, NewtonCG
from semisvm.spaces import Deformed, Full, Linear, Predictor

__all__ = ["SupervisedRLS", "SupervisedSVM"]

DIRECT_POINTS = 3000
"""Points of a full kernel up to which a factorized system is fastest; beyond, the dual solves the squared hinge."""
PRODUCTS = 300
"""Products that conjugate gradients take, roughly, on functions made of rows."""


def convex_minimizer(problem: Problem, tol: float) -> Minimizer:
    """For convex piecewise-quadratic losses: direct on the Gram matrix where that is cheap, or conjugate gradients."""
    n_points, space = len(problem.labeled) + len(problem.unlabeled), problem.space
    direct = n_points**3 <= PRODUCTS * space.work if space.by_rows else n_points <= DIRECT_POINTS
    return KernelNewton(min(tol, 1e-8)) if direct else NewtonCG(tol)


@dataclass(eq=False, repr=False, kw_only=True)
class _OnLabeledRows(ShareChoice, Weighting):
    """Trains on the labeled rows; unlabeled rows are used for the width of the kernel only."""

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        # the graph, and shares that are estimated from scores, need all rows
        of_all = self.graph is not None or (isinstance(self.ratio, str) and self.ratio == "estimated")
        if of_all or not len(labels.unlabeled):
            return TrainingSet(points, points, labels, weights)
        rows = labels.labeled
        return TrainingSet(points.take(rows), points, labels, weights[rows])

    @abstractmethod
    def _loss(self) -> Loss:
        """The labeled loss."""

    @property
    def _C_of_labels(self) -> float:
        return self.C

    @property
    def _learns_from_unlabeled_rows(self) -> bool:
        return self.graph is not None

    def _problem(self, training: TrainingSet) -> Problem:
        labels = training.labels
        y = labels.signs()
        if training.n_rows < len(y):
            y = y[labels.labeled]
        labeled = np.flatnonzero(np.any(y != 0, axis=1))
        weights = self.C * training.weights
        points = self._exact_enough(training.points, weights)
        space = self._space(points, training.every_point, self._randomness())
        self._settle_shares(training, space)
        return Problem(
            space=space,
            y=y,
            labeled=labeled,
            unlabeled=np.empty(0, dtype=np.intp),
            labeled_loss=self._loss(),
            unlabeled_loss=Zero(),
            weights=np.repeat(weights[:, None], labels.n_columns, axis=1),
            bias=None if self.fit_intercept else np.zeros(labels.n_columns),
        )

    def _algorithm(self, problem: Problem) -> Algorithm:
        return Minimize(convex_minimizer(problem, self.tol))

    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        return scores_at(predictor, training.every_point, training.labels.unlabeled)


@dataclass(eq=False, repr=False, kw_only=True)
class SupervisedSVM(_OnLabeledRows):
    """Support vector machine on the labeled rows.

        J(f, b) = 1/2 |f|^2 + C sum_{i in L} V(y_i (f(x_i) + b)),     V(t) = max(0, 1 - t)^2  or  max(0, 1 - t)

    Parameters
    ----------
    loss : {"squared_hinge", "hinge"}
        The squared hinge is minimized in the primal by Newton's method (linear functions after passes of dual
        coordinate descent), the hinge in the dual by the compiled box QP; so is the squared hinge with a kernel on more
        than 3,000 rows.
    kernel, gamma, degree, coef0, n_components, graph, deformation
        The space of functions; see docs/parameters.md.
    C : float
        Weight of a labeled point's loss.
    ratio, threshold
        Share of the classes among the unlabeled rows, and whether scores are cut by it: "auto" does so with a graph
        alone, where few labels give all rows to one class, or one label of a class gets too many.

    References
    ----------
    Chapelle, "Training a support vector machine in the primal", Neural Computation 19, 2007.

    Examples
    --------
    >>> from semisvm import SupervisedSVM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = SupervisedSVM(gamma="median", C=10).fit(X[:50], y[:50])
    >>> bool(model.score(X[50:], y[50:]) > 0.8)
    True
    """

    loss: str = "squared_hinge"

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        self._check_shares()
        one_of("loss", self.loss, ("squared_hinge", "hinge"))

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.loss == "squared_hinge"

    def _loss(self) -> Loss:
        return SquaredHinge() if self.loss == "squared_hinge" else Hinge()

    def _algorithm(self, problem: Problem) -> Algorithm:
        by_kernel = isinstance(problem.space, Full | Deformed)
        if self.loss == "hinge" or (by_kernel and len(problem.labeled) > DIRECT_POINTS):
            return DualHinge(self.tol)
        return LinearDual(self.tol) if isinstance(problem.space, Linear) else super()._algorithm(problem)


@dataclass(eq=False, repr=False, kw_only=True)
class SupervisedRLS(_OnLabeledRows):
    """Regularized least squares on the labels -1 and +1 of the labeled rows.

        J(f, b) = 1/2 |f|^2 + C sum_{i in L} (y_i - f(x_i) - b)^2

    References
    ----------
    Rifkin, Yeo and Poggio, "Regularized least-squares classification", 2003.

    Examples
    --------
    >>> from semisvm import SupervisedRLS
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = SupervisedRLS(gamma="median").fit(X[:50], y[:50])
    >>> bool(model.score(X[50:], y[50:]) > 0.8)
    True
    """

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_weighting()
        self._check_shares()

    @property
    def _needs_definite_kernel(self) -> bool:
        return True

    def _loss(self) -> Loss:
        return Squared()
