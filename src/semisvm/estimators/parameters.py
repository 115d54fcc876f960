"""The constructor parameters that estimators share, each group checked in one place.

Every group is a dataclass: an estimator that inherits from it has the parameters in its own signature, as scikit-learn
wants them, and stores them untouched until `fit`.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from semisvm.estimators.definiteness import check_definite
from semisvm.estimators.row_sources import AnchorGraph, RowSource, anchored_space, refuse_pairs, space_of
from semisvm.estimators.space_store import SpaceStore, settings_of
from semisvm.geometry.distances import Points
from semisvm.geometry.graph import Graph
from semisvm.geometry.kernel_distances import KernelDistances
from semisvm.geometry.kernels import Kernel, kernel_from
from semisvm.geometry.widths import width
from semisvm.spaces import Full, Linear, Mapped, Space, SparseGram, deform, random_landmarks, reduced_set

HEAVIEST_SINGLE = 1e3
"""Weight of a loss up to which kernel values of float32 rows are precise enough."""


def one_of(name: str, value: object, allowed: tuple) -> None:
    if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        raise ValueError(f"{name}={value!r} was given and one of {', '.join(map(repr, allowed))} is needed.")


def positive(name: str, value: object, *, zero: bool = False) -> None:
    """A finite number above zero (or at zero, where that is allowed)."""
    number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not number or value < 0 or (value == 0 and not zero):  # type: ignore[operator]
        raise ValueError(f"{name}={value!r} was given and a {'non-negative' if zero else 'positive'} number is needed.")


def whole(name: str, value: object, least: int = 1) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}={value!r} was given and a whole number of at least {least} is needed.")


def factor(name: str, value: object) -> None:
    """A finite number above 1, or "adaptive"."""
    if isinstance(value, str):
        one_of(name, value, ("adaptive",))
        return
    positive(name, value)
    if value <= 1:  # type: ignore[operator]
        raise ValueError(f"{name}={value!r} was given and a number above 1, such as 1.5, is needed.")


def share(name: str, value: object) -> None:
    """A number between 0 and 1, both allowed."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={value!r} was given and a number from 0 to 1 is needed.")


