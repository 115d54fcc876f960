"""Functions of finitely many features Z = phi(x) with the Euclidean metric: theta = w, K = Z Z'.

A factor of the Gram matrix (the survey's "method 1"), a reduced set of landmarks (Nystrom, subset of regressors) and a
graph-deformed feature space are all this one space; they differ in the map phi alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import Kernel
from semisvm.objective import GramObjective, Problem
from semisvm.objective.row_sweeps import over_features
from semisvm.objective.rows import EVERY_ROW, Pointwise, Rows
from semisvm.spaces.linear import Linear
from semisvm.spaces.predictor import KernelPredictor, LinearPredictor, Predictor
from semisvm.spaces.space import Space


class FeatureMap(ABC):
    """x -> phi(x)."""

    @abstractmethod
    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        """phi(x)'theta + bias for new rows x."""

    @abstractmethod
    def then(self, A: np.ndarray) -> "FeatureMap":
        """x -> phi(x) A."""


@dataclass(frozen=True, eq=False)
class KernelMap(FeatureMap):
    """phi(x) = k(x, landmarks) A."""

    kernel: Kernel
    landmarks: Points
    A: np.ndarray

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> KernelPredictor:
        return KernelPredictor.sparse(self.kernel, self.landmarks, self.A @ theta, bias)

    def then(self, A: np.ndarray) -> "KernelMap":
        return KernelMap(self.kernel, self.landmarks, self.A @ A)


@dataclass(frozen=True, eq=False)
class LinearMap(FeatureMap):
    """phi(x) = x'A."""

    A: np.ndarray

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> LinearPredictor:
        return LinearPredictor(self.A @ theta, bias)

    def then(self, A: np.ndarray) -> "LinearMap":
        return LinearMap(self.A @ A)


@dataclass(frozen=True, eq=False)
class Mapped(Space):
    """Features Z (n, p) of the training points and the map that gives them for new ones."""

    Z: np.ndarray
    feature_map: FeatureMap

    @property
    def by_rows(self) -> bool:
        return True

    def objective(self, problem: Problem) -> GramObjective:
        return over_features(problem)

    @cached_property
    def linear(self) -> Linear:
        return Linear(self.Z)

    @property
    def n_points(self) -> int:
        return int(self.Z.shape[0])

    @property
    def dimension(self) -> int:
        return int(self.Z.shape[1])

    def outputs(self, theta: np.ndarray) -> np.ndarray:
        return self.linear.outputs(theta)

    def represent(self, v: np.ndarray) -> np.ndarray:
        return self.linear.represent(v)

    def metric(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def block(self, rows: Rows, cols: Rows = EVERY_ROW) -> np.ndarray:
        return self.linear.block(rows, cols)

    def norms(self) -> np.ndarray:
        return self.linear.norms()

    def sweep(self, theta: np.ndarray, f: Pointwise) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.linear.sweep(theta, f)

    def feature_matrix(self) -> np.ndarray:
        return self.Z

    def predictor(self, theta: np.ndarray, bias: np.ndarray) -> Predictor:
        return self.feature_map.predictor(theta, bias)
