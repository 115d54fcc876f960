"""QN-S3VM (Gieseke, Airola, Pahikkala and Kramer 2014): quasi-Newton descent on smooth stand-ins for both losses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.algorithms import Algorithm, Continuation
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import positive, whole
from semisvm.estimators.semi_supervised import Continuous
from semisvm.losses import Gaussian, Loss, ModifiedLogistic
from semisvm.objective import Problem
from semisvm.optim import LBFGS
from semisvm.schedules import AnnealedWeight
from semisvm.spaces import with_constant

__all__ = ["QuasiNewtonS3VM"]


@dataclass(eq=False, repr=False, kw_only=True)
class QuasiNewtonS3VM(Continuous):
    """L-BFGS on the modified logistic loss and a Gaussian unlabeled loss, at a few growing weights of the latter.

        J(f) = 1/2 |f|^2 + C sum_{i in L} 1/g log(1 + exp(g (1 - y_i z_i))) + C_unlabeled sum_{j in U} exp(-s z_j^2)

    In the terms of the paper C = 1/(2 lambda l) and C_unlabeled = lambda'/(2 lambda u). With `kernel="linear"` the
    weights w are optimized, in O(nd) or O(non-zeros) per evaluation; `n_components` gives the subset of regressors.

    Parameters
    ----------
    weights : sequence of float
        Factors of C_unlabeled, one stage each, after a supervised start. `n_stages=k` replaces them by k factors in
        geometric progression from the first of them to 1.
    s : float
        Sharpness of the unlabeled loss.
    steepness : float
        g, how closely the labeled loss follows the hinge.
    memory : int
        Pairs of differences that L-BFGS keeps.
    intercept_scaling : float, optional
        The bias as the weight of a column with this value, penalized like the others; 1 is a column of ones. It needs
        `balance="none"`, since centered functions have no constant. None: a free bias.

    References
    ----------
    Gieseke, Airola, Pahikkala and Kramer, "Fast and simple gradient-based optimization for semi-supervised support
    vector machines", Neurocomputing 123, 2014.

    Examples
    --------
    >>> from semisvm import QuasiNewtonS3VM
    >>> from semisvm.datasets import hide_labels, make_g50c
    >>> X, y = make_g50c(random_state=0)
    >>> model = QuasiNewtonS3VM(kernel="linear").fit(X, hide_labels(y, range(50)))
    >>> model.coef_.shape
    (1, 50)
    """

    weights: Any = (0.01, 0.1, 1.0)
    s: float = 3.0
    steepness: float = 20.0
    memory: int = 50
    intercept_scaling: float | None = None
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive("s", self.s)
        positive("steepness", self.steepness)
        whole("memory", self.memory)
        if self.intercept_scaling is not None:
            positive("intercept_scaling", self.intercept_scaling)
            if self.balance != "none":
                raise ValueError(
                    f"intercept_scaling={self.intercept_scaling!r} was given with balance={self.balance!r}, which "
                    'settles the bias: use balance="none", or intercept_scaling=None.'
                )
        if (
            not isinstance(self.weights, Sequence | np.ndarray)
            or isinstance(self.weights, str)
            or not len(self.weights)
        ):
            raise ValueError(f"weights={self.weights!r} was given and a sequence of positive numbers is needed.")
        for weight in self.weights:
            positive("weights", weight)

    def _losses(self) -> tuple[Loss, Loss]:
        return ModifiedLogistic(self.steepness), Gaussian(self.s)

    def _problem(self, training: TrainingSet) -> Problem:
        problem = super()._problem(training)
        if self.intercept_scaling is None:
            return problem
        space = with_constant(problem.space, float(self.intercept_scaling))
        return problem.replace(space=space, bias=np.zeros(problem.n_columns))

    def _descent(self, problem: Problem) -> Algorithm:
        if self.n_stages is None:
            schedule = AnnealedWeight(tuple(float(weight) for weight in self.weights))
        else:
            schedule = AnnealedWeight.geometric(self.n_stages, first=float(self.weights[0]))
        # a stage ends before it has more pairs than this
        memory = min(self.memory, Continuation.patience)
        return Continuation(schedule, LBFGS(self.tol, memory), approach_tol=1e-2)
