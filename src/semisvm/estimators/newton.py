"""Newton S3VM (Chapelle 2007; survey, section 4.4): second-order steps on losses with little curvature."""

from dataclasses import dataclass

from semisvm.algorithms import Algorithm, Continuation
from semisvm.estimators.parameters import one_of
from semisvm.estimators.semi_supervised import Continuous
from semisvm.losses import FlatQuadratic, Loss, SquaredHinge, SymmetricSquaredHinge
from semisvm.objective import Problem
from semisvm.optim import LevenbergMarquardt
from semisvm.schedules import AnnealedWeight

__all__ = ["NewtonS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class NewtonS3VM(Continuous):
    """Levenberg-Marquardt steps while the weight of the unlabeled points grows.

        J(f) = 1/2 |f|^2 + C sum_{i in L} max(0, 1 - y_i z_i)^2 + C_unlabeled sum_{j in U} U(z_j)

    A step costs O(m^3) for the m points whose loss has curvature there.

    Parameters
    ----------
    loss : {"flat", "quadratic"}
        U: a plateau around zero with smooth flanks, which gives few points curvature; or max(0, 1 - |z|)^2, which gives
        it to many.

    References
    ----------
    Chapelle, "Training a support vector machine in the primal", Neural Computation 19, 2007.
    Chapelle, Sindhwani and Keerthi, "Optimization techniques for semi-supervised support vector machines", JMLR 9,
    2008.

    Examples
    --------
    >>> from semisvm import NewtonS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(200, random_state=0)
    >>> model = NewtonS3VM(gamma="median", C=10).fit(X, hide_labels(y, range(20)))
    >>> bool(model.stationarity_[0] <= model.tol)
    True
    """

    loss: str = "flat"
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("loss", self.loss, ("flat", "quadratic"))

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), FlatQuadratic() if self.loss == "flat" else SymmetricSquaredHinge()

    def _descent(self, problem: Problem) -> Algorithm:
        return Continuation(AnnealedWeight.geometric(self.n_stages), LevenbergMarquardt(self.tol), approach_tol=1e-2)
