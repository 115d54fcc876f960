"""Mean S3VM (Li, Kwok and Zhou 2009): only the two class means of the unlabeled rows are estimated."""

from dataclasses import dataclass
from typing import Any

from semisvm.algorithms import Algorithm, Alternating, CuttingPlanes, LinearizedOracle, MeansThenSVM, SortOracle
from semisvm.balance import positive_counts
from semisvm.estimators.parameters import one_of
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.losses import Hinge, Loss, Zero
from semisvm.objective import Problem

__all__ = ["MeanS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class MeanS3VM(Combinatorial):
    """Semi-supervised SVM by label means: fast, because only two points are searched for.

        min 1/2 |w|^2 + C sum_L xi_i - C_unlabeled rho
        y_i (w'phi_i + b) >= 1 - xi_i,    w'm+ + b >= rho,    w'm- + b <= -rho

    m+ and m- are the means of the unlabeled rows assigned to either class, the number of positives being fixed by
    `ratio`. The final SVM is trained on all rows, with weight C on labeled and C_unlabeled on unlabeled ones.
    `transduction_` of unlabeled rows is the sign of that SVM; the count holds for the means only.

    Parameters
    ----------
    variant : {"iter", "mkl"}
        "iter" solves for fixed means and reassigns until nothing changes; "mkl" mixes the kernels of several
        assignments found as cutting planes.
    oracle : {"sort", "linearised"}
        How "mkl" looks for the next assignment: the paper's sort, or ascent on the true violation.
    C_unlabeled : float, "auto" or "equal"
        Weight of the margin between the means, and of an unlabeled row in the final SVM.

    References
    ----------
    Li, Kwok and Zhou, "Semi-supervised learning using label mean", ICML 2009.

    Examples
    --------
    >>> from semisvm import MeanS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = MeanS3VM(gamma="median", C=10).fit(X, hide_labels(y, range(50)))
    >>> bool((model.transduction_ == y).mean() > 0.85)
    True
    """

    variant: str = "iter"
    oracle: str = "sort"
    C_unlabeled: Any = 0.1
    tol: float = 1e-3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("variant", self.variant, ("iter", "mkl"))
        one_of("oracle", self.oracle, ("sort", "linearised"))
        if self.balance != "exact":
            raise ValueError(
                f"balance={self.balance!r} was given to MeanS3VM and 'exact' is needed: label means need a count of "
                "positives, which ratio sets."
            )

    def _losses(self) -> tuple[Loss, Loss]:
        return Hinge(), Zero()

    def _method(self, problem: Problem) -> Algorithm:
        oracle = SortOracle() if self.oracle == "sort" else LinearizedOracle()
        search = Alternating() if self.variant == "iter" else CuttingPlanes(oracle)
        return MeansThenSVM(search, positive_counts(self.ratio_, len(problem.unlabeled)), self.tol)
