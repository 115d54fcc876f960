"""Continuation S3VM (Chapelle, Chi and Zien 2006): smooth J until it is convex, then reduce the smoothing in stages."""

from dataclasses import dataclass

from semisvm.algorithms import Algorithm, Continuation
from semisvm.estimators.parameters import one_of, positive
from semisvm.estimators.semi_supervised import Continuous
from semisvm.losses import Gaussian, Loss, SquaredHinge
from semisvm.objective import Problem
from semisvm.optim import LBFGS
from semisvm.schedules import Smoothing

__all__ = ["ContinuationS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class ContinuationS3VM(Continuous):
    """Follows the minimum of the objective convolved with a Gaussian of shrinking width.

        J(f) = 1/2 |f|^2 + C sum_{i in L} max(0, 1 - y_i z_i)^2 + C_unlabeled sum_{j in U} exp(-s z_j^2)

    Parameters
    ----------
    smooth : {"all", "unlabeled"}
        Smooth the whole objective, as in the survey, or its unlabeled term alone.
    s : float
        Sharpness of the unlabeled loss.
    n_stages : int, optional
        Objectives on the path, the last one not smoothed: 11 as published, 1 for no smoothing at all. The first width
        makes the smoothed objective convex.

    References
    ----------
    Chapelle, Chi and Zien, "A continuation method for semi-supervised SVMs", ICML 2006.

    Examples
    --------
    >>> from semisvm import ContinuationS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(200, random_state=0)
    >>> model = ContinuationS3VM(gamma="median", C=10).fit(X, hide_labels(y, range(20)))
    >>> len(model.path_)
    11
    """

    smooth: str = "all"
    s: float = 5.0
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("smooth", self.smooth, ("all", "unlabeled"))
        positive("s", self.s)

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), Gaussian(self.s)

    def _descent(self, problem: Problem) -> Algorithm:
        n_widths = 10 if self.n_stages is None else self.n_stages - 1
        smoothing = Smoothing(self.s, n_widths, everything=self.smooth == "all")
        return Continuation(smoothing, LBFGS(self.tol), approach_tol=1e-3)
