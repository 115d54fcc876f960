"""The weighted average of families, as scores of new rows.

P(x) = sum_f w_f p_f(x)        scores: log P_c, or for two classes log P_1 - log P_0
"""

from dataclasses import dataclass

import numpy as np

from semisvm.estimators.default.evidence import FamilyWeights, probabilities
from semisvm.estimators.default.families import Family
from semisvm.estimators.probabilities import class_scores
from semisvm.spaces import Predictor


@dataclass(frozen=True, eq=False)
class WeightedPredictor:
    """Families whose scores come from one predictor."""

    predictor: Predictor
    parts: tuple[tuple[slice, float, float], ...]
    """(columns of the predictor, slope, weight) of each family."""


@dataclass(frozen=True, eq=False)
class EnsemblePredictor(Predictor):
    members: tuple[WeightedPredictor, ...]
    cut: np.ndarray | None = None
    """What is subtracted from the scores."""

    @classmethod
    def of(cls, families: list[Family], weights: FamilyWeights) -> "EnsemblePredictor":
        groups: dict[int, list[tuple[Family, float, float]]] = {}
        for family, slope, weight in zip(families, weights.slopes[0], weights.weights[0], strict=True):
            if weight > 0:
                groups.setdefault(id(family.predictor), []).append((family, float(slope), float(weight)))
        return cls(
            tuple(
                WeightedPredictor(
                    group[0][0].predictor, tuple((family.columns, slope, weight) for family, slope, weight in group)
                )
                for group in groups.values()
            ),
            weights.cut,
        )

    def scores(self, X) -> np.ndarray:
        total: np.ndarray | float = 0.0
        for member in self.members:
            every = member.predictor.scores(X)
            for columns, slope, weight in member.parts:
                total = total + weight * probabilities(class_scores(every[:, columns]), slope)
        scores = log_odds(np.asarray(total))
        return scores if self.cut is None else scores - self.cut


def log_odds(p: np.ndarray) -> np.ndarray:
    """Scores of probabilities: one column for two classes, one per class beyond."""
    logs = np.log(p)
    return logs[:, 1:] - logs[:, :1] if p.shape[1] == 2 else logs
