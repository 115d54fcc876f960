"""Gradient S3VM (Chapelle and Zien 2005): descend on a smooth stand-in for the unlabeled loss, its weight annealed."""

from dataclasses import dataclass

from semisvm.algorithms import Algorithm, Continuation
from semisvm.estimators.parameters import one_of, positive
from semisvm.estimators.semi_supervised import Continuous
from semisvm.losses import Gaussian, HuberHinge, Loss, SquaredHinge
from semisvm.objective import Problem
from semisvm.optim import LBFGS
from semisvm.schedules import AnnealedWeight

__all__ = ["GradientS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class GradientS3VM(Continuous):
    """Gradient descent on labels and unlabeled density.

        J(f) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_unlabeled sum_{j in U} exp(-s z_j^2)

    Parameters
    ----------
    loss : {"squared_hinge", "hinge"}
        V: max(0, 1 - t)^2, or the hinge rounded off within a hundredth of its corner.
    s : float, optional
        Sharpness of the unlabeled loss; 5 with the squared hinge and 3 with the hinge, as published.

    References
    ----------
    Chapelle and Zien, "Semi-supervised classification by low density separation", AISTATS 2005.

    Examples
    --------
    >>> from semisvm import GradientS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = GradientS3VM(gamma="median", C=10).fit(X, hide_labels(y, range(50)))
    >>> bool((model.transduction_ == y).mean() > 0.9)
    True
    """

    loss: str = "squared_hinge"
    s: float | None = None
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("loss", self.loss, ("squared_hinge", "hinge"))
        if self.s is not None:
            positive("s", self.s)

    def _losses(self) -> tuple[Loss, Loss]:
        squared = self.loss == "squared_hinge"
        s = self.s if self.s is not None else (5.0 if squared else 3.0)
        return SquaredHinge() if squared else HuberHinge(0.01), Gaussian(s)

    def _descent(self, problem: Problem) -> Algorithm:
        return Continuation(AnnealedWeight.geometric(self.n_stages), LBFGS(self.tol), approach_tol=1e-2)