def switch(name: str, value: object) -> None:
    """True or False, also as numpy writes them."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} was given and True or False is needed.")


@dataclass(eq=False, repr=False, kw_only=True)
class Running:
    """How long and how precisely to train, and what to show meanwhile."""

    class_weight: Any = None
    unlabeled: Any = -1
    tol: float = 1e-4
    max_iter: int = 1000
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    def _check_running(self) -> None:
        positive("tol", self.tol)
        whole("max_iter", self.max_iter)
        if self.time_limit is not None:
            positive("time_limit", self.time_limit)
        if not isinstance(self.verbose, Integral) or self.verbose < 0:
            raise ValueError(f"verbose={self.verbose!r} was given and a whole number of at least 0 is needed.")
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise ValueError(f"n_jobs={self.n_jobs!r} was given and a whole number other than 0, or None, is needed.")
        try:
            check_random_state(self.random_state)
        except ValueError:
            raise ValueError(
                f"random_state={self.random_state!r} was given and a whole number of 0 or more, a RandomState or None "
                "is needed."
            ) from None

    def _limited_threads(self) -> AbstractContextManager:
        """joblib's meaning of n_jobs: -1 is every core; None leaves the threads as they are."""
        if self.n_jobs is None:
            return nullcontext()
        return threadpool_limits(None if self.n_jobs < 0 else self.n_jobs)

    def _randomness(self) -> np.random.RandomState:
        return check_random_state(self.random_state)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelChoice:
    """The space of functions: kernel, its width, a reduced set, a graph; and whether a bias goes with them."""

    kernel: Any = "rbf"
    gamma: Any = "scale"
    degree: int = 3
    coef0: float = 0.0
    n_components: int | None = None
    graph: Graph | AnchorGraph | None = None
    deformation: float = 1.0
    fit_intercept: bool | Literal["ratio"] = True

    @property
    def _takes_kernel_values(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _needs_definite_kernel(self) -> bool:
        """Whether a kernel matrix with negative eigenvalues is refused."""
        return False

    def _kernel(self, points: Points) -> Kernel:
        """The kernel with its width settled on these points."""
        whole("degree", self.degree)
        needs_width = self.kernel in ("rbf", "poly") if isinstance(self.kernel, str) else False
        gamma = 1.0
        if needs_width:
            settings = "width", settings_of(self.gamma)
            gamma = self._spaces().get(settings, points, lambda: width(self.gamma, points))
        return kernel_from(self.kernel, gamma, self.degree, self.coef0)

    def _plain_space(
        self, points: Points, width_points: Points, random_state: Any
    ) -> Full | Linear | Mapped | SparseGram:
        """The space on `points` whatever the graph; the width of the kernel comes from `width_points`."""
        self._check_space()
        kernel = self._kernel(width_points)

        def make() -> Full | Linear | Mapped | SparseGram:
            if isinstance(points, RowSource):
                return space_of(points, kernel, self.n_components, random_state)
            if self.kernel == "linear":
                return Linear(points.X)
            given_sparse = self.kernel == "precomputed" and points.sparse
            if self.n_components is not None and self.n_components < len(points) and not given_sparse:
                return reduced_set(kernel, points, random_landmarks(points, self.n_components, random_state))
            check_definite(kernel, points, type(self).__name__, needed=self._needs_definite_kernel)
            return SparseGram(kernel, points) if given_sparse else Full(kernel, points)

        return self._spaces().get(("plain", self.n_components, kernel), points, make)

    def _exact_enough(self, points: Points, weights: np.ndarray) -> Points:
        """The rows, in float64 where the weights of the losses are too large for kernel values of float32 rows.

        Their rounding makes eigenvalues of -1e-7 of the kernel matrix. A loss of weight c magnifies them by c.
        """
        of_rows = isinstance(points, Points) and self.kernel not in ("linear", "precomputed")
        if not of_rows or points.dtype == np.float64 or weights.max() <= HEAVIEST_SINGLE:
            return points
        return points.in_double_precision()

    def _space(self, points: Points, width_points: Points, random_state: Any) -> Space:
        """The space on `points`, deformed where there is a graph."""
        self._check_space()
        if isinstance(self.graph, AnchorGraph):
            positive("deformation", self.deformation)
            kernel = self._kernel(width_points)
            return anchored_space(points, kernel, self.n_components, self.graph, self.deformation, random_state)
        space = self._plain_space(points, width_points, random_state)
        if self.graph is None:
            return space
        positive("deformation", self.deformation)
        refuse_pairs(points, f"graph={self.graph!r}", "use graph=AnchorGraph()")
        graph, scale = self.graph, self.deformation

        def make() -> Space:
            full = isinstance(space, Full | SparseGram)
            return deform(space, graph.term(self._geometry(points), scale, full_kernel=full))

        return self._spaces().get(("deformed", id(space), settings_of(graph), scale), points, make)

    def _check_space(self) -> None:
        if self.n_components is not None:
            whole("n_components", self.n_components)
        if self.graph is not None and not isinstance(self.graph, Graph | AnchorGraph):
            raise ValueError(
                f"graph={self.graph!r} was given and a semisvm.Graph, a semisvm.AnchorGraph or None is needed."
            )
        self._check_intercept()

    def _check_intercept(self) -> None:
        switch("fit_intercept", self.fit_intercept)

    def _geometry(self, points: Points) -> Points | KernelDistances:
        """Where a graph finds neighbors: among the rows, or in the space of a kernel known by its values only."""
        return KernelDistances(points) if self.kernel == "precomputed" else points

    def _spaces(self) -> SpaceStore:
        """Those of a search over several fits on the same rows; otherwise new ones."""
        return getattr(self, "_space_store", None) or SpaceStore()


@dataclass(eq=False, repr=False, kw_only=True)
class Weighting:
    """C, the weight of a labeled point's loss against 1/2 |f|^2."""

    C: float = 1.0

    def _check_weighting(self) -> None:
        positive("C", self.C)


@dataclass(eq=False, repr=False, kw_only=True)
class UnlabeledWeighting(Weighting):
    """C_unlabeled, the weight of an unlabeled point's loss."""

    C_unlabeled: Any = "auto"

    def _check_weighting(self) -> None:
        super()._check_weighting()
        if isinstance(self.C_unlabeled, str):
            one_of("C_unlabeled", self.C_unlabeled, ("auto", "equal"))
        else:
            positive("C_unlabeled", self.C_unlabeled)

    def _weight_of_unlabeled(self, n_labeled: int, n_unlabeled: int) -> float:
        if self.C_unlabeled == "auto":
            return self.C * n_labeled / max(1, n_unlabeled)
        return self.C if self.C_unlabeled == "equal" else float(self.C_unlabeled)


def class_weights(class_weight: Any, classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Weight of each class: None (1), "balanced" (n / (k n_c)), or a mapping from classes to weights."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        one_of("class_weight", class_weight, ("balanced",))
        return len(codes) / (len(classes) * np.bincount(codes, minlength=len(classes)))
    try:
        given = dict(class_weight)
    except (TypeError, ValueError):
        raise ValueError(
            f'class_weight={class_weight!r} was given and None, "balanced" or a mapping from classes to weights is '
            "needed."
        ) from None
    known = {c.item() if isinstance(c, np.generic) else c for c in classes}
    strangers = [c for c in given if c not in known]
    if strangers:
        raise ValueError(
            f"class_weight names {strangers[0]!r}, which is not a class; the classes are {classes.tolist()}."
        )
    for name, weight in given.items():
        positive(f"class_weight[{name!r}]", weight, zero=True)
    return np.array([given.get(c.item() if isinstance(c, np.generic) else c, 1.0) for c in classes], dtype=float)
