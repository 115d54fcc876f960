"""Elements of H x R, k columns at once, with what makes them cheap to combine: their metric and their outputs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

Family: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Coefficients (k, m), and theta (k, m, p), metric (k, m, p) and bias (k, m) of m vectors in each of k columns."""

STRETCH = 8192
"""Entries of an inner product given to BLAS at a time: more would wake threads, which takes longer than the sum."""


@dataclass(frozen=True, eq=False)
class Vector:
    """An element (f, b) of H x R by its coefficients, with R theta beside them so that inner products are free."""

    theta: np.ndarray
    bias: np.ndarray
    metric: np.ndarray

    def inner(self, other: "Vector") -> np.ndarray:
        """<f, g> + b_f b_g, for each column."""
        products: np.ndarray = dots(self.theta, other.metric) + self.bias * other.bias
        return products

    def norm(self) -> np.ndarray:
        norms: np.ndarray = np.sqrt(np.maximum(self.inner(self), 0.0))
        return norms

    def plus(self, other: "Vector", size: np.ndarray | float) -> "Vector":
        """self + size other."""
        theta = self.theta + size * other.theta
        euclidean = self.metric is self.theta and other.metric is other.theta
        return Vector(theta, self.bias + size * other.bias, theta if euclidean else self.metric + size * other.metric)

    def scaled(self, size: np.ndarray | float) -> "Vector":
        theta = size * self.theta
        return Vector(theta, size * self.bias, theta if self.metric is self.theta else size * self.metric)

    def with_bias_times(self, factor: float) -> "Vector":
        """(f, factor b)."""
        return self if factor == 1 else Vector(self.theta, factor * self.bias, self.metric)

    def combined(self, size: np.ndarray, families: Iterable[Family]) -> "Vector":
        """size self + sum of the families' vectors, each with its coefficient."""
        theta, bias, euclidean = size * self.theta, size * self.bias, self.metric is self.theta
        metric = theta if euclidean else size * self.metric
        for weights, thetas, metrics, biases in families:
            w = weights[:, None, :]
            theta += np.matmul(w, thetas)[:, 0].T
            bias += np.matmul(w, biases[:, :, None])[:, 0, 0]
            if not euclidean:
                metric += np.matmul(w, metrics)[:, 0].T
        return Vector(theta, bias, metric)

    def columns(self, chosen: np.ndarray) -> "Vector":
        theta = self.theta[:, chosen]
        return Vector(theta, self.bias[chosen], theta if self.metric is self.theta else self.metric[:, chosen])

    def put(self, chosen: np.ndarray, part: "Vector") -> "Vector":
        """This vector with the chosen columns replaced."""
        theta = put_columns(self.theta, chosen, part.theta)
        metric = theta if self.metric is self.theta else put_columns(self.metric, chosen, part.metric)
        return Vector(theta, put_columns(self.bias, chosen, part.bias), metric)


@dataclass(frozen=True, eq=False)
class Point:
    """A vector and its outputs at the training points."""

    vector: Vector
    outputs: np.ndarray

    @property
    def theta(self) -> np.ndarray:
        return self.vector.theta

    @property
    def bias(self) -> np.ndarray:
        return self.vector.bias

    @property
    def scores(self) -> np.ndarray:
        scores: np.ndarray = self.outputs + self.vector.bias
        return scores

    def step(self, direction: "Point", size: np.ndarray | float) -> "Point":
        """self + size direction; no product is needed, because everything is linear."""
        vector = self.vector.plus(direction.vector, size)
        if self.outputs is self.vector.metric and direction.outputs is direction.vector.metric:
            return Point(vector, vector.metric)
        return Point(vector, self.outputs + size * direction.outputs)

    def columns(self, chosen: np.ndarray) -> "Point":
        vector = self.vector.columns(chosen)
        return Point(vector, vector.metric if self.outputs is self.vector.metric else self.outputs[:, chosen])

    def put(self, chosen: np.ndarray, part: "Point") -> "Point":
        """This point with the chosen columns replaced; all of them are taken to be in order."""
        if len(chosen) == len(self.bias):
            return part
        vector = self.vector.put(chosen, part.vector)
        shared = self.outputs is self.vector.metric
        return Point(vector, vector.metric if shared else put_columns(self.outputs, chosen, part.outputs))


def dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a_j'b_j for each column j."""
    products: np.ndarray
    if a.shape[1] == 1 and len(a) <= STRETCH:
        products = np.vecdot(a.T, b.T)
    elif a.shape[1] == 1:
        whole = len(a) - len(a) % STRETCH
        stretches = np.vecdot(a[:whole].reshape(-1, STRETCH), b[:whole].reshape(-1, STRETCH))
        products = stretches.sum() + np.vecdot(a[whole:].T, b[whole:].T)
    else:
        products = np.einsum("ij,ij->j", a, b)
    return products


def put_columns(whole: np.ndarray, chosen: np.ndarray, part: np.ndarray) -> np.ndarray:
    """A copy of the array with these columns replaced."""
    whole = whole.copy()
    whole[..., chosen] = part
    return whole
