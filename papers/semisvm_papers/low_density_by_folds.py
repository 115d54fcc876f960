"""Low density separation whose rho and C are chosen by cross-validation on the labels, every unlabeled row kept.

The coordinates along paths depend on the rows and on rho alone, so they are computed once for all folds and splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from semisvm import GradientS3VM
from semisvm.geometry.distances import Points
from semisvm.geometry.shortest_path import ShortestPaths
from semisvm_papers.hashed_rows import HashedRows

DELTA = 0.1
"""Share of the variance that coordinates may miss, as in LowDensitySeparation."""


class LowDensityByFolds(ClassifierMixin, BaseEstimator):
    """LowDensitySeparation on the complete graph with the best of all pairs of ``rhos`` and ``Cs``.

    ``n_folds`` folds of the labels decide, the first pair among equals; a single pair is taken as it is. Labels -1 are
    missing.
    """

    def __init__(
        self, rhos: Sequence[float] = (4.0,), Cs: Sequence[float] = (100.0,), n_folds: int = 5, random_state: int = 0
    ) -> None:
        self.rhos = rhos
        self.Cs = Cs
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X: Any, y: np.ndarray) -> LowDensityByFolds:
        rows, pairs = HashedRows(X), list(product(self.rhos, self.Cs))
        wrong = [0 if len(pairs) == 1 else self._wrong(coordinates(rows, rho), C, y) for rho, C in pairs]
        self.rho_, self.C_ = pairs[int(np.argmin(wrong))]
        model = self._model(self.C_).fit(coordinates(rows, self.rho_), y)
        self.classes_ = model.classes_
        self.transduction_ = np.where(y >= 0, y, model.transduction_)
        return self

    def _wrong(self, Z: np.ndarray, C: float, y: np.ndarray) -> int:
        """How many labels are not found when they are hidden, fold by fold."""
        labeled = np.flatnonzero(y >= 0)
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=self.random_state)
        wrong = 0
        for _, hidden in folds.split(labeled, y[labeled]):
            partial = y.copy()
            partial[labeled[hidden]] = -1
            found = self._model(C).fit(Z, partial).transduction_[labeled[hidden]]
            wrong += int(np.sum(found != y[labeled[hidden]]))
        return wrong

    def _model(self, C: float) -> GradientS3VM:
        # LowDensitySeparation is this one on the coordinates along paths
        return GradientS3VM(kernel="linear", C=C, threshold="zero", random_state=self.random_state)


@lru_cache(maxsize=4)
def coordinates(rows: HashedRows, rho: float) -> np.ndarray:
    """The coordinates of low density separation on the complete graph."""
    points = Points.of(rows.X)
    return ShortestPaths.of(points, rho, DELTA, len(points) - 1).Z
