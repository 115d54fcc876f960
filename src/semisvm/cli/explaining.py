"""--explain: the labeled rows that are nearest to a row, of its class and of the runner-up.

The distance is |phi(x) - phi(z)| in the average kernel of the model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from semisvm.estimators.default.average_kernel import AverageKernel

NEAREST = 3
BLOCK = 4_000_000
"""Distances that are held at a time."""


@dataclass(frozen=True, eq=False)
class Reasons:
    """Features of the labeled rows, with their classes and names."""

    kernel: AverageKernel
    features: Any
    codes: np.ndarray
    names: Sequence[str]
    classes: Sequence[Any]

    @classmethod
    def of(
        cls, kernel: AverageKernel, X: Any, codes: np.ndarray, names: Sequence[str], classes: Sequence[Any]
    ) -> "Reasons":
        """From all training rows. Codes are -1 where there is no label."""
        known = np.flatnonzero(codes >= 0)
        return cls(kernel, kernel.features(X[known]), codes[known], [names[int(k)] for k in known], classes)

    def texts(self, X: Any, codes: np.ndarray, P: np.ndarray) -> list[str]:
        """The nearest labeled rows of each row, as text: near 3, 7, 12 (dog); next 5, 1, 20 (cat)."""
        others = P.copy()
        others[np.arange(len(P)), codes] = -1.0
        runners_up = others.argmax(axis=1)
        step = max(1, BLOCK // max(1, len(self.codes)))
        said: list[str] = []
        for start in range(0, len(codes), step):
            part = slice(start, start + step)
            distances = euclidean_distances(self.kernel.features(X[part]), self.features, squared=True)
            said += [
                f"near {self._nearest(d, code)}; next {self._nearest(d, second)}"
                for d, code, second in zip(distances, codes[part], runners_up[part], strict=True)
            ]
        return said

    def _nearest(self, distances: np.ndarray, code: int) -> str:
        mine = np.flatnonzero(self.codes == code)
        nearest = mine[np.argsort(distances[mine], kind="stable")[:NEAREST]]
        return f"{', '.join(self.names[k] for k in nearest)} ({self.classes[code]})"
