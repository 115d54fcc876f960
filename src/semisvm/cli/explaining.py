"""--explain: the labeled rows that are nearest to a row, of its class and of the runner-up.

Near is measured in the prepared rows: every feature in standard deviations, words of texts by their tf-idf.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

NEAREST = 3
BLOCK = 4_000_000
"""Distances that are held at a time."""


@dataclass(frozen=True, eq=False)
class Reasons:
    """Labeled rows, prepared and in standard deviations, with their classes and names."""

    rows: Any
    codes: np.ndarray
    names: Sequence[str]
    classes: Sequence[Any]
    scale: np.ndarray | None

    @classmethod
    def of(cls, X: Any, codes: np.ndarray, names: Sequence[str], classes: Sequence[Any]) -> "Reasons":
        """From all rows that were trained on; codes are -1 where there is no label."""
        scale = None
        if not sp.issparse(X):
            deviation = X.std(axis=0)
            scale = 1 / np.where(deviation > 0, deviation, np.inf)
        known = np.flatnonzero(codes >= 0)
        rows = X[known] if scale is None else X[known] * scale
        return cls(rows, codes[known], [names[int(k)] for k in known], classes, scale)

    def told(self, X: Any, codes: np.ndarray, P: np.ndarray) -> list[str]:
        """For each row why it is in its class: near rows 3, 7, 12 of dog; cat has 5, 1, 20."""
        others = P.copy()
        others[np.arange(len(P)), codes] = -1.0
        runners_up = others.argmax(axis=1)
        step = max(1, BLOCK // max(1, len(self.codes)))
        said: list[str] = []
        for start in range(0, len(codes), step):
            part = slice(start, start + step)
            distances = self._distances(X[part])
            said += [
                f"near {self._nearest(d, code)}; next {self._nearest(d, second)}"
                for d, code, second in zip(distances, codes[part], runners_up[part], strict=True)
            ]
        return said

    def _distances(self, X: Any) -> np.ndarray:
        from sklearn.metrics.pairwise import euclidean_distances

        return euclidean_distances(X if self.scale is None else X * self.scale, self.rows, squared=True)

    def _nearest(self, distances: np.ndarray, code: int) -> str:
        mine = np.flatnonzero(self.codes == code)
        nearest = mine[np.argsort(distances[mine], kind="stable")[:NEAREST]]
        return f"{', '.join(self.names[k] for k in nearest)} ({self.classes[code]})"
