"""The global optimum of the S3VM by branch and bound (Chapelle, Sindhwani and Keerthi 2007), with a certificate."""

from dataclasses import dataclass

import numpy as np

from semisvm.algorithms import Algorithm, BranchAndBound, Solution
from semisvm.algorithms.open_nodes import BestFirst, DepthFirst, OpenNodes
from semisvm.balance import positive_counts
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import one_of, positive
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.losses import Loss, SquaredHinge, SymmetricSquaredHinge
from semisvm.objective import Problem

__all__ = ["BranchAndBoundS3VM"]

ORDERS: dict[str, type[OpenNodes]] = {"best_first": BestFirst, "depth_first": DepthFirst}


@dataclass(eq=False, repr=False, kw_only=True)
class BranchAndBoundS3VM(Combinatorial):
    """The labels of least cost among all labelings, with a proof.

        J(f, b, y_U) = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_unlabeled sum_{j in U} V(y_j z_j)

    with V(t) = max(0, 1 - t)^2. Exact for a few hundred rows where the classes are well apart; stopped early
    (`time_limit`, Ctrl-C) it keeps the best labels found, and the bounds still hold. `n_stages` has no meaning here.

    Parameters
    ----------
    gap : float
        The proof required: `upper_bound_ - lower_bound_ <= gap max(1, upper_bound_)`.
    order : {"best_first", "depth_first"}
        Which open node is visited next: that of the lowest bound, or the youngest (as in the paper, in little memory).
    max_iter : int
        Visits to the tree of labelings, of some dozens of nodes each.

    Attributes
    ----------
    lower_bound_, upper_bound_ : ndarray, one number per binary problem
        The optimum lies between them; the upper one is `objective_`.
    certified_ : ndarray of bool, one per binary problem
        Whether the gap was reached.
    optimal_ : bool
        Whether it was reached for every binary problem.
    n_nodes_ : int
        Nodes visited, of all binary problems.

    References
    ----------
    Chapelle, Sindhwani and Keerthi, "Branch and bound for semi-supervised support vector machines", NIPS 2006.

    Examples
    --------
    >>> from semisvm import BranchAndBoundS3VM
    >>> from semisvm.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(40, random_state=0)
    >>> model = BranchAndBoundS3VM(gamma=1.0, C=10).fit(X, hide_labels(y, [0, 1, 2, 3]))
    >>> model.optimal_, bool(model.lower_bound_[0] <= model.upper_bound_[0])
    (True, True)
    """

    gap: float = 1e-6
    order: str = "best_first"
    max_iter: int = 10_000_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive("gap", self.gap)
        one_of("order", self.order, tuple(ORDERS))

    @property
    def _needs_definite_kernel(self) -> bool:
        return True

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), SymmetricSquaredHinge()

    def _method(self, problem: Problem) -> Algorithm:
        exact = self.balance == "exact"
        counts = positive_counts(self.ratio_, len(problem.unlabeled)) if exact else None
        return BranchAndBound(counts, self.gap, ORDERS[self.order])

    def _store(self, problem: Problem, training: TrainingSet, solution: Solution) -> None:
        super()._store(problem, training, solution)
        candidate = solution.candidate
        self.upper_bound_ = candidate.value
        self.lower_bound_ = candidate.value if candidate.lower_bound is None else candidate.lower_bound
        self.n_nodes_ = candidate.facts.get("nodes", 0)
        width = self.upper_bound_ - self.lower_bound_
        self.certified_ = width <= self.gap * np.maximum(1.0, np.abs(self.upper_bound_))
        self.optimal_ = bool(np.all(self.certified_))
