"""Scores of new rows by rbf kernels on landmarks, strip by strip: a strip stays in the cache until its last product.

    exp(-4 gamma d^2) = exp(-gamma d^2)^4        two squarings in place of a second matrix of distances and exponentials

Rows in single precision meet landmarks and coefficients in single precision.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from semisvm.geometry.distances import Points
from semisvm.geometry.kernels import RBF
from semisvm.spaces import KernelPredictor, Predictor
from semisvm.spaces.predictor import CHUNK_BYTES

STRIP_BYTES = 2 * 2**20
"""Kernel values that are held at a time; more where rows are sparse, whose products cost much to begin."""


@dataclass(frozen=True, eq=False)
class LandmarkPredictor(Predictor):
    """Columns of one rbf kernel, followed by those of another four times as narrow on the same landmarks, if any."""

    wide: KernelPredictor
    narrow: KernelPredictor | None = None

    def scores(self, X: Any) -> np.ndarray:
        parts = [self.wide] if self.narrow is None else [self.wide, self.narrow]
        light = X.dtype == np.float32
        landmarks = self._light_landmarks if light else self.wide.support_points
        coefficients = [one.dual_coef.astype(np.float32) if light else one.dual_coef for one in parts]
        m, k = X.shape[0], len(self.wide.intercept)
        scores = np.empty((m, sum(len(one.intercept) for one in parts)))
        at_a_time = CHUNK_BYTES if landmarks.sparse else STRIP_BYTES
        strip = max(1, at_a_time // (8 * max(1, len(landmarks))))
        held: np.ndarray | None = None
        for start in range(0, m, strip):
            rows = slice(start, min(start + strip, m))
            points = Points.of(X[rows])
            if held is not None and len(points) != len(held):
                held = held[: len(points)]
            held = K = self.wide.kernel.block(points, landmarks, held)
            scores[rows, :k] = K @ coefficients[0]
            if self.narrow is not None:
                np.square(K, out=K)
                np.square(K, out=K)
                scores[rows, k:] = K @ coefficients[1]
        return scores + np.concatenate([one.intercept for one in parts])

    @cached_property
    def _light_landmarks(self) -> Points:
        return Points.of(self.wide.support_points.X.astype(np.float32))


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
