"""Laplacian SVM and RLS: functions that are smooth along the graph of all rows, labeled or not.

Belkin, Niyogi and Sindhwani, "Manifold regularization" (2006); Melacci and Belkin, "Laplacian support vector machines
trained in the primal" (2011).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from semisvm.algorithms import Algorithm, Candidate, DualHinge
from semisvm.algorithms.algorithm import Watcher
from semisvm.algorithms.laplacian import DualSquaredHinge, NewtonSteps, OnSections, PreconditionedGradient
from semisvm.algorithms.laplacian_sections import IterativeSections, QuickestSections
from semisvm.algorithms.laplacian_stopping import Agreed, ErrorRecord, Scores, Stability, Validation, interval
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import KernelChoice, one_of, positive
from semisvm.estimators.row_sources import AnchorGraph, anchored_space, refuse_pairs
from semisvm.estimators.share_choice import ShareChoice
from semisvm.estimators.space_store import settings_of
from semisvm.geometry.distance_order import DistanceOrder
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph, GraphTerm, Laplacian
from semisvm.losses import Hinge, Loss, Squared, SquaredHinge, Zero
from semisvm.objective import Problem
from semisvm.optim import ConjugateGradient, KernelNewton
from semisvm.spaces import Full, Linear, Predictor, Space, SparseGram, deform

__all__ = ["LaplacianRLS", "LaplacianSVM"]

FORMED_COLUMNS = 2000
"""Features up to which I + Z'G Z is formed once: it then serves every class and iteration."""

EXACT = 1e-8
"""Direct solvers are run to this stationarity, or to `tol` where that is smaller: a further step costs them little."""


@dataclass(frozen=True, eq=False)
class ValidatedSet(TrainingSet):
    """Training rows, with the labeled rows that are kept for validation."""

    held_out: np.ndarray


@dataclass(eq=False, repr=False, kw_only=True)
class Manifold(KernelChoice):
    """The space of functions, and the cost of changes along the graph."""

    gamma_A: float = 1e-2  # noqa: N815
    gamma_I: float = 1e-1  # noqa: N815
    solver: str = "pcg"
    fit_intercept: bool = False

    deformation: ClassVar[float] = 1.0  # type: ignore[misc]
    """gamma_I / gamma_A says how much the graph counts; there is no such parameter here."""
    solvers: ClassVar[tuple[str, ...]] = ("pcg", "direct")

    def _check_manifold(self) -> None:
        positive("gamma_A", self.gamma_A)
        positive("gamma_I", self.gamma_I, zero=True)
        one_of("solver", self.solver, self.solvers)
        self._check_space()

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.solver != "pcg"

    @property
    def _C(self) -> float:
        # sum V + gamma_A |f|^2 + ... = 2 gamma_A (1/2 |f|^2 + C sum V + ...)
        return 1.0 / (2.0 * self.gamma_A)

    @property
    def _stops_on_decisions(self) -> bool:
        """Whether the run ends by its decisions, long before the rounding of a float32 kernel matters."""
        return False

    def _curved_space(self, points: Points, random_state: Any) -> tuple[Space, GraphTerm | None]:
        """The space and its graph term; with few features the graph is part of their metric, without a term."""
        if isinstance(self.graph, AnchorGraph) and self.gamma_I > 0:
            kernel, scale = self._kernel(points), self.gamma_I / self.gamma_A
            return anchored_space(points, kernel, self.n_components, self.graph, scale, random_state), None
        space = self._plain_space(points, points, random_state)
        if isinstance(space, Full) and self._stops_on_decisions:
            space = self._spaces().get(("as rows", id(space)), points, space.in_the_precision_of_its_rows)
        if self.gamma_I == 0:
            return space, None
        graph, full = self.graph or Graph(), isinstance(space, Full | SparseGram)
        refuse_pairs(points, f"graph={graph!r}", "use graph=AnchorGraph()")

        def laplacian() -> Laplacian:
            order = DistanceOrder.of(space.gram(), space.kernel) if isinstance(space, Full) else None
            return graph.laplacian(self._geometry(points), graph.normalizes(full), order)

        known = self._spaces().get(("laplacian", settings_of(graph), full), points, laplacian)
        term = GraphTerm(known, self.gamma_I / self.gamma_A)
        wide = isinstance(space, Linear) and (sp.issparse(space.X) or space.dimension > FORMED_COLUMNS)
        if full or (wide and self.solver == "pcg"):
            return space, term
        return deform(space, term), None


