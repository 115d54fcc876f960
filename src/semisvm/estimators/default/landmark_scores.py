"""Scores of new rows by rbf kernels on landmarks, strip by strip: a strip stays in the cache until its last product.

    exp(-4 gamma d^2) = exp(-gamma d^2)^4        two squarings in place of a second matrix of distances and exponentials

Rows in single precision meet landmarks and coefficients in single precision.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.geometry.kernels import RBF
from semisvm.spaces import KernelPredictor, Predictor


@dataclass(frozen=True, eq=False)
class LandmarkPredictor(Predictor):
    """Columns of one rbf kernel, followed by those of another four times as narrow on the same landmarks, if any."""

    wide: KernelPredictor
    narrow: KernelPredictor | None = None

    def scores(self, X: Any) -> np.ndarray:
        parts = [self.wide] if self.narrow is None else [self.wide, self.narrow]
        k = len(self.wide.intercept)
        scores = np.empty((X.shape[0], sum(len(one.intercept) for one in parts)))
        for rows, K in self.wide.strips(X):
            scores[rows, :k] = K @ self.wide.dual_coef.astype(K.dtype, copy=False)
            if self.narrow is not None:
                np.square(K, out=K)
                np.square(K, out=K)
                scores[rows, k:] = K @ self.narrow.dual_coef.astype(K.dtype, copy=False)
        return scores + np.concatenate([one.intercept for one in parts])


def fourth_power(wide: Predictor, narrow: Predictor) -> bool:
    """Whether the second kernel is the fourth power of the first, on the same landmarks, and neither has a partner."""
    return (
        isinstance(wide, LandmarkPredictor)
        and isinstance(narrow, LandmarkPredictor)
        and wide.narrow is None
        and narrow.narrow is None
        and wide.wide.support_points is narrow.wide.support_points
        and isinstance(wide.wide.kernel, RBF)
        and isinstance(narrow.wide.kernel, RBF)
        and narrow.wide.kernel.gamma == 4 * wide.wide.kernel.gamma
    )


def joined(wide: Predictor, narrow: Predictor) -> LandmarkPredictor:
    """Two predictors as one, where the second kernel is the fourth power of the first."""
    assert isinstance(wide, LandmarkPredictor)
    assert isinstance(narrow, LandmarkPredictor)
    return LandmarkPredictor(wide.wide, narrow.wide)
