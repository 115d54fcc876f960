"""Functions of coordinates as functions of the rows that the coordinates belong to."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semisvm.geometry.shortest_path import ShortestPaths
from semisvm.spaces.predictor import Predictor


@dataclass(frozen=True, eq=False)
class EmbeddedPredictor(Predictor):
    """A predictor of coordinates, given rows."""

    embedding: ShortestPaths
    inner: Predictor

    def scores(self, X: Any) -> np.ndarray:
        return self.inner.scores(self.embedding.coordinates(X))