@dataclass(eq=False, repr=False, kw_only=True)
class _ManifoldClassifier(Manifold, ShareChoice):
    """Labeled losses and a graph of all rows; a method supplies the loss."""

    early_stopping: str | None = "stability"
    validation_fraction: float = 0.2

    @abstractmethod
    def _loss(self) -> Loss:
        """The labeled loss."""

    @property
    def _stops_on_decisions(self) -> bool:
        return self.solver == "pcg" and self.early_stopping is not None and not isinstance(self._loss(), Hinge)

    def _check_parameters(self) -> None:
        self._check_running()
        self._check_manifold()
        self._check_shares()
        one_of("early_stopping", self.early_stopping, ("stability", "validation", "mixed", None))
        positive("validation_fraction", self.validation_fraction)
        if self.validation_fraction >= 1:
            raise ValueError(
                f"validation_fraction={self.validation_fraction!r} was given and a share between 0 and 1 is needed."
            )

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, drawn=None, follow=None):
        """Train on the rows of X; rows whose label is `unlabeled` (or missing) are unlabeled.

        early_stopping="validation" and "mixed" use X_val and y_val. Without them a `validation_fraction` of
        the labeled rows is set aside for that: they stay in the graph, and their labels are not trained on.
        `follow` maps names to pairs of rows and labels; `errors_` then holds the share of wrong decisions on each of
        them at every iteration, beside the objective and the lengths of the gradient in `path_`.
        `drawn` is a mask of the rows whose labels were drawn at random: only these show how frequent a class is.
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("One of X_val and y_val was given and both, or neither, are needed.")
        # the hooks below are called by `fit` of the base class, which does not know these arguments: they are kept
        # here while it runs, and no longer
        self._validation, self._followed = (X_val, y_val), dict(follow or {})
        try:
            return super().fit(X, y, sample_weight, X_val=X_val, y_val=y_val, drawn=drawn)
        finally:
            del self._validation, self._followed

    # ---------------------------------------------------------------- the problem

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        self._warn_if_all_labeled(labels, "smooths over the labeled rows alone")
        held_out = self._set_aside(labels)
        weights[held_out] = 0.0
        return ValidatedSet(points, points, labels, weights, held_out)

    def _set_aside(self, labels: Labels) -> np.ndarray:
        """Labeled rows kept for validation: none, or a share of each class that leaves one row at least."""
        looks = self.solver == "pcg" and self.early_stopping in ("validation", "mixed")
        if not looks or self._validation[0] is not None:
            return np.empty(0, dtype=np.intp)
        random, aside = self._randomness(), []
        for code in range(len(labels.classes)):
            rows = random.permutation(np.flatnonzero(labels.codes == code))
            aside.append(rows[: min(len(rows) - 1, max(1, round(self.validation_fraction * len(rows))))])
        held_out = np.sort(np.concatenate(aside))
        if not len(held_out):
            raise ValueError(
                f"early_stopping={self.early_stopping!r} was given with one label per class and rows to validate on "
                'are needed: pass X_val and y_val, or set early_stopping="stability".'
            )
        return held_out

    def _problem(self, training: TrainingSet) -> Problem:
        labels, k = training.labels, training.labels.n_columns
        space, term = self._curved_space(training.points, self._randomness())
        self._settle_shares(training, space)
        return Problem(
            space=space,
            y=labels.signs(),
            labeled=np.flatnonzero((labels.codes >= 0) & (training.weights > 0)),
            unlabeled=np.empty(0, dtype=np.intp),
            labeled_loss=self._loss(),
            unlabeled_loss=Zero(),
            weights=np.repeat(self._C * training.weights[:, None], k, axis=1),
            bias=None if self.fit_intercept else np.zeros(k),
            graph=term,
        )

    @property
    def _C_of_labels(self) -> float:
        return self._C

    @property
    def _has_graph(self) -> bool:
        return self.gamma_I > 0

    def _unlabeled_scores(self, training: TrainingSet, candidate: Candidate, predictor: Predictor) -> np.ndarray:
        return candidate.point.scores[training.labels.unlabeled]

    # ---------------------------------------------------------------- how it is solved, and when it stops

    def _algorithm(self, problem: Problem) -> Algorithm:
        exact = min(self.tol, EXACT)
        hinge = isinstance(problem.labeled_loss, Hinge)
        if self.solver == "pcg" and not hinge:
            return PreconditionedGradient(ConjugateGradient(self.tol))
        inner: Algorithm = NewtonSteps(KernelNewton(exact))
        if hinge:
            inner = DualHinge(self.tol)
        elif self.solver == "dual":
            inner = DualSquaredHinge(exact)
        if problem.graph is None:
            return inner
        return OnSections(inner, IterativeSections(exact) if self.solver == "pcg" else QuickestSections())

    def _watchers(self, problem: Problem, training: TrainingSet) -> list[Watcher]:
        return [*self._record(problem, training.labels), *self._stopping(problem, training)]

    def _record(self, problem: Problem, labels: Labels) -> list[Watcher]:
        """What fills `errors_`; nothing where no rows are followed."""
        self.__dict__.pop("errors_", None)
        if not self._followed:
            return []
        sets = {name: self._points(problem, labels, X, y, name) for name, (X, y) in self._followed.items()}
        record = ErrorRecord(sets)
        self.errors_ = record.errors
        return [record]

    def _stopping(self, problem: Problem, training: TrainingSet) -> list[Watcher]:
        if not self._stops_on_decisions:
            return []
        every, labels = interval(problem.space.n_points), training.labels
        rows = labels.unlabeled if len(labels.unlabeled) else labels.labeled
        stability = Stability(every, lambda candidate: candidate.point.scores[rows])
        if self.early_stopping == "stability":
            return [stability]
        validation = Validation(every, *self._validation_points(problem, training))
        return [validation if self.early_stopping == "validation" else Agreed([stability, validation])]

    def _validation_points(self, problem: Problem, training: TrainingSet) -> tuple[Scores, np.ndarray]:
        """Their scores, and the codes of their classes."""
        X_val, y_val = self._validation
        if X_val is None:
            assert isinstance(training, ValidatedSet)
            rows = training.held_out
            return lambda candidate: candidate.point.scores[rows], training.labels.codes[rows]
        return self._points(problem, training.labels, X_val, y_val, "y_val")

    def _points(self, problem: Problem, labels: Labels, X: Any, y: Any, name: str) -> tuple[Scores, np.ndarray]:
        """How new rows are scored, and the codes of their classes."""
        X, y = self._read_rows(X, reset=False), np.asarray(y)
        strangers = np.setdiff1d(y, labels.classes)
        if len(strangers):
            raise ValueError(f"{name} contains {strangers[0]!r} and the classes are {labels.classes.tolist()}.")

        def scores(candidate: Candidate) -> np.ndarray:
            return problem.space.predictor(candidate.point.theta, candidate.point.bias).scores(X)

        return scores, np.searchsorted(labels.classes, y)


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianSVM(_ManifoldClassifier):
    """Support vector machine that is smooth along the graph of all rows.

        sum_{i in L} V(y_i z_i) + gamma_A |f|^2 + gamma_I o'L^p o      o = f at all rows, z = o + b
        V(t) = max(0, 1 - t)^2  or  max(0, 1 - t)

    `objective_` is this divided by 2 gamma_A.

    Parameters
    ----------
    gamma_A, gamma_I : float
        Weights of the norm of the function and of its changes along the graph (0: an SVM on the labeled rows).
    graph : Graph, optional
        The graph of all rows and the power p of its Laplacian L; `Graph()` where none is given.
    loss : {"squared_hinge", "hinge"}
        V.
    solver : {"pcg", "newton", "dual"}
        "pcg": conjugate gradients preconditioned by the kernel, one product with it per iteration; the one for many
        rows, and the only one that can stop early. "newton" and "dual": one system of all rows is solved to rounding,
        by a factorization or, where that takes less time, by conjugate gradients; then Newton steps or a quadratic
        program of the labeled rows. The hinge is minimized in the dual by all three.
    early_stopping : {"stability", "validation", "mixed"} or None
        When "pcg" stops before `tol` is met: when fewer than 1.5 % of the decisions on unlabeled rows change within
        sqrt(n)/2 iterations; when no more validation rows are right than before; when both hold; never. It is
        never with the hinge: its dual has no intermediate iterates, so "validation" and "mixed" are refused.
    validation_fraction : float
        Share of the labeled rows set aside for "validation" and "mixed" where `fit` is given no X_val, y_val.
    fit_intercept : bool
        A bias that the graph term does not include. Off by default, as in the authors' package.
    ratio : "labeled", "estimated", "uniform", float or one number per class
        Share of the classes among the unlabeled rows, which `threshold` meets.
    threshold : {"auto", "share", "zero"}
        Where scores are cut: "zero", as in the papers; "share" moves the cut as far as the intervals of the shares
        demand; "auto" cuts at the mean score, inside the interval, where zero gives all rows to one of two classes and
        there are fewer than 15 labels. A class of one label gets no more rows than the upper end of its interval.
    kernel, gamma, degree, coef0, n_components
        The space of functions; with `n_components` or few linear columns one small matrix is formed from the graph, and
        iterations need no product with the graph.

    References
    ----------
    Belkin, Niyogi and Sindhwani, "Manifold regularization", JMLR 7, 2006.
    Melacci and Belkin, "Laplacian support vector machines trained in the primal", JMLR 12, 2011.

    Examples
    --------
    >>> from semisvm import Graph, LaplacianSVM
    >>> from semisvm.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianSVM(gamma=4.0, gamma_A=1e-4, gamma_I=1.0, graph=Graph(n_neighbors=10))
    >>> bool((model.fit(X, hide_labels(y, [0, 1])).transduction_ == y).all())
    True
    """

    loss: str = "squared_hinge"

    solvers: ClassVar[tuple[str, ...]] = ("pcg", "newton", "dual")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("loss", self.loss, ("squared_hinge", "hinge"))
        if self.loss == "hinge" and self.early_stopping in ("validation", "mixed"):
            raise ValueError(
                f'early_stopping={self.early_stopping!r} was given with loss="hinge", which is solved in the dual and '
                'makes no iterates to validate: set early_stopping=None, or loss="squared_hinge".'
            )

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.solver != "pcg" or self.loss == "hinge"

    def _loss(self) -> Loss:
        return SquaredHinge() if self.loss == "squared_hinge" else Hinge()


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianRLS(_ManifoldClassifier):
    """Regularized least squares on the labels -1 and +1 that is smooth along the graph of all rows.

        sum_{i in L} (y_i - z_i)^2 + gamma_A |f|^2 + gamma_I o'L^p o      o = f at all rows, z = o + b

    Parameters
    ----------
    solver : {"pcg", "direct"}
        Conjugate gradients with steps in closed form, or one factorization.
    gamma_A, gamma_I, graph, early_stopping, validation_fraction, fit_intercept, ratio, threshold
        As for :class:`LaplacianSVM`.

    References
    ----------
    Belkin, Niyogi and Sindhwani, "Manifold regularization", JMLR 7, 2006.

    Examples
    --------
    >>> from semisvm import LaplacianRLS
    >>> from semisvm.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianRLS(gamma=4.0, gamma_A=1e-4, gamma_I=1.0).fit(X, hide_labels(y, [0, 1]))
    >>> bool((model.transduction_ == y).mean() > 0.95)
    True
    """

    def _loss(self) -> Loss:
        return Squared()
