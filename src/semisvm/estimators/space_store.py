"""Kernels and spaces kept for several fits on the same rows: one Gram matrix, whatever the weights and the labels."""

from collections.abc import Callable, Hashable
from numbers import Number
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from semisvm.geometry.distances import Points

T = TypeVar("T")


class SpaceStore:
    """Belongs to one data set; a search gives it to the estimators that it fits on that set."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def get(self, settings: Hashable, points: Points, make: Callable[[], T]) -> T:
        """The space of these settings on these rows of the data set, built at its first use."""
        key = settings, points.dtype, points.index.tobytes()
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


def settings_of(value: Any) -> Hashable:
    """A key that two parameters share only if they mean the same; arrays are compared by identity."""
    if isinstance(value, BaseEstimator):
        return type(value), tuple((name, settings_of(v)) for name, v in sorted(value.get_params(deep=False).items()))
    if value is None or isinstance(value, str | bytes | Number | bool):
        return type(value), value
    return id(value)
