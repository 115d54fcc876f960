"""Deterministic annealing (Sindhwani, Keerthi and Chapelle 2006): probabilities of labels, cooled into labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.algorithms import Algorithm, AlternatingAnnealing, BestOfPath, Candidate, GradientAnnealing
from semisvm.algorithms.entropy_cooling import EntropyCooling
from semisvm.balance import positive_counts
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import factor, one_of
from semisvm.estimators.semi_supervised import Combinatorial
from semisvm.estimators.supervised import convex_minimizer
from semisvm.losses import Annealed, Loss, SquaredHinge
from semisvm.objective import ArrayScores, Problem
from semisvm.optim import LBFGS, NewtonCG
from semisvm.schedules import Cooling
from semisvm.spaces import Centered

__all__ = ["AnnealingS3VM"]

ON_THE_WAY = 3e-2
"""Tolerance at the temperatures before the last."""

BETWEEN_TURNS = 3e-3
"""The same for the trainings of the alternating method, whose next turn starts where the last one ended."""


@dataclass(eq=False, repr=False, kw_only=True)
class AnnealingS3VM(Combinatorial):
    """Minimize over the function and the probabilities p of the labels while the temperature T falls.

        I = 1/2 |f|^2 + C sum_{i in L} V(y_i z_i) + C_unlabeled sum_{j in U} [p_j V(z_j) + (1 - p_j) V(-z_j)] - T H(p)

    V(t) = max(0, 1 - t)^2, H(p) is the entropy of p, and sum(p) the count of positives where it is held exactly.

    Parameters
    ----------
    variant : {"gradient", "alternating"}
        Descend on min_p I, or minimize over (f, b) and over p in turns.
    cooling : float or "adaptive"
        Each temperature is the last one divided by this. The first is 10 `C_unlabeled`; the path ends when the entropy
        is below 1e-6, or after `n_stages` temperatures. "adaptive" goes by equal steps of entropy instead: long steps
        while all labels are open and when nearly all are decided, short ones in between.
    keep : {"last", "best"}
        The end of the path, or the point on it whose labels cost least.

    References
    ----------
    Sindhwani, Keerthi and Chapelle, "Deterministic annealing for semi-supervised kernel machines", ICML 2006.

    Examples
    --------
    >>> from semisvm import AnnealingS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(200, random_state=0)
    >>> model = AnnealingS3VM(kernel="linear").fit(X, hide_labels(y, range(20)))
    >>> model.path_[0]["temperature"] > model.path_[-1]["temperature"]
    True
    """

    max_iter: int = 10_000
    variant: str = "gradient"
    cooling: Any = 1.5
    keep: str = "last"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        one_of("variant", self.variant, ("gradient", "alternating"))
        one_of("keep", self.keep, ("last", "best"))
        factor("cooling", self.cooling)

    @property
    def _needs_definite_kernel(self) -> bool:
        return self.variant == "alternating"

    def _losses(self) -> tuple[Loss, Loss]:
        # the count of positives is set in _problem
        return SquaredHinge(), Annealed(SquaredHinge(), 1.0, None)

    def _problem(self, training) -> Problem:
        problem = super()._problem(training)
        # a row without weight has no label to decide: it would count as a positive in part at every temperature
        unlabeled = problem.unlabeled[problem.weights[problem.unlabeled, 0] > 0]
        problem = problem.replace(unlabeled=unlabeled)
        if self.balance == "soft" or not len(unlabeled):
            return problem
        counts = positive_counts(self.ratio_, len(unlabeled)) if self.balance == "exact" else None
        # with a free bias the centered space holds the same functions, and the bias no longer competes with their mean
        centered = problem.bias is None and self.variant == "gradient"
        space = Centered(problem.space, unlabeled) if centered else problem.space
        return problem.replace(space=space, unlabeled_loss=Annealed(SquaredHinge(), 1.0, counts))

    def _method(self, problem: Problem) -> Algorithm:
        balance, cooling = self._held(self.ratio_), self._cooling()
        annealing: Algorithm
        if self.variant == "gradient":
            # V'' <= 2: the second derivative in the bias is at most twice the sum of the weights
            unit = float(1 / np.sqrt(1 + 2 * problem.weights.sum(axis=0).max()))
            scout = LBFGS(max(self.tol, ON_THE_WAY), bias_unit=unit)
            annealing = GradientAnnealing(balance, LBFGS(self.tol, bias_unit=unit), scout, cooling)
        else:
            # a few products for all classes at once; a factorization for each class could not use the last solution
            rough = NewtonCG(max(self.tol, BETWEEN_TURNS))
            annealing = AlternatingAnnealing(balance, convex_minimizer(problem, self.tol), rough, cooling)
        return annealing if self.keep == "last" else BestOfPath(annealing)

    def _cooling(self) -> Cooling | EntropyCooling:
        if self.cooling == "adaptive":
            return EntropyCooling()
        return Cooling(cooling=self.cooling, n_stages=self.n_stages)

    def _assigned(self, training: TrainingSet, candidate: Candidate) -> np.ndarray | None:
        # a run that ends within a stage has no labels yet, and rows without weight never get one
        unlabeled = training.labels.unlabeled
        if candidate.labels is None or len(candidate.labels) < len(unlabeled):
            return self._held(self.ratio_).assign(ArrayScores(np.asarray(candidate.point.scores)[unlabeled]))
        return candidate.labels
