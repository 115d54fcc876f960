"""The linear S3VM with the 1-norm: successive linear programs, or one mixed-integer program."""

from dataclasses import dataclass
from typing import Any

from semisvm.algorithms import Algorithm, MixedIntegerLP, SuccessiveLP
from semisvm.balance import positive_counts
from semisvm.estimators.parameters import one_of
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.losses import Hinge, Loss, SymmetricHinge
from semisvm.objective import Problem

__all__ = ["LinearProgrammingS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class LinearProgrammingS3VM(Combinatorial):
    """Sparse linear weights from linear programs.

        J(w, b, y_U) = |w|_1 + C sum_{i in L} max(0, 1 - y_i z_i) + C_unlabeled sum_{j in U} max(0, 1 - y_j z_j)

    Parameters
    ----------
    variant : {"successive", "milp"}
        Linear programs with the labels held, the cheaper label taken after each (Fung and Mangasarian 2001); or one
        mixed-integer program over weights and labels (Bennett and Demiriz 1999), exact for dozens of unlabeled rows.
    balance : {"none", "exact", "soft"}
        The published form holds no count.

    References
    ----------
    Bennett and Demiriz, "Semi-supervised support vector machines", NIPS 1998.
    Fung and Mangasarian, "Semi-supervised support vector machines for unlabeled data classification", Optimization
    Methods and Software 15, 2001.

    Examples
    --------
    >>> from semisvm import LinearProgrammingS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(100, random_state=0)
    >>> model = LinearProgrammingS3VM(C=1.0).fit(X, hide_labels(y, range(20)))
    >>> bool((model.coef_ == 0).any())
    True
    """

    kernel: Any = "linear"
    balance: str = "none"
    variant: str = "successive"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("variant", self.variant, ("successive", "milp"))
        one_of("kernel", self.kernel, ("linear",))
        one_of("graph", self.graph, (None,))

    def _losses(self) -> tuple[Loss, Loss]:
        return Hinge(), SymmetricHinge()

    def _algorithm(self, problem: Problem) -> Algorithm:
        return self._method(problem)

    def _method(self, problem: Problem) -> Algorithm:
        balance = self._held(self.ratio_)
        if self.variant == "successive" or not len(problem.unlabeled):
            return SuccessiveLP(balance)
        exact = self.balance == "exact"
        return MixedIntegerLP(balance, positive_counts(self.ratio_, len(problem.unlabeled)) if exact else None)
