"""The concave-convex procedure: the large scale transductive SVM (ramp loss) and the survey's CCCP (squared hinge)."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from semisvm.algorithms import Algorithm, ConcaveConvex, HingeDual, Primal
from semisvm.estimators.parameters import one_of
from semisvm.estimators.semi_supervised import Continuous
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Hinge, Loss, SquaredHinge, SymmetricRamp, SymmetricSquaredHinge
from semisvm.objective import Problem
from semisvm.optim import NewtonCG
from semisvm.schedules import AnnealedWeight

__all__ = ["CCCPS3VM"]

DIRECT_POINTS = 500
"""Points up to which the many convex problems of a path may be solved by factorizations."""


@dataclass(eq=False, repr=False, kw_only=True)
class CCCPS3VM(Continuous):
    """Semi-supervised SVM by the concave-convex procedure.

        J(f) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_unlabeled sum_{j in U} U(z_j)

    Each iteration replaces the concave part of U by its tangent and solves the convex problem that is left, so J falls
    until no tangent changes. A handful of iterations is usual.

    Parameters
    ----------
    loss : {"ramp", "squared_hinge"}
        "ramp": V is the hinge and U(z) = R(z) + R(-z) with the ramp R(z) = min(1 - s, max(0, 1 - z)); solved in the
        dual by the compiled QP on kernel rows, or by coordinate descent on the data for linear functions and landmarks
        (Collobert, Sinz, Weston and Bottou 2006). "squared_hinge": V(t) = max(0, 1 - t)^2, U(z) = V(|z|), solved in
        the primal by Newton's method while the unlabeled weight is annealed (Chapelle, Sindhwani and Keerthi 2008).
    s : float
        Where the ramp is cut, -1 < s <= 0: unlabeled points with |z| <= |s| are left alone. Only for the ramp.
    n_stages : int, optional
        Annealing steps of C_unlabeled; None is 1 for the ramp and the survey's 11 for the squared hinge.

    References
    ----------
    Collobert, Sinz, Weston and Bottou, "Large scale transductive SVMs", JMLR 7, 2006.
    Chapelle, Sindhwani and Keerthi, "Optimization techniques for semi-supervised support vector machines", JMLR 9,
    2008.

    Examples
    --------
    >>> from semisvm import CCCPS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = CCCPS3VM(gamma="median", C=10).fit(X, hide_labels(y, range(50)))
    >>> bool((model.transduction_ == y).mean() > 0.9)
    True
    """

    loss: str = "ramp"
    s: float = -0.3
    tol: float = 1e-3

    balances: ClassVar[tuple[str, ...]] = ("exact", "soft", "none")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("loss", self.loss, ("ramp", "squared_hinge"))
        if not isinstance(self.s, Real) or isinstance(self.s, bool) or not -1 < self.s <= 0:
            raise ValueError(f"s={self.s!r} was given and a number above -1 and up to 0 is needed, such as -0.3.")

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.loss == "squared_hinge"

    def _losses(self) -> tuple[Loss, Loss]:
        if self.loss == "ramp":
            return Hinge(), SymmetricRamp(float(self.s))
        return SquaredHinge(), SymmetricSquaredHinge()

    def _descent(self, problem: Problem) -> Algorithm:
        if self.loss == "ramp":
            factors = AnnealedWeight.geometric(self.n_stages or 1).factors
            return ConcaveConvex(AnnealedWeight(factors, start=False), HingeDual(self.tol))
        schedule = AnnealedWeight() if self.n_stages is None else AnnealedWeight.geometric(self.n_stages)
        few = problem.space.n_points <= DIRECT_POINTS
        return ConcaveConvex(schedule, Primal(convex_minimizer(problem, self.tol) if few else NewtonCG(self.tol)))
