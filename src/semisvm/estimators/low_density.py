"""Low density separation (Chapelle and Zien 2005): a gradient S3VM in coordinates of softened shortest paths."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.algorithms import Algorithm, Candidate, Continuation
from semisvm.estimators.labels import Labels
from semisvm.estimators.learner import TrainingSet
from semisvm.estimators.parameters import positive, whole
from semisvm.estimators.semi_supervised import Continuous
from semisvm.geometry.distances import Points
from semisvm.geometry.shortest_path import ShortestPaths
from semisvm.losses import Gaussian, Loss, SquaredHinge
from semisvm.objective import Problem
from semisvm.optim import LBFGS
from semisvm.schedules import AnnealedWeight
from semisvm.spaces.embedded import EmbeddedPredictor

__all__ = ["LowDensitySeparation"]


@dataclass(frozen=True, eq=False)
class EmbeddedSet(TrainingSet):
    """Training rows as coordinates, with the embedding that made them."""

    embedding: ShortestPaths


@dataclass(eq=False, repr=False, kw_only=True)
class LowDensitySeparation(Continuous):
    """Gradient S3VM on distances along paths through the data: paths with long edges are expensive.

        d_rho(i, j) = 1/rho log(1 + min over paths of sum (exp(rho d) - 1)),   d in mean distances of neighbors
        J(f) = 1/2 |f|^2 + C sum_{i in L} max(0, 1 - y_i z_i)^2 + C_unlabeled sum_{j in U} exp(-5 z_j^2)

    Multidimensional scaling turns these distances into coordinates, and `kernel` is a kernel of the coordinates. New
    rows are placed by the paths through their nearest training rows, so the fitted model keeps an n x n matrix.

    Parameters
    ----------
    rho : float
        How much the longest edges of a path count; small: its length, large: its longest edge alone.
    delta : float
        Share of the variance that coordinates may miss; 0 keeps all of them.
    n_neighbors : int
        Edges of each row; separate parts are joined by their shortest edge. With n - 1 it is the complete graph of the
        paper; few neighbors are faster, and less accurate where the data are clouds.

    References
    ----------
    Chapelle and Zien, "Semi-supervised classification by low density separation", AISTATS 2005.

    Examples
    --------
    >>> from semisvm import LowDensitySeparation
    >>> from semisvm.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(200, random_state=0)
    >>> model = LowDensitySeparation(rho=4.0, C=10).fit(X, hide_labels(y, [0, 1]))
    >>> bool((model.transduction_ == y).mean() > 0.95)
    True
    """

    kernel: Any = "linear"
    rho: float = 2.0
    delta: float = 0.1
    n_neighbors: int = 50
    max_iter: int = 10_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive("rho", self.rho)
        positive("delta", self.delta, zero=True)
        whole("n_neighbors", self.n_neighbors)
        if self.delta >= 1:
            raise ValueError(f"delta={self.delta!r} was given and a share below 1 is needed.")
        if self.kernel == "precomputed":
            raise ValueError(
                'kernel="precomputed" was given and a kernel of coordinates is needed, which are computed here: set '
                'kernel="linear" or "rbf".'
            )

    def _training_set(self, points: Points, labels: Labels, weights: np.ndarray) -> TrainingSet:
        embedding = ShortestPaths.of(points, float(self.rho), float(self.delta), self.n_neighbors)
        rows = super()._training_set(Points.of(embedding.Z), labels, weights)
        return EmbeddedSet(rows.points, rows.every_point, rows.labels, rows.weights, embedding)

    def _losses(self) -> tuple[Loss, Loss]:
        return SquaredHinge(), Gaussian(5.0)

    def _descent(self, problem: Problem) -> Algorithm:
        return Continuation(AnnealedWeight.geometric(self.n_stages), LBFGS(self.tol), approach_tol=1e-2)

    def _attributes(self, problem: Problem, training: TrainingSet, candidate: Candidate) -> dict[str, Any]:
        attributes = super()._attributes(problem, training, candidate)
        attributes.pop("coef_", None)  # of coordinates, not of columns
        assert isinstance(training, EmbeddedSet)
        attributes["predictor_"] = EmbeddedPredictor(training.embedding, attributes["predictor_"])
        return attributes
