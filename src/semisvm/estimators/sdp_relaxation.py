"""The S3VM by semidefinite relaxation (De Bie and Cristianini 2006), rounded and trained once more."""

from dataclasses import dataclass

import numpy as np

from semisvm.algorithms import Algorithm, PrimalRetraining, SDPRelaxation, Solution
from semisvm.algorithms.label_matrix import LabelColumn, LeadingEigenvector, RelaxationSolver
from semisvm.algorithms.low_rank_relaxation import LowRankSolver
from semisvm.algorithms.sdp_relaxation import ConicSolver
from semisvm.balance import positive_counts
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import one_of, whole
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Loss, SquaredHinge, SymmetricSquaredHinge
from semisvm.objective import Problem

__all__ = ["SDPRelaxationS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class SDPRelaxationS3VM(Combinatorial):
    """Relax the labels to a positive semidefinite matrix, minimize, round, and train with the labels found.

        min_M max_{a >= 0} sum_i a_i - 1/2 a'(T M T' o (K + diag(1/(2 c)))) a        M >= 0 with unit diagonal

    T M T' stands for y y', the labeled rows sharing one row of M. Convex, so it has no local minima; the price is a
    matrix variable: some forty rows by a conic solver, a few hundred in the low-rank form. The relaxation is often
    loose: use it for a bound and a starting point rather than for its predictions.

    Parameters
    ----------
    backend : {"clarabel", "scs"}
        Conic solver behind cvxpy (`pip install "semisvm[sdp]"`); not used where `rank` is given.
    rank : int, optional
        Number of columns of the low-rank form; 4 to 8 are enough.
    rounding : {"column", "eigenvector"}
        Labels from the column of the labeled rows, or from the leading eigenvector.

    Attributes
    ----------
    relaxation_bound_ : ndarray, one number per binary problem
        A lower bound of the objective *in which the bias is penalized* (a constant feature in place of the free
        bias): it does not bound `objective_`, where the bias is free, unless `fit_intercept=False`.

    References
    ----------
    De Bie and Cristianini, "Semi-supervised learning using semi-definite programming", in: Semi-supervised learning,
    MIT Press 2006.

    Examples
    --------
    >>> from semisvm import SDPRelaxationS3VM
    >>> from semisvm.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(20, random_state=0)
    >>> model = SDPRelaxationS3VM(gamma=1.0, rank=2, random_state=0).fit(X, hide_labels(y, [0, 1, 2, 3]))
    >>> model.relaxation_bound_.shape
    (1,)
    """

    backend: str = "clarabel"
    rank: int | None = None
    rounding: str = "column"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("backend", self.backend, ("clarabel", "scs"))
        one_of("rounding", self.rounding, ("column", "eigenvector"))
        if self.rank is not None:
            whole("rank", self.rank, least=2)

    @property
    def _needs_definite_kernel(self) -> bool:
        return True

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), SymmetricSquaredHinge()

    def _method(self, problem: Problem) -> Algorithm:
        solver: RelaxationSolver = ConicSolver(self.backend.upper())
        if self.rank is not None:
            solver = LowRankSolver(self.rank, seed=self._randomness().randint(2**31 - 1))
        return SDPRelaxation(
            solver,
            LabelColumn() if self.rounding == "column" else LeadingEigenvector(),
            self._held(self.ratio_),
            PrimalRetraining(convex_minimizer(problem, self.tol)),
            positive_counts(self.ratio_, len(problem.unlabeled)) if self.balance == "exact" else None,
        )

    def _store(self, problem: Problem, training: TrainingSet, solution: Solution) -> None:
        super()._store(problem, training, solution)
        unknown = np.full(problem.n_columns, -np.inf)
        self.relaxation_bound_ = solution.candidate.facts.get("relaxation_bound", unknown)
