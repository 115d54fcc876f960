"""S3VM-light (Joachims 1999) and its multi-switch form (Sindhwani and Keerthi 2006)."""

from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp

from semisvm.algorithms import Algorithm, DualRetraining, LabelSwitching, PrimalRetraining, RowRetraining
from semisvm.algorithms.growing_weight import GrowingWeight
from semisvm.algorithms.kernel_rows import KernelRows
from semisvm.algorithms.retraining import Retraining
from semisvm.estimators.parameters import factor, one_of, whole
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Hinge, Loss, SquaredHinge, SymmetricHinge, SymmetricSquaredHinge
from semisvm.objective import Problem
from semisvm.optim.linear_box_qp import LinearRows
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import Centered, Linear

__all__ = ["LabelSwitchingS3VM"]

FIRST_WEIGHT = 1e-5
ON_THE_WAY = 1e-2
"""Tolerance at the weights before the last."""


@dataclass(eq=False, repr=False, kw_only=True)
class LabelSwitchingS3VM(Combinatorial):
    """Train with guessed labels and switch those that would lower the objective, the weight of the guesses growing.

        J(f, b, y_U) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_unlabeled sum_{j in U} V(y_j z_j)

    Parameters
    ----------
    n_switches : int or "all"
        Pairs that switch labels before the next training.
    loss : {"squared_hinge", "hinge"}
        V: max(0, 1 - t)^2 or max(0, 1 - t). Kernels and the hinge are trained in the dual, linear functions with the
        squared hinge in the primal.
    growth : float or "adaptive"
        The weight of the guesses begins at 1e-5 `C_unlabeled` and grows by this factor, to a last pass at the full
        value. "adaptive" squares the factor, from 1.5 up to 30, wherever no label was switched.
    n_stages : int, optional
        Number of weights, which replaces `growth`; 1 starts at the full value.

    References
    ----------
    Joachims, "Transductive inference for text classification using support vector machines", ICML 1999.
    Sindhwani and Keerthi, "Large scale semi-supervised linear SVMs", SIGIR 2006.

    Examples
    --------
    >>> from semisvm import LabelSwitchingS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = LabelSwitchingS3VM(gamma="median", n_switches="all", ratio=0.5).fit(X, hide_labels(y, range(50)))
    >>> bool((model.transduction_ == y).mean() > 0.9)
    True
    """

    n_switches: Any = 1
    loss: str = "squared_hinge"
    growth: Any = 1.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("loss", self.loss, ("squared_hinge", "hinge"))
        if isinstance(self.n_switches, str):
            one_of("n_switches", self.n_switches, ("all",))
        else:
            whole("n_switches", self.n_switches)
        factor("growth", self.growth)

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.loss == "squared_hinge"

    def _losses(self) -> tuple[Loss, Loss]:
        if self.loss == "hinge":
            return Hinge(), SymmetricHinge()
        return SquaredHinge(), SymmetricSquaredHinge()

    def _method(self, problem: Problem) -> Algorithm:
        rows = KernelRows(self.tol)
        precise, rough = (self._retraining(problem, tol, rows) for tol in (self.tol, max(self.tol, ON_THE_WAY)))
        n_switches = None if self.n_switches == "all" else int(self.n_switches)
        return LabelSwitching(self._held(self.ratio_), precise, rough, self._schedule(), n_switches)

    def _retraining(self, problem: Problem, tol: float, rows: KernelRows) -> Retraining:
        space = problem.space.base if isinstance(problem.space, Centered) else problem.space
        if self.loss == "squared_hinge" and space.by_rows:
            return PrimalRetraining(convex_minimizer(problem, tol))
        if isinstance(space, Linear) and sp.issparse(space.X):
            mean = problem.space.mean_function if isinstance(problem.space, Centered) else None
            return RowRetraining(tol, LinearRows.of(space.X, space.norms(), mean))
        return DualRetraining(tol, rows)

    def _schedule(self) -> AnnealedWeight | GrowingWeight:
        if self.n_stages is not None:
            factors = AnnealedWeight.geometric(self.n_stages, FIRST_WEIGHT).factors
            return AnnealedWeight(factors, start=False)
        if self.growth == "adaptive":
            return GrowingWeight(FIRST_WEIGHT)
        growing = [FIRST_WEIGHT]
        while growing[-1] * self.growth < 1.0:
            growing.append(growing[-1] * self.growth)
        return AnnealedWeight((*growing, 1.0), start=False)
